//! A server that speaks as OpenAI's does: a dictation → what one of its models says, and the models it has.
//!
//! Such servers differ. Some accept any model's name, some answer whole though a stream was asked for, some never send
//! `[DONE]`; the room a model has is theirs to set and cannot be asked for.
//!
//! Invariant: an answer without its end is an answer broken off, and a key goes to the server it was given for alone.

mod chat;
mod embedder;
mod event_reader;
mod refusal;
mod reranker;
mod settings;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use serde::Deserialize;
use vouch_domain::{
    ModelError, PortError,
    ports::{CompletionRequest, CompletionStream, LanguageModel},
};

use crate::model_server::{Allowance, Connection, Deadlines, ModelStream, PORT};
use chat::{BodyDecoder, ChatRequest, EventDecoder};
use refusal::RefusalContext;

pub use crate::model_server::EmbedderSettings;
pub use embedder::OpenAiEmbedder;
pub use reranker::{HttpReranker, RerankerSettings};
pub use settings::OpenAiSettings;

const PROVIDER: &str = "openai_compatible";

/// How long a server may take to say what it has.
const MODELS_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a list of models may be.
const MODELS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The models of an OpenAI-compatible server.
pub struct OpenAiCompatible {
    connection: Connection,
}

#[derive(Deserialize)]
struct ModelList {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
}

impl OpenAiCompatible {
    /// Prepares to speak; nothing is sent yet.
    ///
    /// # Errors
    /// Fails if the settings make no sense, or where the system's certificates cannot be read for `https`.
    pub fn new(settings: &OpenAiSettings) -> Result<Self, PortError> {
        Ok(Self { connection: settings.connection(PORT)? })
    }

    fn asked(&self, model: &str, context_window: usize) -> RefusalContext {
        RefusalContext {
            server: Arc::clone(self.connection.server()),
            model: model.to_owned(),
            context_window,
            has_key: self.connection.has_key(),
        }
    }
}

#[async_trait]
impl LanguageModel for OpenAiCompatible {
    fn provider(&self) -> &'static str {
        PROVIDER
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        let allowance = Allowance { deadlines: Deadlines::whole(MODELS_TIMEOUT), bytes_max: MODELS_BYTES_MAX };
        let reply = self.connection.get("models", allowance).await?;
        let reply = reply.accepted().await.map_err(|refused| self.asked("", 0).refusal(&refused))?;
        let list: ModelList = reply.json().await?;
        Ok(list.data.into_iter().map(|model| model.id).collect())
    }

    async fn stream_completion(
        &self,
        completion_request: CompletionRequest,
    ) -> Result<Box<dyn CompletionStream>, ModelError> {
        let asked = self.asked(&completion_request.model, completion_request.context_window);
        let post = async |request: ChatRequest<'_>| {
            let allowance = Allowance::for_request(&completion_request);
            self.connection.post("chat/completions", &request, allowance).await
        };
        let request = ChatRequest::new(&completion_request);
        let reply = match post(request).await?.accepted().await {
            // A server that knows no schemas turns the request away, or may: it is asked again in words alone.
            Err(refused) if completion_request.schema.is_some() && refused.is_bad_request() => {
                post(ChatRequest::new(&completion_request).without_schema()).await?.accepted().await
            }
            reply => reply,
        };
        let reply = reply.map_err(|refused| asked.refusal(&refused))?;
        let text_bytes_max = completion_request.response_bytes_max;
        match reply.kind().as_str() {
            "text/event-stream" => Ok(Box::new(ModelStream::new(reply, EventDecoder::new(asked), text_bytes_max))),
            "application/json" => Ok(Box::new(ModelStream::new(reply, BodyDecoder::new(asked), text_bytes_max))),
            other => Err(asked.server.unexpected_media_type(other, "a stream of events")),
        }
    }
}
