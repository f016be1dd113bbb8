//! Entries of the trail as clients see them: the record with what was said of it since, and a line of a list.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use vouch_domain::{AuditEntry, Audited, Feedback};

use super::{Recorded, timestamp};

/// One entry, whole: every field of its record, `outcome` and `reason` whatever became of it, and `feedback`.
#[must_use]
pub fn audited(audited: &Audited) -> Value {
    let entry = &audited.entry;
    let mut whole: Map<String, Value> = serde_json::from_str(&entry.record).unwrap_or_default();
    whole.insert("request_id".to_owned(), json!(entry.id));
    whole.insert("outcome".to_owned(), json!(entry.outcome));
    whole.insert("reason".to_owned(), json!(entry.reason));
    let feedback: Vec<FeedbackWire<'_>> = audited.feedback.iter().map(FeedbackWire::of).collect();
    whole.insert("feedback".to_owned(), json!(feedback));
    Value::Object(whole)
}

/// What somebody thought of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct FeedbackWire<'a> {
    timestamp: String,
    user_id: &'a str,
    helpful: bool,
    comment: Option<&'a str>,
}

impl<'a> FeedbackWire<'a> {
    fn of(feedback: &'a Feedback) -> Self {
        Self {
            timestamp: timestamp(feedback.at_ms),
            user_id: &feedback.asker,
            helpful: feedback.is_helpful,
            comment: feedback.comment.as_deref(),
        }
    }
}

/// One entry in a list.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = AuditLine)]
#[expect(missing_docs, reason = "as of the record")]
pub struct AuditLineWire {
    pub request_id: String,
    pub timestamp: String,
    pub user_id: String,
    pub surface: Option<String>,
    pub query: Option<String>,
    pub outcome: String,
    pub reason: Option<String>,
    pub generation: u64,
    pub response_time_ms: f64,
}

impl AuditLineWire {
    /// The line of an entry.
    #[must_use]
    pub fn of(entry: &AuditEntry) -> Self {
        let recorded = Recorded::read(entry);
        Self {
            request_id: entry.id.clone(),
            timestamp: timestamp(entry.at_ms),
            user_id: entry.asker.clone(),
            surface: recorded.as_ref().map(|one| one.surface().to_owned()),
            query: recorded.as_ref().and_then(Recorded::query).map(str::to_owned),
            outcome: entry.outcome.clone(),
            reason: entry.reason.clone(),
            generation: entry.generation.0,
            response_time_ms: entry.elapsed_ms,
        }
    }
}
