//! Texts → vectors, by a model on an OpenAI-compatible server.
//!
//! Invariant: a vector belongs to the text the server says it belongs to, whatever order they come in.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use vouch_domain::{EmbedderIdentity, Embedding, Fault, ModelError, PortError, RelevanceMap, ports::Embedder};

use super::{OpenAiSettings, PROVIDER, refusal::RefusalContext};
use crate::model_server::{Connection, EmbedderCard, EmbedderSettings};

/// Embeds with a model on an OpenAI-compatible server.
pub struct OpenAiEmbedder {
    connection: Connection,
    card: EmbedderCard,
}

#[derive(Serialize)]
struct EmbedRequest<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct EmbedAnswer {
    data: Vec<EmbeddedText>,
}

#[derive(Deserialize)]
struct EmbeddedText {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl EmbedAnswer {
    /// The vectors in the order of the texts; none if two are said to belong to one text.
    fn in_order(self) -> Option<Vec<Vec<f32>>> {
        let count = self.data.len();
        let numbered = self.data.into_iter().zip(0..).map(|(text, at)| (text.index.unwrap_or(at), text.embedding));
        let by_text: BTreeMap<usize, Vec<f32>> = numbered.collect();
        let is_whole = by_text.len() == count && by_text.keys().copied().eq(0..count);
        is_whole.then(|| by_text.into_values().collect())
    }
}

impl OpenAiEmbedder {
    /// Prepares to embed; nothing is sent yet.
    ///
    /// # Errors
    /// Fails if the settings make no sense, or where the system's certificates cannot be read for `https`.
    pub fn new(server: &OpenAiSettings, settings: EmbedderSettings) -> Result<Self, PortError> {
        let card = EmbedderCard::new(PROVIDER, settings)?;
        Ok(Self { connection: server.connection(EmbedderCard::PORT)?, card })
    }

    async fn ask(&self, batch: &[String]) -> Result<EmbedAnswer, ModelError> {
        let model = self.card.settings.model.as_str();
        let request = EmbedRequest { model, input: batch, encoding_format: "float" };
        let reply = self.connection.post("embeddings", &request, self.card.allowance(batch.len())).await?;
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
impl Embedder for OpenAiEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.card.identity
    }

    fn relevance_map(&self) -> &RelevanceMap {
        &self.card.settings.relevance_map
    }

    fn likeness_map(&self) -> &RelevanceMap {
        &self.card.settings.likeness_map
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        let server = self.connection.server();
        let mut embeddings = Vec::with_capacity(texts.len());
        for batch in self.card.batches(texts) {
            let answer = self.ask(&batch).await.map_err(EmbedderCard::failed)?;
            let vectors = answer.in_order().ok_or_else(|| {
                let sentence = server.sentence("does not say which vector belongs to which text");
                PortError::new(EmbedderCard::PORT, Fault::Internal, sentence)
            })?;
            embeddings.extend(self.card.accept(server, vectors, batch.len())?);
        }
        Ok(embeddings)
    }
}
