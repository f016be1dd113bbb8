//! What was found when a reply's identifiers were looked up again → a line of the log, and a warning for the asker.

use vouch_engine::auditor::Inspection;

/// Logs what an answer should never have named. That is expected if the corpus has changed meanwhile.
pub(super) fn report(inspection: &Inspection, request_id: &str, has_moved: bool) {
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

/// What the asker is told of it.
pub(super) fn warning(inspection: &Inspection) -> Option<String> {
    let count = inspection.unknown.len();
    (count > 0).then(|| format!("{count} identifier(s) in this answer could not be found again as shown."))
}
