//! A passage → its sentences that state something, each by itself.

use vouch_domain::language::sentence_ranges;

const WORDS_MIN: usize = 6;
const WORDS_MAX: usize = 40;
/// What a sentence begins with where it cannot stand alone.
const LEANING: &[&str] = &[
    "it",
    "its",
    "they",
    "their",
    "this",
    "that",
    "these",
    "those",
    "he",
    "she",
    "his",
    "her",
    "such",
    "however",
    "but",
    "and",
    "then",
    "so",
    "here",
    "there",
    "also",
    "therefore",
    "thus",
    "otherwise",
    "instead",
    "both",
    "we",
    "our",
];

/// The claims of a passage.
#[must_use]
pub fn claims(passage: &str) -> Vec<&str> {
    let sentences = sentence_ranges(passage).into_iter().filter_map(|range| passage.get(range));
    sentences.filter(|sentence| is_claim(sentence)).collect()
}

fn is_claim(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let first = words.first().map(|word| bare(word)).unwrap_or_default();
    let is_foreign =
        ["|", "`", "{", "[", "://", "\n", "*", "#", "=", "<", "\\"].iter().any(|mark| sentence.contains(mark));
    let opens = sentence.chars().next().is_some_and(|sign| sign.is_uppercase() || sign.is_ascii_digit());
    (WORDS_MIN..=WORDS_MAX).contains(&words.len())
        && sentence.ends_with('.')
        && opens
        && !is_foreign
        && !LEANING.contains(&first.as_str())
}

/// A word without the signs around it, in lower case.
pub(super) fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
