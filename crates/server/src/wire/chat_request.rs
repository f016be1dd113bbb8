//! A request in OpenAI's format → a question and the conversation before it, or what is not supported.
//!
//! Invariant: a request's instructions are never obeyed, and no parameter that would change the meaning of the answer
//! is silently ignored.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_domain::{Speaker, Timestamp, Turn, is_session_id};

/// How many of the last messages are read.
const TURNS_MAX: usize = 200;
/// Most ignored parameters that are reported, and the longest name.
const IGNORED_MAX: usize = 32;
const NAME_BYTES_MAX: usize = 64;
/// The name of the configured writer.
pub(crate) const DEFAULT_MODEL: &str = "vouch";

/// A question in the format of OpenAI's chat completions. Parameters that are not listed are ignored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatBody)]
#[serde(expecting = "an object with messages")]
pub(crate) struct ChatRequest {
    /// The conversation, oldest first; the last user message is the question.
    messages: Vec<ChatMessage>,
    /// `vouch` for the configured writer, or a name from `GET /v1/models`.
    pub(crate) model: Option<String>,
    /// Whether to send the answer as server-sent events.
    stream: Option<bool>,
    /// Options for a stream.
    stream_options: Option<StreamOptions>,
    /// Must be 1 if given.
    n: Option<u64>,
    /// Not supported: must be empty if given.
    tools: Option<Vec<Value>>,
    /// Not supported: must be empty if given.
    functions: Option<Vec<Value>>,
    /// Must be of type `text` if given.
    response_format: Option<ResponseFormat>,
    /// Must be `text` if given.
    modalities: Option<Vec<String>>,
    /// Read only documents with one of these tags or none; never more than the key allows.
    pub(crate) tags: Option<BTreeSet<String>>,
    /// Most passages to answer from, at least 1.
    pub(crate) max_context_chunks: Option<usize>,
    /// Tag of the language in which editors' notes are told, such as `nl`; that of the question if absent.
    #[serde(default, deserialize_with = "vouch_service::wire::language_or_null")]
    pub(crate) language: Option<String>,
    /// Agent that is to answer; told by the question if absent.
    pub(crate) agent: Option<String>,
    /// Id of the conversation; told by its first message if absent.
    session_id: Option<String>,
    /// The `vouch.pending.token` of the answer before, with a last message that says yes to what will be done.
    pub(crate) confirm: Option<String>,
    /// Whether `vouch.trace` is filled.
    pub(crate) explain: Option<bool>,
    /// Every other parameter; ignored, and named in the `x-vouch-ignored` header.
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// Options for a stream.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatStreamOptionsBody)]
struct StreamOptions {
    /// Whether the last chunk has `usage`.
    include_usage: Option<bool>,
}

/// Format of the answer.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatResponseFormatBody)]
struct ResponseFormat {
    /// Must be `text`.
    #[serde(rename = "type")]
    kind: String,
}

/// A message of the conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatMessageBody)]
struct ChatMessage {
    /// Who wrote it.
    role: ChatRole,
    /// Its text; required for the last user message.
    content: Option<Content>,
    /// The annotations of an earlier answer, sent back so that a follow-up can use the same sources.
    annotations: Option<Vec<CitedBefore>>,
    /// When it was written, in ISO 8601 or in seconds since 1970, as some clients send it; anything else is ignored.
    timestamp: Option<Value>,
}

/// Who wrote a message. `system` and `developer` messages are kept with the conversation and never obeyed; those of tools
/// are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[schema(as = ChatRoleBody)]
#[serde(rename_all = "lowercase")]
enum ChatRole {
    User,
    Assistant,
    System,
    Developer,
    Tool,
    Function,
}

/// Text, or a list of parts.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatContentBody)]
#[serde(untagged, expecting = "content must be text or a list of parts with a type")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A part of a message; only those of type `text` are read.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatPartBody)]
struct Part {
    /// `text`; other types are rejected in the question.
    #[serde(rename = "type")]
    kind: String,
    /// The text.
    text: Option<String>,
}

/// An annotation of an earlier answer, as it was sent.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatCitedBeforeBody)]
struct CitedBefore {
    /// Id of the passage that was cited.
    source_id: Option<String>,
}

impl Content {
    /// Its text alone.
    fn words(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => parts.iter().filter_map(|part| part.text.as_deref()).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Its text, and whether it holds anything else.
    fn text(self) -> (String, bool) {
        match self {
            Self::Text(text) => (text, false),
            Self::Parts(parts) => {
                let has_more = parts.iter().any(|part| part.kind != "text");
                let texts = parts.into_iter().filter(|part| part.kind == "text").filter_map(|part| part.text);
                (texts.collect::<Vec<_>>().join("\n"), has_more)
            }
        }
    }
}

impl ChatRequest {
    pub(crate) fn is_streamed(&self) -> bool {
        self.stream == Some(true)
    }

    pub(crate) fn wants_usage(&self) -> bool {
        self.stream_options.as_ref().is_some_and(|options| options.include_usage == Some(true))
    }

    /// The model as the engine knows it; none for the one of the settings.
    pub(crate) fn writer(&self) -> Option<&str> {
        self.model.as_deref().filter(|name| *name != DEFAULT_MODEL)
    }

    /// A parameter that would change the answer and is not supported.
    pub(crate) fn unsupported(&self) -> Option<&'static str> {
        let is_given = |list: &Option<Vec<Value>>| list.as_ref().is_some_and(|list| !list.is_empty());
        let is_form = self.response_format.as_ref().is_some_and(|format| format.kind != "text");
        let is_sound = self.modalities.iter().flatten().any(|one| one != "text");
        [
            (self.n.is_some_and(|n| n != 1), "n must be 1: there is one verified answer per question"),
            (is_given(&self.tools) || is_given(&self.functions), "tools are not supported; leave them out"),
            (is_form, "response_format must be text: an answer is made of verified sentences"),
            (is_sound, "modalities must be text"),
            (self.max_context_chunks == Some(0), "max_context_chunks must be at least 1"),
        ]
        .into_iter()
        .find_map(|(is_so, sentence)| is_so.then_some(sentence))
    }

    /// Names of the parameters that are ignored.
    pub(crate) fn ignored(&self) -> Vec<String> {
        let is_name = |name: &&String| {
            (1..=NAME_BYTES_MAX).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        self.rest.keys().filter(is_name).take(IGNORED_MAX).cloned().collect()
    }

    /// The id of the conversation: the one that was sent, else one told by its first words, which every request of it repeats. None
    /// if what was sent is none.
    pub(crate) fn session(&self) -> Option<String> {
        if let Some(id) = &self.session_id {
            return is_session_id(id).then(|| id.clone());
        }
        let first = self.messages.iter().find(|message| message.role == ChatRole::User);
        let words = first.and_then(|message| message.content.as_ref()).map(Content::words).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        Some(format!("chat-{:016x}", hasher.finish()))
    }

    /// The last words of the user, and the turns before them.
    pub(crate) fn dialogue(self) -> Result<(String, Vec<Turn>), &'static str> {
        let mut messages = self.messages;
        let last = messages.iter().rposition(|message| message.role == ChatRole::User);
        let last = last.ok_or("there is no user message, so there is no question")?;
        messages.truncate(last + 1);
        let asked = messages.pop().and_then(|message| message.content);
        let (question, has_more) = asked.ok_or("the last user message has no content")?.text();
        if has_more {
            return Err("the last user message contains something other than text");
        }
        let mut turns: Vec<Turn> = messages.into_iter().rev().filter_map(turn).take(TURNS_MAX).collect();
        turns.reverse();
        Ok((question, turns))
    }
}

/// What was said in a conversation; the words of tools are not part of it.
fn turn(message: ChatMessage) -> Option<Turn> {
    let speaker = match message.role {
        ChatRole::User => Speaker::Asker,
        ChatRole::Assistant => Speaker::Vouch,
        ChatRole::System | ChatRole::Developer => Speaker::System,
        ChatRole::Tool | ChatRole::Function => return None,
    };
    let said_at = message.timestamp.as_ref().and_then(timestamp);
    let (text, _) = message.content?.text();
    let mut sources: Vec<String> = Vec::new();
    for source in message.annotations.unwrap_or_default().into_iter().filter_map(|one| one.source_id) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    (!text.trim().is_empty()).then_some(Turn { speaker, text, sources, said_at })
}

/// A moment as clients of this protocol write it, which has no field for it of its own.
fn timestamp(given: &Value) -> Option<Timestamp> {
    let text = match given.as_u64() {
        Some(seconds) => vouch_service::wire::timestamp(seconds.checked_mul(1_000)?),
        None => given.as_str()?.to_owned(),
    };
    Timestamp::parse(&text)
}
