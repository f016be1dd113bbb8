//! An Ollama server: a dictation → what one of its models says, and the models it has.
//!
//! Invariant: a model that is not there is told with the command that fetches it; an answer without its last line is an
//! answer broken off.

mod chat;
mod embedder;
mod refusal;
mod settings;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use serde::Deserialize;
use vouch_domain::{
    ModelError, PortError,
    ports::{CompletionRequest, CompletionStream, LanguageModel},
};

use crate::model_server::{Allowance, Connection, Deadlines, ModelStream, PORT};
use chat::{ChatLineDecoder, ChatRequest};
use refusal::refusal;

pub use crate::model_server::EmbedderSettings;
pub use embedder::OllamaEmbedder;
pub use settings::OllamaSettings;

const PROVIDER: &str = "ollama";

/// How long a server may take to say what it has.
const MODELS_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a list of models may be.
const MODELS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The models of an Ollama server.
pub struct Ollama {
    connection: Connection,
}

#[derive(Deserialize)]
struct Tags {
    models: Option<Vec<Tag>>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

impl Ollama {
    /// Prepares to speak; nothing is sent yet.
    ///
    /// # Errors
    /// Fails if the settings make no sense, or where the system's certificates cannot be read for `https`.
    pub fn new(settings: &OllamaSettings) -> Result<Self, PortError> {
        Ok(Self { connection: settings.connection(PORT)? })
    }
}

#[async_trait]
impl LanguageModel for Ollama {
    fn provider(&self) -> &'static str {
        PROVIDER
    }

    fn advice(&self, model: &str, _there: &[String]) -> String {
        format!("run: ollama pull {model}")
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        let allowance = Allowance { deadlines: Deadlines::whole(MODELS_TIMEOUT), bytes_max: MODELS_BYTES_MAX };
        let reply = self.connection.get("api/tags", allowance).await?;
        let reply = reply.accepted().await.map_err(|refused| refusal(&refused, self.connection.server(), "", 0))?;
        let tags: Tags = reply.json().await?;
        Ok(tags.models.into_iter().flatten().map(|tag| tag.name).collect())
    }

    async fn stream_completion(
        &self,
        completion_request: CompletionRequest,
    ) -> Result<Box<dyn CompletionStream>, ModelError> {
        let server = self.connection.server();
        let request = ChatRequest::new(&completion_request);
        let reply = self.connection.post("api/chat", &request, Allowance::for_request(&completion_request)).await?;
        let CompletionRequest { model, context_window, response_bytes_max, .. } = completion_request;
        let reply = reply.accepted().await.map_err(|refused| refusal(&refused, server, &model, context_window))?;
        let kind = reply.kind();
        if !matches!(kind.as_str(), "application/x-ndjson" | "application/json") {
            return Err(server.unexpected_media_type(&kind, "a stream of JSON"));
        }
        let decoder = ChatLineDecoder { server: Arc::clone(server), model, context_window };
        Ok(Box::new(ModelStream::new(reply, decoder, response_bytes_max)))
    }
}
