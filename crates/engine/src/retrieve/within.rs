//! Passages of documents the question names → `Candidates`: nearest in meaning first, nothing else searched.

use vouch_domain::{Fault, PassageKey, PortError, StoredPassage};

use super::{Candidate, Candidates, Lane, LaneReport, RetrievePorts, Similarity, lanes};
use crate::{policy::RetrievePolicy, understand::Understanding};

/// Puts the passages of named documents in order.
///
/// # Errors
/// Fails where the question cannot be embedded or the passages cannot be weighed.
pub async fn retrieve_within(
    understanding: &Understanding,
    passages: Vec<StoredPassage>,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Candidates, PortError> {
    let text = understanding.text().to_owned();
    let vectors = lanes::within(policy, "embedder", ports.embedder.embed(vec![text])).await?;
    let vector = vectors
        .into_iter()
        .next()
        .ok_or_else(|| PortError::of("embedder", Fault::Internal, "no vector came back for the question"))?;
    let keys: Vec<PassageKey> = passages.iter().map(|passage| passage.key).collect();
    let cosines = lanes::within(policy, "dense", ports.dense.cosines(&vector, &keys)).await?;
    let map = ports.embedder.relevance_map();
    let mut items: Vec<Candidate> = passages
        .into_iter()
        .zip(cosines)
        .map(|(passage, cosine)| Candidate {
            passage,
            found_by: cosine.map(|cosine| (Lane::Dense, cosine)).into_iter().collect(),
            fused_score: cosine.unwrap_or(0.0),
            similarity: cosine.map(|cosine| Similarity { cosine, relevance: map.relevance(cosine) }),
        })
        .collect();
    items.sort_by(|a, b| b.fused_score.total_cmp(&a.fused_score).then_with(|| super::place(a).cmp(&super::place(b))));
    items.truncate(policy.pool_max);
    let lanes = vec![LaneReport { lane: "address", hits: items.len(), failure: None }];
    Ok(Candidates { items, lanes })
}
