//! Graded questions → the figures of a report.
//!
//! What counts as wrong is said here once: a hallucination is an unanswerable question that was answered, or an answer that does not
//! hold what it must. What is shown beside the name of a person is an answer; a question that was only routed is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    bounds::{Rate, share},
    expectation::TERM,
    graded::Graded,
    score::Verdict,
};

/// How many parts the confidences are divided into for the plot of calibration.
const BINS: u32 = 10;

/// The figures of a set of questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// All of them.
    pub overall: Slice,
    /// By the collection of the documents that answer, or that are cited.
    pub by_collection: BTreeMap<String, Slice>,
    /// By category.
    pub by_category: BTreeMap<String, Slice>,
    /// What was refused, routed or asked back.
    pub abstention: Abstention,
    /// How often the documents cited are those that answer, and how many of those are cited; of what was answered.
    pub citations: Citations,
    /// Definitions that cite no vocabulary, and those given of what the vocabulary does not have; of all questions about a term that
    /// were answered.
    #[serde(default)]
    pub terminology_hallucination: Rate,
    /// By key of `expected`: how often what was done agrees.
    pub expectations: BTreeMap<String, Rate>,
    /// How much is answered, and how much of it wrongly, where answers below a confidence are held back.
    pub risk_coverage: Vec<RiskPoint>,
    /// How often answers of a confidence are right.
    pub calibration: Vec<Bin>,
    /// The time of a question, in milliseconds.
    pub latency: Latency,
}

/// The figures of some questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// How many.
    pub count: usize,
    /// Right answers among all answers.
    pub precision: f64,
    /// Right answers among the answerable questions.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Right answers among all answers, with its interval.
    pub right_of_answered: Rate,
    /// Right answers among the answerable questions, with its interval.
    pub right_of_answerable: Rate,
    /// Hallucinations of both sorts, of all questions.
    pub hallucination: Rate,
    /// Unanswerable questions that were answered.
    pub answered_unanswerable: Rate,
    /// Answerable questions with an answer that does not hold what it must.
    pub beside: Rate,
    /// Answerable questions that were not answered.
    pub false_refusal: Rate,
    /// Rightly refused, of all that was refused.
    pub refusal_precision: Rate,
    /// Rightly refused, of the unanswerable questions.
    pub refusal_recall: Rate,
}

/// What was not answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Abstention {
    /// The share of all questions.
    pub total_rate: f64,
    /// By reason, as shares of all questions.
    pub by_reason: BTreeMap<String, f64>,
}

/// Documents cited and documents that answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Citations {
    /// Of the documents cited, those that answer.
    pub precision: Rate,
    /// Of the documents that answer, those cited.
    pub recall: Rate,
}

/// One point of the curve of risk and coverage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RiskPoint {
    /// Answers below it are held back.
    pub confidence: u32,
    /// The share of all questions that is answered.
    pub coverage: f64,
    /// The share of the answers that is wrong.
    pub risk: f64,
}

/// Answers of nearly the same confidence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The mean confidence, 0 to 1.
    pub confidence: f64,
    /// How often they are right.
    pub right: Rate,
}

/// The time of a question, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half of them took less.
    pub p50_ms: f64,
    /// 95 of 100.
    pub p95_ms: f64,
    /// 99 of 100.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// 95 of 100 questions about a term, which the vocabulary answers; 0 where there are none.
    #[serde(default)]
    pub term_p95_ms: f64,
}

/// Adds up graded questions.
#[must_use]
pub fn metrics(graded: &[Graded]) -> Metrics {
    let of = |name: fn(&Graded) -> Vec<String>| {
        let mut parts: BTreeMap<String, Vec<&Graded>> = BTreeMap::new();
        for one in graded {
            name(one).into_iter().for_each(|name| parts.entry(name).or_default().push(one));
        }
        parts.into_iter().map(|(name, own)| (name, slice(&own))).collect()
    };
    Metrics {
        overall: slice(&graded.iter().collect::<Vec<_>>()),
        by_collection: of(|one| one.collections.clone()),
        by_category: of(|one| vec![one.category.clone()]),
        abstention: abstention(graded),
        citations: citations(graded),
        terminology_hallucination: terminology_hallucination(graded),
        expectations: expectations(graded),
        risk_coverage: risk_coverage(graded),
        calibration: calibration(graded),
        latency: latency(graded),
    }
}

fn slice(graded: &[&Graded]) -> Slice {
    let count = |verdict: Verdict| graded.iter().filter(|one| one.verdict == verdict).count();
    let (right, beside, false_refusals) = (count(Verdict::Right), count(Verdict::Beside), count(Verdict::FalseRefusal));
    let (right_refusals, overconfident) = (count(Verdict::RightRefusal), count(Verdict::Overconfident));
    let answerable = right + beside + false_refusals;
    let unanswerable = right_refusals + overconfident;
    let right_of_answered = Rate::new(right, right + beside + overconfident);
    let right_of_answerable = Rate::new(right, answerable);
    let (precision, recall) = (right_of_answered.share, right_of_answerable.share);
    Slice {
        count: graded.len(),
        precision,
        recall,
        f1: if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 },
        right_of_answered,
        right_of_answerable,
        hallucination: Rate::new(beside + overconfident, graded.len()),
        answered_unanswerable: Rate::new(overconfident, unanswerable),
        beside: Rate::new(beside, answerable),
        false_refusal: Rate::new(false_refusals, answerable),
        refusal_precision: Rate::new(right_refusals, right_refusals + false_refusals),
        refusal_recall: Rate::new(right_refusals, unanswerable),
    }
}

fn abstention(graded: &[Graded]) -> Abstention {
    let mut by_reason: BTreeMap<String, usize> = BTreeMap::new();
    let abstained = graded.iter().filter(|one| one.actual.is_abstained());
    for one in abstained.clone() {
        let reason = one.actual.abstain_reason.clone().unwrap_or_else(|| one.actual.outcome.clone());
        *by_reason.entry(reason).or_default() += 1;
    }
    let by_reason = by_reason.into_iter().map(|(reason, count)| (reason, share(count, graded.len()))).collect();
    Abstention { total_rate: share(abstained.count(), graded.len()), by_reason }
}

fn citations(graded: &[Graded]) -> Citations {
    let answered = graded.iter().filter(|one| one.answerable && !one.actual.is_abstained() && !one.gold.is_empty());
    let (mut cited, mut gold, mut both) = (0, 0, 0);
    for one in answered.filter(|one| one.actual.tool.is_none()) {
        cited += one.actual.documents.len();
        gold += one.gold.len();
        both += one.gold.iter().filter(|id| one.actual.cites(id)).count();
    }
    Citations { precision: Rate::new(both, cited), recall: Rate::new(both, gold) }
}

fn terminology_hallucination(graded: &[Graded]) -> Rate {
    let is_answered_term = |one: &&Graded| one.actual.intent == "terminology" && one.actual.outcome == "answered";
    let answered = graded.iter().filter(is_answered_term);
    let is_invented = |one: &&Graded| !one.answerable || !one.actual.kinds.contains(TERM);
    Rate::new(answered.clone().filter(is_invented).count(), answered.count())
}

fn expectations(graded: &[Graded]) -> BTreeMap<String, Rate> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for one in graded {
        for key in &one.looked_at {
            let (met, all) = counts.entry(key.clone()).or_default();
            *met += usize::from(one.unmet.iter().all(|unmet| unmet.key != *key));
            *all += 1;
        }
    }
    counts.into_iter().map(|(key, (met, all))| (key, Rate::new(met, all))).collect()
}

fn is_wrong(one: &Graded) -> bool {
    matches!(one.verdict, Verdict::Beside | Verdict::Overconfident)
}

/// What was answered with a confidence, the surest first.
fn answered(graded: &[Graded]) -> Vec<(u32, &Graded)> {
    let is_answered = |one: &&Graded| matches!(one.verdict, Verdict::Right | Verdict::Beside | Verdict::Overconfident);
    let mut answered: Vec<(u32, &Graded)> =
        graded.iter().filter(is_answered).filter_map(|one| Some((one.confidence?, one))).collect();
    answered.sort_by_key(|(confidence, _)| std::cmp::Reverse(*confidence));
    answered
}

fn risk_coverage(graded: &[Graded]) -> Vec<RiskPoint> {
    let answered = answered(graded);
    let mut points = Vec::new();
    let mut wrong = 0;
    for (place, (confidence, one)) in answered.iter().enumerate() {
        wrong += usize::from(is_wrong(one));
        let is_last_of_figure = answered.get(place + 1).is_none_or(|(next, _)| next != confidence);
        if is_last_of_figure {
            let (coverage, risk) = (share(place + 1, graded.len()), share(wrong, place + 1));
            points.push(RiskPoint { confidence: *confidence, coverage, risk });
        }
    }
    points
}

fn calibration(graded: &[Graded]) -> Vec<Bin> {
    let answered = answered(graded);
    let bin = |number: u32| {
        let own: Vec<&(u32, &Graded)> =
            answered.iter().filter(|(confidence, _)| (confidence * BINS / 100).min(BINS - 1) == number).collect();
        let sum: f64 = own.iter().map(|(confidence, _)| f64::from(*confidence) / 100.0).sum();
        let right = own.iter().filter(|(_, one)| !is_wrong(one)).count();
        (!own.is_empty()).then(|| Bin { confidence: sum / own.len() as f64, right: Rate::new(right, own.len()) })
    };
    (0..BINS).filter_map(bin).collect()
}

fn latency(graded: &[Graded]) -> Latency {
    let times = |own: &mut dyn Iterator<Item = &Graded>| {
        let mut times: Vec<f64> = own.map(|one| one.elapsed_ms).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let at = |times: &[f64], hundredths: usize| {
        let place = (times.len() * hundredths).div_ceil(100).saturating_sub(1);
        times.get(place).copied().unwrap_or_default()
    };
    let all = times(&mut graded.iter());
    let terms = times(&mut graded.iter().filter(|one| one.actual.intent == "terminology"));
    Latency {
        p50_ms: at(&all, 50),
        p95_ms: at(&all, 95),
        p99_ms: at(&all, 99),
        max_ms: at(&all, 100),
        term_p95_ms: at(&terms, 95),
    }
}
