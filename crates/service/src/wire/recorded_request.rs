//! An entry of the trail → the question, so that it can be asked again, and the reply, so that the two can be compared.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vouch_domain::{AuditEntry, Question, Reader, Scope, Speaker, Turn, ports::StoreState};

use super::Reply;
use crate::circumstances::Circumstances;

/// What a record holds of a request, as far as it takes to ask again.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedRequest {
    scope: ScopeRead,
    asked: QuestionRead,
    circumstances: Value,
    corpus: CorpusRead,
    reply: Option<String>,
    response: Option<ResponseRead>,
    surface: String,
}

#[derive(Debug, Clone, Deserialize)]
struct ScopeRead {
    whole_tenant: bool,
    tags: BTreeSet<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct QuestionRead {
    query: Option<String>,
    chat_history: Option<Vec<TurnRead>>,
    model: Option<String>,
    max_context_chunks: Option<usize>,
}

#[derive(Debug, Clone, Deserialize)]
struct TurnRead {
    role: String,
    content: String,
    sources: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct CorpusRead {
    generation_before: u64,
    generation_after: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
struct ResponseRead {
    citations: Vec<CitationRead>,
}

#[derive(Debug, Clone, Deserialize)]
struct CitationRead {
    marker: u32,
    source_id: String,
    quote: Option<QuoteRead>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct QuoteRead {
    start: usize,
    end: usize,
}

/// The parts of a reply that a replay compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplySummary {
    outcome: String,
    reason: Option<String>,
    answer: Option<String>,
    citations: Vec<String>,
}

/// A difference between then and now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceWire {
    /// What differs: `outcome`, `reason`, `answer`, `citations` or a part of the circumstances.
    pub what: &'static str,
    /// As it was recorded.
    pub then: Value,
    /// As it is now.
    pub now: Value,
}

impl RecordedRequest {
    /// Reads a record; none if it is not one of ours.
    #[must_use]
    pub fn read(entry: &AuditEntry) -> Option<Self> {
        serde_json::from_str(&entry.record).ok()
    }

    /// The words that were asked, if they were kept.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.asked.query.as_deref()
    }

    /// Which way it came in.
    #[must_use]
    pub fn surface(&self) -> &str {
        &self.surface
    }

    /// The question as it was asked; none if its words were not kept.
    #[must_use]
    pub fn question(&self, tenant: &str) -> Option<Question> {
        let turn = |turn: &TurnRead| Turn {
            speaker: if turn.role == "user" { Speaker::Asker } else { Speaker::Vouch },
            text: turn.content.clone(),
            sources: turn.sources.clone(),
        };
        let scope = match self.scope.whole_tenant {
            true => Scope::WholeTenant,
            false => Scope::Tags(self.scope.tags.clone()),
        };
        Some(Question {
            text: self.asked.query.clone()?,
            conversation: self.asked.chat_history.as_ref()?.iter().map(turn).collect(),
            reader: Reader { tenant: tenant.to_owned(), scope },
            passages_max: self.asked.max_context_chunks,
            model: self.asked.model.clone(),
        })
    }

    /// What the asker was told.
    #[must_use]
    pub fn told(&self, entry: &AuditEntry) -> ReplySummary {
        let cited =
            |one: &CitationRead| cited(one.marker, &one.source_id, one.quote.map(|quote| (quote.start, quote.end)));
        let citations = self.response.as_ref().map(|response| response.citations.iter().map(cited).collect());
        ReplySummary {
            outcome: entry.outcome.clone(),
            reason: entry.reason.clone(),
            answer: self.reply.clone(),
            citations: citations.unwrap_or_default(),
        }
    }

    /// What answers depend on besides the corpus and has changed, and how far the corpus has come since.
    #[must_use]
    pub fn changes(&self, circumstances: &Circumstances, state: &StoreState) -> Vec<DifferenceWire> {
        let now = [
            ("version", json!(circumstances.version)),
            ("settings", json!(circumstances.settings)),
            ("embedder", json!(circumstances.embedder)),
            ("judge", json!(circumstances.judge)),
            ("store", json!(state.store)),
            ("memory", json!(state.memory)),
            ("vocabulary", json!(state.vocabulary)),
            ("people", json!(state.people)),
        ];
        let then = |what: &str| self.circumstances.get(what).cloned().unwrap_or(Value::Null);
        let generation = ("generation", json!(self.corpus.generation_before), json!(state.generation.0));
        let others = now.into_iter().map(|(what, now)| (what, then(what), now));
        let mut changed: Vec<DifferenceWire> = others
            .chain([generation])
            .filter(|(_, then, now)| then != now)
            .map(|(what, then, now)| DifferenceWire { what, then, now })
            .collect();
        let (before, after) = (self.corpus.generation_before, self.corpus.generation_after);
        if after.is_some_and(|after| after != before) {
            let (then, now) = (json!(before), json!(after));
            changed.push(DifferenceWire { what: "generation while it was answered", then, now });
        }
        changed
    }

    /// The store the request was answered from, if it is known.
    #[must_use]
    pub fn store(&self) -> Option<&str> {
        self.circumstances.get("store").and_then(Value::as_str)
    }
}

impl ReplySummary {
    /// What a reply tells.
    #[must_use]
    pub fn new(reply: &Reply) -> Self {
        let citations = reply
            .citations
            .iter()
            .map(|one| cited(one.marker, &one.source_id, one.quote.map(|quote| (quote.start, quote.end))));
        Self {
            outcome: reply.outcome.as_str().to_owned(),
            reason: reply.abstain_reason.map(str::to_owned),
            answer: Some(reply.answer.clone()),
            citations: citations.collect(),
        }
    }

    /// What a failed question comes to.
    #[must_use]
    pub fn failed(code: &str) -> Self {
        let (outcome, reason) = ("failed".to_owned(), Some(code.to_owned()));
        Self { outcome, reason, answer: None, citations: Vec::new() }
    }

    /// Where the two differ, in the order outcome, reason, answer, citations.
    #[must_use]
    pub fn differences(&self, now: &Self) -> Vec<DifferenceWire> {
        let pairs = [
            ("outcome", json!(self.outcome), json!(now.outcome)),
            ("reason", json!(self.reason), json!(now.reason)),
            ("answer", json!(self.answer), json!(now.answer)),
            ("citations", json!(self.citations), json!(now.citations)),
        ];
        let differs = pairs.into_iter().filter(|(_, then, now)| then != now);
        differs.map(|(what, then, now)| DifferenceWire { what, then, now }).collect()
    }
}

/// `[^1] handbook/leave:3 120-241`.
fn cited(marker: u32, source_id: &str, quote: Option<(usize, usize)>) -> String {
    let quote = quote.map_or(String::new(), |(start, end)| format!(" {start}-{end}"));
    format!("[^{marker}] {source_id}{quote}")
}
