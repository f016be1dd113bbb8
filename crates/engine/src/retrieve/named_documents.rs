//! Passages of documents the question names → `Candidates`: nearest in meaning first, nothing else searched.

use vouch_domain::StoredPassage;

use super::{Candidate, Candidates, Finding, Lane, Probe, RetrievePorts, place, similarity::weigh};
use crate::{policy::RetrievePolicy, trace::LaneReport};

/// Puts passages a lane names in order. If the embedder or index is down, that is noted and they have no score.
pub async fn retrieve_among(
    probe: &Probe,
    passages: Vec<StoredPassage>,
    named_by: Lane,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Candidates {
    let (weighed, failure) = weigh(&passages, probe, None, ports, policy).await;
    let mut items: Vec<Candidate> = passages
        .into_iter()
        .zip(weighed)
        .map(|(passage, weighed)| Candidate {
            passage,
            found_by: Vec::new(),
            fused_score: weighed.similarity.and_then(|similarity| similarity.cosine).unwrap_or(0.0),
            similarity: weighed.similarity,
            forced_by: None,
            part: weighed.part,
        })
        .collect();
    items.sort_by(|a, b| b.fused_score.total_cmp(&a.fused_score).then_with(|| place(a).cmp(&place(b))));
    items.truncate(policy.pool_max);
    for (rank, item) in (1..).zip(&mut items) {
        item.found_by = vec![Finding { lane: named_by, rewrite: 0, rank, lane_score: item.fused_score }];
    }
    let mut lanes = vec![LaneReport { lane: named_by, hits: items.len(), forced: 0, failure: None, fault: None }];
    lanes.extend(probe.dense_failure());
    lanes.extend(failure.map(|error| LaneReport {
        lane: Lane::Dense,
        hits: 0,
        forced: 0,
        failure: Some(error.to_string()),
        fault: Some(error.fault),
    }));
    let (rewrites, embedding) = (probe.understanding.rewrites().to_vec(), Some(probe.embedding()));
    Candidates { items, lanes, rewrites, embedding, question_vector: probe.question_vector() }
}
