//! Candidates, best first → those that are used: none twice in other words, no document alone, so many in all.

use std::collections::BTreeMap;

use vouch_domain::DroppedPassage;

use super::{drop_note, duplicates::Shingles, rerank::Ranked};
use crate::policy::JudgePolicy;

pub(super) fn within_limits<'a>(
    candidates: Vec<Ranked<'a>>,
    passages_max: usize,
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<Ranked<'a>> {
    let mut kept = Vec::new();
    let mut said: Vec<Shingles> = Vec::new();
    let mut by_document: BTreeMap<&str, usize> = BTreeMap::new();
    for ranked in candidates {
        let candidate = ranked.candidate;
        let used = by_document.entry(candidate.passage.document.id.as_str()).or_insert(0);
        // Texts are compared last: it is the dearest check, and the others spare most of it.
        if kept.len() >= passages_max {
            dropped.push(drop_note(candidate, "passage limit"));
            continue;
        }
        if *used >= policy.passages_per_document_max {
            dropped.push(drop_note(candidate, "document limit"));
            continue;
        }
        let shingles = Shingles::of(&candidate.passage.passage.text);
        if said.iter().any(|other| shingles.overlap(other) > policy.duplicate_similarity) {
            dropped.push(drop_note(candidate, "near-duplicate"));
            continue;
        }
        *used += 1;
        said.push(shingles);
        kept.push(ranked);
    }
    kept
}
