//! "Very first", "oldest", "most used" → whether a passage puts anything first.

use super::held::{Held, is_among};
use crate::reading::Sentence;

/// Words that put something first, whatever is compared.
const EXTREMES: &str = "most mostly least first last best worst latest only main mainly chief chiefly leading major majority \
    primary primarily principal top record maximum minimum max min peak dominant usual usually common \
    commonly typically generally popular original originally initial initially newly recent recently \
    unsurpassed highly more less no super limit";
/// Words that end as superlatives do and are none.
const NO_SUPERLATIVES: &str = "request interest harvest forest honest digest ingest suggest manifest protest contest invest arrest \
    modest northwest southwest northeast southeast unrest attest detest pytest priest breast everest \
    budapest bequest conquest inquest midwest earnest tempest latest closest nearest";
const LETTERS_MIN: usize = 6;

/// The superlative a question asks by. "At most" is none, nor is "first" that may count steps.
pub(super) fn asked<'a>(question: &'a [Sentence<'a>]) -> Option<&'a str> {
    question.iter().find_map(|sentence| {
        let fold = |at: Option<usize>| at.and_then(|at| sentence.tokens.get(at)).map_or("", |one| one.fold.as_str());
        let is_one = |at: usize| {
            let (before, next, after) = (fold(at.checked_sub(1)), fold(Some(at + 1)), fold(Some(at + 2)));
            match fold(Some(at)) {
                "first" => before == "very" || matches!(next, "ever") || matches!(after, "ever" | "to"),
                "most" => !matches!(before, "at" | "") && !matches!(next, "of" | "recent" | "likely" | ""),
                word => is_superlative(word),
            }
        };
        (0..sentence.tokens.len()).find(|at| is_one(*at)).map(|at| fold(Some(at)))
    })
}

/// Says that neither the passage nor what stands above it puts anything first.
pub(super) fn unmet(asked: &str, held: &Held<'_>) -> Option<String> {
    let says_so = |fold: &str| is_among(EXTREMES, fold) || is_superlative(fold);
    let is_met = held.all().any(|sentence| sentence.folds().any(says_so));
    (!is_met).then(|| format!("the documents found say of nothing that it is the {asked}"))
}

fn is_superlative(fold: &str) -> bool {
    fold.len() >= LETTERS_MIN && fold.ends_with("est") && !is_among(NO_SUPERLATIVES, fold)
}
