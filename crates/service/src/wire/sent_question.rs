//! Questions that were sent to somebody, as other programs see them.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{SentQuestion, timestamp};

/// A question that somebody was asked to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SentQuestion)]
pub struct SentQuestionWire {
    /// Its id.
    pub id: String,
    /// The question.
    pub query: String,
    /// What it is about; null if that was not said.
    pub topic: Option<String>,
    /// Id of the user who is to answer.
    pub owner: String,
    /// Who sent it.
    pub sent_by: String,
    /// When, RFC 3339 in UTC.
    pub sent: String,
    /// Tags of those who may see the answer; everybody in the tenant if there are none.
    pub tags: Vec<String>,
    /// When it was answered, RFC 3339 in UTC; null while it is open.
    pub answered: Option<String>,
    /// Id of the document that answers it; null while it is open.
    pub document_id: Option<String>,
}

impl From<&SentQuestion> for SentQuestionWire {
    fn from(question: &SentQuestion) -> Self {
        let answer = question.answer.as_ref();
        Self {
            id: question.id.clone(),
            query: question.query.clone(),
            topic: question.topic.clone(),
            owner: question.owner.clone(),
            sent_by: question.sent_by.clone(),
            sent: timestamp(question.sent_ms),
            tags: question.tags.iter().cloned().collect(),
            answered: answer.map(|answer| timestamp(answer.at_ms)),
            document_id: answer.map(|answer| answer.document.as_str().to_owned()),
        }
    }
}
