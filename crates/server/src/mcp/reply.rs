//! A reply → the text a model reads, and the schema of the object beside it.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use vouch_service::wire::{CitationWire, Reply};

/// The answer or the refusal, then what it rests on, each source by the id it can be fetched by.
pub(super) fn readable(reply: &Reply) -> String {
    // The sources are told below by the id that `fetch` takes, and not a second time.
    let mut lines = vec![reply.answer_alone().to_owned()];
    lines.extend(reply.refusal_reason.iter().map(|reason| format!("Why: {reason}")));
    lines.extend(reply.route_to.iter().map(|route| {
        let whom = route.owner_email.as_deref().unwrap_or("the administrator");
        format!("Ask: {whom} ({})", route.reason)
    }));
    if !reply.citations.is_empty() {
        lines.push("\nSources:".to_owned());
        lines.extend(reply.citations.iter().map(source));
    }
    lines.extend(reply.warnings.iter().chain(&reply.notices).map(|note| format!("Note: {note}")));
    if !reply.suggestions.is_empty() {
        lines.push("\nYou can ask instead:".to_owned());
        lines.extend(reply.suggestions.iter().map(|one| format!("- {} → {}", one.label, one.query)));
    }
    lines.join("\n")
}

fn source(citation: &CitationWire) -> String {
    let section = citation.section.as_ref().map(|section| format!(" › {section}")).unwrap_or_default();
    let details = [Some(citation.source_id.clone()), citation.locator.clone(), citation.url.clone()];
    let details: Vec<String> = details.into_iter().flatten().collect();
    format!("[^{}] {}{section} ({})", citation.marker, citation.document_name, details.join(", "))
}

/// What a client can rely on in a reply.
pub(super) fn schema() -> Arc<JsonObject> {
    let text = json!({ "type": "string" });
    let maybe_text = json!({ "type": ["string", "null"] });
    let objects = json!({ "type": "array", "items": { "type": "object" } });
    let citation = json!({
        "type": "object",
        "properties": {
            "marker": { "type": "integer", "description": "The number the answer cites it by, as [^1]" },
            "source_id": { "type": "string", "description": "What `fetch` takes" },
            "document_id": text, "document_name": text, "section": maybe_text, "url": maybe_text,
            "locator": maybe_text, "relevance_score": { "type": "number" }, "snippet_full": text
        },
        "required": ["marker", "source_id", "document_id", "document_name", "url", "snippet_full"]
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "request_id": { "type": "string", "description": "What the request is called in the audit trail" },
            "generation": { "type": ["integer", "null"], "description": "State of the documents that the answer rests on" },
            "outcome": { "enum": ["answered", "refused", "clarify", "routed", "tool"] },
            "answer": { "type": "string", "description": "The answer with [^n] markers, or the words of the refusal" },
            "refused": { "type": "boolean" },
            "refusal_reason": maybe_text,
            "abstain_reason": { "type": ["string", "null"], "description": "The reason as one stable word" },
            "citations": { "type": "array", "items": citation },
            "sources": objects,
            "claims": objects,
            "confidence": { "type": "object", "properties": { "overall": { "type": ["integer", "null"] } } },
            "route_to": { "type": ["object", "null"] },
            "suggestions": objects,
            "agent": maybe_text,
            "session_id": { "type": ["string", "null"], "description": "Send it with the next question of the conversation" },
            "tool_calls": objects,
            "pending": { "type": ["object", "null"], "description": "What waits: `missing` values to ask the user for, or `confirm`, to be sent back with `token` after the user's yes" },
            "no_context": { "type": "boolean" },
            "warnings": { "type": "array", "items": text },
            "notices": { "type": "array", "items": text },
            "grounded": { "type": "boolean", "description": "Whether every sentence stands in a source" },
            "trace": { "type": ["object", "null"] }
        },
        "required": ["request_id", "outcome", "answer", "refused", "citations", "grounded"]
    });
    object(schema)
}

/// A schema that was written by hand.
pub(super) fn object(schema: Value) -> Arc<JsonObject> {
    let Value::Object(map) = schema else { return Arc::default() };
    Arc::new(map)
}
