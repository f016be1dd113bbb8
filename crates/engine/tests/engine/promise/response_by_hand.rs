//! A response nobody has walked.

use vouch_engine::trace::Trace;
use vouch_engine::{ask::Response, decide::Decision, judge::Evidence};

fn main() {}

fn respond(decision: Decision, evidence: Evidence, trace: Trace) -> Response {
    Response { decision, intent: "factual", evidence, trace, elapsed_ms: 0.0 }
}
