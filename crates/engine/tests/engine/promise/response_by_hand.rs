//! A response nobody has walked.

use vouch_engine::{
    ask::{QuestionKind, Response},
    decide::Decision,
    judge::Evidence,
    trace::Trace,
};

fn main() {}

fn respond(decision: Decision, evidence: Evidence, trace: Trace) -> Response {
    Response { decision, intent: QuestionKind::Factual, evidence, trace, elapsed_ms: 0.0 }
}
