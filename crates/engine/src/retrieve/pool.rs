//! What the lanes found → the pool: forced passages always, then the best by fused score.

use std::collections::BTreeMap;

use vouch_domain::{PassageKey, PortError, Reader, ports::LaneHit};

use super::{
    Candidate, Finding, Lane, Probe, RetrievePorts, fuse,
    lanes::{LaneFindings, weight_of},
    place,
    similarity::weigh,
    with_timeout,
};
use crate::{policy::RetrievePolicy, trace::RewriteKind};

/// At most one in this many of the pool is there by force.
const FORCED_SHARE: usize = 3;

/// The pool, and why the index could not weigh some of it, where it failed.
pub(super) async fn assemble(
    found: &[LaneFindings],
    probe: &Probe,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<(Vec<Candidate>, Option<PortError>), PortError> {
    let fused = fused(found, probe, policy);
    let forced = forced(found, policy);
    // Candidates tied with the last of the pool are all fetched, so that their documents decide and not their keys.
    let last = fused.get(policy.pool_max.saturating_sub(1)).map_or(f32::NEG_INFINITY, |hit| hit.lane_score);
    let mut keys: Vec<PassageKey> = fused.iter().take_while(|hit| hit.lane_score >= last).map(|hit| hit.key).collect();
    keys.extend(forced.keys().filter(|key| !keys.contains(key)).copied().collect::<Vec<_>>());
    let scores: BTreeMap<PassageKey, f32> = fused.iter().map(|hit| (hit.key, hit.lane_score)).collect();
    let passages = with_timeout(policy, "catalogue", ports.catalogue.passages(reader, &keys)).await?;
    let dense = found.iter().find(|lane| lane.lane == Lane::Dense);
    let (weighed, failure) = weigh(&passages, probe, dense, ports, policy).await;
    let mut items: Vec<Candidate> = passages
        .into_iter()
        .zip(weighed)
        .map(|(passage, weighed)| Candidate {
            found_by: findings(passage.key, found),
            fused_score: scores.get(&passage.key).copied().unwrap_or(0.0),
            similarity: weighed.similarity,
            forced_by: forced.get(&passage.key).copied(),
            part: weighed.part,
            passage,
        })
        .collect();
    items.sort_by(|a, b| b.fused_score.total_cmp(&a.fused_score).then_with(|| place(a).cmp(&place(b))));
    Ok((cut(items, policy.pool_max), failure))
}

/// The best by order, forced ones always among them.
fn cut(items: Vec<Candidate>, pool_max: usize) -> Vec<Candidate> {
    let mut too_many = items.len().saturating_sub(pool_max);
    let mut kept: Vec<Candidate> = Vec::with_capacity(items.len().min(pool_max));
    for candidate in items.into_iter().rev() {
        if too_many > 0 && candidate.forced_by.is_none() {
            too_many -= 1;
        } else {
            kept.push(candidate);
        }
    }
    kept.reverse();
    kept.truncate(pool_max);
    kept
}

/// The best score any rewrite gives a passage; a rewrite's counts a little less than the question's own.
fn fused(found: &[LaneFindings], probe: &Probe, policy: &RetrievePolicy) -> Vec<LaneHit> {
    let rewrites = found.iter().map(|lane| lane.lists.len()).max().unwrap_or(0);
    let mut best: BTreeMap<PassageKey, f32> = BTreeMap::new();
    for at in 0..rewrites {
        let kind = probe.understanding.rewrites().get(at).map_or(RewriteKind::Original, |rewrite| rewrite.kind);
        let is_own = matches!(kind, RewriteKind::Original | RewriteKind::Subject);
        let weight = if is_own { 1.0 } else { policy.rewrite_weight };
        let lists: Vec<(f32, &[LaneHit])> = found
            .iter()
            .filter_map(|lane| Some((weight_of(lane.lane, policy), lane.lists.get(at)?.as_slice())))
            .collect();
        for hit in fuse(&lists) {
            let score = best.entry(hit.key).or_insert(f32::NEG_INFINITY);
            *score = score.max(weight * hit.lane_score);
        }
    }
    let mut fused: Vec<LaneHit> = best.into_iter().map(|(key, lane_score)| LaneHit { key, lane_score }).collect();
    fused.sort_by(|a, b| b.lane_score.total_cmp(&a.lane_score).then(a.key.cmp(&b.key)));
    fused
}

fn forced(found: &[LaneFindings], policy: &RetrievePolicy) -> BTreeMap<PassageKey, Lane> {
    let named = found.iter().filter(|lane| lane.lane == Lane::Address);
    let others = found.iter().filter(|lane| lane.lane != Lane::Address);
    let all = named.chain(others).flat_map(|lane| lane.forced.iter().map(|key| (*key, lane.lane)));
    let mut forced = BTreeMap::new();
    for (key, lane) in all {
        if forced.len() < (policy.pool_max / FORCED_SHARE).max(1) {
            forced.entry(key).or_insert(lane);
        }
    }
    forced
}

fn findings(key: PassageKey, found: &[LaneFindings]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for lane in found {
        for (rewrite, list) in lane.lists.iter().enumerate() {
            let hit = (1..).zip(list).find(|(_, hit)| hit.key == key);
            findings.extend(hit.map(|(rank, hit)| Finding {
                lane: lane.lane,
                rewrite,
                rank,
                lane_score: hit.lane_score,
            }));
        }
    }
    findings
}
