//! The whole pool → in the order a reranker gives it, with no cut on its scores: they mean nothing across questions.
//!
//! Invariant: every passage stays in the pool. Where the reranker fails the order stands as it was, and the report says
//! why.

use std::sync::Arc;

use vouch_domain::{
    Fault, PortError,
    ports::{JudgedPassage, Reranker},
};

use super::rerank::{Ranked, is_named, passage};
use crate::{policy::JudgePolicy, trace::RerankReport, understand::Understanding};

pub(super) async fn reorder<'a>(
    understanding: &Understanding,
    mut ranked: Vec<Ranked<'a>>,
    reranker: &Arc<dyn Reranker>,
    policy: &JudgePolicy,
) -> (Vec<Ranked<'a>>, RerankReport) {
    let mut report =
        RerankReport { name: reranker.name().to_owned(), given: ranked.len(), failure: None, is_circuit_open: false };
    if ranked.is_empty() {
        return (ranked, report);
    }
    let late = || PortError::new("reranker", Fault::Timeout, "no scores within the deadline");
    let scores = tokio::time::timeout(policy.read_timeout * 2, scores(understanding, &ranked, reranker, policy));
    match scores.await.unwrap_or_else(|_| Err(late())) {
        Ok(scores) => {
            let mut scored: Vec<(f32, Ranked<'a>)> = scores.into_iter().zip(ranked).collect();
            // A stable sort: equal scores keep the fused order.
            scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            ranked = scored.into_iter().map(|(_, one)| one).collect();
        }
        Err(error) => {
            tracing::warn!(fault = error.fault.as_str(), %error, "reranker failed");
            report.failure = Some(error.fault.as_str().to_owned());
            report.is_circuit_open = error.fault == Fault::CircuitOpen;
        }
    }
    (ranked, report)
}

/// A score for each, beside the part of the question it is nearest to; a kind that the question names has a little more.
async fn scores(
    understanding: &Understanding,
    ranked: &[Ranked<'_>],
    reranker: &Arc<dyn Reranker>,
    policy: &JudgePolicy,
) -> Result<Vec<f32>, PortError> {
    let mut scores = vec![f32::NEG_INFINITY; ranked.len()];
    for (part, question) in understanding.questions().into_iter().enumerate() {
        let of_part = || ranked.iter().enumerate().filter(|(_, one)| one.candidate.part == part);
        let passages: Vec<JudgedPassage> = of_part().map(|(_, one)| passage(one.candidate)).collect();
        if passages.is_empty() {
            continue;
        }
        let given = passages.len();
        let own = reranker.scores(question, passages, policy.read_timeout).await?;
        if own.len() != given || own.iter().any(|score| !score.is_finite()) {
            let sentence = "the reranker did not give every passage a score";
            return Err(PortError::new("reranker", Fault::Corrupt, sentence));
        }
        for ((place, one), score) in of_part().zip(own) {
            let boost = if is_named(one.candidate, understanding.kinds()) { policy.kind_boost } else { 0.0 };
            if let Some(kept) = scores.get_mut(place) {
                *kept = score + boost;
            }
        }
    }
    Ok(scores)
}
