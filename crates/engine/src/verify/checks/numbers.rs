//! The claim's figures → those the evidence does not hold.
//!
//! Invariant: a figure in another spelling or another unit is the same figure; a rounding passes only where the claim
//! says that it rounds.

use super::{
    case::{Case, Outcome, SAME_MATTER_FLOOR, do_meet},
    finding::Check,
};
use crate::reading::{
    Sentence,
    calendar::Date,
    figures::{Figure, Firmness, Slack},
    token::Joint,
};

/// From here on a number in letters is checked against the one in its place.
const COUNTED_FLOOR: f32 = 0.55;
/// How far a rounded figure may be from what it rounds.
const ROUNDING_SHARE_MAX: f64 = 0.1;

/// A sentence with more figures than this is a table, and no claim that can be checked.
const FIGURES_MAX: usize = 60;

/// Sums and spans are looked for in so many sentences, among so many figures of each.
const RECKONED_SENTENCES_MAX: usize = 3;
const RECKONED_FIGURES_MAX: usize = 12;
/// How many words may stand between two figures that are counted up.
const COUNTED_UP_TOKENS_MAX: usize = 8;

/// Objects to figures that are absent from the evidence, or that stand where it has another.
pub(super) fn check(case: &Case<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    if case.claim.figures.len() > FIGURES_MAX {
        outcome.exceed(Check::Numbers, format!("more than {FIGURES_MAX} figures in one sentence"));
    }
    for figure in case.claim.figures.iter().take(FIGURES_MAX).filter(|figure| !is_part_of_code(case.claim, figure)) {
        outcome.is_applied |= figure.firmness != Firmness::Soft;
        if !case.may_look(1) {
            break;
        }
        if let Some(instead) = swapped(case, figure) {
            outcome.contradict(Check::Numbers, case.words(&figure.range), instead);
        } else if figure.firmness != Firmness::Soft && !is_supported(case, figure) {
            match (in_place(case, figure), figure.firmness) {
                (Some(instead), _) => outcome.contradict(Check::Numbers, case.words(&figure.range), instead),
                (None, Firmness::Firm) => outcome.miss(Check::Numbers, case.words(&figure.range)),
                (None, Firmness::Counted | Firmness::Soft) => {}
            }
        }
    }
    outcome
}

/// Whether two figures are the same number, their units aside.
pub(super) fn is_same_value(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-9)
}

/// Whether two figures say the same: by value, by conversion, or as a share and its percentage.
pub(super) fn is_same_figure(claim: &Figure, evidence: &Figure) -> bool {
    if is_same_value(claim.value, evidence.value) {
        return true;
    }
    match (&claim.unit, &evidence.unit) {
        (Some(mine), Some(theirs)) => mine.is_as_much(claim.value, theirs, evidence.value),
        (None, Some(_)) => claim.value < 1.0 && is_same_share(claim.value * 100.0, evidence.value),
        (Some(_), None) => evidence.value < 1.0 && is_same_share(evidence.value * 100.0, claim.value),
        (None, None) => false,
    }
}

/// A third is 33 %, 33.3 % and 33.33 %.
fn is_same_share(exact: f64, written: f64) -> bool {
    (exact - written).abs() < 0.51
}

/// The number of `AES-256` is no figure: it is checked with its name.
fn is_part_of_code(sentence: &Sentence<'_>, figure: &Figure) -> bool {
    let token = sentence.tokens.get(figure.range.start);
    let before = figure.range.start.checked_sub(1).and_then(|at| sentence.tokens.get(at));
    token.is_some_and(|token| token.joint == Joint::Hyphen)
        && before.is_some_and(|before| before.is_capital() && !before.has_digit())
}

fn is_supported(case: &Case<'_>, figure: &Figure) -> bool {
    let is_held = case.evidence.iter().any(|sentence| holds(sentence, figure));
    let first = case.claim.tokens.get(figure.range.start);
    let is_version = first.is_some_and(|token| case.holders.has_word(&format!("v{}", token.fold)));
    is_held || is_version || is_rounded(case, figure) || is_century_of_a_year(case, figure) || is_reckoned(case, figure)
}

fn holds(sentence: &Sentence<'_>, figure: &Figure) -> bool {
    let is_year = |year: u32| figure.unit.is_none() && is_same_value(f64::from(year), figure.value);
    sentence.figures.iter().any(|other| is_same_figure(figure, other))
        || sentence.dates.iter().any(|date| {
            date.years.is_some_and(|(from, to)| is_year(from) || is_year(to)) || date.day.is_some_and(is_year)
        })
}

/// Whether the claim says that it rounds, and a figure of the nearest sentences rounds to it.
fn is_rounded(case: &Case<'_>, figure: &Figure) -> bool {
    if figure.slack == Slack::None {
        return false;
    }
    let near = case.nearest.iter().filter_map(|near| case.evidence.get(near.sentence));
    near.flat_map(|sentence| &sentence.figures).any(|other| {
        let is_alike = match (&figure.unit, &other.unit) {
            (Some(mine), Some(theirs)) => mine.fits(theirs),
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        };
        is_alike && other.firmness != Firmness::Soft && is_within(figure, other)
    })
}

/// Whether the claim's figure rounds the other; of two loosened alike only the rounder one does.
fn is_within(figure: &Figure, other: &Figure) -> bool {
    let is_alike = figure.slack == other.slack;
    let value = other.value;
    match figure.slack {
        Slack::None => false,
        Slack::Near => {
            let (mine, theirs) = (digits_of(figure.value), digits_of(value));
            let is_rounder = mine < theirs || (mine == theirs && !is_alike);
            is_rounder && (figure.value - value).abs() <= ROUNDING_SHARE_MAX * value.abs()
        }
        Slack::AtLeast => !is_alike && value >= figure.value,
        Slack::AtMost => !is_alike && value <= figure.value,
    }
}

/// How many digits of a number are not zeros at its end.
fn digits_of(value: f64) -> usize {
    let written = format!("{value}").replace('.', "");
    written.trim_matches(|c: char| matches!(c, '0' | '-')).len()
}

/// Whether it is the sum of two figures of one unit that are counted up together, or the span between two years, of one of the nearest
/// sentences.
fn is_reckoned(case: &Case<'_>, figure: &Figure) -> bool {
    let mut near = case.nearest.iter().take(RECKONED_SENTENCES_MAX).filter_map(|near| case.evidence.get(near.sentence));
    let last = figure.range.end.checked_sub(1).and_then(|at| case.claim.tokens.get(at));
    let is_span = figure.unit.is_none() || last.is_some_and(|token| token.fold.starts_with("year"));
    near.any(|sentence| {
        // An article or an ordinal is no count, and what is counted in days is not added to what is counted in years.
        let is_count = |other: &&Figure| other.firmness != Firmness::Soft || is_one(sentence, other);
        let is_alike = |other: &&Figure| other.value > 0.0 && other.unit == figure.unit;
        let figures = sentence.figures.iter().take(RECKONED_FIGURES_MAX);
        let counts: Vec<&Figure> = figures.filter(is_count).filter(is_alike).collect();
        let years: Vec<f64> = sentence.dates.iter().take(RECKONED_FIGURES_MAX).filter_map(first_year).collect();
        let is_sum = pairs(&counts).any(|(one, other)| {
            is_same_value(one.value + other.value, figure.value) && are_counted_up(sentence, one, other)
        });
        is_sum || (is_span && pairs(&years).any(|(one, other)| is_span_of(one, other, figure.value)))
    })
}

/// Whether one figure follows the other within a few words and an "and".
fn are_counted_up(sentence: &Sentence<'_>, one: &Figure, other: &Figure) -> bool {
    let between = sentence.tokens.get(one.range.end..other.range.start).unwrap_or_default();
    between.len() <= COUNTED_UP_TOKENS_MAX && between.iter().any(|token| matches!(token.fold.as_str(), "and" | "plus"))
}

fn is_one(sentence: &Sentence<'_>, figure: &Figure) -> bool {
    sentence.tokens.get(figure.range.start).is_some_and(|token| token.fold == "one")
}

fn first_year(date: &Date) -> Option<f64> {
    date.years.map(|years| f64::from(years.0))
}

/// So many years, or one fewer where the birthday was still to come.
fn is_span_of(one: f64, other: f64, years: f64) -> bool {
    let span = (one - other).abs();
    is_same_value(span, years) || is_same_value(span - 1.0, years)
}

fn pairs<T: Copy>(values: &[T]) -> impl Iterator<Item = (T, T)> + '_ {
    values.iter().enumerate().flat_map(|(at, one)| values.iter().skip(at + 1).map(|other| (*one, *other)))
}

/// The 19th century holds 1843.
fn is_century_of_a_year(case: &Case<'_>, figure: &Figure) -> bool {
    let last = figure.range.end.checked_sub(1).and_then(|at| case.claim.tokens.get(at));
    let is_century = last.is_some_and(|token| token.fold == "century");
    let mut years = case.evidence.iter().flat_map(|sentence| &sentence.dates).filter_map(|date| date.years);
    is_century && years.any(|(from, _)| is_same_value(f64::from((from.max(1) - 1) / 100 + 1), figure.value))
}

/// The evidence's figure where a near copy has this one.
fn swapped(case: &Case<'_>, figure: &Figure) -> Option<String> {
    let (place, sentence) = case.swap(&figure.range)?;
    // The same figure elsewhere in the sentence is this one moved, unless it stands for another of the claim's.
    let is_free = |other: &Figure| other.range.clone().any(|at| case.is_free(at));
    if sentence.figures.iter().any(|other| is_free(other) && is_same_figure(figure, other)) {
        return None;
    }
    let other = sentence.figures.iter().find(|other| do_meet(&other.range, &place.evidence))?;
    // A word such as "single" is no figure to hold against another.
    let is_one_for_one = place.evidence.len() <= other.range.len() + 1;
    let is_count = other.firmness != Firmness::Soft || is_spelled_count(sentence, other);
    let is_mine = figure.firmness != Firmness::Soft || is_spelled_count(case.claim, figure);
    let is_sound = is_one_for_one && is_count && is_mine && !is_within(figure, other);
    is_sound.then(|| sentence.words(&other.range))
}

/// Whether a soft figure is written as a number or an ordinal, so that another in its place means another count.
fn is_spelled_count(sentence: &Sentence<'_>, figure: &Figure) -> bool {
    let token = sentence.tokens.get(figure.range.start);
    token.is_some_and(|token| {
        crate::reading::numerals::simple(&token.fold).is_some()
            || crate::reading::numerals::ordinal(&token.fold).is_some()
            || matches!(token.fold.as_str(), "half" | "twice" | "double" | "triple" | "once")
    })
}

/// The figure the nearest sentence has where this one should be.
fn in_place(case: &Case<'_>, figure: &Figure) -> Option<String> {
    let floor = if figure.firmness == Firmness::Firm { SAME_MATTER_FLOOR } else { COUNTED_FLOOR };
    let (place, sentence) = case.place(&figure.range, floor)?;
    let mut there = sentence.figures.iter().filter(|other| do_meet(&other.range, &place.evidence));
    let other = there.find(|other| other.firmness != Firmness::Soft)?;
    Some(sentence.words(&other.range))
}
