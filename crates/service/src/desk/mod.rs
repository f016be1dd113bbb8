//! A question on a caller's behalf → a reply that is audited and recorded before it leaves.
//!
//! Invariant: no reply leaves without its entry in the trail; if the trail cannot be written, there is no reply.

mod failure;
mod watch;

use std::{sync::Arc, time::Duration};

use tracing::Span;
use vouch_domain::{
    AuditEntry, Fault, PortError, Question,
    ports::{AuditPlace, AuditTrail, StoreState},
};
use vouch_engine::{
    ask::{AskError, Engine, Listener, Response},
    auditor::Inspection,
    retrieve::{Candidates, LaneChoice},
};

use crate::{
    circumstances::Circumstances,
    context,
    metrics::Figures,
    question::{Answered, Asking},
    walks::WalkListener,
    wire::{Ending, Occasion, Record, Reply, Words},
};

pub use failure::DeskError;

use failure::ask_code;
use watch::Watch;

/// The surface of the local user, as one word.
pub const COMMAND_LINE: &str = "cli";

/// Answers questions from every surface: command line, HTTP and MCP.
pub struct Desk {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The audit trail.
    pub trail: Arc<dyn AuditTrail>,
    /// What answers depend on besides the corpus.
    pub circumstances: Circumstances,
    /// How requests are recorded.
    pub bookkeeping: Bookkeeping,
    /// The metrics.
    pub figures: Arc<Figures>,
    /// Receives a trace of every question; none if traces are not collected.
    pub walks: Option<Arc<dyn WalkListener>>,
}

/// How requests are audited and recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bookkeeping {
    /// Whether the asker's and the answer's words are kept.
    pub words: Words,
    /// How long the auditor may look up what a reply names.
    pub check_timeout: Duration,
}

impl Default for Bookkeeping {
    fn default() -> Self {
        Self { words: Words::Kept, check_timeout: Duration::from_millis(500) }
    }
}

impl Desk {
    /// Answers a question, and records the answer before it returns.
    ///
    /// # Errors
    /// Fails if the engine does or the trail cannot be written.
    pub async fn answer(&self, asking: &Asking) -> Result<Answered, DeskError> {
        self.recorded(asking, self.engine.ask(&asking.question)).await
    }

    /// The same, sentence by sentence; the request is recorded before the first one is sent.
    ///
    /// # Errors
    /// As `answer`; sentences sent before stay true.
    pub async fn answer_aloud(&self, asking: &Asking, listener: &dyn Listener) -> Result<Answered, DeskError> {
        let work = async {
            let before = self.state().await?;
            let occasion = self.occasion(asking, &before);
            let place = self.begun(&occasion).await?;
            let outcome = self.engine.ask_aloud(&asking.question, listener).await;
            let (entry, answered) = self.ended(&occasion, outcome).await;
            self.timed(self.trail.rewrite(place, entry)).await?;
            Ok(answered?)
        };
        self.watch().over(asking, Box::pin(work)).await
    }

    /// What the vocabulary says of a term, recorded like any answer; none if there is no vocabulary.
    ///
    /// # Errors
    /// As `answer`.
    pub async fn define(&self, term: &str, asking: &Asking) -> Result<Option<Answered>, DeskError> {
        if self.engine.terms.is_none() {
            return Ok(None);
        }
        let walk = async {
            let defined = self.engine.define_term(term, &asking.question.reader).await?;
            defined.ok_or_else(|| AskError::Port(PortError::of("vocabulary", Fault::Unavailable, "there is none")))
        };
        self.recorded(asking, walk).await.map(Some)
    }

    /// Passages without an answer: counted, but not recorded.
    ///
    /// # Errors
    /// As the engine.
    pub async fn search(&self, question: &Question, lanes: LaneChoice) -> Result<Candidates, AskError> {
        let started = self.engine.clock.since_start();
        let found = self.engine.search(question, lanes).await?;
        let took = self.engine.clock.since_start().saturating_sub(started);
        Span::current().record("route", context::route_of_search(&found));
        self.figures.observe_search(&found, took);
        Ok(found)
    }

    /// Records the outcome, then returns it.
    async fn recorded(
        &self,
        asking: &Asking,
        walk: impl Future<Output = Result<Response, AskError>>,
    ) -> Result<Answered, DeskError> {
        let work = async {
            let before = self.state().await?;
            let occasion = self.occasion(asking, &before);
            let (entry, answered) = self.ended(&occasion, walk.await).await;
            self.timed(self.trail.write(entry)).await?;
            Ok(answered?)
        };
        self.watch().over(asking, Box::pin(work)).await
    }

    fn watch(&self) -> Watch<'_> {
        Watch { engine: &self.engine, figures: &self.figures, walks: self.walks.as_deref() }
    }

    /// An entry's write, timed.
    async fn timed<T>(&self, write: impl Future<Output = Result<T, PortError>>) -> Result<T, DeskError> {
        let started = self.engine.clock.since_start();
        let written = write.await;
        let took = self.engine.clock.since_start().saturating_sub(started);
        self.figures.audit_written(written.is_ok(), took);
        written.map_err(DeskError::Unrecorded)
    }

    async fn state(&self) -> Result<StoreState, DeskError> {
        Ok(self.engine.retrieve.catalogue.state().await.map_err(AskError::Port)?)
    }

    fn occasion<'a>(&'a self, asking: &'a Asking, before: &'a StoreState) -> Occasion<'a> {
        let (at_ms, words) = (self.engine.clock.now_ms(), self.bookkeeping.words);
        Occasion { asking, circumstances: &self.circumstances, at_ms, before, words }
    }

    async fn begun(&self, occasion: &Occasion<'_>) -> Result<AuditPlace, DeskError> {
        let entry = enter(occasion, "begun", None, 0.0, &Record::begun(occasion));
        self.timed(self.trail.write(entry)).await
    }

    /// An outcome: what to record, and what may be returned once that is done.
    async fn ended(
        &self,
        occasion: &Occasion<'_>,
        outcome: Result<Response, AskError>,
    ) -> (AuditEntry, Result<Answered, AskError>) {
        let asking = occasion.asking;
        let response = match outcome {
            Ok(response) => response,
            Err(error) => {
                let reason = ask_code(&error);
                // Callers can read the trail, so the store's own words go to the log only.
                let told = match &error {
                    AskError::Port(port) => format!("{}: {}", port.port, port.fault.word()),
                    AskError::NotAQuestion(_) | AskError::Model(_) => error.to_string(),
                };
                let record = Record::failed(occasion, reason, told);
                return (enter(occasion, "failed", Some(reason), 0.0, &record), Err(error));
            }
        };
        let (reader, within) = (&asking.question.reader, self.bookkeeping.check_timeout);
        let inspection = self.engine.inspect(&response, reader, within).await;
        let after = self.engine.retrieve.catalogue.state().await.ok();
        let has_moved = after.as_ref().is_none_or(|after| after.generation != occasion.before.generation);
        report(&inspection, &asking.request_id, has_moved);
        let mut reply = Reply::of(&response, asking.request_id.clone(), true);
        if asking.surface != COMMAND_LINE {
            reply = reply.without_paths();
        }
        reply.warnings.extend(warning(&inspection));
        let ending = Ending { response: &response, reply: &reply, inspection: &inspection, after: after.as_ref() };
        let record = Record::answered(occasion, &ending);
        let entry = enter(occasion, reply.outcome, reply.abstain_reason, response.elapsed_ms, &record);
        if !asking.explains {
            reply.trace = None;
        }
        (entry, Ok(Answered { response, reply }))
    }
}

fn enter(
    occasion: &Occasion<'_>,
    outcome: &str,
    reason: Option<&str>,
    elapsed_ms: f64,
    record: &Record<'_>,
) -> AuditEntry {
    let asking = occasion.asking;
    AuditEntry {
        id: asking.request_id.clone(),
        tenant: asking.question.reader.tenant.clone(),
        asker: asking.asker.clone(),
        at_ms: occasion.at_ms,
        outcome: outcome.to_owned(),
        reason: reason.map(str::to_owned),
        generation: occasion.before.generation,
        elapsed_ms,
        record: record.written(),
    }
}

/// Logs what an answer should never have named. That is expected if the corpus has changed meanwhile.
fn report(inspection: &Inspection, request_id: &str, has_moved: bool) {
    for one in &inspection.unknown {
        let (kind, fault, identifier) = (one.kind, one.fault, one.identifier.as_str());
        if has_moved {
            tracing::warn!(request_id, kind, fault, identifier, component = "auditor", "identifier changed meanwhile");
        } else {
            tracing::error!(request_id, kind, fault, identifier, component = "auditor", "unknown identifier shown");
        }
    }
    if let Some(reason) = &inspection.unfinished {
        tracing::warn!(request_id, reason, component = "auditor", "some identifiers were not looked up");
    }
}

fn warning(inspection: &Inspection) -> Option<String> {
    let count = inspection.unknown.len();
    (count > 0).then(|| format!("{count} identifier(s) in this answer could not be found again as shown."))
}
