//! Passages of documents the question names → `Candidates`: nearest in meaning first, nothing else searched.

use vouch_domain::{LaneReport, PortError, StoredPassage};

use super::{Candidate, Candidates, Lane, Probe, RetrievePorts, place, similarity::weigh};
use crate::policy::RetrievePolicy;

/// Puts passages a lane names in order.
///
/// # Errors
/// Fails where the question could not be embedded or the passages cannot be weighed.
pub async fn retrieve_within(
    probe: &Probe<'_>,
    passages: Vec<StoredPassage>,
    named_by: Lane,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Candidates, PortError> {
    probe.vectors().map_err(|error| PortError::of(error.port, error.fault, error.sentence.clone()))?;
    let weighed = weigh(&passages, probe, None, ports, policy).await?;
    let mut items: Vec<Candidate> = passages
        .into_iter()
        .zip(weighed)
        .map(|(passage, weighed)| Candidate {
            passage,
            found_by: Vec::new(),
            fused_score: weighed.similarity.map_or(0.0, |similarity| similarity.cosine),
            similarity: weighed.similarity,
            forced_by: None,
            part: weighed.part,
        })
        .collect();
    items.sort_by(|a, b| b.fused_score.total_cmp(&a.fused_score).then_with(|| place(a).cmp(&place(b))));
    items.truncate(policy.pool_max);
    let lanes = vec![LaneReport { lane: named_by.word(), hits: items.len(), forced: 0, failure: None }];
    Ok(Candidates { items, lanes, rewrites: probe.understanding.rewrites().to_vec() })
}
