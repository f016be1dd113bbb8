//! The words a claim puts between quotation marks → those that are not the evidence's.
//!
//! Invariant: case, blanks, punctuation and the style of the marks do not matter; the words and their order do.

use std::collections::BTreeMap;

use super::{
    alignment::{Holders, align},
    case::Outcome,
    finding::Check,
    sequence::Sequence,
};
use crate::reading::{Sentence, budget::Budget, texts, token::Token, tokens::tokens};

/// Shorter quotations are names and terms, not words of somebody.
const QUOTED_WORDS_MIN: usize = 3;
/// How many quotations of a claim are looked up; one that quotes more is not checked in full.
const QUOTATIONS_MAX: usize = 100;
/// Of a longer quotation the first words are looked for.
const MISQUOTED_WORDS_MAX: usize = 40;
/// A sentence that shares this much of a quotation is what it misquotes.
const MISQUOTED_SHARE_MIN: usize = 60;
/// How many such sentences are compared.
const MISQUOTED_SENTENCES_MAX: usize = 8;

/// Objects to quotations that do not stand in the evidence.
pub(super) fn check(claim: &str, evidence: &[Sentence<'_>], holders: &Holders<'_>, budget: &Budget) -> Outcome {
    let mut outcome = Outcome::default();
    // What is left out or put in by the claim parts a quotation in two.
    let parts = quotations(claim)
        .into_iter()
        .flat_map(|quoted| quoted.split(['…', '[', ']']).flat_map(|part| part.split("...")))
        .map(|part| (part, tokens(part)))
        .filter(|(_, words)| words.len() >= QUOTED_WORDS_MIN);
    for (at, (part, words)) in parts.enumerate() {
        outcome.is_applied = true;
        if at == QUOTATIONS_MAX {
            outcome.exceed(Check::Quotations, format!("more than {QUOTATIONS_MAX} quotations"));
            break;
        }
        if !budget.spend(holders.tokens()) {
            break;
        }
        if stands(&words, evidence) {
            continue;
        }
        let part = part.trim().to_owned();
        match misquoted(&words, evidence, holders) {
            Some(instead) => outcome.contradict(Check::Quotations, part, instead),
            None => outcome.miss(Check::Quotations, part),
        }
    }
    outcome
}

/// What stands between quotation marks, without them.
fn quotations(claim: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, sign) in claim.char_indices() {
        match (sign, open) {
            // A mark after a letter or a digit closes what was never opened, or is an inch.
            ('"', None) if !before.is_alphanumeric() => open = Some((at + 1, '"')),
            ('“', None) => open = Some((at + sign.len_utf8(), '”')),
            ('„', None) => open = Some((at + sign.len_utf8(), '“')),
            ('«', None) => open = Some((at + sign.len_utf8(), '»')),
            (_, Some((start, close))) if is_closing(sign, close) && !before.is_whitespace() => {
                found.extend(claim.get(start..at));
                open = None;
            }
            _ => {}
        }
        before = sign;
    }
    found
}

/// Whether a mark closes what another opened; German quotations end with either of two.
fn is_closing(sign: char, close: char) -> bool {
    sign == close || (close == '“' && sign == '”')
}

/// Whether the words stand in one text in a row, across sentences too.
fn stands(words: &[Token<'_>], evidence: &[Sentence<'_>]) -> bool {
    let words = Sequence::new(words.iter().map(|word| word.fold.as_str()).collect());
    texts(evidence).any(|text| words.places(text.iter().flat_map(Sentence::folds)).next().is_some())
}

/// The words of the sentence that the quotation is nearest to, if it is near.
fn misquoted(words: &[Token<'_>], evidence: &[Sentence<'_>], holders: &Holders<'_>) -> Option<String> {
    let looked_for = words.len().min(MISQUOTED_WORDS_MAX);
    let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
    for word in words.iter().take(looked_for) {
        for sentence in holders.holding(&word.key) {
            *shared.entry(*sentence).or_default() += 1;
        }
    }
    let shares = shared.into_iter().filter(|(_, shared)| shared * 100 >= looked_for * MISQUOTED_SHARE_MIN);
    let near = shares.filter_map(|(at, _)| evidence.get(at)).take(MISQUOTED_SENTENCES_MAX);
    let near = near.map(|sentence| (align(words, &sentence.tokens, 0), sentence));
    let (best, sentence) = near.max_by(|left, right| left.0.similarity.total_cmp(&right.0.similarity))?;
    (best.pairs.len() * 100 >= words.len() * MISQUOTED_SHARE_MIN).then(|| sentence.words(&best.span()))
}
