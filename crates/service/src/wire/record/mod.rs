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

use serde::Serialize;
use serde_json::Value;
use vouch_domain::ports::StoreState;
use vouch_engine::{
    ask::{QuestionKind, Response},
    auditor::{IdentifierFault, IdentifierKind, Inspection, MarkerCounts},
};

use super::{Reply, timestamp};
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
    tools_called: Option<&'a [Value]>,
    response: Option<ResponseRecord<'a>>,
    trace: Option<TraceRecord<'a>>,
    auditor: Option<AuditorRecord<'a>>,
    failure: Option<FailureRecord<'a>>,
}

/// There is one router and it has no confidence in its decisions.
#[derive(Debug, Serialize)]
struct RouterRecord<'a> {
    route: Route,
    confidence: Option<f32>,
    classification: ClassificationRecord<'a>,
}

#[derive(Debug, Serialize)]
struct ClassificationRecord<'a> {
    category: QuestionKind,
    confidence: Option<f32>,
    reasoning: Option<&'a str>,
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
            user_id: &ask_request.asker,
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
        record.router_decision = Some(RouterRecord {
            route: reply.route,
            confidence: None,
            classification: ClassificationRecord { category: reply.intent, confidence: None, reasoning: None },
        });
        record.retrieval = RetrievalRecord::new(response, &audit_context.ask_request.question, words);
        record.gates = response.trace.gates.iter().map(|gate| GateRecord::new(gate, words)).collect();
        record.agent = reply.agent.as_deref();
        record.reply = words.kept(reply.answer.as_str());
        record.response_time_ms = Some(response.elapsed_ms);
        record.tools_called = words.kept(reply.tool_calls.as_slice());
        record.response = Some(ResponseRecord::new(reply, words));
        record.trace = Some(TraceRecord::new(response, words));
        record.auditor = Some(AuditorRecord::new(ending.inspection));
        record
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
