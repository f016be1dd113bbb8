//! A token → the figure it writes; a document → its figures; words around a figure → how it may change.
//!
//! Invariant: two ways to write one value (`1,200`, `1200`, `1200.0`; `three`, `3`) have the same normal form.

use std::collections::BTreeSet;

use super::sentence::{Sentence, is_listed};

/// Figures written as words, from two on; `one` is more often no figure.
pub(super) const WORDS: &[(&str, u64)] = &[
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];

const LEAST: &str = "\
    least more greater larger higher longer older over above exceed exceeds exceeded exceeding minimum beyond \
    later taller heavier faster after since lasted";
const MOST: &str = "\
    most less fewer lower smaller shorter younger under below up within maximum limit limited earlier before by";
const ABOUT: &str = "\
    about approximately around nearly almost roughly some circa approx close estimated average order typically \
    usually often near as";
/// Words that turn round what follows from a bound.
const TURNING: &str = "\
    not no never cannot without if when whenever unless every all any each none neither nor until only";

/// What the words beside a figure leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is this value.
    Exact,
    /// It is near this value.
    About,
    /// It is this value or a greater one.
    Least,
    /// It is this value or a lesser one.
    Most,
}

impl Bound {
    /// Whether a sentence with the second value does not follow from the one with the first.
    pub(super) fn forbids(self, old: f64, new: f64) -> bool {
        let ratio = if old > new { old / new } else { new / old };
        match self {
            Self::Exact => ratio > 1.0,
            Self::About => ratio >= 1.5,
            Self::Least => new > old,
            Self::Most => new < old,
        }
    }
}

/// How the figure at a token may change; nothing if that cannot be said.
pub(super) fn bound(sentence: &Sentence<'_>, at: usize) -> Option<Bound> {
    let before: Vec<&str> = sentence.clause_before(at).take(3).collect();
    let after: Vec<&str> = sentence.tokens.iter().skip(at + 1).take(3).map(|token| token.lower.as_str()).collect();
    let is_open_after = after.iter().zip(after.iter().skip(1)).any(|(or, more)| {
        *or == "or" && (is_listed(LEAST, more) || is_listed(MOST, more)) || (*or == "and" && *more == "above")
    });
    let is_told = |list: &str| before.iter().any(|word| is_listed(list, word));
    let found = match (is_told(LEAST), is_told(MOST), is_told(ABOUT)) {
        _ if is_open_after => return None,
        (false, false, false) => Bound::Exact,
        (false, false, true) => Bound::About,
        (true, false, _) => Bound::Least,
        (false, true, _) => Bound::Most,
        (true, true, _) => return None,
    };
    let is_turned = found != Bound::Exact && sentence.has_any(TURNING);
    (!is_turned).then_some(found)
}

/// Whether the figure is one end of a span or one of two choices, where a wider one would still be right.
pub(super) fn is_paired(sentence: &Sentence<'_>, at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| sentence.tokens.get(at));
    let is_figure = |at: Option<usize>| word(at).is_some_and(|token| value(&token.lower).is_some());
    let is_join = |at: Option<usize>| word(at).is_some_and(|token| matches!(&*token.lower, "and" | "to" | "or" | "by"));
    let back = |count: usize| at.checked_sub(count);
    let ahead = |count: usize| Some(at + count);
    word(back(1)).is_some_and(|token| token.lower == "between")
        || (is_join(back(1)) && (is_figure(back(2)) || is_figure(back(3))))
        || (is_join(ahead(1)) && is_figure(ahead(2)))
        || (is_join(ahead(2)) && is_figure(ahead(3)))
}

/// The value of a figure in digits or words.
pub(super) fn value(lower: &str) -> Option<f64> {
    if let Some((_, value)) = WORDS.iter().find(|(word, _)| *word == lower) {
        return Some(*value as f64);
    }
    let is_figure = lower.starts_with(|c: char| c.is_ascii_digit())
        && lower.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.'));
    is_figure.then(|| lower.replace(',', "").parse().ok()).flatten()
}

/// Every figure of a text in its normal form, also those inside other words.
pub(super) fn figures(text: &str) -> BTreeSet<String> {
    let digits = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.')));
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let written = digits.map(|part| part.trim_matches([',', '.'])).chain(words);
    written.filter_map(value).map(normal).collect()
}

/// The form in which equal values are equal.
pub(super) fn normal(value: f64) -> String {
    format!("{value}")
}
