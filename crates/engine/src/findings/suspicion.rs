//! A document beside what is similar to it → pairs of sentences that may contradict each other, as a judge is to read them.
//!
//! Invariant: the work for a document is bounded: of its pairs only the most likely are kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use vouch_domain::{
    ClaimSketch, DocumentCard, DocumentSketch, Finding, FindingKind,
    finding::Similar,
    ports::{ClaimPair, Support},
};

use super::{
    Side,
    claim::{Claim, plain, read},
    difference::{Sort, difference, replaced},
    finding,
    rarity::Rarity,
    subject::{SUBJECT_FIGURES, besides_values, figures},
    verdict,
};
use crate::resolve::is_in_force;

/// Pairs of one document that a judge reads.
const PER_DOCUMENT_MAX: usize = 16;
/// Contradictions of one pair of documents that are kept: more of them are one matter for who looks after the two.
const PER_PAIR_MAX: usize = 5;
/// With so many of their words besides the values in common two sentences are of one mould, where a third is too.
const MOULD_MIN: f64 = 0.8;
/// Characters of what a sentence stands under that a judge reads with it.
const CONTEXT_MAX: usize = 120;

/// Two sentences that may contradict each other.
#[derive(Debug, Clone)]
pub struct Suspicion {
    finding: Finding,
    figures: [f64; SUBJECT_FIGURES.len()],
    by_words: f64,
    readings: [ClaimPair; 2],
    /// The share of words besides the values that the two have in common.
    copied: f64,
    others_value: String,
}

impl Suspicion {
    /// What it would be told as.
    #[must_use]
    pub fn finding(&self) -> &Finding {
        &self.finding
    }

    /// What is counted of it, see `SUBJECT_FIGURES`.
    #[must_use]
    pub fn figures(&self) -> &[f64] {
        &self.figures
    }

    /// What a judge is to weigh: each sentence with the other's value in it, beside the other. If the other supports it then,
    /// the two are of one thing.
    #[must_use]
    pub fn readings(&self) -> &[ClaimPair; 2] {
        &self.readings
    }

    /// The finding, if it is one.
    #[must_use]
    pub fn settle(self, readings: Option<[Support; 2]>) -> Option<Finding> {
        verdict::is_told(&self.figures, readings).then_some(self.finding)
    }
}

/// A sentence without its marks, and what it is read with.
struct Plain<'a> {
    text: &'a str,
    context: &'a str,
}

/// The pairs of a document that a judge should read, the most likely first.
#[must_use]
pub fn suspicions(
    document: &Arc<DocumentCard>,
    sketch: &DocumentSketch,
    similar: &Similar,
    now_ms: u64,
) -> Vec<Suspicion> {
    let mut found = every_suspicion(document, sketch, similar, now_ms);
    found.retain(|one| verdict::is_worth_reading(one.by_words));
    found.sort_by(|one, other| {
        other.by_words.total_cmp(&one.by_words).then_with(|| one.finding.id.cmp(&other.finding.id))
    });
    let mut per_pair: BTreeMap<String, usize> = BTreeMap::new();
    found.retain(|one| {
        let others =
            one.finding.sides.iter().map(|side| side.document.id.as_str()).filter(|id| *id != document.id.as_str());
        let count = per_pair.entry(others.collect()).or_default();
        *count += 1;
        *count <= PER_PAIR_MAX
    });
    found.truncate(PER_DOCUMENT_MAX);
    found
}

/// Every pair of a document's and another's claims that differ in a value.
#[must_use]
pub fn every_suspicion(
    document: &Arc<DocumentCard>,
    sketch: &DocumentSketch,
    similar: &Similar,
    now_ms: u64,
) -> Vec<Suspicion> {
    let rarity = Rarity::new(similar.terms.iter().map(|count| (count.term, count.claims)), similar.claims_kept);
    let mut found: Vec<Suspicion> = Vec::new();
    for (own, others) in sketch.claims.iter().zip(&similar.claims) {
        let text = plain(&own.sentence);
        let Some(mine) = read(&text, &own.context) else { continue };
        let mut mould = Mould::default();
        let first = found.len();
        for other in others.iter().filter(|other| is_in_force(&other.document)) {
            if !rarity.may_be_alike(&own.terms, &other.claim.terms) {
                continue;
            }
            let their_text = plain(&other.claim.sentence);
            let Some(theirs) = read(&their_text, &other.claim.context) else { continue };
            let sides = [Side::of(document, own), Side::of(&other.document, &other.claim)];
            let plains = [(own, text.as_str()), (&other.claim, their_text.as_str())]
                .map(|(claim, text): (&ClaimSketch, &str)| Plain { text, context: &claim.context });
            let suspicion = suspicion([&mine, &theirs], &plains, sides, (&rarity, now_ms));
            mould.see(suspicion.as_ref(), other.document.id.as_str());
            found.extend(suspicion);
        }
        if mould.is_one() {
            let copies = found.split_off(first).into_iter().filter(|one| one.copied < MOULD_MIN);
            found.extend(copies);
        }
    }
    found
}

/// A sentence that stands in several documents, each with a value of its own, as pages of one mould have it.
#[derive(Default)]
struct Mould<'a> {
    documents: BTreeSet<&'a str>,
    values: BTreeSet<String>,
}

impl<'a> Mould<'a> {
    fn see(&mut self, suspicion: Option<&Suspicion>, document: &'a str) {
        if let Some(copy) = suspicion.filter(|one| one.copied >= MOULD_MIN) {
            self.documents.insert(document);
            self.values.insert(copy.others_value.clone());
        }
    }

    fn is_one(&self) -> bool {
        self.documents.len() > 1 && self.values.len() > 1
    }
}

fn suspicion(
    [one, other]: [&Claim<'_>; 2],
    plains: &[Plain<'_>; 2],
    sides: [Side; 2],
    (rarity, now_ms): (&Rarity, u64),
) -> Option<Suspicion> {
    let difference = difference(one, other)?;
    let (figures, likeness) = figures(one, other, &difference, rarity)?;
    let by_words = verdict::by_words(&figures);
    let [mine, theirs] = plains;
    let [my_place, their_place] = &difference.places;
    let (my_words, their_words) = (one.sentence.words(my_place), other.sentence.words(their_place));
    let is_name = matches!(difference.sort, Sort::Name { .. });
    if is_name && (is_code(&sides[0].sentence, &my_words) || is_code(&sides[1].sentence, &their_words)) {
        return None;
    }
    let swapped = [
        replaced(&one.sentence, mine.text, my_place, &their_words),
        replaced(&other.sentence, theirs.text, their_place, &my_words),
    ];
    let [my_claim, their_claim] = &swapped;
    let readings = [
        ClaimPair { claim: told(mine.context, my_claim), evidence: told(theirs.context, theirs.text) },
        ClaimPair { claim: told(theirs.context, their_claim), evidence: told(mine.context, mine.text) },
    ];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share, so 0 to 100")]
    let likeness = (likeness * 100.0).clamp(0.0, 100.0) as u8;
    let finding = finding(FindingKind::Contradiction, sides, likeness, now_ms);
    let copied = besides_values(one, other, &difference);
    Some(Suspicion { finding, figures, by_words, readings, copied, others_value: their_words })
}

/// Whether words are marked as code: then they name a setting or what it is set to, each of them a thing of its own.
fn is_code(sentence: &str, words: &str) -> bool {
    sentence.contains(&format!("`{words}")) || sentence.contains(&format!("{words}`"))
}

/// A sentence behind what it stands under, on one line.
fn told(context: &str, sentence: &str) -> String {
    let context: String = context.chars().take(CONTEXT_MAX).collect();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    format!("{}: {}", context.split_whitespace().collect::<Vec<_>>().join(" "), words.join(" "))
}
