//! Claim and evidence → how much of the claim's wording is the evidence's.
//!
//! Invariant: a copy is whole sentences of one text, in order, token for token; half a sentence is none.

use vouch_domain::language::words::is_stop_word;

use super::{
    alignment::{Holders, ratio},
    reading::Sentence,
};

/// Whether the claim's tokens stand in one text of the evidence as whole sentences.
pub(super) fn is_copy(claim: &[Sentence<'_>], evidence: &[Sentence<'_>]) -> bool {
    let said: Vec<&str> = folds(claim);
    if said.is_empty() {
        return false;
    }
    (0..evidence.len()).any(|start| {
        let rest = evidence.get(start..).unwrap_or_default();
        let source = rest.first().map(|sentence| sentence.source);
        let mut left = said.as_slice();
        for sentence in rest.iter().take_while(|sentence| Some(sentence.source) == source) {
            let mut tokens = sentence.tokens.iter();
            let is_here = tokens.by_ref().zip(left).all(|(token, word)| token.fold == **word);
            let Some(after) = left.get(sentence.tokens.len()..).filter(|_| is_here) else { return false };
            left = after;
            if left.is_empty() {
                return true;
            }
        }
        false
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

fn folds<'a>(sentences: &'a [Sentence<'_>]) -> Vec<&'a str> {
    sentences.iter().flat_map(|sentence| sentence.tokens.iter().map(|token| token.fold.as_str())).collect()
}
