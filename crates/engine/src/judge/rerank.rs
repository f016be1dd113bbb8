//! Candidates, best first → the best of them read by the judge and put into a common order of fused score and reading.
//!
//! Invariant: what was read stays ahead of what was not; where a reading is missing the fused order stands, and the
//! report says why.

use std::sync::Arc;

use vouch_domain::{
    JudgeReport, PassageReading,
    ports::{JudgedPassage, PassageJudge, Reading},
};

use crate::{
    policy::JudgePolicy,
    retrieve::{Candidate, Similarity},
};

/// Beyond this a judge that is sure says no more than one that is very sure.
const LOGIT_MAX: f32 = 6.0;

/// A candidate above the floor, with what the judge made of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) similarity: Similarity,
    pub(super) reading: Option<Reading>,
}

pub(super) async fn rerank<'a>(
    question: &str,
    candidates: Vec<(&'a Candidate, Similarity)>,
    judge: &Arc<dyn PassageJudge>,
    policy: &JudgePolicy,
) -> (Vec<Ranked<'a>>, JudgeReport) {
    let mut ranked = unread(candidates);
    let given: Vec<JudgedPassage> = ranked.iter().take(policy.read_max).map(|one| passage(one.candidate)).collect();
    let mut report =
        JudgeReport { name: judge.name().to_owned(), given: given.len(), readings: Vec::new(), failure: None };
    if given.is_empty() {
        return (ranked, report);
    }
    let readings =
        match tokio::time::timeout(policy.read_timeout * 2, judge.read(question, given, policy.read_timeout)).await {
            Ok(Ok(readings)) => readings,
            Ok(Err(error)) => {
                tracing::warn!(fault = error.fault.word(), "judge failed");
                report.failure = Some(error.to_string());
                return (ranked, report);
            }
            Err(_) => {
                report.failure = Some("judge: no answer within the deadline".to_owned());
                return (ranked, report);
            }
        };
    for (one, reading) in ranked.iter_mut().zip(readings) {
        one.reading = reading;
    }
    let missing = ranked.iter().take(report.given).filter(|one| one.reading.is_none()).count();
    if missing == 0 {
        let unread = f32::NEG_INFINITY;
        let blended =
            |one: &Ranked<'_>| one.reading.map_or(unread, |reading| blend(one.candidate.fused_score, reading, policy));
        // A stable sort: equal scores keep the fused order; what was not read stays behind.
        ranked.sort_by(|a, b| blended(b).total_cmp(&blended(a)));
    } else {
        report.failure =
            Some(format!("judge: {missing} of {} passages were not read within the deadline", report.given));
    }
    report.readings = ranked.iter().filter_map(report_line).collect();
    (ranked, report)
}

/// The same candidates where no judge is asked.
pub(super) fn unread(candidates: Vec<(&Candidate, Similarity)>) -> Vec<Ranked<'_>> {
    candidates.into_iter().map(|(candidate, similarity)| Ranked { candidate, similarity, reading: None }).collect()
}

/// The fused score, moved by how sure the judge is that the passage fits.
#[must_use]
pub fn blend(fused_score: f32, reading: Reading, policy: &JudgePolicy) -> f32 {
    let chance = reading.relevant.clamp(1e-6, 1.0 - 1e-6);
    let logit = (chance / (1.0 - chance)).ln().clamp(-LOGIT_MAX, LOGIT_MAX);
    policy.reading_weight.mul_add(logit, fused_score)
}

/// A passage as the judge reads it, under its nearest heading.
#[must_use]
pub fn passage(candidate: &Candidate) -> JudgedPassage {
    let stored = &candidate.passage;
    let heading = stored.passage.section.last().unwrap_or(&stored.document.title);
    JudgedPassage { heading: heading.clone(), text: stored.passage.text.clone() }
}

fn report_line(one: &Ranked<'_>) -> Option<PassageReading> {
    let reading = one.reading?;
    Some(PassageReading {
        source_id: one.candidate.passage.source_id(),
        answerable: reading.answerable,
        relevant: reading.relevant,
    })
}
