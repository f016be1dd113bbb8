//! Candidates, best first → the most relevant that say something new (maximal marginal relevance), where no judge reads, or
//! before it does.
//!
//! Likeness is the cosine of word counts: it needs no vectors, so that this stage asks no port.

use std::collections::{BTreeMap, BTreeSet};

use vouch_domain::{PassageKey, language::terms};

use super::{
    drop_note,
    rerank::{Pool, Ranked},
};
use crate::{
    policy::{DiversityPolicy, JudgePolicy},
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

/// The pool that the judge reads from, cut where the policy says so. What a lane forced stays, and so does the order. Without the
/// embedder's word nothing is cut: novelty alone would choose what is farthest from the question.
pub(super) fn before_judge<'a>(
    pool: Pool<'a>,
    parts: usize,
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Pool<'a> {
    let Some(diversity) = policy.diversity.filter(|diversity| diversity.before_judge) else { return pool };
    match pool {
        Pool::Fused(ranked) => Pool::Fused(cut(ranked, parts, diversity, dropped)),
        Pool::Reordered(ranked) => Pool::Reordered(cut(ranked, parts, diversity, dropped)),
    }
}

/// Cuts each part of a question by itself, so that none loses all it has to another.
fn cut<'a>(
    mut ranked: Vec<Ranked<'a>>,
    parts: usize,
    policy: DiversityPolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<Ranked<'a>> {
    if ranked.iter().all(|one| one.candidate.similarity.is_none()) {
        return ranked;
    }
    let parts = parts.max(1);
    let share = DiversityPolicy { fetch: policy.fetch.div_ceil(parts), keep: policy.keep.div_ceil(parts), ..policy };
    let is_forced = |one: &Ranked<'_>| one.candidate.forced_by.is_some();
    let mut chosen: BTreeSet<PassageKey> = BTreeSet::new();
    for part in 0..parts {
        let is_of_part = |one: &&Ranked<'a>| !is_forced(one) && one.candidate.part.min(parts - 1) == part;
        let own = ranked.iter().filter(is_of_part).copied().collect();
        chosen.extend(diverse(own, share, dropped).iter().map(|one| one.candidate.passage.key));
    }
    ranked.retain(|one| is_forced(one) || chosen.contains(&one.candidate.passage.key));
    ranked
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
