//! Verified text and evidence → how certain the answer is.
//!
//! By default it is a chance: that what is shown answers what was asked, see `chance`. Where a profile fixes the formula it is 30 parts
//! retrieval, 40 parts coverage of the question by what is shown, 30 parts judge; so it is where no judge has spoken, and the two parts
//! that are known share the whole. The judge's part is how likely it finds the answer in the passages cited, times how well the
//! sentences are supported; or the word of a second model, which is never the one that wrote. A second model that finds nothing supported
//! makes it 0, and a writer's own "no answer" halves the judge's part.

use vouch_domain::language::KeyWord;

use crate::{
    judge::Evidence,
    policy::{ConfidenceFormula, DecidePolicy},
    trace::{Fallback, GateName, GateReading},
    verify::{Citation, Claim, VerifiedText},
};

use super::{ModelOpinions, chance::Signs, coverage::coverage, quality::FALLBACK_PENALTY};

const RETRIEVAL_WEIGHT: f32 = 30.0;
const COVERAGE_WEIGHT: f32 = 40.0;
const JUDGE_WEIGHT: f32 = 30.0;

/// How certain an answer is, and from what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// 0 to 100, reduced by a fifth if a part of the search was down.
    pub overall: u32,
    /// The same before that.
    pub undiminished: u32,
    /// Mean relevance of the cited passages, 0 to 1.
    pub retrieval_score: f32,
    /// How much of the question stands in what is shown, 0 to 1.
    pub coverage_score: f32,
    /// The judge's word, 0 to 100, if there is a judge.
    pub judge_score: Option<u32>,
}

impl Confidence {
    /// The same of what an editor chose for these very words: as certain as the catalogue.
    pub(super) fn of_choice(self) -> Self {
        Self { overall: 100, undiminished: 100, ..self }
    }

    /// The same in fallback mode, reduced once however many parts of the search were down.
    pub(super) fn with_fallbacks(mut self, fallbacks: &[Fallback]) -> Self {
        if !fallbacks.is_empty() {
            self.overall =
                percent(f32::from(u8::try_from(self.undiminished).unwrap_or(100)) / 100.0 * FALLBACK_PENALTY);
        }
        self
    }
}

impl Confidence {
    /// The same, but enough for what was told already: that stays, and what is added to it takes nothing away. Where the model found
    /// no answer it is no more than enough.
    pub(super) fn not_below(self, told: Self, least: Option<u32>, opinions: ModelOpinions) -> Self {
        let least = least.unwrap_or(0).min(told.overall);
        match opinions.found_no_answer {
            _ if self.overall >= told.overall => self,
            true if self.overall >= least => self,
            true => Self { overall: least, undiminished: self.undiminished.max(least), ..self },
            false => told,
        }
    }
}

/// What the catalogue itself says is certain.
fn certain() -> Confidence {
    Confidence { overall: 100, undiminished: 100, retrieval_score: 1.0, coverage_score: 1.0, judge_score: None }
}

/// The least confidence an answer must have to be shown where this of the search was lost; none if any will do.
pub(super) fn least(lost: &[Fallback], policy: &DecidePolicy) -> Option<u32> {
    let under_fallback = (!lost.is_empty()).then_some(policy.fallback_confidence_at_least);
    policy.confidence_at_least.max(under_fallback).filter(|least| *least > 0)
}

/// Whether an answer without any confidence is sent to a person.
fn has_referral(policy: &DecidePolicy) -> bool {
    policy.route.as_ref().is_some_and(|route| route.below > 0)
}

/// Whether a second model may still refuse what was written, by finding nothing of it supported.
#[must_use]
pub fn denial_may_refuse(policy: &DecidePolicy) -> bool {
    !has_referral(policy)
}

/// Whether confidence may still refuse what was written where this of the search was lost.
pub(super) fn may_be_too_low(lost: &[Fallback], policy: &DecidePolicy) -> bool {
    least(lost, policy).is_some()
}

/// The gate after everything is written: an answer less certain than the profile asks for is not shown. None where any will do.
/// What a second model finds not supported at all is not shown as an answer, whatever the profile asks for: a person is asked, where the
/// profile names one, or it is refused.
pub(super) fn gate(
    confidence: &Confidence,
    least: Option<u32>,
    opinions: ModelOpinions,
    policy: &DecidePolicy,
) -> Option<GateReading> {
    let denied = (opinions.support == Some(0) && !has_referral(policy)).then_some(1);
    let least = least.max(denied)?;
    let share = |hundredths: u32| hundredths.min(100) as f32 / 100.0;
    let (reading, threshold) = (share(confidence.overall), share(least));
    let passed = confidence.overall >= least;
    let relation = if passed { "reaches" } else { "is below" };
    let sentence = format!("Confidence in the answer ({reading:.2}) {relation} {threshold}");
    Some(GateReading { name: GateName::Confidence, reading, raw: None, threshold, passed, sentence })
}

/// What is known of an answer to a question with these key words.
#[must_use]
pub fn signs(text: &VerifiedText, key_words: &[KeyWord], evidence: &Evidence) -> Signs {
    let cited: Vec<f32> = text.citations().iter().map(Citation::relevance).collect();
    let all: Vec<f32> = evidence.pieces().iter().map(|piece| piece.similarity.relevance).collect();
    let own = text.citations().iter().filter_map(|cited| cited.reading().map(|reading| reading.answerable));
    let judged = own.max_by(f32::total_cmp);
    let readings = evidence.judge_report().map(|report| report.readings.as_slice()).unwrap_or_default();
    let mut rivals: Vec<f32> = readings.iter().map(|reading| reading.answerable).collect();
    if let Some(at) = rivals.iter().position(|rival| Some(*rival) == judged) {
        rivals.swap_remove(at);
    }
    Signs {
        judged,
        rival: rivals.into_iter().max_by(f32::total_cmp).unwrap_or_default(),
        relevance: mean(if cited.is_empty() { &all } else { &cited }),
        coverage: coverage(key_words, text),
    }
}

/// How certain an answer with these signs is.
pub(super) fn confidence(
    text: &VerifiedText,
    signs: Signs,
    (is_named, opinions): (bool, ModelOpinions),
    formula: ConfidenceFormula,
) -> Confidence {
    if text.is_from_catalogue() {
        return certain();
    }
    let supported = mean(&text.claims().iter().map(Claim::score).collect::<Vec<_>>());
    let opinion = opinions.support.map(|score| score.min(100) as f32 / 100.0);
    let spoken = opinion.or(signs.judged.map(|judged| judged * supported));
    // The writer has read the same passages and is one of two who judge them then.
    let judged = if opinions.found_no_answer { Some(spoken.unwrap_or(0.0) / 2.0) } else { spoken };
    let known = RETRIEVAL_WEIGHT * signs.relevance + COVERAGE_WEIGHT * signs.coverage;
    let weighted = match judged {
        None => known / (RETRIEVAL_WEIGHT + COVERAGE_WEIGHT),
        Some(judged) => (known + JUDGE_WEIGHT * judged) / (RETRIEVAL_WEIGHT + COVERAGE_WEIGHT + JUDGE_WEIGHT),
    };
    let has_judge = spoken.is_some() && formula == ConfidenceFormula::Chance;
    let chance = Signs { judged, ..signs }.chance().filter(|_| has_judge);
    let counted = chance.unwrap_or(weighted);
    let overall = match opinions.support {
        Some(0) => 0,
        // A definition seldom repeats the words it was asked for with: that it is the one asked for is known.
        _ if is_named => percent(counted.max(signs.relevance)),
        _ => percent(counted),
    };
    Confidence {
        overall,
        undiminished: overall,
        retrieval_score: signs.relevance,
        coverage_score: signs.coverage,
        judge_score: judged.map(percent),
    }
}

/// How certain an answer would have been that is not given, by what was found for it; always less than would have been enough.
pub(super) fn of_refusal(evidence: &Evidence, enough: u32) -> Confidence {
    let found: Vec<f32> = evidence.pieces().iter().map(|piece| piece.similarity.relevance).collect();
    let readings = evidence.judge_report().map(|report| report.readings.as_slice()).unwrap_or_default();
    let judged = readings.iter().map(|reading| reading.answerable).max_by(f32::total_cmp);
    let relevance = if found.is_empty() { 0.0 } else { mean(&found) };
    let known = RETRIEVAL_WEIGHT * relevance + JUDGE_WEIGHT * judged.unwrap_or_default();
    let share = known / (RETRIEVAL_WEIGHT + COVERAGE_WEIGHT + JUDGE_WEIGHT);
    let overall = percent(share).min(enough.saturating_sub(1));
    Confidence {
        overall,
        undiminished: overall,
        retrieval_score: relevance,
        coverage_score: 0.0,
        judge_score: judged.map(percent),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=100 first")]
fn percent(share: f32) -> u32 {
    (share * 100.0).round().clamp(0.0, 100.0) as u32
}

#[expect(clippy::cast_precision_loss, reason = "an answer has few parts")]
fn mean(values: &[f32]) -> f32 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f32>() / values.len() as f32 }
}
