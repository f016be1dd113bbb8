//! An answered question → its spans: the whole and each stage, within the caller's trace if it has one.

use vouch_engine::trace::StageTiming;

use crate::{
    context,
    outcome::{Outcome, Route},
    question::{AskOutcome, AskRequest},
    surface::Surface,
};

/// Receives every finished question; must not block.
pub trait WalkObserver: Send + Sync {
    /// One question.
    fn on_end(&self, walked: WalkReport);
}

/// One question, as a trace shows it: no words of it.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkReport {
    /// The request's name.
    pub request_id: String,
    /// The trace its caller began, as `traceparent` says it.
    pub parent: Option<TraceParent>,
    /// Which way it came in.
    pub surface: Surface,
    /// What came of it.
    pub outcome: Outcome,
    /// Why there is no answer, if there is none.
    pub reason: Option<&'static str>,
    /// `tree` or `direct`.
    pub route: Route,
    /// What stood in for something else.
    pub fallback_flags: Vec<&'static str>,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
    /// How long it took.
    pub total_ms: f64,
    /// Its stages in order.
    pub stages: Vec<StageTiming>,
}

/// A trace that somebody else began, and the span this one belongs below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace_id: [u8; 16],
    /// The span above.
    pub span_id: [u8; 8],
    /// Whether it is collected.
    pub is_sampled: bool,
}

impl TraceParent {
    /// Reads a `traceparent` header; none if it is not one.
    #[must_use]
    pub fn parse(header: &str) -> Option<Self> {
        let parts: Vec<&str> = header.trim().split('-').collect();
        let [version, trace, span, flags, rest @ ..] = parts.as_slice() else { return None };
        // Later versions may have more fields; this one may not, and `ff` is invalid.
        let is_known = version.len() == 2 && hex::<1>(version)? != [0xff] && (*version != "00" || rest.is_empty());
        let (trace_id, span_id, [flags]) = (hex::<16>(trace)?, hex::<8>(span)?, hex::<1>(flags)?);
        let is_named = trace_id != [0; 16] && span_id != [0; 8];
        (is_known && is_named).then_some(Self { trace_id, span_id, is_sampled: flags & 1 == 1 })
    }
}

fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_hex = text.len() == 2 * N && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hex {
        return None;
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

impl WalkReport {
    pub(crate) fn new(ask_request: &AskRequest, answered: &AskOutcome, started_ms: u64, total_ms: f64) -> Self {
        Self {
            request_id: ask_request.request_id.clone(),
            parent: parent(),
            surface: ask_request.surface,
            outcome: answered.reply.outcome,
            reason: answered.reply.abstain_reason,
            route: answered.reply.route,
            fallback_flags: context::fallback_flags(&answered.response),
            started_ms,
            total_ms,
            stages: answered.response.trace.timings.clone(),
        }
    }
}

tokio::task_local! {
    /// The trace of the current request, from its caller.
    pub static PARENT: Option<TraceParent>;
}

/// The trace the request at hand belongs to; none if nobody began one.
pub fn parent() -> Option<TraceParent> {
    PARENT.try_with(|parent| *parent).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::TraceParent;

    #[test]
    fn a_trace_is_taken_over_where_its_header_is_one() {
        let read = TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").expect("a parent");
        assert_eq!((read.trace_id[0], read.span_id[7], read.is_sampled), (0x4b, 0xb7, true));
        for wrong in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        ] {
            assert_eq!(TraceParent::parse(wrong), None, "{wrong}");
        }
    }
}
