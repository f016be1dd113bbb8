//! The built-in embedder behind the `Embedder` port: gte-small in int8, see `models/gte-small/CARD.md`.
//!
//! Invariant: a text's vector does not depend on what it is embedded beside, on threads or on the processor.

mod encoder;
mod english_words;
mod relevance;

pub use english_words::EnglishWords;
pub use relevance::read as relevance_map;

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use vouch_domain::{EmbedderIdentity, Embedding, Fault, PortError, RelevanceMap, ports::Embedder};

use encoder::Encoder;
use encoder::PORT;

/// The name of the built-in embedder.
pub const NAME: &str = "gte-small-int8";
const DIMENSIONS: usize = 384;
/// Raised when tokenising or pooling changes, so that old vectors are told apart.
const RECIPE: &str = "mean pooling, 512 tokens, rows scaled alone, 2";

/// The file of its weights, as it is.
pub static WEIGHTS: &[u8] = include_bytes!("../../../../models/gte-small/model.onnx");
static RELEVANCE: &str = include_str!("../../../../models/gte-small/relevance.json");
static LIKENESS: &str = include_str!("../../../../models/gte-small/likeness.json");

/// gte-small.
pub struct GteSmall {
    identity: EmbedderIdentity,
    relevance_map: RelevanceMap,
    likeness_map: RelevanceMap,
    bench: Arc<Bench>,
}

/// Its weights, read when a text is first embedded.
struct Bench {
    threads: usize,
    encoder: OnceLock<Result<Encoder, String>>,
}

impl Bench {
    fn encoder(&self) -> Result<&Encoder, PortError> {
        let loaded = self.encoder.get_or_init(|| Encoder::load(WEIGHTS, self.threads).map_err(|error| error.sentence));
        loaded.as_ref().map_err(|sentence| PortError::new(PORT, Fault::Corrupt, sentence.clone()))
    }
}

impl GteSmall {
    /// An embedder that works on so many threads, with the weights that are part of the binary.
    ///
    /// # Errors
    /// Fails if a map beside the weights is damaged.
    pub fn load(threads: usize) -> Result<Self, PortError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(env!("EMBEDDER_FILES").as_bytes()).update(RECIPE.as_bytes());
        let digest = hasher.finalize().to_hex().to_string();
        let identity = EmbedderIdentity { name: NAME.to_owned(), digest, dimensions: DIMENSIONS };
        let damaged = || PortError::new(PORT, Fault::Corrupt, "a map beside the weights is damaged");
        let relevance_map = relevance::read(RELEVANCE).ok_or_else(damaged)?;
        let likeness_map = relevance::read(LIKENESS).ok_or_else(damaged)?;
        let bench = Bench { threads: threads.max(1), encoder: OnceLock::new() };
        Ok(Self { identity, relevance_map, likeness_map, bench: Arc::new(bench) })
    }

    /// Has its weights read aside, for a caller who will ask it before long.
    pub fn warm_up(&self) {
        let bench = Arc::clone(&self.bench);
        // Whoever asks before it is done waits for it, and whoever asks at all is told where it fails.
        std::thread::spawn(move || bench.encoder().is_ok());
    }
}

#[async_trait]
impl Embedder for GteSmall {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn relevance_map(&self) -> &RelevanceMap {
        &self.relevance_map
    }

    fn likeness_map(&self) -> &RelevanceMap {
        &self.likeness_map
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        let bench = Arc::clone(&self.bench);
        tokio::task::spawn_blocking(move || bench.encoder()?.encode_all(&texts)).await.map_err(|error| {
            PortError::new(PORT, Fault::Internal, "embedding was stopped by an internal error").with_source(error)
        })?
    }
}
