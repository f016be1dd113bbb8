//! Candidates → those near enough to be worth reading: above the floor of the profile and of their collection.

use std::collections::BTreeSet;

use vouch_domain::language::{KeyWord, terms};

use super::{Piece, boosts::boosted, drop_note, rerank::Ranked};
use crate::{
    policy::JudgePolicy,
    retrieve::{Candidate, Similarity},
    trace::{DropReason, DroppedPassage},
};

/// What is relevant enough. A passage a lane forces is judged on its text. One the embedder could not weigh waits for the
/// judge's word, and is not used at all where there is no judge.
pub(super) fn above_floor<'a>(
    items: &'a [Candidate],
    is_read: bool,
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<(&'a Candidate, Similarity)> {
    let floor = if is_read { policy.relevance_floor } else { policy.relevance_floor_unread };
    let mut kept = Vec::new();
    for candidate in items {
        let Some(similarity) = candidate.similarity else {
            if is_read {
                kept.push((candidate, Similarity { cosine: None, relevance: 0.0 }));
            } else {
                dropped.push(drop_note(candidate, DropReason::NotWeighed));
            }
            continue;
        };
        let collection = policy.thresholds.for_collection(&candidate.passage.document.collection);
        let is_forced = candidate.forced_by.is_some();
        // A distance is 1 minus relevance; compared with a small tolerance for rounding.
        let is_far = collection.is_some_and(|own| 1.0 - similarity.relevance > own.distance_threshold + 1e-6);
        if similarity.relevance < floor && !is_forced {
            dropped.push(drop_note(candidate, DropReason::BelowFloor));
        } else if is_far && !is_forced {
            dropped.push(drop_note(candidate, DropReason::BeyondDistance));
        } else {
            kept.push((candidate, similarity));
        }
    }
    kept
}

/// What is relevant enough where, against what was hoped for, nobody has read anything.
pub(super) fn above_floor_unread<'a>(
    ranked: Vec<Ranked<'a>>,
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<Ranked<'a>> {
    let is_near = |one: &Ranked<'_>| {
        let is_forced = one.candidate.forced_by.is_some();
        one.candidate.similarity.is_some_and(|own| is_forced || own.relevance >= policy.relevance_floor_unread)
    };
    let (kept, out): (Vec<Ranked<'a>>, Vec<Ranked<'a>>) = ranked.into_iter().partition(is_near);
    dropped.extend(out.iter().map(|one| {
        let is_weighed = one.candidate.similarity.is_some();
        let reason = if is_weighed { DropReason::BelowFloor } else { DropReason::NotWeighed };
        drop_note(one.candidate, reason)
    }));
    kept
}

/// Gives passages the embedder could not weigh the judge's word for their relevance, and holds them to the same floor;
/// what it has not read is not used.
pub(super) fn weighed_by_judge<'a>(
    ranked: Vec<Ranked<'a>>,
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<Ranked<'a>> {
    let mut kept = Vec::with_capacity(ranked.len());
    for one in ranked {
        if one.candidate.similarity.is_some() {
            kept.push(one);
            continue;
        }
        match one.reading {
            Some(reading) if reading.relevant >= policy.relevance_floor => {
                let read = Similarity { cosine: None, relevance: reading.relevant };
                kept.push(Ranked { similarity: boosted(read, one.boost), ..one });
            }
            Some(_) => dropped.push(drop_note(one.candidate, DropReason::BelowFloor)),
            None => dropped.push(drop_note(one.candidate, DropReason::NotWeighed)),
        }
    }
    kept
}

/// Leaves out the passages of collections that hold too few of the question's terms between them.
pub(super) fn covering(
    pieces: Vec<Piece>,
    key_words: &[KeyWord],
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<Piece> {
    let collections: BTreeSet<String> = pieces.iter().map(|piece| piece.passage.document.collection.clone()).collect();
    let is_poor = |collection: &String| {
        let Some(least) = policy.thresholds.for_collection(collection).map(|own| own.min_query_coverage) else {
            return false;
        };
        let own = pieces.iter().filter(|piece| piece.passage.document.collection == *collection);
        let held: BTreeSet<String> = own.flat_map(terms_of).collect();
        let found = key_words.iter().filter(|word| held.contains(&word.term)).count();
        #[expect(clippy::cast_precision_loss, reason = "a question has few terms")]
        let share = found as f32 / key_words.len().max(1) as f32;
        share < least
    };
    let poor: BTreeSet<String> = collections.into_iter().filter(|collection| is_poor(collection)).collect();
    let (out, kept): (Vec<Piece>, Vec<Piece>) =
        pieces.into_iter().partition(|piece| poor.contains(&piece.passage.document.collection));
    dropped.extend(
        out.iter()
            .map(|piece| DroppedPassage { source_id: piece.passage.source_id(), reason: DropReason::BelowCoverage }),
    );
    kept
}

/// Every term of a piece and of the headings above it.
pub(super) fn terms_of(piece: &Piece) -> Vec<String> {
    let mut found = terms(&piece.passage.document.title);
    found.extend(piece.passage.passage.section.iter().flat_map(|heading| terms(heading)));
    found.extend(terms(&piece.passage.passage.text));
    found
}
