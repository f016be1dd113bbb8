//! The claim's figures with units → those the evidence counts in another unit.
//!
//! Invariant: another spelling and an exact conversion are the same unit; a figure without a unit in the evidence
//! objects to nothing.

use super::{
    case::{Case, NEAR_COPY_FLOOR, Outcome, do_meet},
    finding::Check,
    numbers::is_same_value,
};
use crate::reading::{
    Sentence,
    figures::{Figure, Firmness},
};

/// Objects to figures that the evidence holds only with another unit.
pub(super) fn check(case: &Case<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    for figure in case.claim.figures.iter().filter(|figure| figure.unit.is_some() && figure.firmness != Firmness::Soft)
    {
        outcome.is_applied = true;
        if !case.may_look(1) {
            break;
        }
        if let Some(instead) = swapped(case, figure).or_else(|| only_otherwise(case, figure)) {
            outcome.contradict(Check::Units, case.words(&figure.range), instead);
        }
    }
    outcome
}

/// Whether both count the same, where both say what they count.
fn is_same_unit(claim: &Figure, evidence: &Figure) -> bool {
    match (&claim.unit, &evidence.unit) {
        (Some(mine), Some(theirs)) => {
            mine.is_as_much(claim.value, theirs, evidence.value)
                || (mine.fits(theirs) && is_same_value(claim.value, evidence.value))
        }
        (None, _) | (_, None) => is_same_value(claim.value, evidence.value),
    }
}

/// The figure of a near copy that has the same number and another unit.
fn swapped(case: &Case<'_>, figure: &Figure) -> Option<String> {
    let (best, sentence) = case.best(NEAR_COPY_FLOOR)?;
    if sentence.figures.iter().any(|other| is_same_unit(figure, other)) {
        return None;
    }
    let matched = best.pairs.iter().filter(|(claim, _)| figure.range.contains(claim)).map(|(_, evidence)| *evidence);
    let places: Vec<usize> = matched.collect();
    let mut others = sentence.figures.iter().filter(|other| is_other_unit(figure, other));
    let other = others.find(|other| places.iter().any(|at| do_meet(&other.range, &(*at..at + 1))))?;
    Some(sentence.words(&other.range))
}

/// The figure in another unit, where every figure of this value has one.
fn only_otherwise(case: &Case<'_>, figure: &Figure) -> Option<String> {
    let mut found = None;
    for sentence in case.evidence {
        for other in &sentence.figures {
            if is_same_unit(figure, other) {
                return None;
            }
            if is_other_unit(figure, other) {
                found = found.or_else(|| Some(words(sentence, other)));
            }
        }
    }
    found
}

fn words(sentence: &Sentence<'_>, figure: &Figure) -> String {
    sentence.words(&figure.range)
}

fn is_other_unit(claim: &Figure, evidence: &Figure) -> bool {
    let is_count = evidence.unit.is_some() && evidence.firmness != Firmness::Soft;
    is_count && is_same_value(claim.value, evidence.value) && !is_same_unit(claim, evidence)
}
