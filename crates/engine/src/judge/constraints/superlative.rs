//! "Very first", "oldest", "most used" → whether a passage puts anything first.

use vouch_domain::language::words::is_stop_word;

use super::held::{Held, is_among};
use crate::reading::{Sentence, token::Token};

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
/// Words that go on from a bound and do not end as comparatives do.
const ONWARDS: &str = "above up upwards on onwards beyond below under over more less";

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

/// Says that neither the passage nor what stands above it puts anything first, nor has the values by which a reader could.
pub(super) fn unmet(asked: &str, held: &Held<'_>) -> Option<String> {
    let says_so = |fold: &str| is_among(EXTREMES, fold) || is_superlative(fold);
    let is_met = held.all().any(|sentence| sentence.folds().any(says_so))
        || held.answer.iter().any(|sentence| sets_a_bound(sentence, held.answer_text))
        || (held.is_tabular && held.answer.iter().filter(|row| row.tokens.iter().any(Token::has_digit)).count() > 1);
    (!is_met).then(|| format!("the documents found do not call anything the {asked}"))
}

/// "9 or newer", "20 litres and larger", "from 9 on", "9+": what lies at the bound is the first of its sort.
fn sets_a_bound(sentence: &Sentence<'_>, text: &str) -> bool {
    let folds: Vec<&str> = sentence.folds().collect();
    let is_comparative = |word: &str| word.len() >= LETTERS_MIN - 1 && word.ends_with("er") && !is_stop_word(word);
    let goes_on = |word: &str| is_comparative(word) || is_among(ONWARDS, word);
    sentence.tokens.iter().enumerate().filter(|(_, token)| token.has_digit()).any(|(at, token)| {
        let next = |offset: usize| folds.get(at + offset).copied().unwrap_or_default();
        let joins = |offset: usize| matches!(next(offset), "or" | "and") && goes_on(next(offset + 1));
        let is_open_ended = text.get(token.range.end..).is_some_and(|rest| rest.starts_with('+'));
        let ends_open = matches!((next(1), next(2)), ("on", "") | ("onward" | "onwards" | "upwards", _));
        is_open_ended || ends_open || joins(1) || joins(2)
    })
}

fn is_superlative(fold: &str) -> bool {
    fold.len() >= LETTERS_MIN && fold.ends_with("est") && !is_among(NO_SUPERLATIVES, fold)
}
