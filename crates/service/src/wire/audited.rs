//! Entries of the trail as clients see them: the record with its feedback, and a line of a list.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use vouch_domain::{AuditEntry, AuditedEntry, Feedback, Rating};

use super::{RecordedRequest, timestamp};

/// One entry, whole: every field of its record, `outcome` and `reason` whatever became of it, and `feedback`.
#[must_use]
pub fn audited(audited: &AuditedEntry) -> Value {
    let entry = &audited.entry;
    let mut whole: Map<String, Value> = serde_json::from_str(&entry.record).unwrap_or_default();
    whole.insert("request_id".to_owned(), json!(entry.id));
    whole.insert("outcome".to_owned(), json!(entry.outcome));
    whole.insert("reason".to_owned(), json!(entry.reason));
    let feedback: Vec<FeedbackWire<'_>> = audited.feedback.iter().map(FeedbackWire::new).collect();
    whole.insert("feedback".to_owned(), json!(feedback));
    Value::Object(whole)
}

/// Feedback on an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct FeedbackWire<'a> {
    timestamp: String,
    user_id: &'a str,
    helpful: Option<bool>,
    rating: Option<u8>,
    comment: Option<&'a str>,
}

impl<'a> FeedbackWire<'a> {
    fn new(feedback: &'a Feedback) -> Self {
        Self {
            timestamp: timestamp(feedback.at_ms),
            user_id: &feedback.asker,
            helpful: feedback.opinion.is_helpful,
            rating: feedback.opinion.rating.map(Rating::stars),
            comment: feedback.comment.as_deref(),
        }
    }
}

/// A request in a list of the audit trail.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = AuditLine)]
pub struct AuditLineWire {
    /// Id of the request.
    pub request_id: String,
    /// When it was asked, RFC 3339 in UTC.
    pub timestamp: String,
    /// Id of the caller.
    pub user_id: String,
    /// Where it came in, such as `http`, `mcp` or `cli`; null if the record cannot be read.
    pub surface: Option<String>,
    /// The question; null if questions are not recorded.
    pub query: Option<String>,
    /// What became of it, such as `answered` or `refused`.
    pub outcome: String,
    /// Why it was refused or failed, as one stable word; null otherwise.
    pub reason: Option<String>,
    /// State of the corpus it was asked on; grows with every change.
    pub generation: u64,
    /// Time from the question to the reply, in milliseconds.
    pub response_time_ms: f64,
}

impl AuditLineWire {
    /// The line of an entry.
    #[must_use]
    pub fn new(entry: &AuditEntry) -> Self {
        let recorded = RecordedRequest::read(entry);
        Self {
            request_id: entry.id.clone(),
            timestamp: timestamp(entry.at_ms),
            user_id: entry.asker.clone(),
            surface: recorded.as_ref().map(|one| one.surface().to_owned()),
            query: recorded.as_ref().and_then(RecordedRequest::query).map(str::to_owned),
            outcome: entry.outcome.clone(),
            reason: entry.reason.clone(),
            generation: entry.generation.0,
            response_time_ms: entry.elapsed_ms,
        }
    }
}
