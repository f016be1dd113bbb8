//! A question and passages → a score for each, by a reranking model behind `POST …/rerank`.
//!
//! Servers agree on the request (`model`, `query`, `documents`) and differ in the reply: the rows stand under `results`, under
//! `data` or alone, and the score is called `relevance_score` or `score`.
//!
//! Invariant: a score belongs to the passage whose number the server names; every passage has exactly one, or it fails.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use vouch_domain::{
    Fault, ModelError, PortError,
    ports::{JudgedPassage, Reranker},
};

use super::{OpenAiSettings, refusal::RefusalContext};
use crate::model_server::{Allowance, Connection, Deadlines};

const PORT: &str = "reranker";

/// How many bytes a reply may take for each passage: servers like to send the texts back.
const ROW_BYTES_MAX: usize = 32 * 1024;

/// A model that reranks, and how it is asked.
#[derive(Debug, Clone)]
pub struct RerankerSettings {
    /// The model, as its server calls it.
    pub model: String,
    /// How long one request may take.
    pub timeout: Duration,
}

/// Reranks with a model behind a server.
pub struct HttpReranker {
    connection: Connection,
    settings: RerankerSettings,
}

#[derive(Serialize)]
struct RerankRequest<'a> {
    model: &'a str,
    query: &'a str,
    documents: &'a [String],
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RerankAnswer {
    Results { results: Vec<ScoredRow> },
    Data { data: Vec<ScoredRow> },
    Alone(Vec<ScoredRow>),
}

#[derive(Deserialize)]
struct ScoredRow {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f32,
}

impl RerankAnswer {
    /// The scores in the order of the passages; none unless every passage has one that is a number.
    fn in_order(self, passages: usize) -> Option<Vec<f32>> {
        let (Self::Results { results: rows } | Self::Data { data: rows } | Self::Alone(rows)) = self;
        let count = rows.len();
        let by_passage: BTreeMap<usize, f32> = rows.into_iter().map(|row| (row.index, row.relevance_score)).collect();
        let is_whole = count == passages && by_passage.keys().copied().eq(0..passages);
        (is_whole && by_passage.values().all(|score| score.is_finite())).then(|| by_passage.into_values().collect())
    }
}

impl HttpReranker {
    /// Prepares to rerank; nothing is sent yet.
    ///
    /// # Errors
    /// Fails if the settings make no sense, or where the system's certificates cannot be read for `https`.
    pub fn new(server: &OpenAiSettings, settings: RerankerSettings) -> Result<Self, PortError> {
        if settings.model.is_empty() || settings.timeout.is_zero() {
            let sentence = "a reranker needs a model and a timeout above zero";
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        Ok(Self { connection: server.connection(PORT)?, settings })
    }

    async fn ask(&self, question: &str, documents: &[String], timeout: Duration) -> Result<RerankAnswer, ModelError> {
        let model = self.settings.model.as_str();
        let request = RerankRequest { model, query: question, documents };
        let bytes_max = documents.len().saturating_add(1).saturating_mul(ROW_BYTES_MAX);
        let deadlines = Deadlines::whole(timeout.min(self.settings.timeout));
        let reply = self.connection.post("rerank", &request, Allowance { deadlines, bytes_max }).await?;
        let asked = || RefusalContext {
            server: Arc::clone(self.connection.server()),
            model: model.to_owned(),
            context_window: 0,
            has_key: self.connection.has_key(),
        };
        let reply = reply.accepted().await.map_err(|refused| asked().refusal(&refused))?;
        reply.json().await
    }
}

#[async_trait]
impl Reranker for HttpReranker {
    fn name(&self) -> &str {
        &self.settings.model
    }

    async fn scores(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<f32>, PortError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let documents: Vec<String> = passages.iter().map(as_sent).collect();
        let answer = self.ask(question, &documents, timeout).await.map_err(failed)?;
        answer.in_order(documents.len()).ok_or_else(|| {
            let sentence = self.connection.server().sentence("does not give every passage one score");
            PortError::new(PORT, Fault::Corrupt, sentence)
        })
    }
}

/// A passage under its heading. Servers refuse a text of nothing.
fn as_sent(passage: &JudgedPassage) -> String {
    let text = if passage.text.trim().is_empty() { " " } else { &passage.text };
    if passage.heading.is_empty() { text.to_owned() } else { format!("{}\n{text}", passage.heading) }
}

fn failed(error: ModelError) -> PortError {
    let fault = match &error {
        ModelError::Connection { .. } => Fault::Unavailable,
        ModelError::CircuitOpen { .. } => Fault::CircuitOpen,
        ModelError::Timeout { .. } => Fault::Timeout,
        ModelError::NotAllowed { .. }
        | ModelError::Unavailable { .. }
        | ModelError::Context { .. }
        | ModelError::TokenBudgetExceeded { .. } => Fault::Invalid,
    };
    PortError::new(PORT, fault, error.to_string())
}
