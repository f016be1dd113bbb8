//! A document beside what is similar to it → pairs of sentences that may contradict each other, as a judge is to read them.
//!
//! Invariant: the work for a document is bounded: of its pairs only the most likely are kept.

use std::{collections::BTreeMap, sync::Arc};

use vouch_domain::{
    ClaimSketch, DocumentCard, DocumentSketch, Finding, FindingKind,
    finding::Similar,
    ports::{ClaimPair, Support},
};

use super::{
    Side,
    claim::{Claim, plain, read},
    difference::{difference, replaced},
    finding,
    rarity::Rarity,
    subject::{SUBJECT_FIGURES, figures},
    verdict,
};
use crate::resolve::is_in_force;

/// Pairs of one document that a judge reads.
const PER_DOCUMENT_MAX: usize = 16;
/// Contradictions of one pair of documents that are kept: more of them are one matter for who looks after the two.
const PER_PAIR_MAX: usize = 5;
/// Characters of what a sentence stands under that a judge reads with it.
const CONTEXT_MAX: usize = 120;

/// Two sentences that may contradict each other.
#[derive(Debug, Clone)]
pub struct Suspicion {
    finding: Finding,
    figures: [f64; SUBJECT_FIGURES.len()],
    by_words: f64,
    readings: [ClaimPair; 2],
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
        for other in others.iter().filter(|other| is_in_force(&other.document)) {
            if !rarity.may_be_alike(&own.terms, &other.claim.terms) {
                continue;
            }
            let their_text = plain(&other.claim.sentence);
            let Some(theirs) = read(&their_text, &other.claim.context) else { continue };
            let sides = [Side::of(document, own), Side::of(&other.document, &other.claim)];
            let plains = [(own, text.as_str()), (&other.claim, their_text.as_str())]
                .map(|(claim, text): (&ClaimSketch, &str)| Plain { text, context: &claim.context });
            found.extend(suspicion([&mine, &theirs], &plains, sides, (&rarity, now_ms)));
        }
    }
    found
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
    Some(Suspicion { finding, figures, by_words, readings })
}

/// A sentence behind what it stands under, on one line.
fn told(context: &str, sentence: &str) -> String {
    let context: String = context.chars().take(CONTEXT_MAX).collect();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    format!("{}: {}", context.split_whitespace().collect::<Vec<_>>().join(" "), words.join(" "))
}
