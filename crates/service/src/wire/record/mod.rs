//! A request as the audit trail keeps it: who asked what, how it was routed, what was
//! found, which gates were read, what was replied, and under which circumstances, so that it can be asked again.
//!
//! Invariant: what is not known is `null`. The texts of passages are not here: the catalogue keeps them under the source ids
//! and the places of the quotes. If questions are not to be recorded, neither the question nor the answer is.

pub(super) mod parts;
mod question;
mod response;
mod trace;
mod words;

use std::borrow::Cow;

use serde::Serialize;
use vouch_domain::{Effect, ToolCall, ports::StoreState};
use vouch_engine::{
    ask::Response,
    auditor::{IdentifierFault, IdentifierKind, Inspection, MarkerCounts},
    trace::ConsideredAgent,
};

use super::{Reply, ToolCallWire, timestamp};
use crate::{circumstances::Circumstances, outcome::Route, question::AskRequest, surface::Surface};

pub use words::Words;

use parts::{CircumstancesRecord, CorpusRecord, QuestionRecord, ScopeRecord};
use response::ResponseRecord;
use trace::{GateRecord, RetrievalRecord, TraceRecord};

/// What is known of a request before it is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuditContext<'a> {
    pub(crate) ask_request: &'a AskRequest,
    pub(crate) route: Route,
    pub(crate) circumstances: &'a Circumstances,
    pub(crate) at_ms: u64,
    pub(crate) before: &'a StoreState,
    pub(crate) words: Words,
}

/// What came of it.
pub(crate) struct AuditOutcome<'a> {
    pub(crate) response: &'a Response,
    pub(crate) reply: &'a Reply,
    pub(crate) inspection: &'a Inspection,
    pub(crate) after: Option<&'a StoreState>,
}

/// One request, recorded.
#[derive(Debug, Serialize)]
pub(crate) struct Record<'a> {
    timestamp: String,
    request_id: &'a str,
    session_id: Option<&'a str>,
    user_id: &'a str,
    turn: usize,
    tenant: &'a str,
    scope: ScopeRecord<'a>,
    surface: Surface,
    asked: QuestionRecord<'a>,
    circumstances: CircumstancesRecord<'a>,
    corpus: CorpusRecord,
    router_decision: Option<RouterRecord<'a>>,
    retrieval: Option<RetrievalRecord<'a>>,
    gates: Vec<GateRecord<'a>>,
    agent: Option<&'a str>,
    reply: Option<&'a str>,
    response_time_ms: Option<f64>,
    tools_called: Option<Cow<'a, [ToolCallWire]>>,
    response: Option<ResponseRecord<'a>>,
    trace: Option<TraceRecord<'a>>,
    auditor: Option<AuditorRecord<'a>>,
    failure: Option<FailureRecord<'a>>,
}

/// Whose question it was; without agents there is one way, and no confidence in it.
#[derive(Debug, Serialize)]
struct RouterRecord<'a> {
    route: &'a str,
    confidence: Option<f32>,
    classification: ClassificationRecord<'a>,
}

#[derive(Debug, Serialize)]
struct ClassificationRecord<'a> {
    category: &'a str,
    confidence: Option<f32>,
    reasoning: Option<&'a str>,
    considered: &'a [ConsideredAgent],
}

#[derive(Debug, Serialize)]
struct AuditorRecord<'a> {
    markers: Option<MarkersRecord>,
    checked: usize,
    unknown: Vec<UnknownRecord<'a>>,
    unfinished: Option<&'a str>,
    elapsed_ms: f64,
}

#[derive(Debug, Serialize)]
struct MarkersRecord {
    emitted: usize,
    dropped: usize,
    invented: usize,
    dropped_score: Option<f32>,
    invented_score: Option<f32>,
}

#[derive(Debug, Serialize)]
struct UnknownRecord<'a> {
    kind: IdentifierKind,
    identifier: &'a str,
    fault: IdentifierFault,
}

#[derive(Debug, Serialize)]
struct FailureRecord<'a> {
    code: &'a str,
    sentence: Option<String>,
}

impl<'a> Record<'a> {
    /// A request that has begun.
    pub(crate) fn begun(audit_context: &AuditContext<'a>) -> Self {
        let (ask_request, circumstances, before) =
            (audit_context.ask_request, audit_context.circumstances, audit_context.before);
        let reader = &ask_request.question.reader;
        Self {
            timestamp: timestamp(audit_context.at_ms),
            request_id: &ask_request.request_id,
            session_id: ask_request.session_id.as_deref(),
            user_id: ask_request.question.asker.as_ref().unwrap_or(&ask_request.asker),
            turn: question::turn_number(&ask_request.question),
            tenant: &reader.tenant,
            scope: ScopeRecord::from(&reader.scope),
            surface: ask_request.surface,
            asked: QuestionRecord::new(&ask_request.question, audit_context.words),
            circumstances: CircumstancesRecord::new(circumstances, before),
            corpus: CorpusRecord { generation_before: before.generation.0, generation_after: None },
            router_decision: None,
            retrieval: None,
            gates: Vec::new(),
            agent: None,
            reply: None,
            response_time_ms: None,
            tools_called: None,
            response: None,
            trace: None,
            auditor: None,
            failure: None,
        }
    }

    /// A request with its reply.
    pub(crate) fn answered(audit_context: &AuditContext<'a>, ending: &AuditOutcome<'a>) -> Self {
        let (reply, response, words) = (ending.reply, ending.response, audit_context.words);
        let mut record = Self::begun(audit_context);
        record.corpus.generation_after = ending.after.map(|state| state.generation.0);
        record.router_decision = Some(RouterRecord::new(reply, response));
        record.retrieval = RetrievalRecord::new(response, &audit_context.ask_request.question, words);
        record.gates = response.trace.gates.iter().map(|gate| GateRecord::new(gate, words)).collect();
        record.agent = reply.agent.as_deref();
        record.reply = words.kept(reply.answer.as_str());
        record.response_time_ms = Some(response.elapsed_ms);
        record.tools_called = tools_called(ending, words);
        record.response = Some(ResponseRecord::new(reply, response, words));
        record.trace = Some(TraceRecord::new(response, words));
        record.auditor = Some(AuditorRecord::new(ending.inspection));
        record
    }

    /// A request that is about to run a tool that changes something. What is done is kept, whether words are or not.
    pub(crate) fn about_to_run(audit_context: &AuditContext<'a>, call: &ToolCall) -> Self {
        Self { tools_called: Some(Cow::Owned(vec![ToolCallWire::begun(call)])), ..Self::begun(audit_context) }
    }

    /// A request that failed.
    pub(crate) fn failed(audit_context: &AuditContext<'a>, code: &'a str, sentence: String) -> Self {
        let sentence = audit_context.words.kept(sentence);
        Self { failure: Some(FailureRecord { code, sentence }), ..Self::begun(audit_context) }
    }

    /// The text that is kept.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The calls of tools; where words are not kept, those that changed something.
fn tools_called<'a>(ending: &AuditOutcome<'a>, words: Words) -> Option<Cow<'a, [ToolCallWire]>> {
    let (calls, reports) = (&ending.reply.tool_calls, &ending.response.trace.tools);
    match words.kept(()) {
        Some(()) => Some(Cow::Borrowed(calls.as_slice())),
        None => {
            let changes = calls.iter().zip(reports).filter(|(_, report)| report.effect == Effect::Changes);
            let changes: Vec<ToolCallWire> = changes.map(|(call, _)| call.clone()).collect();
            (!changes.is_empty()).then_some(Cow::Owned(changes))
        }
    }
}

impl<'a> RouterRecord<'a> {
    fn new(reply: &'a Reply, response: &'a Response) -> Self {
        match &response.trace.routing {
            Some(routing) => Self {
                route: &routing.agent,
                confidence: Some(routing.confidence),
                classification: ClassificationRecord {
                    category: &routing.agent,
                    confidence: Some(routing.confidence),
                    reasoning: Some(&routing.reason),
                    considered: &routing.considered,
                },
            },
            None => Self {
                route: reply.route.as_str(),
                confidence: None,
                classification: ClassificationRecord {
                    category: reply.intent.as_str(),
                    confidence: None,
                    reasoning: None,
                    considered: &[],
                },
            },
        }
    }
}

impl<'a> AuditorRecord<'a> {
    fn new(inspection: &'a Inspection) -> Self {
        let markers = |counts: &MarkerCounts| MarkersRecord {
            emitted: counts.emitted,
            dropped: counts.dropped,
            invented: counts.invented,
            dropped_score: counts.dropped_share(),
            invented_score: counts.invented_share(),
        };
        let unknown = inspection.unknown.iter().map(|one| UnknownRecord {
            kind: one.kind,
            identifier: &one.identifier,
            fault: one.fault,
        });
        Self {
            markers: inspection.markers.as_ref().map(markers),
            checked: inspection.checked,
            unknown: unknown.collect(),
            unfinished: inspection.unfinished.as_deref(),
            elapsed_ms: inspection.elapsed_ms,
        }
    }
}
