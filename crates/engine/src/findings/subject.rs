//! Two claims that differ in a value → what speaks for and against their being of the same thing, in figures.
//!
//! Two sentences speak of the same thing where they share the words that say what they are about, weighed by how rare these
//! are, and where not both of them have words of their own: "full-time staff get 28 days" and "part-time staff get 14 days"
//! each say of whom they speak. What only one of them adds may be a condition too, but is more often a remark.

use std::collections::BTreeSet;

use super::{
    claim::Claim,
    difference::{Difference, Sort, foreign_names},
    rarity::Rarity,
    value::Counted,
};

/// What is counted of a pair, in the order of its figures.
pub const SUBJECT_FIGURES: [&str; 24] = [
    "likeness",
    "cover",
    "common",
    "strength",
    "left_least",
    "left_most",
    "anchored",
    "substituted",
    "foreign",
    "numbered_otherwise",
    "other_times",
    "version",
    "date",
    "name",
    "name_led_alike",
    "name_as_option",
    "apart",
    "values",
    "counted_things",
    "one_denies",
    "shares_two",
    "value_in_title",
    "titles_apart",
    "same_words",
];
/// A word of the title counts for less than one of the sentence.
const CONTEXT_SHARE: f64 = 0.35;
/// How much it counts against likeness where one side alone has words of its own.
const ONE_SIDED: f64 = 0.15;
/// With so many words in common two sentences are copies, and a word that each has for itself says what it is about:
/// "maternity leave lasts up to 52 weeks", "paternity leave lasts up to 3 weeks".
const COPY_MIN: f64 = 0.6;

fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

#[expect(clippy::cast_precision_loss, reason = "words of a sentence")]
fn count(number: usize) -> f64 {
    number as f64
}

/// The figures of a pair, and how alike the subjects are, of 1; none where one is a copy of the other but for its subject.
pub(super) fn figures(
    one: &Claim<'_>,
    other: &Claim<'_>,
    difference: &Difference,
    rarity: &Rarity,
) -> Option<([f64; SUBJECT_FIGURES.len()], f64)> {
    let words = Words::of(one, other, difference);
    let has_own = words.left.iter().all(|left| !left.is_empty());
    if has_own && besides_values(one, other, difference) >= COPY_MIN {
        return None;
    }
    let (left, right) = (rarity.sum(&words.left[0]), rarity.sum(&words.left[1]));
    let common = rarity.sum(&words.shared);
    let strength = common + CONTEXT_SHARE * rarity.sum(&words.around);
    let likeness = common / (common + left.min(right) + ONE_SIDED * left.max(right)).max(f64::MIN_POSITIVE);
    let is_anchored = words.shared.iter().any(|term| one.capitals.contains(term) && other.capitals.contains(term));
    let is_numbered_otherwise =
        one.numbered.iter().any(|(name, number)| other.numbered.get(name).is_some_and(|own| own != number));
    let (is_name, is_led_alike, apart) = match difference.sort {
        Sort::Amount { apart } => (false, false, apart),
        Sort::Version | Sort::Date => (false, false, 0.0),
        Sort::Name { is_led_alike } => (true, is_led_alike, 0.0),
    };
    let [mine, theirs] = foreign_names(one, other);
    let foreign = mine.len().min(theirs.len()) - usize::from(is_name);
    let values =
        |claim: &Claim<'_>| claim.values.amounts.len() + claim.values.dates.len() + claim.values.versions.len();
    let counts_things = one.values.amounts.iter().any(|mine| {
        matches!(mine.counted, Counted::Things(_)) && other.values.amounts.iter().any(|theirs| mine.meets(theirs))
    });
    let is_amount = matches!(difference.sort, Sort::Amount { .. });
    let figures = [
        likeness,
        common / (common + left.max(right)).max(f64::MIN_POSITIVE),
        common.min(3.0),
        strength.min(4.0),
        left.min(right).min(6.0),
        left.max(right).min(8.0),
        flag(is_anchored),
        flag(words.is_substituted(one, other)),
        count(foreign.min(2)),
        flag(is_numbered_otherwise),
        flag(are_of_other_times(one, other)),
        flag(difference.sort == Sort::Version),
        flag(difference.sort == Sort::Date),
        flag(is_name),
        flag(is_led_alike),
        flag(is_name && (one.is_option || other.is_option)),
        apart,
        count((values(one) + values(other)).min(6)),
        flag(counts_things && is_amount),
        flag(one.denies != other.denies),
        flag(words.shared.len() > 1),
        if is_name { values_in_titles([one, other], difference) } else { 0.0 },
        titles_apart(one, other),
        in_common(&one.words, &other.words),
    ];
    Some((figures, likeness))
}

/// The share of words that two sentences have in common.
fn in_common(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    count(one.intersection(other).count()) / count(one.union(other).count().max(1))
}

/// The same without the values in which they differ.
pub(super) fn besides_values(one: &Claim<'_>, other: &Claim<'_>, difference: &Difference) -> f64 {
    let besides = |claim: &Claim<'_>, side: usize| -> BTreeSet<String> {
        let value: BTreeSet<String> = keys(claim, difference, side).collect();
        claim.words.difference(&value).cloned().collect()
    };
    in_common(&besides(one, 0), &besides(other, 1))
}

/// The words of two claims, apart from names that are their values.
struct Words {
    shared: BTreeSet<String>,
    /// Those of each that the other has nowhere.
    left: [BTreeSet<String>; 2],
    /// Those of one that stand over the other, or over both.
    around: BTreeSet<String>,
}

impl Words {
    fn of(one: &Claim<'_>, other: &Claim<'_>, difference: &Difference) -> Self {
        let values: BTreeSet<String> = match difference.sort {
            Sort::Name { .. } => keys(one, difference, 0).chain(keys(other, difference, 1)).collect(),
            Sort::Amount { .. } | Sort::Version | Sort::Date => BTreeSet::new(),
        };
        let own = |claim: &Claim<'_>| -> BTreeSet<String> { claim.terms.difference(&values).cloned().collect() };
        let (mine, theirs) = (own(one), own(other));
        let shared: BTreeSet<String> = mine.intersection(&theirs).cloned().collect();
        let left = |own: &BTreeSet<String>, others: &Claim<'_>| -> BTreeSet<String> {
            let is_left = |term: &&String| !others.context.contains(*term) && !others.words.contains(*term);
            own.difference(&shared).filter(is_left).cloned().collect()
        };
        let is_around = |term: &&String| {
            (one.context.contains(*term) && (other.context.contains(*term) || theirs.contains(*term)))
                || (mine.contains(*term) && other.context.contains(*term))
        };
        let around = one.context.union(&mine).filter(|term| !shared.contains(*term)).filter(is_around);
        Self { around: around.cloned().collect(), left: [left(&mine, other), left(&theirs, one)], shared }
    }

    /// Whether a word of one stands where another word of the other does, before the same word: "initial review" and "second
    /// review" are two things.
    fn is_substituted(&self, one: &Claim<'_>, other: &Claim<'_>) -> bool {
        let before = |claim: &Claim<'_>, own: &BTreeSet<String>| -> BTreeSet<String> {
            let tokens = &claim.sentence.tokens;
            let pairs = tokens.iter().zip(tokens.iter().skip(1));
            pairs
                .filter(|(token, next)| own.contains(&token.key) && next.is_content())
                .map(|(_, next)| next.key.clone())
                .collect()
        };
        !before(one, &self.left[0]).is_disjoint(&before(other, &self.left[1]))
    }
}

/// The words of a claim's value.
fn keys<'c>(claim: &'c Claim<'_>, difference: &Difference, side: usize) -> impl Iterator<Item = String> + 'c {
    let range = difference.places.get(side).cloned().unwrap_or_default();
    claim.sentence.tokens.get(range).unwrap_or_default().iter().map(|token| token.key.clone())
}

/// Of how many claims the value stands in what they stand under: it is what the page is about.
fn values_in_titles(claims: [&Claim<'_>; 2], difference: &Difference) -> f64 {
    let is_titled =
        |(side, claim): &(usize, &Claim<'_>)| keys(claim, difference, *side).any(|key| claim.context.contains(&key));
    count(claims.into_iter().enumerate().filter(is_titled).count())
}

/// Which share of either title's words is nowhere to be found with the other claim, the lesser of the two.
fn titles_apart(one: &Claim<'_>, other: &Claim<'_>) -> f64 {
    let apart = |own: &Claim<'_>, others: &Claim<'_>| {
        let left = own.title.iter().filter(|term| !others.context.contains(*term) && !others.words.contains(*term));
        count(left.count()) / count(own.title.len().max(1))
    };
    apart(one, other).min(apart(other, one))
}

/// Whether both titles have numbers, and none in common.
fn are_of_other_times(one: &Claim<'_>, other: &Claim<'_>) -> bool {
    let numbers = |claim: &Claim<'_>| -> BTreeSet<String> {
        claim.context.iter().filter(|term| term.chars().any(|c| c.is_ascii_digit())).cloned().collect()
    };
    let (mine, theirs) = (numbers(one), numbers(other));
    !mine.is_empty() && !theirs.is_empty() && mine.is_disjoint(&theirs)
}
