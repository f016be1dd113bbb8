//! Earlier messages of a conversation as other programs send them, and the language they ask for.

use serde::{Deserialize, Deserializer, de::Error};
use utoipa::ToSchema;
use vouch_domain::{Speaker, Timestamp, Turn, language::language_tag};

/// An earlier message of the conversation.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = MessageBody)]
pub struct HistoryMessage {
    /// Who wrote it.
    role: HistoryRole,
    /// Its text.
    content: String,
    /// For an answer: the source ids it cited, so that a follow-up can use them.
    #[serde(default)]
    sources: Vec<String>,
    /// When it was written, in ISO 8601; kept with the question.
    #[serde(default, deserialize_with = "timestamp_or_null")]
    #[schema(value_type = Option<String>, example = "2026-01-28T10:30:45Z")]
    timestamp: Option<Timestamp>,
}

/// Who wrote a message. `system` messages are kept and never obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Role)]
pub enum HistoryRole {
    /// The person asking.
    User,
    /// Vouch.
    Assistant,
    /// The program in between.
    System,
}

impl From<HistoryMessage> for Turn {
    fn from(message: HistoryMessage) -> Self {
        let speaker = match message.role {
            HistoryRole::User => Speaker::Asker,
            HistoryRole::Assistant => Speaker::Vouch,
            HistoryRole::System => Speaker::System,
        };
        Self { speaker, text: message.content, sources: message.sources, said_at: message.timestamp }
    }
}

/// The tag of a language in its one spelling, or nothing.
///
/// # Errors
/// Fails on any other text.
pub fn language_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let wrong = || D::Error::custom("a language must be a tag, such as en or pt-br");
    language_tag(&text).map(Some).ok_or_else(wrong)
}

/// A moment in ISO 8601, or nothing.
///
/// # Errors
/// Fails on any other text.
pub fn timestamp_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let wrong = || D::Error::custom("a timestamp must be in ISO 8601, such as 2026-01-28T10:30:45Z");
    Timestamp::parse(&text).map(Some).ok_or_else(wrong)
}
