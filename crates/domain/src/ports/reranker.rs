//! A question beside passages → how well each fits, to put them in order.

use std::time::Duration;

use async_trait::async_trait;

use super::JudgedPassage;
use crate::error::PortError;

/// Puts passages in order by reading each beside the question.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// Its name, as shown to people.
    fn name(&self) -> &str;

    /// One finite score per passage, in the passages' order: the better it fits, the higher. Scores of one call alone can
    /// be compared. All passages have one, or it fails.
    async fn scores(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<f32>, PortError>;
}
