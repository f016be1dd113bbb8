//! Two claims → the values in which they differ, if they give different ones for the same sort of thing.

use std::{collections::BTreeSet, ops::Range};

use super::{
    claim::Claim,
    value::{Amount, Name},
};
use crate::reading::{Sentence, calendar::Date, token::Token};

/// Names of one claim that the other lacks; with more of them the two speak of different things.
const FOREIGN_MAX: usize = 3;
/// Shorter names stand in other words by chance.
const JOINED_MIN: usize = 6;
/// Words on each side of a value that tell which of several it is.
const NEAR: usize = 3;

/// What sort of value differs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sort {
    /// A figure, and how far the two are apart: the logarithm of how many times one is the other.
    Amount { apart: f64 },
    /// A version.
    Version,
    /// A date.
    Date,
    /// A name, and whether the same words lead to both.
    Name { is_led_alike: bool },
}

/// Where two claims differ: the tokens of the value in each.
#[derive(Debug, Clone)]
pub(super) struct Difference {
    pub(super) sort: Sort,
    pub(super) places: [Range<usize>; 2],
}

/// The values in which two claims differ, if they do. A name, date or version that stands in the title or the headings above
/// its claim is what the page is about, and another page is about another: "welcome to the Harbour team" on the page of the
/// Harbour team.
pub(super) fn difference(one: &Claim<'_>, other: &Claim<'_>) -> Option<Difference> {
    let difference = versions(one, other)
        .or_else(|| dates(one, other))
        .or_else(|| amounts(one, other))
        .or_else(|| names(one, other));
    difference.filter(|difference| {
        let [mine, theirs] = &difference.places;
        match difference.sort {
            Sort::Amount { .. } => true,
            Sort::Version | Sort::Date | Sort::Name { .. } => {
                !(is_subject_of_page(one, mine) || is_subject_of_page(other, theirs))
            }
        }
    })
}

/// Whether a word of a value that carries a subject stands in what the claim stands under, "StorageClass" also as "Storage
/// Classes".
fn is_subject_of_page(claim: &Claim<'_>, place: &Range<usize>) -> bool {
    let value = claim.sentence.tokens.get(place.clone()).unwrap_or_default();
    let is_joined = |word: &str| word.len() >= JOINED_MIN && claim.context_letters.contains(word);
    let is_above = |token: &Token<'_>| claim.context.contains(&token.key) || is_joined(&token.fold);
    value.iter().filter(|token| token.is_content()).any(is_above)
}

fn versions(one: &Claim<'_>, other: &Claim<'_>) -> Option<Difference> {
    let (mine, theirs) = (&one.values.versions, &other.values.versions);
    let is_there = mine.iter().any(|version| theirs.iter().any(|other| other.numbers == version.numbers));
    let (mine, theirs) = (mine.first()?, theirs.first()?);
    (!is_there).then(|| Difference { sort: Sort::Version, places: [mine.range.clone(), theirs.range.clone()] })
}

fn dates(one: &Claim<'_>, other: &Claim<'_>) -> Option<Difference> {
    let (mine, theirs) = (&one.values.dates, &other.values.dates);
    let agrees = |date: &Date| theirs.iter().any(|other| date.meets(other) && date.agrees(other));
    if mine.iter().any(agrees) {
        return None;
    }
    let meeting = mine.iter().find_map(|date| theirs.iter().find(|other| date.meets(other)).map(|other| (date, other)));
    meeting.map(|(mine, theirs)| Difference { sort: Sort::Date, places: [mine.range.clone(), theirs.range.clone()] })
}

fn amounts(one: &Claim<'_>, other: &Claim<'_>) -> Option<Difference> {
    let alone = |own: &[Amount], others: &[Amount]| -> Vec<Amount> {
        let is_alone = |amount: &&Amount| !others.iter().any(|other| amount.meets(other) && amount.agrees(other));
        own.iter().filter(is_alone).cloned().collect()
    };
    let (mine, theirs) = (&one.values.amounts, &other.values.amounts);
    let (mine, theirs) = (alone(mine, theirs), alone(theirs, mine));
    let (mine, theirs) = mine
        .iter()
        .flat_map(|mine| theirs.iter().map(move |theirs| (mine, theirs)))
        .filter(|(mine, theirs)| mine.meets(theirs) && !mine.bounds_otherwise(theirs))
        .max_by_key(|(mine, theirs)| near_in_common((one, &mine.range), (other, &theirs.range)))?;
    let apart = (mine.value.abs().max(1e-9) / theirs.value.abs().max(1e-9)).ln().abs().min(5.0);
    Some(Difference { sort: Sort::Amount { apart }, places: [mine.range.clone(), theirs.range.clone()] })
}

fn names(one: &Claim<'_>, other: &Claim<'_>) -> Option<Difference> {
    let [mine, theirs] = foreign_names(one, other);
    if mine.len() > FOREIGN_MAX || theirs.len() > FOREIGN_MAX {
        return None;
    }
    let (is_led_alike, _, mine, theirs) = mine
        .iter()
        .flat_map(|mine| theirs.iter().map(move |theirs| (*mine, *theirs)))
        .map(|(mine, theirs)| {
            let near = near_in_common((one, &mine.range), (other, &theirs.range));
            (is_same_lead(mine, theirs), near, mine, theirs)
        })
        .max_by_key(|(is_led_alike, near, _, _)| (*is_led_alike, *near))?;
    Some(Difference { sort: Sort::Name { is_led_alike }, places: [mine.range.clone(), theirs.range.clone()] })
}

/// How many words near the two values are the same.
fn near_in_common(one: (&Claim<'_>, &Range<usize>), other: (&Claim<'_>, &Range<usize>)) -> usize {
    let near = |(claim, range): (&Claim<'_>, &Range<usize>)| -> BTreeSet<String> {
        let tokens = &claim.sentence.tokens;
        let near = range.start.saturating_sub(NEAR)..(range.end + NEAR).min(tokens.len());
        let near = tokens.get(near).unwrap_or_default().iter().filter(|token| token.is_content());
        near.map(|token| token.key.clone()).collect()
    };
    near(one).intersection(&near(other)).count()
}

/// Names of each that the other does not have.
pub(super) fn foreign_names<'c>(one: &'c Claim<'_>, other: &'c Claim<'_>) -> [Vec<&'c Name>; 2] {
    let foreign = |own: &'c Claim<'_>, others: &Claim<'_>| {
        let is_known = |key: &&String| others.words.contains(*key) || others.context.contains(*key);
        let is_foreign =
            |name: &&Name| name.keys.iter().filter(is_known).count() * 2 <= name.keys.len() && !name.keys.is_empty();
        own.values.names.iter().filter(is_foreign).collect()
    };
    [foreign(one, other), foreign(other, one)]
}

/// Whether what leads to two names makes them values of the same thing: "approved by", "hosted on", "use". A name that
/// nothing of this sort leads to is more often what the sentence is about.
fn is_same_lead(one: &Name, other: &Name) -> bool {
    match (one.lead(), other.lead()) {
        ("by", "by") | ("from", "from") | ("via", "via") | ("use", "use") => true,
        ("use", "to") => one.verb() == Some("to"),
        ("to", "use") => other.verb() == Some("to"),
        (first, second) => {
            let is_place = matches!(first, "in" | "on" | "at" | "to" | "with" | "into") && first == second;
            is_place && one.verb().is_some_and(|verb| verb != "refer") && one.verb() == other.verb()
        }
    }
}

/// A sentence with other words in the place of these tokens.
pub(super) fn replaced(sentence: &Sentence<'_>, text: &str, range: &Range<usize>, words: &str) -> String {
    let start = sentence.tokens.get(range.start).map_or(0, |token| token.range.start);
    let last = range.end.checked_sub(1).and_then(|last| sentence.tokens.get(last));
    let end = last.map_or(start, |token| token.range.end);
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    format!("{before}{words}{after}")
}
