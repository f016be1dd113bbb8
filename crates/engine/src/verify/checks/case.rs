//! One sentence of a claim beside its evidence: what every check is given, and what it hands back.
//!
//! Invariant: an outcome with findings is one that applied.

use std::{cell::OnceCell, ops::Range};

use super::{
    alignment::{Alignment, Holders, Place},
    finding::{Check, Finding, Objection},
};
use crate::reading::{
    Sentence,
    budget::Budget,
    name_spans::{NameSpan, find_names},
};

/// From here on two sentences are the same but for a word or two.
pub(super) const NEAR_COPY_FLOOR: f32 = 0.72;
/// From here on two sentences speak of the same thing, so that what stands in a place can be compared.
pub(super) const SAME_MATTER_FLOOR: f32 = 0.5;

/// A sentence of the claim and all that is known about its evidence.
pub(super) struct Case<'a> {
    /// The claim's sentence.
    pub claim: &'a Sentence<'a>,
    /// The evidence's sentences nearest to it, best first.
    pub nearest: Vec<Alignment>,
    /// Every sentence of the evidence.
    pub evidence: &'a [Sentence<'a>],
    /// Which of them holds what.
    pub holders: &'a Holders<'a>,
    /// How much work is left.
    pub budget: &'a Budget,
    names: OnceCell<Vec<NameSpan>>,
}

/// What a check found.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Whether there was something to check.
    pub is_applied: bool,
    /// The objections.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// Adds an objection that nothing in the evidence speaks for the words.
    pub(super) fn miss(&mut self, check: Check, words: String) {
        self.findings.push(Finding { check, objection: Objection::Missing, words, instead: None });
    }

    /// Adds an objection that there is more in the claim than is looked up: what, and from how many on.
    pub(super) fn exceed(&mut self, check: Check, what: String) {
        self.is_applied = true;
        self.findings.push(Finding { check, objection: Objection::TooMany, words: what, instead: None });
    }

    /// Adds an objection that the evidence says something else.
    pub(super) fn contradict(&mut self, check: Check, words: String, instead: String) {
        self.findings.push(Finding { check, objection: Objection::Contradicted, words, instead: Some(instead) });
    }
}

impl<'a> Case<'a> {
    /// A sentence of the claim beside the evidence.
    pub(super) fn new(
        claim: &'a Sentence<'a>,
        evidence: &'a [Sentence<'a>],
        holders: &'a Holders<'a>,
        budget: &'a Budget,
    ) -> Self {
        let nearest = if budget.spend(holders.tokens()) { holders.nearest(&claim.tokens) } else { Vec::new() };
        Self { claim, nearest, evidence, holders, budget, names: OnceCell::new() }
    }

    /// Takes what it costs to look through the evidence so many times; answers whether the work may go on.
    pub(super) fn may_look(&self, times: usize) -> bool {
        self.budget.spend(self.holders.tokens().saturating_mul(times).saturating_add(1))
    }

    /// The names of the nearest sentence.
    pub(super) fn names_there(&self) -> &[NameSpan] {
        self.names.get_or_init(|| {
            let nearest = self.nearest.first().and_then(|best| self.evidence.get(best.sentence));
            nearest.map(find_names).unwrap_or_default()
        })
    }

    /// The best alignment, if it is at least this similar.
    pub(super) fn best(&self, floor: f32) -> Option<(&Alignment, &'a Sentence<'a>)> {
        let best = self.nearest.first().filter(|best| best.similarity >= floor)?;
        Some((best, self.evidence.get(best.sentence)?))
    }

    /// What stands in the best sentence where these tokens of the claim stand; nothing if they match.
    pub(super) fn place(&self, range: &Range<usize>, floor: f32) -> Option<(Place, &'a Sentence<'a>)> {
        let (best, sentence) = self.best(floor)?;
        let start = range.clone().find(|at| !best.is_matched(*at))?;
        let end = range.clone().rev().find(|at| !best.is_matched(*at))? + 1;
        Some((best.place(&(start..end))?, sentence))
    }

    /// The same, where the two sentences differ there by hardly more than these tokens.
    pub(super) fn swap(&self, range: &Range<usize>) -> Option<(Place, &'a Sentence<'a>)> {
        let (place, sentence) = self.place(range, NEAR_COPY_FLOOR)?;
        let is_tight = place.claim.len() <= range.len() + 1 && !place.evidence.is_empty();
        (place.is_held && is_tight).then_some((place, sentence))
    }

    /// Whether a token of the best sentence has no like in the claim, so that it is free to stand for another word.
    pub(super) fn is_free(&self, evidence: usize) -> bool {
        self.nearest.first().is_some_and(|best| !best.is_matched_there(evidence))
    }

    /// The claim's words of a range.
    pub(super) fn words(&self, range: &Range<usize>) -> String {
        self.claim.words(range)
    }
}

/// Whether two ranges share a token.
pub(super) fn do_meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
