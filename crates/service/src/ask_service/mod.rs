//! A question on a caller's behalf → a reply that is audited and recorded before it leaves.
//!
//! Invariant: no reply leaves without its entry in the trail; if the trail cannot be written, there is no reply.

mod conversation;
mod failure;
mod inspected;
mod watch;
mod witness;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tracing::{Instrument, Span};
use vouch_domain::{
    AuditEntry, Fault, PortError, Question, ToolCall,
    ports::{AuditPlace, AuditTrail, Sessions, StoreState},
};
use vouch_engine::{
    ask::{AskError, Engine, Listener, Response},
    retrieve::{Candidates, LaneChoice, ReadGeneration},
};

use crate::{
    circumstances::Circumstances,
    context,
    copy_state::CopyProbe,
    metrics::{Asked, Metrics},
    outcome::{Outcome, Route},
    question::{AskOutcome, AskRequest},
    surface::Surface,
    walk_report::WalkObserver,
    wire::{AuditContext, AuditOutcome, Record, Reply, Words},
};

pub use failure::AskServiceError;

use conversation::{Conversation, says_no, says_yes};
use failure::ask_code;
use inspected::{report, warning};
use watch::Watch;
use witness::WitnessedToolbox;

/// Answers questions from every surface: command line, HTTP and MCP.
#[derive(Clone)]
pub struct AskService {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The audit trail.
    pub trail: Arc<dyn AuditTrail>,
    /// What conversations have come to; none where nothing is kept between two questions.
    pub sessions: Option<Arc<dyn Sessions>>,
    /// What answers depend on besides the corpus.
    pub circumstances: Circumstances,
    /// How requests are recorded.
    pub audit_policy: AuditPolicy,
    /// The metrics.
    pub metrics: Arc<Metrics>,
    /// Receives a trace of every question; none if traces are not collected.
    pub walks: Option<Arc<dyn WalkObserver>>,
    /// How the copy stands that is answered from; none where the store is no copy.
    pub copy: Option<Arc<CopyProbe>>,
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
    /// Answers a question, and records the answer before it returns. A yes is carried through, whether or not anybody waits.
    ///
    /// # Errors
    /// Fails if the engine does or the trail cannot be written.
    pub async fn answer(&self, ask_request: &AskRequest) -> Result<AskOutcome, AskServiceError> {
        let (ask_request, conversation) = self.conversation(ask_request).await?;
        if says_yes(&ask_request, &self.engine) {
            return self.carry_through(ask_request, conversation).await;
        }
        self.answer_within(&ask_request, conversation.as_ref()).await
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
        let (ask_request, conversation) = &self.conversation(ask_request).await?;
        if says_yes(ask_request, &self.engine) {
            return self.carry_through(ask_request.clone(), conversation.clone()).await;
        }
        let work = async |route: Route| {
            let before = self.state().await?;
            let audit_context = self.audit_context((ask_request, route), &before);
            let place = self.record_start(&audit_context).await?;
            let engine = self.witnessed(&audit_context, conversation.as_ref(), Arc::new(Mutex::new(Some(place))));
            let outcome = engine.ask_streaming(&ask_request.question, listener).await;
            let (entry, answered) = self.record_end(&audit_context, outcome, conversation.as_ref()).await;
            self.timed(self.trail.rewrite(place, entry)).await?;
            Ok(answered?)
        };
        let route = context::route(&ask_request.question, &self.engine);
        self.watch().over(ask_request, route, |route| Box::pin(work(route))).await
    }

    async fn conversation(
        &self,
        ask_request: &AskRequest,
    ) -> Result<(AskRequest, Option<Conversation>), AskServiceError> {
        let failed = |error| AskServiceError::Ask(AskError::Port(error));
        let opened = Conversation::open(ask_request, self.sessions.as_ref(), &self.engine).await;
        let (mut ask_request, conversation) = opened.map_err(failed)?;
        // A no takes what waits away as a yes does. Where a yes was faster, nobody is told that nothing was done.
        if let (Some(own), Some(token)) = (&conversation, says_no(&ask_request, &self.engine).map(str::to_owned))
            && !own.claim(&token).await.map_err(failed)?
        {
            ask_request.question.session.pending = None;
            ask_request.question.confirms = Some(token);
        }
        Ok((ask_request, conversation))
    }

    /// Answers on a task of its own, which a client that leaves does not end.
    async fn carry_through(
        &self,
        ask_request: AskRequest,
        conversation: Option<Conversation>,
    ) -> Result<AskOutcome, AskServiceError> {
        let service = self.clone();
        let work = async move { service.answer_within(&ask_request, conversation.as_ref()).await };
        tokio::spawn(work.in_current_span()).await.unwrap_or_else(|error| {
            let ended = PortError::new("tools", Fault::Internal, format!("the request was ended: {error}"));
            Err(AskServiceError::Ask(AskError::Port(ended)))
        })
    }

    async fn answer_within(
        &self,
        ask_request: &AskRequest,
        conversation: Option<&Conversation>,
    ) -> Result<AskOutcome, AskServiceError> {
        let work = async |route: Route| {
            let before = self.state().await?;
            let audit_context = self.audit_context((ask_request, route), &before);
            let place = Arc::new(Mutex::new(None));
            let engine = self.witnessed(&audit_context, conversation, Arc::clone(&place));
            let outcome = engine.ask(&ask_request.question).await;
            let (entry, answered) = self.record_end(&audit_context, outcome, conversation).await;
            let begun = *place.lock().unwrap_or_else(PoisonError::into_inner);
            match begun {
                Some(place) => self.timed(self.trail.rewrite(place, entry)).await?,
                None => self.timed(self.trail.write(entry)).await.map(drop)?,
            }
            Ok(answered?)
        };
        let route = context::route(&ask_request.question, &self.engine);
        self.watch().over(ask_request, route, |route| Box::pin(work(route))).await
    }

    /// The engine with a witness beside its tools; as it is where it has none.
    fn witnessed(
        &self,
        audit_context: &AuditContext<'_>,
        conversation: Option<&Conversation>,
        place: Arc<Mutex<Option<AuditPlace>>>,
    ) -> Arc<Engine> {
        let Some(inner) = &self.engine.toolbox else { return Arc::clone(&self.engine) };
        let (ask_request, before) = (audit_context.ask_request.clone(), audit_context.before.clone());
        let (route, at_ms, words) = (audit_context.route, audit_context.at_ms, audit_context.words);
        let token = ask_request.question.session.pending.as_ref().and_then(|pending| pending.token.clone());
        let circumstances = self.circumstances.clone();
        let entry = move |call: &ToolCall| {
            let own = AuditContext {
                ask_request: &ask_request,
                route,
                circumstances: &circumstances,
                at_ms,
                before: &before,
                words,
            };
            audit_entry(&own, Outcome::Begun, None, 0.0, &Record::about_to_run(&own, call))
        };
        let toolbox = WitnessedToolbox {
            inner: Arc::clone(inner),
            trail: Arc::clone(&self.trail),
            entry: Box::new(entry),
            claim: conversation.cloned().zip(token),
            place,
        };
        Arc::new(Engine { toolbox: Some(Arc::new(toolbox)), ..Engine::clone(&self.engine) })
    }

    /// What the vocabulary says of a term, recorded like any answer; none if there is no vocabulary.
    ///
    /// # Errors
    /// As `answer`.
    pub async fn define(&self, term: &str, ask_request: &AskRequest) -> Result<Option<AskOutcome>, AskServiceError> {
        if self.engine.terms_in_use().await.is_none() {
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
            let (entry, answered) = self.record_end(&audit_context, walk.await, None).await;
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
        conversation: Option<&Conversation>,
    ) -> (AuditEntry, Result<AskOutcome, AskError>) {
        let ask_request = audit_context.ask_request;
        let mut response = match outcome {
            Ok(response) => response,
            Err(error) => {
                let reason = ask_code(&error);
                // Callers can read the trail, so the store's own words go to the log only.
                let told = match &error {
                    AskError::Port(port) => format!("{}: {}", port.port, port.fault.as_str()),
                    AskError::NotAQuestion(_) | AskError::Model(_) | AskError::Agent(_) => error.to_string(),
                };
                let record = Record::failed(audit_context, reason, told);
                return (audit_entry(audit_context, Outcome::Failed, Some(reason), 0.0, &record), Err(error));
            }
        };
        let (reader, timeout) = (&ask_request.question.reader, self.audit_policy.check_timeout);
        let inspection = self.engine.inspect(&response, reader, timeout).await;
        self.metrics.observe_inspection(&inspection);
        let after = self.engine.retrieve.catalogue.state().await.ok();
        let read = match response.read {
            ReadGeneration::Nothing => Some(audit_context.before.generation),
            ReadGeneration::Single(generation) => Some(generation),
            ReadGeneration::Mixed => None,
        };
        let has_moved = after.as_ref().is_none_or(|after| Some(after.generation) != read);
        // What was answered at one generation is recorded at that one, whatever came before or after it.
        let answered_at =
            StoreState { generation: read.unwrap_or(audit_context.before.generation), ..audit_context.before.clone() };
        let audit_context = &AuditContext { before: &answered_at, ..*audit_context };
        let after = if read.is_some() { Some(answered_at.clone()) } else { after };
        report(&inspection, &ask_request.request_id, has_moved);
        response.session.turns = ask_request.question.session.turns.saturating_add(1);
        let is_kept = keep(conversation, &mut response).await;
        let (id, route) = (ask_request.request_id.clone(), audit_context.route);
        let mut reply = Reply::new(&response, id, route, ask_request.explains);
        if ask_request.surface != Surface::CommandLine {
            reply = reply.without_paths();
        }
        if self.engine.policies.decide.sources_block {
            reply = reply.with_sources_block();
        }
        reply.session_id.clone_from(&ask_request.session_id);
        reply.generation = read.map(|generation| generation.0);
        reply.warnings.extend(is_kept.err());
        reply.warnings.extend(warning(&inspection));
        reply.notices.extend(self.copy.as_ref().and_then(|copy| copy().notice()));
        self.follow_up(audit_context, &reply);
        let ending =
            AuditOutcome { response: &response, reply: &reply, inspection: &inspection, after: after.as_ref() };
        let record = Record::answered(audit_context, &ending);
        let entry = audit_entry(audit_context, reply.outcome, reply.abstain_reason, response.elapsed_ms, &record);
        (entry, Ok(AskOutcome { response, reply }))
    }
}

/// Keeps what a conversation has come to; where it cannot be kept nothing waits, and the asker is told.
async fn keep(conversation: Option<&Conversation>, response: &mut Response) -> Result<(), String> {
    let Some(conversation) = conversation else { return Ok(()) };
    let kept = conversation.keep(&mut response.session).await.map_err(|error| {
        tracing::warn!(%error, component = "sessions", "a conversation could not be kept");
        response.session.pending = None;
        "The conversation could not be saved, so the next question starts a new one.".to_owned()
    });
    if response.session.pending.is_none() {
        response.waits_for = None;
    }
    kept
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
