//! A model's answer of a word or two, such as "25 %." or "Yes." → the sentence in which the judge sees the answer, where both agree.
//!
//! Invariant: a fragment is never shown: out of its question it says nothing that could be checked.

use std::ops::Range;

use vouch_domain::language::{key_terms, sentence_ranges, words::is_stop_word};

use super::{Verifier, checks::check_claim};
use crate::judge::Piece;

/// A sentence with fewer words than this that carry a subject is none.
const CONTENT_MIN: usize = 3;
/// What begins an answer to a question that asks whether.
const OPENERS: &[(&str, bool)] = &[("yes", true), ("no", false), ("correct", true)];

/// Whether a sentence says too little to be checked by itself.
pub(super) fn is_fragment(text: &str) -> bool {
    let carries = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        !bare.is_empty() && !is_stop_word(&bare)
    };
    text.split_whitespace().filter(carries).count() < CONTENT_MIN
}

/// "Yes, it is paid." → whether it affirms, and the rest.
pub(super) fn opener(text: &str) -> Option<(bool, &str)> {
    let (first, rest) = text.split_once([',', ':', '.', '–', '—', ';'])?;
    let first = first.trim().to_lowercase();
    let (_, affirms) = OPENERS.iter().find(|(word, _)| *word == first)?;
    Some((*affirms, rest.trim())).filter(|(_, rest)| !rest.is_empty())
}

/// Whether the text is nothing but yes or no.
pub(super) fn is_bare_opener(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    OPENERS.iter().any(|(word, _)| *word == bare)
}

impl<'a> Verifier<'a> {
    /// The sentence in which the judge sees the answer, where the fragment is in it; else why not.
    pub(super) fn holding_fragment(&self, text: &str, cites: &[&'a Piece]) -> Result<(&'a Piece, usize), String> {
        let (piece, sentence) = self.answer_sentence(cites).ok_or("it says too little to be checked")?;
        let words = piece.passage.passage.text.get(sentence.clone()).unwrap_or_default();
        let checked = check_claim(text, &[words]);
        let holds_all = key_terms(text).iter().all(|term| key_terms(words).contains(term));
        let agrees = is_bare_opener(text) || (holds_all && checked.unread.is_none() && checked.findings.is_empty());
        match agrees {
            true => Ok((piece, sentence.start)),
            false => Err("the judge sees another answer there".to_owned()),
        }
    }

    /// Where the judge sees the answer, in the passages that are cited or else in any; surest first.
    pub(super) fn answer_sentence(&self, cites: &[&'a Piece]) -> Option<(&'a Piece, Range<usize>)> {
        let all: Vec<&'a Piece> = self.evidence.pieces().iter().filter(|piece| piece.may_answer).collect();
        let surest = |pieces: &[&'a Piece]| {
            let read = pieces.iter().filter_map(|piece| Some((*piece, piece.reading?, piece.reading?.span?)));
            let best = read.max_by(|(_, a, _), (_, b, _)| a.answerable.total_cmp(&b.answerable));
            best.map(|(piece, _, span)| (piece, span))
        };
        let (piece, span) = surest(cites).or_else(|| surest(&all))?;
        let text = &piece.passage.passage.text;
        let start = text.char_indices().nth(span.start).map_or(text.len(), |(at, _)| at);
        let sentence = sentence_ranges(text).into_iter().find(|range| range.start <= start && start < range.end)?;
        Some((piece, sentence))
    }
}

#[cfg(test)]
mod tests {
    use super::{is_bare_opener, is_fragment, opener};

    #[test]
    fn words_that_say_nothing_by_themselves_are_fragments() {
        for text in ["25%.", "It's fine.", "Cold Rigg", "6 weeks", "Yes.", "No, it isn't."] {
            assert!(is_fragment(text), "{text}");
        }
        for text in ["Leave is 25 days a year.", "Mira Dahl signs the form."] {
            assert!(!is_fragment(text), "{text}");
        }
    }

    #[test]
    fn yes_and_no_are_told_from_what_follows() {
        assert_eq!(opener("Yes, leave is paid."), Some((true, "leave is paid.")));
        assert_eq!(opener("No. Leave is not paid."), Some((false, "Leave is not paid.")));
        assert_eq!(opener("No leave is paid, ever."), None);
        assert!(is_bare_opener("Yes.") && !is_bare_opener("Yes, leave is paid."));
    }
}
