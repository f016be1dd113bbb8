//! Kept vectors in memory.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use vouch_domain::{Embedding, PortError, ports::KeptVectors};

/// Vectors that are forgotten when it is dropped.
#[derive(Debug, Default)]
pub struct FakeVectors {
    kept: Mutex<Option<(String, Vec<Embedding>)>>,
}

#[async_trait]
impl KeptVectors for FakeVectors {
    async fn load(&self, digest: &str) -> Result<Option<Vec<Embedding>>, PortError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.as_ref().filter(|(own, _)| own == digest).map(|(_, vectors)| vectors.clone()))
    }

    async fn save(&self, digest: &str, vectors: &[Embedding]) -> Result<(), PortError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((digest.to_owned(), vectors.to_vec()));
        Ok(())
    }
}
