//! A question on somebody's behalf → a reply that is written down before it leaves.
//!
//! Invariant: no reply leaves without its entry in the trail; where the trail cannot be written, nothing is told.

use std::sync::Arc;

use vouch_domain::{
    AuditEntry, PortError, Question,
    ports::{AuditPlace, AuditTrail, Generation},
};
use vouch_engine::ask::{AskError, Engine, Listener, Response};

use tracing::{Instrument, Span};

use crate::{
    context,
    metrics::Figures,
    walks::{WalkListener, Walked},
    wire::{Record, Reply},
};

/// Where questions are asked, whichever way they came in.
pub struct Desk {
    /// The engine.
    pub engine: Arc<Engine>,
    /// Where requests are written down.
    pub trail: Arc<dyn AuditTrail>,
    /// What answers depend on beside the corpus.
    pub circumstances: Circumstances,
    /// What is counted.
    pub figures: Arc<Figures>,
    /// Who is told how each question was walked; nobody where no traces are collected.
    pub walks: Option<Arc<dyn WalkListener>>,
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
        let work = async {
            let generation = self.generation().await?;
            let outcome = self.engine.ask(&asking.question).await;
            let entry = self.entry(asking, generation, &outcome);
            self.timed(self.trail.write(entry)).await?;
            Ok(answered(asking, outcome?))
        };
        self.watched(asking, work).await
    }

    /// The same, told sentence by sentence; that it was asked is written down before the first one.
    ///
    /// # Errors
    /// As `answer`; what was told by then stays true.
    pub async fn answer_aloud(&self, asking: &Asking, listener: &dyn Listener) -> Result<Answered, DeskError> {
        let work = async {
            let generation = self.generation().await?;
            let place = self.begun(asking, generation).await?;
            let outcome = self.engine.ask_aloud(&asking.question, listener).await;
            let entry = self.entry(asking, generation, &outcome);
            self.timed(self.trail.rewrite(place, entry)).await?;
            Ok(answered(asking, outcome?))
        };
        self.watched(asking, work).await
    }

    /// Does the work of one request under its name: logged from its start to its end, and counted.
    async fn watched(
        &self,
        asking: &Asking,
        work: impl Future<Output = Result<Answered, DeskError>>,
    ) -> Result<Answered, DeskError> {
        let has_several = self.figures.has_several_collections();
        let route = context::expected_route(&asking.question, &self.engine, has_several);
        let span = tracing::info_span!(
            "question",
            request_id = asking.request_id,
            surface = asking.surface,
            route,
            fallback_flags = tracing::field::Empty
        );
        async {
            let (started, started_ms) = (self.engine.clock.since_start(), self.engine.clock.now_ms());
            let query = tracing::enabled!(tracing::Level::DEBUG).then_some(asking.question.text.as_str());
            tracing::info!(component = "router", event = "request_start", query);
            let mut unfinished = Unfinished { figures: &self.figures, surface: asking.surface, is_finished: false };
            let outcome = work.await;
            unfinished.is_finished = true;
            let total_ms = self.engine.clock.since_start().saturating_sub(started).as_secs_f64() * 1e3;
            self.noted(asking, &outcome, total_ms);
            if let (Ok(answered), Some(walks)) = (&outcome, &self.walks) {
                walks.hear(Walked::of(asking, answered, started_ms, total_ms));
            }
            outcome
        }
        .instrument(span)
        .await
    }

    fn noted(&self, asking: &Asking, outcome: &Result<Answered, DeskError>, total_ms: f64) {
        match outcome {
            Ok(Answered { response, reply }) => {
                self.figures.observe(asking.surface, response);
                Span::current().record("route", reply.route);
                Span::current().record("fallback_flags", context::fallback_flags(response).join(","));
                let (outcome, reason) = (reply.outcome, reply.abstain_reason);
                let stages = stages(response);
                tracing::info!(component = "router", event = "request_complete", outcome, reason, stages, total_ms);
            }
            Err(error) => {
                let code = code(error);
                self.figures.observe_failure(asking.surface, code);
                tracing::warn!(component = "router", event = "request_failed", code, total_ms);
            }
        }
    }

    /// A write to the trail, timed.
    async fn timed<T>(&self, write: impl Future<Output = Result<T, PortError>>) -> Result<T, DeskError> {
        let started = self.engine.clock.since_start();
        let written = write.await;
        let took = self.engine.clock.since_start().saturating_sub(started);
        self.figures.audit_written(written.is_ok(), took);
        written.map_err(DeskError::Unrecorded)
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
        self.timed(self.trail.write(entry)).await
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
                let reason = ask_code(error);
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

/// A question under way; where nobody waits for its end any more, that is counted too.
struct Unfinished<'a> {
    figures: &'a Figures,
    surface: &'static str,
    is_finished: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.figures.observe_failure(self.surface, "abandoned");
            tracing::warn!(component = "router", event = "request_abandoned");
        }
    }
}

fn ask_code(error: &AskError) -> &'static str {
    match error {
        AskError::NotAQuestion(_) => "invalid_request",
        AskError::Port(_) => "context",
        AskError::Model(error) => error.code(),
    }
}

fn code(error: &DeskError) -> &'static str {
    match error {
        DeskError::Ask(error) => ask_code(error),
        DeskError::Unrecorded(_) => "unrecorded",
    }
}

/// Time stage by stage, in milliseconds, as one word each.
fn stages(response: &Response) -> String {
    let stage =
        |timing: &vouch_domain::StageTiming| format!("{}={:.1}", timing.stage.replace(' ', "_"), timing.elapsed_ms);
    response.trace.timings.iter().map(stage).collect::<Vec<_>>().join(" ")
}
