//! A question on somebody's behalf → a reply that is written down before it leaves.
//!
//! Invariant: no reply leaves without its entry in the trail; where the trail cannot be written, nothing is told.

use std::sync::Arc;

use vouch_domain::{
    AuditEntry, PortError, Question,
    ports::{AuditPlace, AuditTrail, Generation},
};
use vouch_engine::ask::{AskError, Engine, Listener, Response};

use crate::wire::{Record, Reply};

/// Where questions are asked, whichever way they came in.
pub struct Desk {
    /// The engine.
    pub engine: Arc<Engine>,
    /// Where requests are written down.
    pub trail: Arc<dyn AuditTrail>,
    /// What answers depend on beside the corpus.
    pub circumstances: Circumstances,
}

/// What answers depend on beside the corpus, so that a replay can say what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The program's version.
    pub version: String,
    /// A digest of the settings that are in force.
    pub settings: String,
    /// The embedder.
    pub embedder: String,
    /// The judge.
    pub judge: Option<String>,
}

/// One question on its way.
#[derive(Debug, Clone)]
pub struct Asking {
    /// What the request is called.
    pub request_id: String,
    /// Who asks, as the trail calls them.
    pub asker: String,
    /// Which way it came in, as one word.
    pub surface: &'static str,
    /// What is asked.
    pub question: Question,
    /// Whether the reply shows its trace.
    pub explains: bool,
}

/// What a question came to.
pub struct Answered {
    /// The engine's word.
    pub response: Response,
    /// The same as others see it.
    pub reply: Reply,
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The question could not be walked.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The reply could not be written down, and so is not given.
    #[error("the request cannot be written down, so it is not answered")]
    Unrecorded(#[source] PortError),
}

impl Desk {
    /// Answers, and writes the answer down first.
    ///
    /// # Errors
    /// Fails where the engine does or the trail cannot be written.
    pub async fn answer(&self, asking: &Asking) -> Result<Answered, DeskError> {
        let generation = self.generation().await?;
        let outcome = self.engine.ask(&asking.question).await;
        self.trail.write(self.entry(asking, generation, &outcome)).await.map_err(DeskError::Unrecorded)?;
        Ok(answered(asking, outcome?))
    }

    /// The same, told sentence by sentence; that it was asked is written down before the first one.
    ///
    /// # Errors
    /// As `answer`; what was told by then stays true.
    pub async fn answer_aloud(&self, asking: &Asking, listener: &dyn Listener) -> Result<Answered, DeskError> {
        let generation = self.generation().await?;
        let place = self.begun(asking, generation).await?;
        let outcome = self.engine.ask_aloud(&asking.question, listener).await;
        let entry = self.entry(asking, generation, &outcome);
        self.trail.rewrite(place, entry).await.map_err(DeskError::Unrecorded)?;
        Ok(answered(asking, outcome?))
    }

    /// What the vocabulary says of a term, written down like any answer; none where there is no vocabulary.
    ///
    /// # Errors
    /// As `answer`.
    pub async fn define(&self, term: &str, asking: &Asking) -> Result<Option<Answered>, DeskError> {
        let generation = self.generation().await?;
        let Some(response) = self.engine.define_term(term, &asking.question.reader).await else { return Ok(None) };
        let outcome = Ok(response);
        self.trail.write(self.entry(asking, generation, &outcome)).await.map_err(DeskError::Unrecorded)?;
        Ok(Some(answered(asking, outcome?)))
    }

    async fn generation(&self) -> Result<Generation, DeskError> {
        Ok(self.engine.retrieve.catalogue.generation().await.map_err(AskError::Port)?)
    }

    async fn begun(&self, asking: &Asking, generation: Generation) -> Result<AuditPlace, DeskError> {
        let record = Record::begun(asking, &self.circumstances);
        let entry = self.enter(asking, generation, "begun", None, 0.0, &record);
        self.trail.write(entry).await.map_err(DeskError::Unrecorded)
    }

    fn entry(&self, asking: &Asking, generation: Generation, outcome: &Result<Response, AskError>) -> AuditEntry {
        match outcome {
            Ok(response) => {
                let reply = Reply::of(response, asking.request_id.clone(), true);
                let (word, reason) = (reply.outcome, reply.abstain_reason);
                let record = Record::answered(asking, &self.circumstances, reply);
                self.enter(asking, generation, word, reason, response.elapsed_ms, &record)
            }
            Err(error) => {
                let reason = match error {
                    AskError::NotAQuestion(_) => "invalid_request",
                    AskError::Port(_) => "context",
                    AskError::Model(error) => error.code(),
                };
                let record = Record::failed(asking, &self.circumstances, error.to_string());
                self.enter(asking, generation, "failed", Some(reason), 0.0, &record)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of one row")]
    fn enter(
        &self,
        asking: &Asking,
        generation: Generation,
        outcome: &str,
        reason: Option<&str>,
        elapsed_ms: f64,
        record: &Record<'_>,
    ) -> AuditEntry {
        AuditEntry {
            id: asking.request_id.clone(),
            tenant: asking.question.reader.tenant.clone(),
            asker: asking.asker.clone(),
            at_ms: self.engine.clock.now_ms(),
            outcome: outcome.to_owned(),
            reason: reason.map(str::to_owned),
            generation,
            elapsed_ms,
            record: record.written(),
        }
    }
}

fn answered(asking: &Asking, response: Response) -> Answered {
    let reply = Reply::of(&response, asking.request_id.clone(), asking.explains);
    Answered { response, reply }
}
