//! The lanes' lists → one list: each lane's scores are spread over 0 to 1, weighted and added.
//!
//! Invariant: equal fused scores are ordered by key, so the result depends on the lists alone.

use std::collections::BTreeMap;

use vouch_domain::{PassageKey, ports::LaneHit};

/// Fuses lists of hits, each with its weight; the result is best first.
#[must_use]
pub fn fuse(lists: &[(f32, &[LaneHit])]) -> Vec<LaneHit> {
    let mut fused: BTreeMap<PassageKey, f32> = BTreeMap::new();
    for (weight, hits) in lists {
        let lowest = hits.iter().map(|hit| hit.lane_score).fold(f32::INFINITY, f32::min);
        let highest = hits.iter().map(|hit| hit.lane_score).fold(f32::NEG_INFINITY, f32::max);
        let spread = highest - lowest;
        for hit in *hits {
            let share = if spread > 0.0 { (hit.lane_score - lowest) / spread } else { 1.0 };
            *fused.entry(hit.key).or_insert(0.0) += weight * share;
        }
    }
    let mut list: Vec<LaneHit> = fused.into_iter().map(|(key, lane_score)| LaneHit { key, lane_score }).collect();
    list.sort_by(|a, b| b.lane_score.total_cmp(&a.lane_score).then(a.key.cmp(&b.key)));
    list
}

#[cfg(test)]
mod tests {
    use super::{LaneHit, PassageKey, fuse};

    fn hits(scores: &[(u64, f32)]) -> Vec<LaneHit> {
        scores.iter().map(|(key, lane_score)| LaneHit { key: PassageKey(*key), lane_score: *lane_score }).collect()
    }

    #[test]
    fn a_passage_both_lanes_found_comes_first() {
        let (dense, lexical) = (hits(&[(1, 0.9), (2, 0.8), (3, 0.1)]), hits(&[(2, 12.0), (4, 3.0)]));
        let fused = fuse(&[(1.0, &dense), (0.5, &lexical)]);
        assert_eq!(fused.first().map(|hit| hit.key), Some(PassageKey(2)));
        assert_eq!(fused.len(), 4);
    }

    #[test]
    fn equal_scores_go_by_key() {
        let list = hits(&[(9, 0.5), (3, 0.5)]);
        let order: Vec<u64> = fuse(&[(1.0, &list)]).iter().map(|hit| hit.key.0).collect();
        assert_eq!(order, vec![3, 9]);
    }

    #[test]
    fn no_lists_fuse_to_nothing() {
        assert!(fuse(&[]).is_empty());
    }
}
