//! A request in OpenAI's shape → a question and what was said before it, or what of it cannot be done here.
//!
//! Invariant: instructions of a request are never obeyed, and nothing that would change what the answer means is passed
//! over in silence.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_domain::{Speaker, Turn};

/// How much of a conversation is looked at, from its end.
const TURNS_MAX: usize = 200;
/// Most names of passed-over parameters that are told, and the longest.
const IGNORED_MAX: usize = 32;
const NAME_BYTES_MAX: usize = 64;
/// The name of whatever the settings say writes.
pub(crate) const DEFAULT_MODEL: &str = "vouch";

/// The request.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatBody)]
#[serde(expecting = "an object with messages")]
pub(crate) struct ChatRequest {
    messages: Vec<ChatMessage>,
    pub(crate) model: Option<String>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    n: Option<u64>,
    tools: Option<Vec<Value>>,
    functions: Option<Vec<Value>>,
    response_format: Option<ResponseFormat>,
    modalities: Option<Vec<String>>,
    pub(crate) tags: Option<BTreeSet<String>>,
    pub(crate) max_context_chunks: Option<usize>,
    pub(crate) explain: Option<bool>,
    /// Everything else, which changes nothing here.
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatStreamOptionsBody)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatResponseFormatBody)]
struct ResponseFormat {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatMessageBody)]
struct ChatMessage {
    role: ChatRole,
    content: Option<Content>,
    annotations: Option<Vec<CitedBefore>>,
}

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

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatContentBody)]
#[serde(untagged, expecting = "content must be text or a list of parts with a type")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatPartBody)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
}

/// An annotation of an earlier answer, as it was given out.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatCitedBeforeBody)]
struct CitedBefore {
    source_id: Option<String>,
}

impl Content {
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

    /// What is asked for and would change what comes back, but cannot be had here.
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

    /// Parameters that change nothing here, by name.
    pub(crate) fn ignored(&self) -> Vec<String> {
        let is_name = |name: &&String| {
            (1..=NAME_BYTES_MAX).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        self.rest.keys().filter(is_name).take(IGNORED_MAX).cloned().collect()
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

/// What was said in a conversation; instructions and the words of tools are not part of it.
fn turn(message: ChatMessage) -> Option<Turn> {
    let speaker = match message.role {
        ChatRole::User => Speaker::Asker,
        ChatRole::Assistant => Speaker::Vouch,
        ChatRole::System | ChatRole::Developer | ChatRole::Tool | ChatRole::Function => return None,
    };
    let (text, _) = message.content?.text();
    let mut sources: Vec<String> = Vec::new();
    for source in message.annotations.unwrap_or_default().into_iter().filter_map(|one| one.source_id) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    (!text.trim().is_empty()).then_some(Turn { speaker, text, sources })
}
