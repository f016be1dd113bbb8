//! Candidates, best first → those that are used: no near-duplicates, not too many per document or in all, and of
//! some kinds at least a few.

use std::collections::BTreeMap;

use crate::{trace::DropReason, trace::DroppedPassage};

use super::{drop_note, duplicates::Shingles, rerank::Ranked};
use crate::{policy::JudgePolicy, retrieve::Lane};

/// A candidate that is used, and whether only its kind's reserve let it in.
pub(super) struct SelectedCandidate<'a> {
    pub(super) ranked: Ranked<'a>,
    pub(super) is_reserve: bool,
}

/// What is used so far.
#[derive(Default)]
struct Used<'a> {
    kept: Vec<SelectedCandidate<'a>>,
    said: Vec<Shingles>,
    by_document: BTreeMap<&'a str, usize>,
}

impl<'a> Used<'a> {
    /// Uses a candidate, or says why not. Texts are compared last: it is the most expensive check, and the other spares
    /// most of it.
    fn take(&mut self, ranked: Ranked<'a>, is_reserve: bool, policy: &JudgePolicy) -> Result<(), DropReason> {
        let passage = &ranked.candidate.passage;
        let used = self.by_document.entry(passage.document.id.as_str()).or_insert(0);
        if *used >= policy.passages_per_document_max {
            return Err(DropReason::DocumentLimit);
        }
        let shingles = Shingles::new(&passage.passage.text);
        if self.said.iter().any(|other| shingles.overlap(other) > policy.duplicate_similarity) {
            return Err(DropReason::NearDuplicate);
        }
        *used += 1;
        self.said.push(shingles);
        self.kept.push(SelectedCandidate { ranked, is_reserve });
        Ok(())
    }
}

/// Uses the best within every limit; `reserves` are kinds with how many of each must be there where there are any.
pub(super) fn within_limits<'a>(
    candidates: Vec<Ranked<'a>>,
    passages_max: usize,
    reserves: &[(String, usize)],
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<SelectedCandidate<'a>> {
    let mut used = Used::default();
    let mut over = Vec::new();
    for ranked in candidates {
        if used.kept.len() >= passages_max {
            over.push(ranked);
        } else if let Err(reason) = used.take(ranked, false, policy) {
            dropped.push(drop_note(ranked.candidate, reason));
        }
    }
    for ranked in over {
        let kind = &ranked.candidate.passage.document.kind;
        let of_kind =
            |other: &&SelectedCandidate<'_>| other.ranked.candidate.passage.document.kind.eq_ignore_ascii_case(kind);
        let reserve = reserves.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind)).map_or(0, |(_, least)| *least);
        // What the answer before rested on stays in sight, whatever its place.
        let is_carried = ranked.candidate.forced_by == Some(Lane::Conversation);
        let outcome = if is_carried || used.kept.iter().filter(of_kind).count() < reserve {
            used.take(ranked, true, policy)
        } else {
            Err(DropReason::PassageLimit)
        };
        if let Err(reason) = outcome {
            dropped.push(drop_note(ranked.candidate, reason));
        }
    }
    used.kept
}
