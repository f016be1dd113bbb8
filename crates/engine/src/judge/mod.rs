//! Candidates → `Evidence`: what is good enough to answer from, and whether it is enough.
//!
//! Invariant: a passage below the floor reaches `compose` only where a lane forced it into the pool.

mod boosts;
mod constraints;
mod diversity;
mod duplicates;
mod floors;
mod further_parts;
mod gates;
mod limits;
mod piece;
mod reorder;
mod rerank;
mod standing;
mod unanswered;

use std::sync::Arc;

use vouch_domain::{
    StoredPassage,
    ports::{PassageJudge, PlainWords, Reranker},
};

use rerank::{Pool, Ranked};

use crate::{
    policy::{GatePolicy, JudgePolicy},
    retrieve::{Candidate, Candidates, Similarity},
    trace::{DropReason, DroppedPassage, GateReading, JudgeReport, RerankReport},
    understand::{EnumeratedItem, Understanding},
};

pub use gates::GateVerdict;
pub use piece::{FurtherReading, Piece};
pub use rerank::{blend, passage};

/// How many passages of a kind the question names are kept at least.
const NAMED_KIND_RESERVE: usize = 2;

/// What may be answered from.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pieces: Vec<Piece>,
    readings: Vec<GateReading>,
    dropped: Vec<DroppedPassage>,
    refused_by: Option<GateReading>,
    warnings: Vec<String>,
    /// Words of the question that no piece holds, where a gate minds.
    missing: Vec<String>,
    /// Whether those are too many for the gate.
    has_warned: bool,
    unanswered: Vec<String>,
    open_items: Vec<EnumeratedItem>,
    reranker: Option<RerankReport>,
    judge: Option<JudgeReport>,
}

/// Who reads passages beside a question.
#[derive(Clone, Copy)]
pub struct Readers<'a> {
    /// Says whether the answer is there; none if a profile does without.
    pub judge: Option<&'a Arc<dyn PassageJudge>>,
    /// Puts the whole pool in order; none where the fused score does, with the judge's word.
    pub reranker: Option<&'a Arc<dyn Reranker>>,
}

impl Evidence {
    /// Nothing, where nothing is quoted.
    pub(crate) fn empty() -> Self {
        Self::looked_up(Vec::new())
    }

    /// Passages that were looked up by name: they need no search, no gate and no reading.
    pub(crate) fn looked_up(passages: Vec<StoredPassage>) -> Self {
        let pieces = (1u32..).zip(passages).map(|(marker, passage)| Piece::looked_up(marker, passage));
        Self {
            pieces: pieces.collect(),
            readings: Vec::new(),
            dropped: Vec::new(),
            refused_by: None,
            warnings: Vec::new(),
            missing: Vec::new(),
            has_warned: false,
            unanswered: Vec::new(),
            open_items: Vec::new(),
            reranker: None,
            judge: None,
        }
    }

    /// Passages an editor named for this very question, with how near the question is to theirs.
    pub(crate) fn pinned(passages: Vec<StoredPassage>, similarity: Similarity) -> Self {
        let mut evidence = Self::looked_up(passages);
        for piece in &mut evidence.pieces {
            piece.similarity = similarity;
        }
        evidence
    }

    /// The pieces, best first.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Every gate's reading, in order.
    #[must_use]
    pub fn readings(&self) -> &[GateReading] {
        &self.readings
    }

    /// What was found and left out.
    #[must_use]
    pub fn dropped(&self) -> &[DroppedPassage] {
        &self.dropped
    }

    /// The first gate that stops the question, if one does.
    #[must_use]
    pub fn refused_by(&self) -> Option<&GateReading> {
        self.refused_by.as_ref()
    }

    /// Parts of the question the judge found no answer to; empty if it has one part.
    #[must_use]
    pub fn unanswered(&self) -> &[String] {
        &self.unanswered
    }

    /// Items of an enumeration the judge found no answer for; empty if it found none for any of them, since then the question
    /// is hardly one.
    #[must_use]
    pub fn open_items(&self) -> &[EnumeratedItem] {
        &self.open_items
    }

    /// What the judge did, if one is configured.
    #[must_use]
    pub fn judge_report(&self) -> Option<&JudgeReport> {
        self.judge.as_ref()
    }

    /// What the reranker did, if one is configured.
    #[must_use]
    pub fn rerank_report(&self) -> Option<&RerankReport> {
        self.reranker.as_ref()
    }

    /// The same with a warning of the names and rare words no piece holds, as the asker wrote them. Plain words are less of a loss,
    /// since documents have words of their own: they are told where so many are missing that the gate warns.
    pub(crate) fn tell_missing(mut self, question: &str, plain_words: &dyn PlainWords) -> Self {
        let written = |word: &String| {
            let mut words = question.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.'));
            words.find(|one| one.to_lowercase() == *word).map_or_else(|| word.clone(), str::to_owned)
        };
        let is_told = |word: &&String| self.has_warned || !plain_words.knows(word);
        let told: Vec<String> = self.missing.iter().filter(is_told).map(written).collect();
        if !told.is_empty() {
            self.warnings.push(format!("{}{}", gates::NOT_IN_EVIDENCE, told.join(", ")));
        }
        self
    }

    /// What the reader should know although the question goes on.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Keeps what is good enough, has the judge read the best of it, and reads every gate.
pub async fn judge(
    understanding: &Understanding,
    candidates: &Candidates,
    passages_max: Option<usize>,
    readers: Readers<'_>,
    policy: &JudgePolicy,
) -> Evidence {
    let mut dropped = Vec::new();
    let wanted = passages_max.map_or(policy.passages_max, |asked| asked.clamp(1, policy.passages_max));
    let Ordered { ranked, reranker, mut judge } = order(understanding, candidates, readers, policy, &mut dropped).await;
    let answering = answering_at_least(policy);
    let ranked = standing::holding_first(ranked, answering, policy);
    let kept = limits::within_limits(ranked, wanted, &reserves(understanding, policy), policy, &mut dropped);
    let pieces = kept.into_iter().map(|kept| Piece {
        marker: 0,
        passage: kept.ranked.candidate.passage.clone(),
        similarity: kept.ranked.similarity,
        reading: kept.ranked.reading,
        part: kept.ranked.candidate.part,
        is_reserve: kept.is_reserve,
        // What the gate would refuse without a reading is not quoted without one either.
        may_answer: answering
            .is_none_or(|least| kept.ranked.reading.is_some_and(|reading| reading.answerable >= least)),
        yields: false,
        unmet: None,
        further: Vec::new(),
    });
    let pieces = floors::covering(pieces.collect(), understanding.key_words(), policy, &mut dropped);
    let mut pieces: Vec<Piece> = (1u32..).zip(pieces).map(|(marker, piece)| Piece { marker, ..piece }).collect();
    if policy.gates.contains(&GatePolicy::Constraints) {
        constraints::constrain(&understanding.questions(), &mut pieces);
    }
    standing::yield_to_holding(&mut pieces, answering, policy);
    if let Some(passage_judge) = readers.judge {
        let is_whole = further_parts::read(understanding, &mut pieces, passage_judge, policy).await;
        judge = judge.map(|report| JudgeReport { is_cut: report.is_cut || !is_whole, ..report });
    }
    let mut evidence = Evidence {
        pieces,
        readings: Vec::new(),
        dropped,
        refused_by: None,
        warnings: Vec::new(),
        missing: Vec::new(),
        has_warned: false,
        unanswered: Vec::new(),
        open_items: Vec::new(),
        reranker,
        judge,
    };
    read_gates(understanding, policy, &mut evidence);
    evidence.unanswered = unanswered::parts(understanding, &evidence.pieces, answering);
    evidence.open_items = unanswered::items(understanding, &evidence.pieces);
    evidence
}

/// The candidates above the floor, best first, and who said so.
struct Ordered<'a> {
    ranked: Vec<Ranked<'a>>,
    reranker: Option<RerankReport>,
    judge: Option<JudgeReport>,
}

/// Puts the pool in order: by a reranker or the fused score, and by what the judge reads.
async fn order<'a>(
    understanding: &Understanding,
    candidates: &'a Candidates,
    readers: Readers<'_>,
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Ordered<'a> {
    let is_read = readers.judge.is_some() || readers.reranker.is_some();
    let above_floor = floors::above_floor(candidates.items(), is_read, policy, dropped);
    let ranked = rerank::unread(above_floor, understanding, policy);
    let (pool, reranker) = match readers.reranker {
        None => (Pool::Fused(ranked), None),
        Some(reranker) => {
            let (ranked, report) = reorder::reorder(understanding, ranked, reranker, policy).await;
            let pool = if report.failure.is_none() { Pool::Reordered(ranked) } else { Pool::Fused(ranked) };
            (pool, Some(report))
        }
    };
    match (readers.judge, pool) {
        (Some(judge), pool) => {
            let pool = diversity::before_judge(pool, understanding.questions().len(), policy, dropped);
            let (ranked, report) = rerank::rerank(understanding, pool, judge, policy).await;
            let ranked = floors::weighed_by_judge(ranked, policy, dropped);
            Ordered { ranked, reranker, judge: Some(report) }
        }
        (None, Pool::Reordered(ranked)) => {
            Ordered { ranked: floors::weighed_by_judge(ranked, policy, dropped), reranker, judge: None }
        }
        (None, Pool::Fused(ranked)) => {
            // Nobody has read them, whoever was to.
            let ranked = floors::above_floor_unread(ranked, policy, dropped);
            let ranked = match policy.diversity {
                Some(diversity) => diversity::diverse(ranked, diversity, dropped),
                None => ranked,
            };
            Ordered { ranked, reranker, judge: None }
        }
    }
}

/// The kinds of which some are always kept: those of the profile, and those the question names.
fn reserves(understanding: &Understanding, policy: &JudgePolicy) -> Vec<(String, usize)> {
    let mut reserves = policy.kind_reserves.clone();
    for kind in understanding.kinds() {
        if reserves.iter().all(|(known, _)| !known.eq_ignore_ascii_case(kind)) {
            reserves.push((kind.clone(), NAMED_KIND_RESERVE));
        }
    }
    reserves
}

/// From which reading on the judge counts as having found the answer; none if no gate says so.
fn answering_at_least(policy: &JudgePolicy) -> Option<f32> {
    policy.gates.iter().find_map(|gate| match gate {
        GatePolicy::Answerability { at_least } => Some(*at_least),
        GatePolicy::Top1 { .. }
        | GatePolicy::Coverage { .. }
        | GatePolicy::NoContext { .. }
        | GatePolicy::BailOut { .. }
        | GatePolicy::Specific { .. }
        | GatePolicy::Keywords { .. }
        | GatePolicy::QueryCoverage { .. }
        | GatePolicy::Constraints => None,
    })
}

fn drop_note(candidate: &Candidate, reason: DropReason) -> DroppedPassage {
    DroppedPassage { source_id: candidate.passage.source_id(), reason }
}

fn read_gates(understanding: &Understanding, policy: &JudgePolicy, evidence: &mut Evidence) {
    let found = terms_of(&evidence.pieces);
    for gate in &policy.gates {
        if matches!(gate, GatePolicy::Keywords { .. }) {
            evidence.missing = gates::missing(understanding.key_words(), &found);
        }
        let verdict = gates::read(gate, &evidence.pieces, understanding.key_words(), &found);
        let reading = match verdict {
            GateVerdict::Pass(reading) => reading,
            GateVerdict::Warn(reading) => {
                evidence.has_warned = true;
                reading
            }
            GateVerdict::Refuse(reading) => {
                evidence.refused_by.get_or_insert_with(|| reading.clone());
                reading
            }
        };
        evidence.readings.push(reading);
    }
}

/// Every term of the pieces and of the headings above them, sorted.
fn terms_of(pieces: &[Piece]) -> Vec<String> {
    let mut found: Vec<String> = pieces.iter().flat_map(floors::terms_of).collect();
    found.sort_unstable();
    found.dedup();
    found
}
