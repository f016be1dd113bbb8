//! One file per lane: a question in every way it is asked in, that lane's hits out, each under a deadline.

mod address;
mod dense;
mod lexical;

use std::future::Future;

use vouch_domain::{Fault, PassageKey, PortError, ports::LaneHit};

use crate::{
    policy::RetrievePolicy,
    trace::{Lane, LaneReport},
};

pub(super) use address::address;
pub(super) use dense::dense;
pub(super) use lexical::lexical;

/// What a lane's score counts in the fused one; what is named outright counts as much as both others.
pub(super) fn weight_of(lane: Lane, policy: &RetrievePolicy) -> f32 {
    match lane {
        Lane::Dense => policy.dense_weight,
        Lane::Lexical => policy.lexical_weight,
        Lane::Address | Lane::Memory | Lane::Conversation => policy.dense_weight + policy.lexical_weight,
    }
}

/// What one lane brought back.
pub(super) struct LaneFindings {
    pub(super) lane: Lane,
    /// One list per rewrite, best first; shorter where later rewrites were not asked for.
    pub(super) lists: Vec<Vec<LaneHit>>,
    /// Passages that belong in the pool whatever their score.
    pub(super) forced: Vec<PassageKey>,
    pub(super) failure: Option<PortError>,
    is_asked: bool,
}

impl LaneFindings {
    pub(super) fn unasked(lane: Lane) -> Self {
        Self { lane, lists: Vec::new(), forced: Vec::new(), failure: None, is_asked: false }
    }

    fn found(lane: Lane, lists: Vec<Vec<LaneHit>>, forced: Vec<PassageKey>) -> Self {
        Self { lane, lists, forced, failure: None, is_asked: true }
    }

    fn failed(lane: Lane, error: PortError) -> Self {
        let fallback = match (lane, error.fault) {
            (Lane::Dense, Fault::CircuitOpen) => Some("bm25_only,circuit_open"),
            (Lane::Dense, _) => Some("bm25_only"),
            (Lane::Lexical | Lane::Address | Lane::Memory | Lane::Conversation, _) => None,
        };
        tracing::warn!(lane = lane.as_str(), fault = error.fault.as_str(), %error, fallback, "lane failed");
        Self { failure: Some(error), is_asked: true, ..Self::unasked(lane) }
    }

    pub(super) fn has_answered(&self) -> bool {
        self.is_asked && (self.failure.is_none() || !self.lists.is_empty())
    }

    pub(super) fn report(&self) -> Option<LaneReport> {
        let mut keys: Vec<PassageKey> = self.lists.iter().flatten().map(|hit| hit.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let failure = self.failure.as_ref().map(ToString::to_string);
        self.is_asked.then(|| LaneReport {
            lane: self.lane,
            hits: keys.len(),
            forced: self.forced.len(),
            failure,
            fault: self.failure.as_ref().map(|error| error.fault),
        })
    }
}

/// Waits for a port no longer than the lane's deadline.
///
/// # Errors
/// Fails if the port fails or is late.
pub async fn with_timeout<T>(
    policy: &RetrievePolicy,
    port: &'static str,
    work: impl Future<Output = Result<T, PortError>> + Send,
) -> Result<T, PortError> {
    match tokio::time::timeout(policy.lane_timeout, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(PortError::new(port, Fault::Timeout, "no answer within the deadline")),
    }
}
