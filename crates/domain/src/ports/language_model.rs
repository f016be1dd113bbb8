//! A server that continues text. It is a scribe and not a source, and treated as hostile: what it says is bytes until
//! they are verified.

use std::time::Duration;

use async_trait::async_trait;

use crate::{model_error::ModelError, tool::ToolCall};

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionRequest {
    /// The model, as its server calls it.
    pub model: String,
    /// What it is told, in order.
    pub messages: Vec<Message>,
    /// 0 for the same words every time.
    pub temperature: f32,
    /// How many tokens prompt and answer may have together.
    pub context_window: usize,
    /// How many tokens it may write.
    pub response_tokens_max: usize,
    /// How many bytes of text it may write, whatever it counts as a token.
    pub response_bytes_max: usize,
    /// How long it may take until the first token.
    pub first_token_timeout: Duration,
    /// How long it may pause between two words.
    pub gap_timeout: Duration,
    /// How long it may take altogether.
    pub timeout: Duration,
    /// The JSON schema that its answer is to keep to, for servers that see to it; the others are told by their instructions alone.
    pub schema: Option<&'static str>,
    /// The tools it may call instead of an answer in words, or beside it.
    pub tools: Vec<OfferedTool>,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedTool {
    /// What it is called by.
    pub name: String,
    /// What it does, in words for the model.
    pub description: String,
    /// The JSON schema of its input.
    pub input_schema: String,
}

/// One message to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Whose words they are.
    pub role: Role,
    /// The words.
    pub text: String,
}

/// Whose words a message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Vouch's instructions.
    System,
    /// The asker's words.
    Asker,
    /// What was answered before.
    Writer,
}

impl Role {
    /// The role as the servers call it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Asker => "user",
            Self::Writer => "assistant",
        }
    }
}

/// Text as it comes. Dropping it ends the request.
#[async_trait]
pub trait CompletionStream: Send {
    /// The next bytes, cut anywhere, also inside a character; none at the end. Every wait ends by a deadline of the
    /// request, and after an error nothing more comes.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError>;

    /// Whether it stopped at the limit of its answer, perhaps in mid-sentence.
    fn is_cut(&self) -> bool {
        false
    }

    /// The calls it asks for, once the stream has ended as it should; none before, and none after an error. They are taken whole or
    /// not at all: one that cannot be read takes the others with it.
    fn tool_calls(&self) -> &[ToolCall] {
        &[]
    }
}

/// Continues text.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// What runs the models, as one word.
    fn provider(&self) -> &'static str;

    /// What to do about a model the server does not have, for a person.
    fn advice(&self, _model: &str, there: &[String]) -> String {
        format!("it has: {}", there.join(", "))
    }

    /// Why the server is not asked at the moment; none where it is.
    fn unasked(&self) -> Option<ModelError> {
        None
    }

    /// The models the server has, by their full names.
    async fn models(&self) -> Result<Vec<String>, ModelError>;

    /// Starts an answer; returns once the server has accepted the request or failed.
    async fn stream_completion(
        &self,
        completion_request: CompletionRequest,
    ) -> Result<Box<dyn CompletionStream>, ModelError>;
}

/// How many tokens a model reads in a text.
pub trait TokenCounter: Send + Sync {
    /// At least as many as the model itself would count.
    fn count(&self, text: &str) -> usize;
}
