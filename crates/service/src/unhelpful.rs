//! The trail of requests → answers that somebody marked as unhelpful, with the conversation they stand in, for whoever curates.
//!
//! Invariant: an answer is listed until an entry of the memory has its question, unless that entry gave the answer.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    AuditScope, AuditedEntry, Caller, Feedback, PortError, Rating, Speaker, WordingKey,
    ports::{AuditTrail, Memory},
    timestamp,
};

use crate::wire::RecordedRequest;

/// Most answers with feedback that are looked at, and most that are listed; the newest.
const SEARCHED_MAX: usize = 500;
const LISTED_MAX: usize = 100;
/// How much of a conversation is shown, from its end, in turns and in characters of a turn.
const TURNS_MAX: usize = 10;
const CHARS_MAX: usize = 2_000;

/// What the list is made from.
pub struct Unhelpful<'a> {
    /// The trail.
    pub trail: &'a dyn AuditTrail,
    /// What editors prepared.
    pub memory: &'a dyn Memory,
}

/// An answer that somebody marked as unhelpful.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = UnhelpfulAnswer)]
pub struct UnhelpfulAnswer {
    /// The question.
    pub query: String,
    /// What was said before it, oldest first.
    pub conversation: Vec<SaidWire>,
    /// The answer as it was told; null if words are not kept.
    pub answer: Option<String>,
    /// What those who marked it have to add.
    pub comments: Vec<String>,
    /// How many marked it.
    pub marked: usize,
    /// When it was asked, RFC 3339 in UTC.
    pub asked: String,
    /// Id of the request.
    pub request_id: String,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Said)]
pub struct SaidWire {
    /// `user`, `assistant` or `system`.
    pub role: &'static str,
    /// What was said, at most 2000 characters of it.
    pub content: String,
}

impl Unhelpful<'_> {
    /// The answers as a caller may see them, newest first.
    ///
    /// # Errors
    /// Fails if the trail or the memory cannot be read.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<UnhelpfulAnswer>, PortError> {
        let mut listed = Vec::new();
        for audited in self.trail.commented(&AuditScope::for_caller(caller), SEARCHED_MAX).await? {
            if listed.len() == LISTED_MAX {
                break;
            }
            let Some(recorded) = RecordedRequest::read(&audited.entry) else { continue };
            let Some(query) = recorded.query().map(str::to_owned) else { continue };
            if !audited.feedback.iter().any(is_unhelpful) || self.is_settled(caller, &query, &recorded).await? {
                continue;
            }
            listed.push(unhelpful(&audited, query, &recorded));
        }
        Ok(listed)
    }

    async fn is_settled(&self, caller: &Caller, query: &str, recorded: &RecordedRequest) -> Result<bool, PortError> {
        let Some(words) = WordingKey::of(query) else { return Ok(false) };
        let entries = self.memory.with_phrase(&caller.reader, &words).await?;
        Ok(entries.iter().any(|entry| !recorded.recalled(&entry.id)))
    }
}

fn unhelpful(audited: &AuditedEntry, query: String, recorded: &RecordedRequest) -> UnhelpfulAnswer {
    let conversation = recorded.conversation();
    let first = conversation.len().saturating_sub(TURNS_MAX);
    let said = conversation.into_iter().skip(first).map(|turn| SaidWire {
        role: match turn.speaker {
            Speaker::Asker => "user",
            Speaker::Vouch => "assistant",
            Speaker::System => "system",
        },
        content: turn.text.chars().take(CHARS_MAX).collect(),
    });
    let marks = || audited.feedback.iter().filter(|said| is_unhelpful(said));
    UnhelpfulAnswer {
        query,
        conversation: said.collect(),
        answer: recorded.answer().map(|answer| answer.chars().take(CHARS_MAX).collect()),
        comments: marks().filter_map(|said| said.comment.clone()).collect(),
        marked: marks().count(),
        asked: timestamp(audited.entry.at_ms),
        request_id: audited.entry.id.clone(),
    }
}

/// Whether somebody says it did not help; without a word on that, one or two stars say the same.
fn is_unhelpful(said: &Feedback) -> bool {
    let is_poor = said.opinion.rating.is_some_and(|rating| rating.stars() <= Rating::MIN + 1);
    said.opinion.is_helpful.map_or(is_poor, |is_helpful| !is_helpful)
}
