//! Two documents → whether they are versions of one document, and where they differ.
//!
//! Two versions have the same title up to a year or a version and a good part of their sentences in common, or the same
//! headings and most of their sentences, with other values in some.
//!
//! Invariant: pages of one mould are not versions of one another. Where the name of one has a word that its own text speaks
//! of and the other's does not, the two are about different things.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use vouch_domain::{CharSpan, DocumentCard, DocumentSketch, Finding, FindingKind, finding::Similar};

use super::{
    Side,
    claim::read,
    difference::{Sort, difference},
    finding,
    name::{Name, words_of_place},
    outline::{Outline, Statement},
    signature::likeness,
};
use crate::{reading::budget::Budget, resolve::is_in_force};

/// Share of the sentences of the shorter document that have a partner in the other, where the titles are the same.
const SAME_TITLE_MIN: f64 = 0.3;
/// Share of the sentences of the longer document that stand in the other but for their values, whatever the titles.
const SAME_TEXT_MIN: f64 = 0.6;
/// A document of fewer sentences is too short to be known by its text alone.
const SENTENCES_MIN: usize = 5;
/// Share of their words that two sentences have in common where one is the other in a later wording.
const REWORDED_MIN: f64 = 0.5;
/// The same where the two give different values of one sort.
const OTHER_VALUE_MIN: f64 = 0.3;
/// Sentences of each document without an equal in the other that are compared with one another.
const LOOSE_MAX: usize = 100;
/// From so much of their words in common on two documents with different titles are read, of 100.
const LIKENESS_MIN: u8 = 40;
/// Documents that are read beside one.
const READ_MAX: usize = 8;
/// Places in which the two differ that are told.
const TOLD_MAX: usize = 5;

/// A sentence of each document that stand for one another.
struct Pair<'o> {
    sides: [&'o Statement; 2],
    /// Whether only the values differ, if anything does.
    is_same_but_for_values: bool,
}

impl Pair<'_> {
    fn differs(&self) -> bool {
        let [mine, theirs] = &self.sides;
        // Each page has its own address for the same link.
        let words = |statement: &Statement| -> Vec<String> {
            let words = statement.plain.split_whitespace().filter(|word| !word.contains("://"));
            words.map(str::to_owned).collect()
        };
        words(mine) != words(theirs)
    }

    /// Other figures tell more than other words or dates.
    fn rank(&self) -> u8 {
        let [mine, theirs] = &self.sides;
        match (mine.figures == theirs.figures, self.is_same_but_for_values) {
            (false, true) => 0,
            (false, false) => 1,
            (true, _) => 2,
        }
    }
}

/// The documents that are worth reading beside one, as they may be another version of it: the likeliest few.
#[must_use]
pub fn versions_to_read(document: &DocumentCard, sketch: &DocumentSketch, similar: &Similar) -> Vec<Arc<DocumentCard>> {
    let name = Name::of(&document.title);
    let weighed = similar.documents.iter().filter(|other| is_in_force(&other.document)).filter_map(|other| {
        let likeness = likeness(&sketch.signature, &other.signature);
        let has_same_name = name.is_same_but_for_version(&Name::of(&other.document.title));
        (has_same_name || likeness >= LIKENESS_MIN).then_some((has_same_name, likeness, &other.document))
    });
    let mut weighed: Vec<_> = weighed.collect();
    weighed.sort_by(|one, other| (other.0, other.1).cmp(&(one.0, one.1)).then_with(|| one.2.id.cmp(&other.2.id)));
    weighed.into_iter().take(READ_MAX).map(|(_, _, other)| Arc::clone(other)).collect()
}

/// Two documents with their texts as one finding, if they are versions of one document and both hold.
#[must_use]
pub fn two_versions(mut documents: [(&Arc<DocumentCard>, &str); 2], now_ms: u64) -> Option<Finding> {
    // Whichever of the two is compared with the other, they are one finding.
    documents.sort_by(|one, other| one.0.id.cmp(&other.0.id));
    let [(one, text), (other, others)] = documents;
    let budget = Budget::default();
    let names = [Name::of(&one.title), Name::of(&other.title)];
    let outlines = [Outline::read(&one.title, text, &budget), Outline::read(&other.title, others, &budget)];
    if !is_in_force(one) || !is_in_force(other) || are_about_different_things([one, other], &names, &outlines) {
        return None;
    }
    let [mine, theirs] = &outlines;
    let pairs = pairs(mine, theirs);
    let least = mine.statements.len().min(theirs.statements.len());
    let most = mine.statements.len().max(theirs.statements.len());
    let equal = pairs.iter().filter(|pair| pair.is_same_but_for_values).count();
    let has_same_text =
        mine.headings == theirs.headings && least >= SENTENCES_MIN && share(equal, most) >= SAME_TEXT_MIN;
    // Minutes and reports have a day in their titles, and some sentences in common with others.
    let [my_name, their_name] = &names;
    let has_same_title = my_name.is_same_but_for_version(their_name)
        && !(my_name.has_day || their_name.has_day)
        && share(pairs.len(), least) >= SAME_TITLE_MIN;
    let mut differing: Vec<&Pair<'_>> = pairs.iter().filter(|pair| pair.differs()).collect();
    if !(has_same_title || has_same_text) || differing.is_empty() {
        return None;
    }
    differing.sort_by_key(|pair| pair.rank());
    let lines = |side: usize| -> String {
        let told = differing.iter().take(TOLD_MAX).filter_map(|pair| pair.sides.get(side));
        told.map(|statement| statement.words.as_str()).collect::<Vec<_>>().join("\n")
    };
    let side = |document: &Arc<DocumentCard>, at: usize| {
        let sentence = lines(at);
        let span = CharSpan { start: 0, end: 0 };
        Side { document: Arc::clone(document), span, identity: sentence.clone(), sentence }
    };
    let sides = [side(one, 0), side(other, 1)];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share, so 0 to 100")]
    let in_common = (share(pairs.len(), most) * 100.0).clamp(0.0, 100.0) as u8;
    Some(finding(FindingKind::Versions, sides, in_common, now_ms))
}

#[expect(clippy::cast_precision_loss, reason = "sentences of a document")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Whether the name of either document says what it is about, by a word of which its own text speaks and the other's does
/// not. Where a document lies tells less than titles with different years.
fn are_about_different_things(
    [one, other]: [&Arc<DocumentCard>; 2],
    [my_name, their_name]: &[Name; 2],
    [mine, theirs]: &[Outline; 2],
) -> bool {
    let words = |name: &Name| -> BTreeSet<String> { name.words.iter().cloned().collect() };
    let (mut own, mut others) = (words(my_name), words(their_name));
    let titles_tell = own == others && my_name.versions != their_name.versions;
    if !titles_tell {
        own.extend(words_of_place(one, other));
        others.extend(words_of_place(other, one));
    }
    let speaks_of = |words: &BTreeSet<String>, others: &BTreeSet<String>, texts: [&Outline; 2]| {
        let [own, other] = texts;
        words.difference(others).any(|word| own.terms.contains(word) && !other.terms.contains(word))
    };
    speaks_of(&own, &others, [mine, theirs]) || speaks_of(&others, &own, [theirs, mine])
}

/// The sentences of two documents that stand for one another: equal ones, those that are equal but for their values, then
/// what is left by the words they share.
fn pairs<'o>(mine: &'o Outline, theirs: &'o Outline) -> Vec<Pair<'o>> {
    let mut loose: Vec<&Statement> = mine.statements.iter().collect();
    let mut free: Vec<&Statement> = theirs.statements.iter().collect();
    let mut found = Vec::new();
    for key in [by_words as fn(&Statement) -> String, but_for_values] {
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, statement) in free.iter().enumerate().rev() {
            places.entry(key(statement)).or_default().push(at);
        }
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        loose.retain(|statement| {
            let Some(at) = places.get_mut(&key(statement)).and_then(Vec::pop) else { return true };
            let Some(partner) = free.get(at) else { return true };
            found.push(Pair { sides: [statement, partner], is_same_but_for_values: true });
            !taken.insert(at)
        });
        let mut at = 0..;
        free.retain(|_| at.next().is_none_or(|at| !taken.contains(&at)));
    }
    loose.truncate(LOOSE_MAX);
    free.truncate(LOOSE_MAX);
    for statement in loose {
        let alike = free.iter().enumerate().filter_map(|(at, other)| Some((reworded(statement, other)?, at)));
        let best = alike.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        if let Some((_, at)) = best {
            found.push(Pair { sides: [statement, free.swap_remove(at)], is_same_but_for_values: false });
        }
    }
    found
}

fn by_words(statement: &Statement) -> String {
    statement.plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn but_for_values(statement: &Statement) -> String {
    format!("{:x}", statement.without_values)
}

/// How much two sentences have in common, if one may be the other in a later wording.
fn reworded(one: &Statement, other: &Statement) -> Option<f64> {
    let common = share(one.terms.intersection(&other.terms).count(), one.terms.union(&other.terms).count());
    if common >= REWORDED_MIN {
        return Some(common);
    }
    (common >= OTHER_VALUE_MIN && gives_other_value(one, other)).then_some(common)
}

/// Whether two sentences give different figures, dates or versions of one sort.
fn gives_other_value(one: &Statement, other: &Statement) -> bool {
    let (Some(mine), Some(theirs)) = (read(&one.plain, ""), read(&other.plain, "")) else { return false };
    difference(&mine, &theirs).is_some_and(|difference| match difference.sort {
        Sort::Amount { .. } | Sort::Version | Sort::Date => true,
        Sort::Name { .. } => false,
    })
}
