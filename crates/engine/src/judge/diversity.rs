//! Candidates, best first → the most relevant that say something new (maximal marginal relevance), where no judge reads.
//!
//! Likeness is the cosine of word counts: it needs no vectors, so that this stage asks no port.

use std::collections::BTreeMap;

use vouch_domain::language::terms;

use super::{drop_note, rerank::Ranked};
use crate::{
    policy::DiversityPolicy,
    trace::{DropReason, DroppedPassage},
};

struct WordCounts {
    counts: BTreeMap<String, f32>,
    length: f32,
}

impl WordCounts {
    fn new(text: &str) -> Self {
        let mut counts: BTreeMap<String, f32> = BTreeMap::new();
        for term in terms(text) {
            *counts.entry(term).or_insert(0.0) += 1.0;
        }
        let length = counts.values().map(|count| count * count).sum::<f32>().sqrt();
        Self { counts, length }
    }

    fn likeness(&self, other: &Self) -> f32 {
        let shared: f32 = self.counts.iter().filter_map(|(term, count)| Some(count * other.counts.get(term)?)).sum();
        let lengths = self.length * other.length;
        if lengths > 0.0 { shared / lengths } else { 0.0 }
    }
}

pub(super) fn diverse<'a>(
    candidates: Vec<Ranked<'a>>,
    policy: DiversityPolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<Ranked<'a>> {
    let mut waiting: Vec<(Ranked<'a>, WordCounts, f32)> = Vec::new();
    for (place, ranked) in candidates.into_iter().enumerate() {
        if place < policy.fetch {
            waiting.push((ranked, WordCounts::new(&ranked.candidate.passage.passage.text), 0.0));
        } else {
            dropped.push(drop_note(ranked.candidate, DropReason::BeyondDiversity));
        }
    }
    let mut chosen = Vec::new();
    while chosen.len() < policy.keep && !waiting.is_empty() {
        let worth = |(ranked, _, likeness): &(Ranked<'_>, WordCounts, f32)| {
            policy.relevance_share * ranked.similarity.relevance - (1.0 - policy.relevance_share) * likeness
        };
        // The first of equals: the order of the candidates decides.
        let best = (0..waiting.len()).rev().max_by(|a, b| {
            let worth_at = |at: &usize| waiting.get(*at).map_or(f32::NEG_INFINITY, worth);
            worth_at(a).total_cmp(&worth_at(b))
        });
        let Some(best) = best else { break };
        let (ranked, words, _) = waiting.remove(best);
        for (_, other, likeness) in &mut waiting {
            *likeness = likeness.max(words.likeness(other));
        }
        chosen.push(ranked);
    }
    dropped.extend(waiting.iter().map(|(ranked, _, _)| drop_note(ranked.candidate, DropReason::NothingNew)));
    chosen
}
