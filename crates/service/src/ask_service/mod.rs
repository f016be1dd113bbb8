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
    metrics::{Asked, Metrics},
    outcome::{Outcome, Route},
    question::{AskOutcome, AskRequest},
    surface::Surface,
    walk_report::WalkObserver,
    wire::{AuditContext, AuditOutcome, Record, Reply, Words},
};

pub use failure::AskServiceError;

use failure::ask_code;
use watch::Watch;

/// Answers questions from every surface: command line, HTTP and MCP.
pub struct AskService {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The audit trail.
    pub trail: Arc<dyn AuditTrail>,
    /// What answers depend on besides the corpus.
    pub circumstances: Circumstances,
    /// How requests are recorded.
    pub audit_policy: AuditPolicy,
    /// The metrics.
    pub metrics: Arc<Metrics>,
    /// Receives a trace of every question; none if traces are not collected.
    pub walks: Option<Arc<dyn WalkObserver>>,
}

/// How requests are audited and recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditPolicy {
    /// Whether the asker's and the answer's words are kept.
    pub words: Words,
    /// How long the auditor may look up what a reply names.
    pub check_timeout: Duration,
    /// Whether questions are written to the log.
    pub logs_questions: bool,
}

impl Default for AuditPolicy {
    fn default() -> Self {
        Self { words: Words::Kept, check_timeout: Duration::from_millis(500), logs_questions: false }
    }
}

impl AskService {
    /// Answers a question, and records the answer before it returns.
    ///
    /// # Errors
    /// Fails if the engine does or the trail cannot be written.
    pub async fn answer(&self, ask_request: &AskRequest) -> Result<AskOutcome, AskServiceError> {
        let route = context::route(&ask_request.question, &self.engine);
        self.run_recorded(ask_request, route, self.engine.ask(&ask_request.question)).await
    }

    /// The same, sentence by sentence; the request is recorded before the first one is sent.
    ///
    /// # Errors
    /// As `answer`; sentences sent before stay true.
    pub async fn answer_streaming(
        &self,
        ask_request: &AskRequest,
        listener: &dyn Listener,
    ) -> Result<AskOutcome, AskServiceError> {
        let work = async |route: Route| {
            let before = self.state().await?;
            let audit_context = self.audit_context((ask_request, route), &before);
            let place = self.record_start(&audit_context).await?;
            let outcome = self.engine.ask_streaming(&ask_request.question, listener).await;
            let (entry, answered) = self.record_end(&audit_context, outcome).await;
            self.timed(self.trail.rewrite(place, entry)).await?;
            Ok(answered?)
        };
        let route = context::route(&ask_request.question, &self.engine);
        self.watch().over(ask_request, route, |route| Box::pin(work(route))).await
    }

    /// What the vocabulary says of a term, recorded like any answer; none if there is no vocabulary.
    ///
    /// # Errors
    /// As `answer`.
    pub async fn define(&self, term: &str, ask_request: &AskRequest) -> Result<Option<AskOutcome>, AskServiceError> {
        if self.engine.terms.is_none() {
            return Ok(None);
        }
        let walk = async {
            let defined = self.engine.define_term(term, &ask_request.question.reader).await?;
            defined.ok_or_else(|| AskError::Port(PortError::new("vocabulary", Fault::Unavailable, "there is none")))
        };
        self.run_recorded(ask_request, std::future::ready(Route::Direct), walk).await.map(Some)
    }

    /// Passages without an answer: counted, but not recorded.
    ///
    /// # Errors
    /// As the engine.
    pub async fn search(&self, question: &Question, lanes: LaneChoice) -> Result<Candidates, AskError> {
        let route = context::route(question, &self.engine).await;
        Span::current().record("route", route.as_str());
        let started = self.engine.clock.since_start();
        let found = self.engine.search(question, lanes).await?;
        let took = self.engine.clock.since_start().saturating_sub(started);
        self.metrics.observe_search(&found, took);
        Ok(found)
    }

    /// Records the outcome, then returns it.
    async fn run_recorded(
        &self,
        ask_request: &AskRequest,
        route: impl Future<Output = Route>,
        walk: impl Future<Output = Result<Response, AskError>>,
    ) -> Result<AskOutcome, AskServiceError> {
        let work = async |route: Route| {
            let before = self.state().await?;
            let audit_context = self.audit_context((ask_request, route), &before);
            let (entry, answered) = self.record_end(&audit_context, walk.await).await;
            self.timed(self.trail.write(entry)).await?;
            Ok(answered?)
        };
        self.watch().over(ask_request, route, |route| Box::pin(work(route))).await
    }

    fn watch(&self) -> Watch<'_> {
        let logs_questions = self.audit_policy.logs_questions;
        Watch { engine: &self.engine, metrics: &self.metrics, walks: self.walks.as_deref(), logs_questions }
    }

    /// An entry's write, timed.
    async fn timed<T>(&self, write: impl Future<Output = Result<T, PortError>>) -> Result<T, AskServiceError> {
        let started = self.engine.clock.since_start();
        let written = write.await;
        let took = self.engine.clock.since_start().saturating_sub(started);
        self.metrics.record_audit_write(written.is_ok(), took);
        written.map_err(AskServiceError::Unrecorded)
    }

    /// What this reply says of the one before it; a question back is neither an answer nor a refusal.
    fn follow_up(&self, audit_context: &AuditContext<'_>, reply: &Reply) {
        let ask_request = audit_context.ask_request;
        if reply.outcome == Outcome::Clarify {
            return;
        }
        let question = &ask_request.question;
        self.metrics.replied(&Asked {
            id: &ask_request.request_id,
            asker: (&question.reader.tenant, &ask_request.asker),
            text: &question.text,
            is_refused: reply.refused,
            at_ms: audit_context.at_ms,
        });
    }

    async fn state(&self) -> Result<StoreState, AskServiceError> {
        Ok(self.engine.retrieve.catalogue.state().await.map_err(AskError::Port)?)
    }

    fn audit_context<'a>(
        &'a self,
        (ask_request, route): (&'a AskRequest, Route),
        before: &'a StoreState,
    ) -> AuditContext<'a> {
        let (at_ms, words) = (self.engine.clock.now_ms(), self.audit_policy.words);
        AuditContext { ask_request, route, circumstances: &self.circumstances, at_ms, before, words }
    }

    async fn record_start(&self, audit_context: &AuditContext<'_>) -> Result<AuditPlace, AskServiceError> {
        let entry = audit_entry(audit_context, Outcome::Begun, None, 0.0, &Record::begun(audit_context));
        self.timed(self.trail.write(entry)).await
    }

    /// An outcome: what to record, and what may be returned once that is done.
    async fn record_end(
        &self,
        audit_context: &AuditContext<'_>,
        outcome: Result<Response, AskError>,
    ) -> (AuditEntry, Result<AskOutcome, AskError>) {
        let ask_request = audit_context.ask_request;
        let response = match outcome {
            Ok(response) => response,
            Err(error) => {
                let reason = ask_code(&error);
                // Callers can read the trail, so the store's own words go to the log only.
                let told = match &error {
                    AskError::Port(port) => format!("{}: {}", port.port, port.fault.as_str()),
                    AskError::NotAQuestion(_) | AskError::Model(_) => error.to_string(),
                };
                let record = Record::failed(audit_context, reason, told);
                return (audit_entry(audit_context, Outcome::Failed, Some(reason), 0.0, &record), Err(error));
            }
        };
        let (reader, timeout) = (&ask_request.question.reader, self.audit_policy.check_timeout);
        let inspection = self.engine.inspect(&response, reader, timeout).await;
        self.metrics.observe_inspection(&inspection);
        let after = self.engine.retrieve.catalogue.state().await.ok();
        let has_moved = after.as_ref().is_none_or(|after| after.generation != audit_context.before.generation);
        report(&inspection, &ask_request.request_id, has_moved);
        let (id, route) = (ask_request.request_id.clone(), audit_context.route);
        let mut reply = Reply::new(&response, id, route, ask_request.explains);
        if ask_request.surface != Surface::CommandLine {
            reply = reply.without_paths();
        }
        reply.warnings.extend(warning(&inspection));
        self.follow_up(audit_context, &reply);
        let ending =
            AuditOutcome { response: &response, reply: &reply, inspection: &inspection, after: after.as_ref() };
        let record = Record::answered(audit_context, &ending);
        let entry = audit_entry(audit_context, reply.outcome, reply.abstain_reason, response.elapsed_ms, &record);
        (entry, Ok(AskOutcome { response, reply }))
    }
}

fn audit_entry(
    audit_context: &AuditContext<'_>,
    outcome: Outcome,
    reason: Option<&str>,
    elapsed_ms: f64,
    record: &Record<'_>,
) -> AuditEntry {
    let ask_request = audit_context.ask_request;
    AuditEntry {
        id: ask_request.request_id.clone(),
        tenant: ask_request.question.reader.tenant.clone(),
        asker: ask_request.asker.clone(),
        at_ms: audit_context.at_ms,
        outcome: outcome.as_str().to_owned(),
        reason: reason.map(str::to_owned),
        generation: audit_context.before.generation,
        elapsed_ms,
        record: record.to_json(),
    }
}

/// Logs what an answer should never have named. That is expected if the corpus has changed meanwhile.
fn report(inspection: &Inspection, request_id: &str, has_moved: bool) {
    for one in &inspection.unknown {
        let (kind, fault, identifier) = (one.kind.as_str(), one.fault.as_str(), one.identifier.as_str());
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
