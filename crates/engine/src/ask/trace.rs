//! What a walk leaves behind → `Trace`: the one record every explanation is a view of.

use std::sync::Arc;

use vouch_domain::ports::Clock;

use super::outcome::Outcome;
use crate::trace::{CandidateReport, Fallback, Stage, StageTiming, Trace, UnsupportedClaim};
use crate::{
    decide::{Decision, Refusal, RefusalReason, UnsureOutcome, VerifiedAnswer, gates_after_writing},
    judge::Evidence,
    policy::DecidePolicy,
    retrieve::Candidate,
};

pub(super) fn trace(outcome: &Outcome, watch: &StopWatch<'_>, policy: &DecidePolicy) -> Trace {
    let mut gates = outcome.material.evidence.readings().to_vec();
    let lost_in_search = outcome.material.lost_in_search();
    gates.extend(gates_after_writing(&outcome.decision, &lost_in_search, policy));
    Trace {
        routing: None,
        tools: Vec::new(),
        gates,
        rewrites: outcome.material.candidates.rewrites().to_vec(),
        lanes: outcome.material.candidates.lanes().to_vec(),
        memory: outcome.material.memory.clone(),
        candidates: outcome
            .material
            .candidates
            .items()
            .iter()
            .map(|one| candidate(one, &outcome.material.evidence))
            .collect(),
        dropped: outcome.material.evidence.dropped().to_vec(),
        lookup: outcome.material.lookup.clone(),
        reranker: outcome.material.evidence.rerank_report().cloned(),
        embedding: outcome.material.candidates.embedding(),
        judge: outcome.material.evidence.judge_report().cloned(),
        writer: outcome.writer.clone(),
        fallbacks: fallbacks(outcome),
        lost_in_search,
        timings: watch.laps.clone(),
    }
}

/// Whether a sentence is not shown because nobody could weigh it in time.
fn is_weighed_late(decision: &Decision) -> bool {
    let has_late = |left_out: &[UnsupportedClaim]| left_out.iter().any(UnsupportedClaim::is_late);
    let of_answer = |answer: &VerifiedAnswer| has_late(answer.left_out());
    let of_refusal =
        |refusal: &Refusal| matches!(&refusal.reason, RefusalReason::NothingVerified(left_out) if has_late(left_out));
    match decision {
        Decision::Answer(answer) => of_answer(answer),
        Decision::Refuse(refusal) => of_refusal(refusal),
        Decision::Refer(referral) => match &referral.unsure {
            UnsureOutcome::Answer(answer) => of_answer(answer),
            UnsureOutcome::Refusal(refusal) => of_refusal(refusal),
        },
        Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => false,
    }
}

/// The fallbacks that were used.
fn fallbacks(outcome: &Outcome) -> Vec<Fallback> {
    let mut flags = outcome.material.lost_in_search();
    let writer = outcome.writer.as_ref();
    let others = [
        // A model that says that there is no answer has done its work.
        (
            writer.is_some_and(|writer| writer.is_quoted_instead && !writer.has_found_no_answer),
            Fallback::LlmUnavailable,
        ),
        (writer.is_some_and(|writer| writer.is_circuit_open), Fallback::CircuitOpen),
        (is_weighed_late(&outcome.decision), Fallback::NotReadInTime),
        (writer.is_some_and(|writer| writer.instead_of.is_some()), Fallback::StandIn),
    ];
    for (is_up, flag) in others {
        if is_up && !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    flags
}

/// One candidate's way: who found it, what it was weighed at, and whether it was used.
fn candidate(candidate: &Candidate, evidence: &Evidence) -> CandidateReport {
    let found = candidate.report();
    let piece = evidence.pieces().iter().find(|piece| piece.passage.key == candidate.passage.key);
    let dropped = evidence.dropped().iter().find(|dropped| dropped.source_id == found.source_id);
    let read =
        evidence.judge_report().and_then(|judge| judge.readings.iter().find(|read| read.source_id == found.source_id));
    CandidateReport {
        relevance: found.relevance.map(|measured| piece.map_or(measured, |piece| piece.similarity.relevance)),
        answerable: read.map(|read| read.answerable),
        relevant: read.map(|read| read.relevant),
        marker: piece.map(|piece| piece.marker),
        is_reserve: piece.is_some_and(|piece| piece.is_reserve),
        dropped: dropped.map(|dropped| dropped.reason),
        ..found
    }
}

/// Time spent, stage by stage.
pub(super) struct StopWatch<'a> {
    clock: &'a Arc<dyn Clock>,
    started_ms: f64,
    lap_ms: f64,
    laps: Vec<StageTiming>,
}

impl<'a> StopWatch<'a> {
    pub(super) fn start(clock: &'a Arc<dyn Clock>) -> Self {
        let now = clock.since_start().as_secs_f64() * 1e3;
        Self { clock, started_ms: now, lap_ms: now, laps: Vec::new() }
    }

    pub(super) fn lap(&mut self, stage: Stage) {
        let now = self.clock.since_start().as_secs_f64() * 1e3;
        self.laps.push(StageTiming { stage, elapsed_ms: now - self.lap_ms });
        self.lap_ms = now;
    }

    pub(super) fn total_ms(&self) -> f64 {
        self.lap_ms - self.started_ms
    }
}
