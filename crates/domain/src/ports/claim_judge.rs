//! A claim beside evidence → whether the evidence supports it, contradicts it or is silent.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::PortError;

/// A claim and the text it is checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimPair {
    /// The claim.
    pub claim: String,
    /// The evidence.
    pub evidence: String,
}

/// What a judge makes of a claim; the three add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// How likely the evidence says so.
    pub supported: f32,
    /// How likely it says otherwise.
    pub contradicted: f32,
    /// How likely it does not say.
    pub silent: f32,
}

/// Weighs claims; the same pair always gives the same support, whatever it is weighed beside.
#[async_trait]
pub trait ClaimJudge: Send + Sync {
    /// The judge's name, as shown to people.
    fn name(&self) -> &str;

    /// One support per pair, in order; none for a pair the time did not suffice for.
    async fn weigh(&self, pairs: Vec<ClaimPair>, timeout: Duration) -> Result<Vec<Option<Support>>, PortError>;
}
