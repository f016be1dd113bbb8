//! The lexical lane: the passages that share words with the question; those that hold a rare one of them are forced.

use futures::future::try_join_all;
use vouch_domain::{Reader, language::key_terms, ports::LaneHit};

use super::{Lane, LaneFindings, with_timeout};
use crate::{
    policy::RetrievePolicy,
    retrieve::{Probe, RetrievePorts},
    trace::RewriteKind,
};

pub(in crate::retrieve) async fn lexical(
    probe: &Probe,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
    rewrites_max: usize,
) -> LaneFindings {
    let rewrites = probe.understanding.rewrites();
    // Rewrites of the same words find the same passages: each set of words is searched for once.
    let terms: Vec<Vec<String>> =
        rewrites.iter().take(rewrites_max).map(|rewrite| sorted_terms(&rewrite.text)).collect();
    let asked: Vec<usize> = (0..terms.len())
        .filter(|at| terms.iter().position(|other| terms.get(*at) == Some(other)) == Some(*at))
        .collect();
    let texts: Vec<&str> =
        asked.iter().filter_map(|at| rewrites.get(*at)).map(|rewrite| rewrite.text.as_str()).collect();
    let searches = try_join_all(texts.iter().map(|text| ports.lexical.matching(reader, text, policy.lane_limit)));
    // The words of a synonym were not typed by anyone, so they force nothing.
    let typed = rewrites.iter().take(rewrites_max).filter(|rewrite| rewrite.kind != RewriteKind::Synonym);
    let typed = typed.map(|rewrite| rewrite.text.as_str()).collect::<Vec<_>>().join(" ");
    let rare = ports.lexical.rare(reader, &typed, policy.rare_holders_max);
    let (found, rare) = tokio::join!(with_timeout(policy, "lexical", searches), with_timeout(policy, "lexical", rare));
    let found = match found {
        Ok(found) => found,
        Err(error) => return LaneFindings::failed(Lane::Lexical, error),
    };
    let mut lists: Vec<Vec<LaneHit>> = vec![Vec::new(); terms.len()];
    for (at, hits) in asked.into_iter().zip(found) {
        if let Some(list) = lists.get_mut(at) {
            *list = hits;
        }
    }
    let mut lane = LaneFindings::found(Lane::Lexical, lists, Vec::new());
    match rare {
        Ok(forced) => lane.forced = forced,
        Err(error) => lane.failure = Some(error),
    }
    lane
}

fn sorted_terms(text: &str) -> Vec<String> {
    let mut terms = key_terms(text);
    terms.sort_unstable();
    terms
}
