//! Entries that were kept → those of their phrases that do not reach them, found by asking each as whoever may see the entry.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{MemoryEntry, Question, Reader, Scope};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    model_registry::ModelRegistry,
    retrieve::Lane,
    trace::MemoryVerdict,
};

/// What came of asking the phrases of entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct PhraseReport {
    /// How many phrases were asked as they are written.
    pub asked: usize,
    /// How many were not, since there was no time left for them.
    pub unasked: usize,
    /// Those that do not reach their entry.
    pub unreached: Vec<UnreachedPhrase>,
}

/// A phrase that does not reach its entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct UnreachedPhrase {
    /// Id of the entry.
    pub entry: String,
    /// The phrase.
    pub phrase: String,
    /// Where it leads instead, as a sentence.
    pub reason: String,
}

impl PhraseReport {
    /// What was found, a line for each phrase that goes elsewhere and one for those that nobody asked.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let unreached = self.unreached.iter();
        let unreached =
            unreached.map(|one| format!("\"{}\" does not reach '{}': {}", one.phrase, one.entry, one.reason));
        let unasked =
            (self.unasked > 0).then(|| format!("{} phrases were not checked because time ran out", self.unasked));
        unreached.chain(unasked).collect()
    }
}

/// Asks every phrase of some entries until a time is over. No model is asked: what a phrase reaches does not depend on one.
pub async fn check_phrases(engine: &Engine, entries: &[MemoryEntry], timeout: Duration) -> PhraseReport {
    let engine = Engine { model_registry: ModelRegistry::default(), directory: None, ..engine.clone() };
    let started = Instant::now();
    let mut report = PhraseReport::default();
    for entry in entries {
        // Who reads least of those who may see the entry says whether it keeps what it promises.
        let reader = Reader::of_scope(&entry.tenant, Scope::Tags(entry.tags.clone()));
        for phrase in entry.phrases.iter().filter(|phrase| !phrase.text.trim().is_empty()) {
            let left = timeout.saturating_sub(started.elapsed());
            let question = Question::new(phrase.text.clone(), reader.clone());
            let reason = match tokio::time::timeout(left, engine.ask(&question)).await {
                Err(_) => {
                    report.unasked += 1;
                    continue;
                }
                Ok(Err(error)) => Some(error.to_string()),
                Ok(Ok(response)) => reason_not_reached(&response, entry),
            };
            report.asked += 1;
            report.unreached.extend(reason.map(|reason| UnreachedPhrase {
                entry: entry.id.clone(),
                phrase: phrase.text.clone(),
                reason,
            }));
        }
    }
    report
}

/// Why an answer is not what the entry was kept for; none if it is.
fn reason_not_reached(response: &Response, entry: &MemoryEntry) -> Option<String> {
    let accepted: BTreeSet<&str> = response
        .trace
        .memory
        .iter()
        .filter(|one| one.verdict == MemoryVerdict::Accepted)
        .map(|one| one.id.as_str())
        .collect();
    if !accepted.contains(entry.id.as_str()) {
        return Some(match accepted.first() {
            Some(other) => format!("entry '{other}' has these words too and takes precedence"),
            None => "not everyone who may see the entry may read its sources".to_owned(),
        });
    }
    if entry.references.is_empty() {
        return None;
    }
    let lane = response.trace.lanes.iter().find(|one| one.lane == Lane::Memory);
    if lane.is_none_or(|lane| lane.hits == 0) {
        return Some("not everyone who may see the entry may read its sources".to_owned());
    }
    match &response.decision {
        Decision::Answer(_) => None,
        Decision::Refuse(refusal) => Some(format!("it is refused ({})", refusal.reason.sentence())),
        Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            Some("it is not answered from its sources".to_owned())
        }
    }
}
