//! Claim and evidence → how much of the claim's wording is the evidence's.
//!
//! Invariant: a copy is whole sentences of one text, in order, token for token; half a sentence is none.

use std::collections::BTreeSet;

use vouch_domain::language::words::is_stop_word;

use super::{
    alignment::{Holders, ratio},
    sequence::Sequence,
};
use crate::reading::{Sentence, texts};

/// Whether the claim's tokens stand in one text of the evidence as whole sentences.
pub(super) fn is_copy(claim: &[Sentence<'_>], evidence: &[Sentence<'_>]) -> bool {
    let said: Vec<&str> = claim.iter().flat_map(Sentence::folds).collect();
    if said.is_empty() {
        return false;
    }
    let length = said.len();
    let said = Sequence::new(said);
    texts(evidence).any(|text| {
        let mut edge = 0;
        let ends = text.iter().map(|sentence| {
            edge += sentence.tokens.len();
            edge
        });
        let edges: BTreeSet<usize> = std::iter::once(0).chain(ends).collect();
        let mut places = said.places(text.iter().flat_map(Sentence::folds));
        places.any(|start| edges.contains(&start) && edges.contains(&(start + length)))
    })
}

/// The share of the claim's content words whose stem the evidence holds; of a claim with none, of all its words.
pub(super) fn content_overlap(claim: &[Sentence<'_>], holders: &Holders<'_>) -> f32 {
    let tokens = || claim.iter().flat_map(|sentence| &sentence.tokens);
    let has_content = tokens().any(|token| !is_stop_word(&token.fold));
    let counted = tokens().filter(|token| !has_content || !is_stop_word(&token.fold));
    let (mut all, mut found) = (0, 0);
    for token in counted {
        all += 1;
        found += u32::from(holders.holds(&token.key));
    }
    ratio(found, all)
}
