//! Two claims → whether they give different values for the same thing.
//!
//! Two sentences speak of the same thing where they share the words that say what they are about, weighed by how rare these
//! are, and where not both of them have words of their own: "full-time staff get 28 days" and "part-time staff get 14 days"
//! each say of whom they speak. What only one of them adds may be a condition too, but is more often a remark.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    claim::Claim,
    signature::digest,
    value::{Amount, Name},
};
use crate::reading::calendar::Date;

/// How rare words are among the claims of a tenant.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    counts: BTreeMap<u64, u64>,
    claims: u64,
}

/// The share of words in common from which on two claims are of the same thing.
const FIGURES_LIKENESS_MIN: f64 = 0.66;
const NAMES_LIKENESS_MIN: f64 = 0.72;
/// The words in common must weigh as much as so many words that stand in one claim alone.
const STRENGTH_MIN: f64 = 1.7;
/// The same where they share no name and nothing of what they stand under.
const UNANCHORED_STRENGTH_MIN: f64 = 2.2;
/// The same where the two use the same words throughout.
const SAME_WORDS: f64 = 0.82;
const SAME_WORDS_STRENGTH_MIN: f64 = 1.2;
/// Names that the other claim does not have, of both.
const FOREIGN_MAX: usize = 3;
/// Claims with less in common are not read.
const COMMON_MIN: f64 = 1.0;
/// How much it counts against likeness where one side alone has words of its own.
const ONE_SIDED: f64 = 0.15;
/// A word of the title counts for less than one of the sentence.
const CONTEXT_SHARE: f64 = 0.35;

impl Rarity {
    pub(super) fn new(counts: impl IntoIterator<Item = (u64, u64)>, claims: u64) -> Self {
        Self { counts: counts.into_iter().collect(), claims }
    }

    /// What a word weighs: 1 where it stands in one claim alone, less where it stands in many.
    fn weight(&self, term: &str) -> f64 {
        self.weight_of(digest(term))
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of claims are far below 2^52")]
    fn weight_of(&self, term: u64) -> f64 {
        let claims = self.claims.max(20) as f64;
        let count = self.counts.get(&term).copied().unwrap_or(1).max(1) as f64;
        (1.0 + claims / count).ln() / (1.0 + claims).ln()
    }

    /// Whether two claims may be of the same thing, by the digests of their terms alone: reading them takes longer.
    pub(super) fn may_be_alike(&self, one: &[u64], other: &[u64]) -> bool {
        let common: f64 = one.iter().filter(|term| other.contains(term)).map(|term| self.weight_of(*term)).sum();
        common >= COMMON_MIN
    }

    fn sum<'t>(&self, terms: impl IntoIterator<Item = &'t String>) -> f64 {
        terms.into_iter().map(|term| self.weight(term)).sum()
    }
}

/// How alike the subjects of two claims are, of 1, if the claims contradict each other.
pub(super) fn conflict(one: &Claim<'_>, other: &Claim<'_>, rarity: &Rarity) -> Option<f64> {
    if one.denies != other.denies || are_of_other_times(one, other) {
        return None;
    }
    let foreign = foreign_names(one, other);
    let (mine, theirs) = (&foreign[0], &foreign[1]);
    if let Some((mine, theirs)) = same_place(mine, theirs)
        && values_agree(one, other)
        && are_values((one, mine), (other, theirs))
    {
        let names: BTreeSet<&String> = mine.keys.iter().chain(&theirs.keys).collect();
        return is_same_subject(one, other, rarity, &names, NAMES_LIKENESS_MIN);
    }
    let is_other_thing =
        one.numbered.iter().any(|(name, number)| other.numbered.get(name).is_some_and(|own| own != number));
    if (!mine.is_empty() && !theirs.is_empty()) || (is_other_thing && !versions_differ(one, other)) {
        return None;
    }
    if !(amounts_differ(one, other) || versions_differ(one, other) || dates_differ(one, other)) {
        return None;
    }
    is_same_subject(one, other, rarity, &BTreeSet::new(), FIGURES_LIKENESS_MIN)
}

/// Names of each that the other does not have.
fn foreign_names<'c>(one: &'c Claim<'_>, other: &'c Claim<'_>) -> [Vec<&'c Name>; 2] {
    let foreign = |own: &'c Claim<'_>, others: &Claim<'_>| {
        let is_known = |key: &&String| others.words.contains(*key) || others.context.contains(*key);
        let is_foreign =
            |name: &&Name| name.keys.iter().filter(is_known).count() * 2 <= name.keys.len() && !name.keys.is_empty();
        own.values.names.iter().filter(is_foreign).collect()
    };
    [foreign(one, other), foreign(other, one)]
}

/// The two names that stand in the same place of their sentences, if few others are foreign.
fn same_place<'c>(mine: &[&'c Name], theirs: &[&'c Name]) -> Option<(&'c Name, &'c Name)> {
    if mine.len() + theirs.len() > FOREIGN_MAX {
        return None;
    }
    mine.iter().find_map(|one| theirs.iter().find(|other| is_same_lead(one, other)).map(|other| (*one, *other)))
}

/// Whether what leads to two names makes them values of the same thing: "approved by", "hosted on", "use". A name that
/// nothing of this sort leads to is what the sentence is about.
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

/// Whether names are given as values and not as what the pages are about, which their titles and headings name.
fn are_values(one: (&Claim<'_>, &Name), other: (&Claim<'_>, &Name)) -> bool {
    let is_value = |(claim, name): (&Claim<'_>, &Name)| !name.keys.iter().any(|key| claim.context.contains(key));
    let is_option = one.0.is_option || other.0.is_option;
    match one.1.lead() {
        "by" | "from" | "via" | "use" => !is_option && (is_value(one) || is_value(other)),
        _ => !is_option && is_value(one) && is_value(other),
    }
}

/// Whether a word of one stands where another word of the other does, before the same word: "initial review" and "second
/// review" are two things.
fn is_substituted(one: &Claim<'_>, other: &Claim<'_>, left: &BTreeSet<&String>, right: &BTreeSet<&String>) -> bool {
    let before = |claim: &Claim<'_>, own: &BTreeSet<&String>| -> BTreeSet<String> {
        let tokens = &claim.sentence.tokens;
        let pairs = tokens.iter().zip(tokens.iter().skip(1));
        pairs
            .filter(|(token, next)| own.contains(&token.key) && next.is_content())
            .map(|(_, next)| next.key.clone())
            .collect()
    };
    !before(one, left).is_disjoint(&before(other, right))
}

fn is_same_subject(
    one: &Claim<'_>,
    other: &Claim<'_>,
    rarity: &Rarity,
    values: &BTreeSet<&String>,
    likeness_min: f64,
) -> Option<f64> {
    let own = |claim: &Claim<'_>| -> BTreeSet<String> {
        claim.terms.iter().filter(|term| !values.contains(term)).cloned().collect()
    };
    let (mine, theirs) = (own(one), own(other));
    let shared: BTreeSet<&String> = mine.intersection(&theirs).collect();
    let left = |own: &'_ BTreeSet<String>, others: &Claim<'_>| -> BTreeSet<String> {
        let is_left = |term: &&String| {
            !shared.contains(*term) && !others.context.contains(*term) && !others.words.contains(*term)
        };
        own.iter().filter(is_left).cloned().collect()
    };
    let (left, right) = (left(&mine, other), left(&theirs, one));
    if is_substituted(one, other, &left.iter().collect(), &right.iter().collect()) {
        return None;
    }
    let (left, right) = (rarity.sum(&left), rarity.sum(&right));
    let in_context = |term: &&String| {
        (one.context.contains(*term) && (other.context.contains(*term) || theirs.contains(*term)))
            || (mine.contains(*term) && other.context.contains(*term))
    };
    let around: BTreeSet<&String> =
        one.context.iter().chain(&mine).filter(|term| !shared.contains(term)).filter(in_context).collect();
    let common = rarity.sum(shared.iter().copied());
    let strength = common + CONTEXT_SHARE * rarity.sum(around);
    let likeness = common / (common + left.min(right) + ONE_SIDED * left.max(right)).max(f64::MIN_POSITIVE);
    let is_anchored = shared.iter().any(|term| one.capitals.contains(*term) && other.capitals.contains(*term))
        || one.context.iter().any(|term| other.context.contains(term) || other.terms.contains(term))
        || other.context.iter().any(|term| one.terms.contains(term));
    let strength_min = if !is_anchored {
        UNANCHORED_STRENGTH_MIN
    } else if likeness >= SAME_WORDS {
        SAME_WORDS_STRENGTH_MIN
    } else {
        STRENGTH_MIN
    };
    (strength >= strength_min && likeness >= likeness_min && shared.len() > 1).then_some(likeness)
}

/// Whether both say when they hold, and not at the same time; also by the titles they stand under.
fn are_of_other_times(one: &Claim<'_>, other: &Claim<'_>) -> bool {
    let numbers = |claim: &Claim<'_>| -> BTreeSet<String> {
        claim.context.iter().filter(|term| term.chars().any(|c| c.is_ascii_digit())).cloned().collect()
    };
    let (mine, theirs) = (numbers(one), numbers(other));
    !mine.is_empty() && !theirs.is_empty() && mine.is_disjoint(&theirs)
}

/// Whether nothing is said in figures, dates or versions that the other denies.
fn values_agree(one: &Claim<'_>, other: &Claim<'_>) -> bool {
    !amounts_differ(one, other) && !versions_differ(one, other) && !dates_differ(one, other)
}

fn amounts_differ(one: &Claim<'_>, other: &Claim<'_>) -> bool {
    let alone = |own: &[Amount], others: &[Amount]| -> Vec<Amount> {
        own.iter()
            .filter(|amount| !others.iter().any(|other| amount.meets(other) && amount.agrees(other)))
            .cloned()
            .collect()
    };
    let (mine, theirs) = (&one.values.amounts, &other.values.amounts);
    let (mine, theirs) = (alone(mine, theirs), alone(theirs, mine));
    mine.iter().any(|amount| theirs.iter().any(|other| amount.meets(other) && !amount.bounds_otherwise(other)))
        && !dates_differ(one, other)
        && !versions_differ(one, other)
}

fn versions_differ(one: &Claim<'_>, other: &Claim<'_>) -> bool {
    let (mine, theirs) = (&one.values.versions, &other.values.versions);
    let is_there = mine.iter().any(|version| theirs.iter().any(|other| other.numbers == version.numbers));
    !mine.is_empty() && !theirs.is_empty() && !is_there
}

fn dates_differ(one: &Claim<'_>, other: &Claim<'_>) -> bool {
    let meets = |date: &Date| other.values.dates.iter().any(|other| date.meets(other));
    let agrees = |date: &Date| other.values.dates.iter().any(|other| date.meets(other) && date.agrees(other));
    let dates = &one.values.dates;
    dates.iter().any(meets) && !dates.iter().any(agrees)
}
