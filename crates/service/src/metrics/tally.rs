//! What the ready-made shares and means are made of → gauges.
//!
//! Invariant: a share of nothing says that all is well, and a mean of nothing is zero.

use std::sync::atomic::{AtomicU64, Ordering};

use metrics::gauge;
use vouch_domain::Rating;

use crate::certificate::Live;

/// Confidence of 1 in the unit it is added up in.
const WHOLE: f32 = 1e6;

/// Counts since the start.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) questions: AtomicU64,
    pub(super) no_context: AtomicU64,
    pub(super) tools: AtomicU64,
    pub(super) tools_failed: AtomicU64,
    pub(super) cited: AtomicU64,
    pub(super) uncited: AtomicU64,
    pub(super) confidence_sum: AtomicU64,
    pub(super) confidences: AtomicU64,
    pub(super) helpful: AtomicU64,
    pub(super) unhelpful: AtomicU64,
    pub(super) in_flight: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) answered: AtomicU64,
    pub(super) refusals_suspected: AtomicU64,
    pub(super) answers_suspected: AtomicU64,
    router_confidence_sum: AtomicU64,
    routed: AtomicU64,
    /// How many say each rating now, the worst first.
    ratings: [AtomicU64; Rating::MAX as usize],
}

pub(super) fn add(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

/// One less; what was counted before this process began is not among its figures.
pub(super) fn take_back(counter: &AtomicU64) {
    let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
}

impl Tally {
    /// What became of the questions, and what askers made of it.
    pub(super) fn live(&self) -> Live {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Live {
            answered: read(&self.answered),
            refused: read(&self.refused),
            answers_suspected: read(&self.answers_suspected),
            refusals_suspected: read(&self.refusals_suspected),
            ..Live::default()
        }
    }

    /// A question that went to an agent, with how surely, 0 to 1.
    pub(super) fn route(&self, confidence: f32) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to a million")]
        add(&self.router_confidence_sum, (confidence.clamp(0.0, 1.0) * WHOLE).round() as u64);
        add(&self.routed, 1);
    }

    /// How many say this rating now.
    pub(super) fn rated(&self, rating: Rating) -> Option<&AtomicU64> {
        self.ratings.get(usize::from(rating.stars().saturating_sub(Rating::MIN)))
    }

    /// Sets the gauges.
    #[expect(clippy::cast_precision_loss, reason = "counts of requests")]
    pub(super) fn tell(&self) {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        gauge!("vouch_no_context_ratio").set(share(&self.no_context, read(&self.questions), 0.0));
        gauge!("vouch_tool_success_ratio").set(1.0 - share(&self.tools_failed, read(&self.tools), 0.0));
        let answers = read(&self.cited) + read(&self.uncited);
        gauge!("vouch_citation_compliance_ratio").set(share(&self.cited, answers, 1.0));
        let confidence = mean(read(&self.confidence_sum) as f64 / 100.0, read(&self.confidences));
        gauge!("vouch_answer_confidence_ratio").set(confidence);
        let confidence = mean(read(&self.router_confidence_sum) as f64 / f64::from(WHOLE), read(&self.routed));
        gauge!("vouch_router_confidence_mean").set(confidence);
        gauge!("vouch_false_refusal_ratio").set(share(&self.refusals_suspected, read(&self.refused), 0.0));
        gauge!("vouch_overconfidence_ratio").set(share(&self.answers_suspected, read(&self.answered), 0.0));
        let thumbs = read(&self.helpful) + read(&self.unhelpful);
        gauge!("vouch_feedback_helpful_ratio").set(share(&self.helpful, thumbs, 0.0));
        let (stars, ratings) = self.ratings.iter().zip(1_u64..).fold((0, 0), |(stars, ratings), (own, rating)| {
            let count = read(own);
            (stars + count * rating, ratings + count)
        });
        gauge!("vouch_feedback_rating_mean").set(mean(stars as f64, ratings));
    }
}

/// Ratio of `part` to `whole`; `of_nothing` when `whole` is zero.
#[expect(clippy::cast_precision_loss, reason = "counts of requests")]
fn share(part: &AtomicU64, whole: u64, of_nothing: f64) -> f64 {
    if whole == 0 { of_nothing } else { part.load(Ordering::Relaxed) as f64 / whole as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "counts of requests")]
fn mean(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}
