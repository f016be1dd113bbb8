//! The claim's dates → those that fit no date of the evidence.
//!
//! Invariant: a date may be less precise than the evidence's, never more; its parts may be told apart in the evidence.

use super::{
    case::{Case, Outcome, SAME_MATTER_FLOOR, do_meet},
    finding::Check,
};
use crate::reading::{
    Sentence,
    calendar::{Date, is_span},
};

/// In how many sentences a year is looked for that lies before or after.
const NEAR_SENTENCES_MAX: usize = 3;

/// Objects to dates the evidence does not bear out.
pub(super) fn check(case: &Case<'_>) -> Outcome {
    let mut outcome = Outcome { is_applied: !case.claim.dates.is_empty(), ..Outcome::default() };
    for date in &case.claim.dates {
        if !case.may_look(1) {
            break;
        }
        if let Some(instead) = swapped(case, date) {
            outcome.contradict(Check::Dates, case.words(&date.range), instead);
        } else if !is_supported(case.evidence, date) && !is_on_that_side(case, date) {
            match in_place(case, date) {
                Some(instead) => outcome.contradict(Check::Dates, case.words(&date.range), instead),
                None => outcome.miss(Check::Dates, case.words(&date.range)),
            }
        }
    }
    outcome
}

/// Whether every part of the date is borne out somewhere.
fn is_supported(evidence: &[Sentence<'_>], date: &Date) -> bool {
    let any = |fits: &dyn Fn(&Date) -> bool| evidence.iter().flat_map(|sentence| &sentence.dates).any(fits);
    let holds = |years: (u32, u32)| {
        any(&|other| other.years.is_some_and(|other| bears_out(other, years))) || holds_number(evidence, years)
    };
    let years = match date.years {
        Some((from, to)) if is_span((from, to)) => holds((from, from)) && holds((to, to)),
        Some(years) => holds(years),
        None => true,
    };
    let is_day = |other: &Date| {
        let plain = other.month == date.month && date.day.is_none_or(|day| other.day == Some(day));
        let is_swapped = other.may_be_swapped || date.may_be_swapped;
        plain || (is_swapped && other.month == date.day && other.day == date.month)
    };
    let month = date.month.is_none() || any(&is_day);
    let weekday = date.weekday.is_none() || any(&|other| other.weekday == date.weekday);
    years && month && weekday
}

/// Whether years of the evidence lie within the claim's, or are where a span of the evidence begins or ends.
fn bears_out(evidence: (u32, u32), claim: (u32, u32)) -> bool {
    let is_within = evidence.0 >= claim.0 && evidence.1 <= claim.1;
    let is_edge = claim.0 == claim.1 && (claim.0 == evidence.0 || claim.0 == evidence.1);
    is_within || is_edge
}

/// Before, after, since, by: whether a year of the nearest sentences lies on that side of the claim's.
fn is_on_that_side(case: &Case<'_>, date: &Date) -> bool {
    let word = |back: usize| {
        let at = date.range.start.checked_sub(back);
        at.and_then(|at| case.claim.tokens.get(at)).map_or("", |token| token.fold.as_str())
    };
    let Some((from, to)) = date.years.filter(|_| date.month.is_none()) else { return false };
    let near = case.nearest.iter().take(NEAR_SENTENCES_MAX).filter_map(|near| case.evidence.get(near.sentence));
    let mut years = near.flat_map(|sentence| &sentence.dates).filter_map(|other| other.years);
    match (word(2), word(1)) {
        ("prior", "to") | (_, "before" | "by" | "until") => years.any(|other| other.1 <= from),
        (_, "after") => years.any(|other| other.0 >= to),
        _ => false,
    }
}

/// The year as a number that was not taken for a year.
fn holds_number(evidence: &[Sentence<'_>], years: (u32, u32)) -> bool {
    let mut figures = evidence.iter().flat_map(|sentence| &sentence.figures);
    figures.any(|figure| figure.value >= f64::from(years.0) && figure.value <= f64::from(years.1))
}

/// The date a near copy has where this one stands.
fn swapped(case: &Case<'_>, date: &Date) -> Option<String> {
    let (place, sentence) = case.swap(&date.range)?;
    // The same date elsewhere in the sentence is this one moved, unless it stands for another of the claim's.
    let is_free = |other: &Date| other.range.clone().any(|at| case.is_free(at));
    if sentence.dates.iter().any(|other| is_free(other) && other.meets(date) && other.agrees(date)) {
        return None;
    }
    let other = sentence.dates.iter().find(|other| do_meet(&other.range, &place.evidence))?;
    let word_before = |sentence: &Sentence<'_>, date: &Date| {
        let at = date.range.start.checked_sub(1);
        at.and_then(|at| sentence.tokens.get(at)).map(|token| token.fold.clone())
    };
    let is_loosened = is_on_that_side(case, date) && word_before(case.claim, date) != word_before(sentence, other);
    (other.meets(date) && !date.agrees(other) && !is_loosened).then(|| sentence.words(&other.range))
}

/// The date the nearest sentence has in this place, or its only one of the sort.
fn in_place(case: &Case<'_>, date: &Date) -> Option<String> {
    let is_other = |other: &&Date| other.meets(date) && !date.agrees(other);
    let (_, sentence) = case.best(SAME_MATTER_FLOOR)?;
    let place = case.place(&date.range, SAME_MATTER_FLOOR).map(|(place, _)| place);
    let there = sentence
        .dates
        .iter()
        .filter(is_other)
        .find(|other| place.as_ref().is_some_and(|place| do_meet(&other.range, &place.evidence)));
    let mut others = sentence.dates.iter().filter(is_other);
    let only = others.next().filter(|_| others.next().is_none());
    there.or(only).map(|other| sentence.words(&other.range))
}
