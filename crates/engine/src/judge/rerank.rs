//! Candidates, best first → the best of them read by the judge and put into a common order of fused score and reading,
//! unless a reranker has put them in order.
//!
//! Invariant: what was read stays ahead of what was not; where a reading is missing the fused order stands, and the
//! report says why.

use std::sync::Arc;

use vouch_domain::{
    PortError, StoredPassage,
    ports::{JudgedPassage, PassageJudge, Reading},
};

use super::boosts::{self, Boosts};
use crate::{
    policy::JudgePolicy,
    retrieve::{Candidate, Similarity},
    trace::{JudgeReport, PassageReading},
    understand::Understanding,
};

/// Beyond this a higher score of the judge makes no difference.
const LOGIT_MAX: f32 = 6.0;

/// A candidate above the floor, with what the judge made of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked<'a> {
    pub(super) candidate: &'a Candidate,
    /// With its boost, where it has been weighed.
    pub(super) similarity: Similarity,
    /// What it gains for what it shares with the question.
    pub(super) boost: f32,
    pub(super) reading: Option<Reading>,
}

/// The pool before the judge reads, and who put it in order.
pub(super) enum Pool<'a> {
    /// The fused score: the judge's word moves what it reads, and a few forced passages are among it.
    Fused(Vec<Ranked<'a>>),
    /// A reranker, whose order stands.
    Reordered(Vec<Ranked<'a>>),
}

/// How many of the passages the judge reads may be there because a lane forced them, not for their score.
const FORCED_READ_MAX: usize = 2;

pub(super) async fn rerank<'a>(
    understanding: &Understanding,
    ranked: Pool<'a>,
    judge: &Arc<dyn PassageJudge>,
    policy: &JudgePolicy,
) -> (Vec<Ranked<'a>>, JudgeReport) {
    let kinds = understanding.kinds();
    let is_reordered = matches!(ranked, Pool::Reordered(_));
    let mut ranked = match ranked {
        Pool::Reordered(ranked) => shared_out(ranked, understanding.questions().len(), policy.read_max),
        Pool::Fused(ranked) => {
            let ranked = shared_out(ranked, understanding.questions().len(), policy.read_max);
            readable_first(ranked, policy.read_max)
        }
    };
    let given = ranked.len().min(policy.read_max);
    let mut report =
        JudgeReport { name: judge.name().to_owned(), given, readings: Vec::new(), failure: None, is_cut: false };
    if given == 0 {
        return (ranked, report);
    }
    let reading = read(understanding, &mut ranked, given, judge, policy);
    match tokio::time::timeout(policy.read_timeout * 2, reading).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(fault = error.fault.as_str(), "judge failed");
            report.failure = Some(error.to_string());
            return (ranked, report);
        }
        Err(_) => {
            tracing::warn!(given, "the judge did not read in time");
            report.failure = Some("judge: no answer within the deadline".to_owned());
            report.is_cut = true;
            return (ranked, report);
        }
    }
    let missing = ranked.iter().take(report.given).filter(|one| one.reading.is_none()).count();
    if missing == 0 && !is_reordered {
        let unread = f32::NEG_INFINITY;
        let blended = |one: &Ranked<'_>| {
            one.reading.map_or(unread, |reading| blend(boosted(one.candidate, kinds, policy), reading, policy))
        };
        // A stable sort: equal scores keep the fused order; what was not read stays behind.
        ranked.sort_by(|a, b| blended(b).total_cmp(&blended(a)));
    } else if missing > 0 {
        tracing::warn!(missing, given, "the judge did not read every passage in time");
        report.is_cut = true;
        report.failure =
            Some(format!("judge: {missing} of {} passages were not read within the deadline", report.given));
    }
    report.readings = ranked.iter().filter_map(report_line).collect();
    (ranked, report)
}

/// Has the first few read, each for the part of the question it is nearest to.
async fn read(
    understanding: &Understanding,
    ranked: &mut [Ranked<'_>],
    given: usize,
    judge: &Arc<dyn PassageJudge>,
    policy: &JudgePolicy,
) -> Result<(), PortError> {
    for (part, question) in understanding.questions().into_iter().enumerate() {
        let places: Vec<usize> =
            (0..given).filter(|place| ranked.get(*place).is_some_and(|one| one.candidate.part == part)).collect();
        let passages: Vec<JudgedPassage> =
            places.iter().filter_map(|place| ranked.get(*place)).map(|one| passage(one.candidate)).collect();
        if passages.is_empty() {
            continue;
        }
        let readings = judge.read(question, passages, policy.read_timeout).await?;
        for (place, reading) in places.into_iter().zip(readings) {
            if let Some(one) = ranked.get_mut(place) {
                one.reading = reading;
            }
        }
    }
    Ok(())
}

/// Of a question in several parts, each part's best come first in turn, so that the judge reads for all of them.
fn shared_out(ranked: Vec<Ranked<'_>>, parts: usize, read_max: usize) -> Vec<Ranked<'_>> {
    if parts < 2 {
        return ranked;
    }
    let share = read_max.div_ceil(parts);
    let mut taken = vec![0; parts];
    let (first, rest): (Vec<Ranked<'_>>, Vec<Ranked<'_>>) = ranked.into_iter().partition(|one| {
        let count = taken.get_mut(one.candidate.part);
        count.is_some_and(|count| {
            *count += 1;
            *count <= share
        })
    });
    first.into_iter().chain(rest).collect()
}

/// Moves a few forced candidates among those that are read; the rest keeps its order.
fn readable_first(mut ranked: Vec<Ranked<'_>>, read_max: usize) -> Vec<Ranked<'_>> {
    if ranked.len() <= read_max {
        return ranked;
    }
    let forced: Vec<usize> = (read_max..ranked.len())
        .filter(|place| ranked.get(*place).is_some_and(|one| one.candidate.forced_by.is_some()))
        .take(FORCED_READ_MAX.min(read_max))
        .collect();
    for (taken, place) in forced.iter().enumerate() {
        let one = ranked.remove(*place);
        ranked.insert(read_max - forced.len() + taken, one);
    }
    ranked
}

/// The candidates as they come, those of a kind the question names a little further up.
pub(super) fn unread<'a>(
    candidates: Vec<(&'a Candidate, Similarity)>,
    understanding: &Understanding,
    policy: &JudgePolicy,
) -> Vec<Ranked<'a>> {
    let (kinds, boosts) = (understanding.kinds(), Boosts::new(understanding.asked(), &policy.boosts));
    let ranked = candidates.into_iter().map(|(candidate, similarity)| {
        let boost = boosts.of(&candidate.passage);
        let is_weighed = candidate.similarity.is_some();
        let similarity = if is_weighed { boosts::boosted(similarity, boost) } else { similarity };
        Ranked { candidate, similarity, boost, reading: None }
    });
    let mut ranked: Vec<Ranked<'a>> = ranked.collect();
    if !kinds.is_empty() {
        ranked.sort_by(|a, b| boosted(b.candidate, kinds, policy).total_cmp(&boosted(a.candidate, kinds, policy)));
    }
    ranked
}

/// The fused score with the nudge of a kind the question names.
fn boosted(candidate: &Candidate, kinds: &[String], policy: &JudgePolicy) -> f32 {
    candidate.fused_score + if is_named(candidate, kinds) { policy.kind_boost } else { 0.0 }
}

/// Whether the question names the kind of document this is.
pub(super) fn is_named(candidate: &Candidate, kinds: &[String]) -> bool {
    kinds.iter().any(|kind| kind.eq_ignore_ascii_case(&candidate.passage.document.kind))
}

/// The fused score, moved by how certain the judge is that the passage fits.
#[must_use]
pub fn blend(fused_score: f32, reading: Reading, policy: &JudgePolicy) -> f32 {
    let chance = reading.relevant.clamp(1e-6, 1.0 - 1e-6);
    let logit = (chance / (1.0 - chance)).ln().clamp(-LOGIT_MAX, LOGIT_MAX);
    policy.reading_weight.mul_add(logit, fused_score)
}

/// A passage as the judge reads it, under its nearest heading.
#[must_use]
pub fn passage(candidate: &Candidate) -> JudgedPassage {
    judged(&candidate.passage)
}

/// The same of a passage wherever it is kept.
pub(super) fn judged(stored: &StoredPassage) -> JudgedPassage {
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
