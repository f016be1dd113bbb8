//! Vectors as a server gave them → embeddings, once each is known to be one.
//!
//! Invariant: an embedding is returned for every text or for none; each has the width that was promised and length one.

use std::time::Duration;

use vouch_domain::{EmbedderIdentity, Embedding, Fault, ModelError, PortError, RelevanceMap};

use super::{Allowance, Deadlines, ServerName};

/// The port, as its failures name it.
const PORT: &str = "embedder";

/// How many bytes a number of a vector may take, white space and all.
const NUMBER_BYTES_MAX: usize = 48;

/// A model that embeds, and how it is asked.
#[derive(Debug, Clone)]
pub struct EmbedderSettings {
    /// The model, as its server calls it.
    pub model: String,
    /// How wide its vectors are; any other width is refused.
    pub dimensions: usize,
    /// How many texts are sent in one request.
    pub batch_max: usize,
    /// How long one request may take.
    pub timeout: Duration,
    /// How its cosines are to be read.
    pub relevance_map: RelevanceMap,
    /// How the cosines of two questions are to be read.
    pub likeness_map: RelevanceMap,
}

/// What an embedder behind a server is and expects.
pub(crate) struct EmbedderCard {
    pub(crate) settings: EmbedderSettings,
    pub(crate) identity: EmbedderIdentity,
}

impl EmbedderCard {
    pub(crate) const PORT: &str = PORT;

    pub(crate) fn new(provider: &str, settings: EmbedderSettings) -> Result<Self, PortError> {
        let is_sensible = settings.dimensions > 0 && settings.batch_max > 0 && !settings.timeout.is_zero();
        if !is_sensible || settings.model.is_empty() {
            let sentence = "an embedder needs a model, and its dimensions, batch size and timeout must be above zero";
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        // What the server keeps under the name cannot be seen from here: the name stands for it.
        let name = format!("{provider}/{}", settings.model);
        let digest = blake3::hash(format!("{name}\n{}", settings.dimensions).as_bytes()).to_hex().to_string();
        let identity = EmbedderIdentity { name, digest, dimensions: settings.dimensions };
        Ok(Self { settings, identity })
    }

    /// The texts, request by request. Servers refuse a text of nothing, and one space embeds alike.
    pub(crate) fn batches(&self, texts: Vec<String>) -> Vec<Vec<String>> {
        let filled = |text: &String| if text.is_empty() { " ".to_owned() } else { text.clone() };
        texts.chunks(self.settings.batch_max).map(|batch| batch.iter().map(filled).collect()).collect()
    }

    /// What a request for so many vectors may take.
    pub(crate) fn allowance(&self, texts: usize) -> Allowance {
        let numbers = texts.saturating_mul(self.settings.dimensions);
        let bytes_max = numbers.saturating_mul(NUMBER_BYTES_MAX).saturating_add(64 * 1024);
        Allowance { deadlines: Deadlines::whole(self.settings.timeout), bytes_max }
    }

    /// The embeddings of a batch.
    pub(crate) fn accept(
        &self,
        server: &ServerName,
        vectors: Vec<Vec<f32>>,
        texts: usize,
    ) -> Result<Vec<Embedding>, PortError> {
        let malformed = |what: String| PortError::new(PORT, Fault::Internal, server.sentence(what));
        if vectors.len() != texts {
            return Err(malformed(format!("gave {} vectors for {texts} texts", vectors.len())));
        }
        let dimensions = self.settings.dimensions;
        let accept = |vector: Vec<f32>| {
            if vector.len() != dimensions {
                return Err(malformed(format!("gave a vector of {} numbers instead of {dimensions}", vector.len())));
            }
            let vector = Embedding::normalised(vector);
            vector.ok_or_else(|| malformed("gave a vector of zeros or of invalid numbers".to_owned()))
        };
        vectors.into_iter().map(accept).collect()
    }

    /// What a failure of the server means to whoever embeds.
    pub(crate) fn failed(error: ModelError) -> PortError {
        let fault = match &error {
            ModelError::Connection { .. } => Fault::Unavailable,
            ModelError::CircuitOpen { .. } => Fault::CircuitOpen,
            ModelError::Timeout { .. } => Fault::Timeout,
            ModelError::NotAllowed { .. }
            | ModelError::Unavailable { .. }
            | ModelError::Context { .. }
            | ModelError::TokenBudgetExceeded { .. } => Fault::Invalid,
        };
        let sentence = match error {
            ModelError::TokenBudgetExceeded { needed, available } => {
                format!("a text has {needed} tokens and the model reads {available}")
            }
            ModelError::Context { .. } => "a text is longer than the model can read".to_owned(),
            other @ (ModelError::Connection { .. }
            | ModelError::CircuitOpen { .. }
            | ModelError::Timeout { .. }
            | ModelError::NotAllowed { .. }
            | ModelError::Unavailable { .. }) => other.to_string(),
        };
        PortError::new(PORT, fault, sentence)
    }
}
