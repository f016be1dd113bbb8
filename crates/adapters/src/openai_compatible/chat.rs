//! A dictation → the request for `chat/completions`, and the events or the whole of its answer → text.
//!
//! Invariant: a stream ends at `[DONE]`, or where the server closes it after a reason to finish; any other end is an
//! answer broken off.

use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::Value;
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, Message},
};

use super::{
    event_reader::{Event, EventReader},
    refusal::RefusalContext,
};
use crate::model_server::{Fragment, Heard, LineDecoder, RefusedReply, tools, whole_calls};

#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    stream: bool,
    stream_options: StreamOptions,
    temperature: f32,
    max_tokens: usize,
    seed: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
}

/// A schema that the server is to see to.
#[derive(Serialize)]
struct ResponseFormat {
    r#type: &'static str,
    json_schema: NamedSchema,
}

#[derive(Serialize)]
struct NamedSchema {
    name: &'static str,
    strict: bool,
    schema: Value,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: &'a str,
}

impl<'a> ChatRequest<'a> {
    pub(super) fn new(completion_request: &'a CompletionRequest) -> Self {
        let message = |message: &'a Message| ChatMessage { role: message.role.as_str(), content: &message.text };
        Self {
            model: &completion_request.model,
            messages: completion_request.messages.iter().map(message).collect(),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            temperature: completion_request.temperature,
            max_tokens: completion_request.response_tokens_max,
            seed: 0,
            response_format: completion_request.schema.and_then(ResponseFormat::new),
            tools: tools(&completion_request.tools),
        }
    }

    /// The same for servers that know no schemas.
    pub(super) fn without_schema(self) -> Self {
        Self { response_format: None, ..self }
    }
}

impl ResponseFormat {
    fn new(schema: &str) -> Option<Self> {
        let json_schema = NamedSchema { name: "reply", strict: true, schema: serde_json::from_str(schema).ok()? };
        Some(Self { r#type: "json_schema", json_schema })
    }
}

/// A piece of a streamed answer, or a whole one: they differ in the name of what holds the words.
#[derive(Deserialize)]
struct Completion {
    choices: Option<Vec<Choice>>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<MessageContent>,
    message: Option<MessageContent>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct MessageContent {
    content: Option<String>,
    tool_calls: Option<Heard>,
}

/// The reason for which an answer ends that had more to say.
const LENGTH: &str = "length";

/// Reads a stream of events.
pub(super) struct EventDecoder {
    asked: RefusalContext,
    reader: EventReader,
    is_finished: bool,
}

impl EventDecoder {
    pub(super) fn new(asked: RefusalContext) -> Self {
        Self { asked, reader: EventReader::default(), is_finished: false }
    }

    fn understand(&mut self, event: Event) -> Result<Fragment, ModelError> {
        let Event { data, is_error } = event;
        if is_error {
            return Err(self.asked.refusal(&RefusedReply { status: None, body: data }));
        }
        if data.trim_ascii() == b"[DONE]" {
            return Ok(Fragment { is_over: true, ..Fragment::default() });
        }
        let choice = self.asked.first_choice(data)?;
        let Some(Choice { delta, finish_reason, .. }) = choice else { return Ok(Fragment::default()) };
        // Some servers give an empty reason until there is one.
        let reason = finish_reason.unwrap_or_default();
        self.is_finished |= !reason.is_empty();
        let (content, calls) = delta.map(|said| (said.content, said.tool_calls)).unwrap_or_default();
        let text = content.unwrap_or_default();
        Ok(Fragment { text, is_over: false, is_cut: reason == LENGTH, calls: whole_calls(calls) })
    }
}

impl LineDecoder for EventDecoder {
    fn decode(&mut self, line: &[u8]) -> Result<Fragment, ModelError> {
        let event =
            self.reader.line(line).map_err(|_| self.asked.server.connection("sent an event that is too long"))?;
        event.map_or_else(|| Ok(Fragment::default()), |event| self.understand(event))
    }

    fn close(&mut self) -> Result<Fragment, ModelError> {
        let heard = self.reader.event().map_or_else(|| Ok(Fragment::default()), |event| self.understand(event))?;
        if heard.is_over || self.is_finished { Ok(heard) } else { Err(self.asked.server.stream_broken()) }
    }
}

/// Reads an answer that comes whole, though a stream was asked for.
pub(super) struct BodyDecoder {
    asked: RefusalContext,
    body: Vec<u8>,
}

impl BodyDecoder {
    pub(super) fn new(asked: RefusalContext) -> Self {
        Self { asked, body: Vec::new() }
    }
}

impl LineDecoder for BodyDecoder {
    fn decode(&mut self, line: &[u8]) -> Result<Fragment, ModelError> {
        self.body.extend_from_slice(line);
        self.body.push(b'\n');
        Ok(Fragment::default())
    }

    fn close(&mut self) -> Result<Fragment, ModelError> {
        let choice = self.asked.first_choice(std::mem::take(&mut self.body))?;
        let Some((message, reason)) = choice.and_then(|choice| Some((choice.message?, choice.finish_reason))) else {
            return Err(self.asked.server.connection("answered with JSON that is not a completion"));
        };
        let is_cut = reason.is_some_and(|reason| reason == LENGTH);
        let text = message.content.unwrap_or_default();
        Ok(Fragment { text, is_over: true, is_cut, calls: whole_calls(message.tool_calls) })
    }
}

impl RefusalContext {
    fn first_choice(&self, data: Vec<u8>) -> Result<Option<Choice>, ModelError> {
        let completion: Completion =
            serde_json::from_slice(&data).map_err(|error| self.server.invalid_reply(&error))?;
        if completion.error.is_some() {
            return Err(self.refusal(&RefusedReply { status: None, body: data }));
        }
        Ok(completion.choices.and_then(|choices| choices.into_iter().next()))
    }
}
