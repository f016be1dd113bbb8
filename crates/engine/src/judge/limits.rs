//! No document speaks alone: at most so many passages of one, and so many in all.

use std::collections::BTreeMap;

use vouch_domain::DroppedPassage;

use super::drop_note;
use crate::retrieve::{Candidate, Similarity};

pub(super) fn within_limits<'a>(
    candidates: Vec<(&'a Candidate, Similarity)>,
    per_document_max: usize,
    passages_max: usize,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<(&'a Candidate, Similarity)> {
    let mut kept = Vec::new();
    let mut by_document: BTreeMap<&str, usize> = BTreeMap::new();
    for (candidate, similarity) in candidates {
        let used = by_document.entry(candidate.passage.document.id.as_str()).or_insert(0);
        if *used >= per_document_max {
            dropped.push(drop_note(candidate, "document limit"));
        } else if kept.len() >= passages_max {
            dropped.push(drop_note(candidate, "passage limit"));
        } else {
            *used += 1;
            kept.push((candidate, similarity));
        }
    }
    kept
}
