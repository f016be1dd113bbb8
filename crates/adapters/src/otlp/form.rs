//! Spans → the body of an export request, as the protocol's JSON form has it: ids in hexadecimal, times as text.

use serde_json::{Value, json};

use super::{Span, SpanTree};

/// A span of our own making, not a call from or to somebody else.
const KIND_INTERNAL: u8 = 1;
/// The answer to somebody else's call.
const KIND_SERVER: u8 = 2;

pub(super) fn request(trees: &[SpanTree]) -> Value {
    let spans: Vec<Value> = trees.iter().flat_map(spans).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": [
            attribute("service.name", "vouch"),
            attribute("service.version", env!("CARGO_PKG_VERSION")),
        ] },
        "scopeSpans": [{ "scope": { "name": "vouch" }, "spans": spans }],
    }] })
}

fn spans(tree: &SpanTree) -> Vec<Value> {
    let (trace, above) = match tree.parent {
        Some((trace, above)) => (hex(&trace), Some(hex(&above))),
        None => (hex(&random::<16>()), None),
    };
    let own = hex(&random::<8>());
    let whole = span(&tree.whole, (&trace, &own, above.as_deref()), KIND_SERVER);
    let parts = tree.parts.iter().map(|part| span(part, (&trace, &hex(&random::<8>()), Some(&own)), KIND_INTERNAL));
    std::iter::once(whole).chain(parts).collect()
}

fn span(span: &Span, (trace, own, above): (&str, &str, Option<&str>), kind: u8) -> Value {
    let attributes: Vec<Value> = span.attributes.iter().map(|(key, value)| attribute(key, value)).collect();
    json!({
        "traceId": trace,
        "spanId": own,
        "parentSpanId": above.unwrap_or_default(),
        "name": span.name,
        "kind": kind,
        "startTimeUnixNano": span.start_ns.to_string(),
        "endTimeUnixNano": span.end_ns.to_string(),
        "attributes": attributes,
        "status": {},
    })
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Random bytes; if the system has none, an id that is at least valid.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [1; N];
    let _ = getrandom::fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Span, SpanTree, request};

    #[test]
    fn parts_lie_below_the_whole_and_the_whole_below_its_caller() {
        let span =
            |name: &str| Span { name: name.to_owned(), start_ns: 1, end_ns: 2, attributes: vec![("a", "b".into())] };
        let tree = SpanTree { parent: Some(([7; 16], [9; 8])), whole: span("question"), parts: vec![span("judge")] };
        let body = request(&[tree]);
        let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
        assert_eq!(spans[0]["traceId"], "07".repeat(16));
        assert_eq!(spans[0]["parentSpanId"], "09".repeat(8));
        assert_eq!((&spans[1]["traceId"], &spans[1]["parentSpanId"]), (&spans[0]["traceId"], &spans[0]["spanId"]));
        assert_eq!(spans[0]["startTimeUnixNano"], "1");
        assert_eq!(spans[1]["attributes"][0]["value"]["stringValue"], "b");
    }
}
