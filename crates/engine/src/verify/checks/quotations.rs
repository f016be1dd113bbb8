//! The words a claim puts between quotation marks → those that are not the evidence's.
//!
//! Invariant: case, blanks, punctuation and the style of the marks do not matter; the words and their order do.

use super::{
    Check,
    alignment::align,
    case::Outcome,
    reading::Sentence,
    tokens::{Token, tokens},
};

/// Shorter quotations are names and terms, not words of somebody.
const QUOTED_WORDS_MIN: usize = 3;
/// How many quotations of a claim are looked up.
const QUOTATIONS_MAX: usize = 100;
/// Of a longer quotation the first words are looked for.
const MISQUOTED_WORDS_MAX: usize = 40;
/// A sentence that shares this much of a quotation is what it misquotes.
const MISQUOTED_SHARE_MIN: usize = 60;

/// Objects to quotations that do not stand in the evidence.
pub(super) fn check(claim: &str, evidence: &[Sentence<'_>]) -> Outcome {
    let mut outcome = Outcome::default();
    for quoted in quotations(claim).into_iter().take(QUOTATIONS_MAX) {
        // What is left out or put in by the claim parts a quotation in two.
        for part in quoted.split(['…', '[', ']']).flat_map(|part| part.split("...")) {
            let words = tokens(part);
            if words.len() < QUOTED_WORDS_MIN {
                continue;
            }
            outcome.is_applied = true;
            if stands(&words, evidence) {
                continue;
            }
            let part = part.trim().to_owned();
            match misquoted(&words, evidence) {
                Some(instead) => outcome.contradict(Check::Quotations, part, instead),
                None => outcome.miss(Check::Quotations, part),
            }
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
    let text: Vec<(usize, &str)> = evidence
        .iter()
        .flat_map(|sentence| sentence.tokens.iter().map(|token| (sentence.source, token.fold.as_str())))
        .collect();
    text.windows(words.len()).any(|window| {
        let is_one_text = window.first().map(|first| first.0) == window.last().map(|last| last.0);
        is_one_text && window.iter().zip(words).all(|((_, word), quoted)| *word == quoted.fold)
    })
}

/// The words of the sentence that the quotation is nearest to, where it is near.
fn misquoted(words: &[Token<'_>], evidence: &[Sentence<'_>]) -> Option<String> {
    let shares = |sentence: &&Sentence<'_>| {
        let shared = words
            .iter()
            .take(MISQUOTED_WORDS_MAX)
            .filter(|word| sentence.tokens.iter().any(|token| token.key == word.key))
            .count();
        shared * 100 >= words.len().min(MISQUOTED_WORDS_MAX) * MISQUOTED_SHARE_MIN
    };
    let near = evidence.iter().filter(shares).take(8).map(|sentence| (align(words, &sentence.tokens, 0), sentence));
    let (best, sentence) = near.max_by(|left, right| left.0.similarity.total_cmp(&right.0.similarity))?;
    (best.pairs.len() * 100 >= words.len() * MISQUOTED_SHARE_MIN).then(|| sentence.words(&best.span()))
}
