//! Texts → vectors, by a model on an Ollama server.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use vouch_domain::{EmbedderIdentity, Embedding, ModelError, PortError, RelevanceMap, ports::Embedder};

use super::{OllamaSettings, PROVIDER, refusal::refusal};
use crate::model_server::{Connection, EmbedderCard, EmbedderSettings};

/// Embeds with a model on an Ollama server.
pub struct OllamaEmbedder {
    connection: Connection,
    card: EmbedderCard,
}

#[derive(Serialize)]
struct EmbedRequest<'a> {
    model: &'a str,
    input: &'a [String],
}

#[derive(Deserialize)]
struct EmbedAnswer {
    embeddings: Vec<Vec<f32>>,
}

impl OllamaEmbedder {
    /// Prepares to embed; nothing is sent yet.
    ///
    /// # Errors
    /// Fails if the settings make no sense, or where the system's certificates cannot be read for `https`.
    pub fn new(server: &OllamaSettings, settings: EmbedderSettings) -> Result<Self, PortError> {
        let card = EmbedderCard::new(PROVIDER, settings)?;
        Ok(Self { connection: server.connection(EmbedderCard::PORT)?, card })
    }

    async fn ask(&self, batch: &[String]) -> Result<EmbedAnswer, ModelError> {
        let (server, model) = (self.connection.server(), self.card.settings.model.as_str());
        let request = EmbedRequest { model, input: batch };
        let reply = self.connection.post("api/embed", &request, self.card.allowance(batch.len())).await?;
        let reply = reply.accepted().await.map_err(|refused| refusal(&refused, server, model, 0))?;
        reply.json().await
    }
}

#[async_trait]
impl Embedder for OllamaEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.card.identity
    }

    fn relevance_map(&self) -> &RelevanceMap {
        &self.card.settings.relevance_map
    }

    fn likeness_map(&self) -> &RelevanceMap {
        &self.card.settings.likeness_map
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        let mut embeddings = Vec::with_capacity(texts.len());
        for batch in self.card.batches(texts) {
            let answer = self.ask(&batch).await.map_err(EmbedderCard::failed)?;
            embeddings.extend(self.card.accept(self.connection.server(), answer.embeddings, batch.len())?);
        }
        Ok(embeddings)
    }
}
