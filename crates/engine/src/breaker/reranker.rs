//! A reranker behind a breaker.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use vouch_domain::{
    PortError,
    ports::{JudgedPassage, Reranker},
};

use super::Breaker;

/// A reranker that is not asked while its breaker is open.
pub struct GuardedReranker {
    reranker: Arc<dyn Reranker>,
    breaker: Arc<Breaker>,
}

impl GuardedReranker {
    /// A reranker behind a breaker.
    #[must_use]
    pub fn new(reranker: Arc<dyn Reranker>, breaker: Arc<Breaker>) -> Self {
        Self { reranker, breaker }
    }
}

#[async_trait]
impl Reranker for GuardedReranker {
    fn name(&self) -> &str {
        self.reranker.name()
    }

    async fn scores(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<f32>, PortError> {
        self.breaker.guard(self.reranker.scores(question, passages, timeout)).await
    }
}
