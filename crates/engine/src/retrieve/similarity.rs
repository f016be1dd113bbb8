//! How near passages are to the question, by the nearest of its rewrites that still asks it.

use std::collections::BTreeMap;

use vouch_domain::{Embedding, PassageKey, PortError, StoredPassage};

use super::{Probe, RetrievePorts, lanes::LaneFindings, with_timeout};
use crate::{policy::RetrievePolicy, trace::RewriteKind};

/// How near a passage is, on the scale the gates read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// The embedder's own figure; none if it could not be asked, and the judge's word stands in.
    pub cosine: Option<f32>,
    /// The same on the gates' scale.
    pub relevance: f32,
}

/// A passage's similarity, and which part of the question it is nearest to.
pub(super) struct PassageSimilarity {
    pub(super) similarity: Option<Similarity>,
    pub(super) part: usize,
}

/// Weighs passages; the dense lane has weighed most of them already. What the index cannot weigh has no similarity, and so
/// is not answered from: nothing may pass for relevant on words alone. Beside them why the index could not weigh some, where it failed.
pub(super) async fn weigh(
    passages: &[StoredPassage],
    probe: &Probe,
    dense: Option<&LaneFindings>,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> (Vec<PassageSimilarity>, Option<PortError>) {
    let mut failure = None;
    let mut best = vec![None; passages.len()];
    let mut parts = vec![(f32::NEG_INFINITY, 0); passages.len()];
    let mut part = 0;
    for (at, rewrite, vector) in probe.with_vectors().filter(|(_, rewrite, _)| rewrite.kind.is_a_question()) {
        let known = dense.and_then(|lane| lane.lists.get(at));
        let known: BTreeMap<PassageKey, f32> =
            known.into_iter().flatten().map(|hit| (hit.key, hit.lane_score)).collect();
        let (cosines, failed) = cosines(passages, vector, known, ports, policy).await;
        failure = failure.or(failed);
        for (place, cosine) in cosines.into_iter().enumerate() {
            let (Some(cosine), Some(best), Some(nearest)) = (cosine, best.get_mut(place), parts.get_mut(place)) else {
                continue;
            };
            if best.is_none_or(|known| cosine > known) {
                *best = Some(cosine);
            }
            if rewrite.kind == RewriteKind::SubQuestion && cosine > nearest.0 {
                *nearest = (cosine, part);
            }
        }
        part += usize::from(rewrite.kind == RewriteKind::SubQuestion);
    }
    let map = ports.embedder.relevance_map();
    let read = |cosine: f32| Similarity { cosine: Some(cosine), relevance: map.relevance(cosine) };
    let weighed = best.into_iter().zip(parts);
    let weighed = weighed.map(|(cosine, (_, part))| PassageSimilarity { similarity: cosine.map(read), part });
    (weighed.collect(), failure)
}

async fn cosines(
    passages: &[StoredPassage],
    vector: &Embedding,
    mut known: BTreeMap<PassageKey, f32>,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> (Vec<Option<f32>>, Option<PortError>) {
    let mut failure = None;
    let unknown: Vec<PassageKey> =
        passages.iter().map(|passage| passage.key).filter(|key| !known.contains_key(key)).collect();
    if !unknown.is_empty() {
        match with_timeout(policy, "dense", ports.dense.cosines(vector, &unknown)).await {
            Ok(cosines) => {
                known.extend(unknown.into_iter().zip(cosines).filter_map(|(key, cosine)| Some((key, cosine?))))
            }
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "passages could not be scored by similarity");
                failure = Some(error);
            }
        }
    }
    (passages.iter().map(|passage| known.get(&passage.key).copied()).collect(), failure)
}
