//! Questions that were walked → spans for a collector.

use vouch_adapters::otlp::{OtlpExporter, Span, SpanTree};
use vouch_service::walk_report::{WalkObserver, WalkReport};

/// Hands every question over.
pub(super) struct ToCollector(pub(super) OtlpExporter);

impl WalkObserver for ToCollector {
    fn on_end(&self, walked: WalkReport) {
        if walked.parent.is_some_and(|parent| !parent.is_sampled) {
            return;
        }
        self.0.send(tree(&walked));
    }
}

fn tree(walked: &WalkReport) -> SpanTree {
    let nanoseconds = |ms: f64| (ms.max(0.0) * 1e6) as u64;
    let start_ns = walked.started_ms.saturating_mul(1_000_000);
    let mut attributes = vec![
        ("vouch.request_id", walked.request_id.clone()),
        ("vouch.surface", walked.surface.to_string()),
        ("vouch.outcome", walked.outcome.to_string()),
        ("vouch.route", walked.route.to_string()),
        ("vouch.fallback_flags", walked.fallback_flags.join(",")),
    ];
    attributes.extend(walked.reason.map(|reason| ("vouch.abstain_reason", reason.to_owned())));
    let mut begins_ns = start_ns;
    let parts = walked.stages.iter().map(|stage| {
        let start_ns = begins_ns;
        begins_ns = begins_ns.saturating_add(nanoseconds(stage.elapsed_ms));
        Span { name: stage.stage.to_string(), start_ns, end_ns: begins_ns, attributes: Vec::new() }
    });
    let end_ns = start_ns.saturating_add(nanoseconds(walked.total_ms));
    SpanTree {
        parent: walked.parent.map(|parent| (parent.trace_id, parent.span_id)),
        parts: parts.collect(),
        whole: Span { name: "question".to_owned(), start_ns, end_ns, attributes },
    }
}
