//! What askers do with a reply → figures: what they say of it, and what their next question says of it.

use std::sync::{PoisonError, atomic::Ordering};

use metrics::counter;
use vouch_domain::FeedbackOutcome;

use super::{
    Metrics, add,
    suspicion::{Asked, Suspicion},
};

impl Metrics {
    /// A reply has gone to somebody; it may say something of the one before it.
    pub(crate) fn replied(&self, asked: &Asked<'_>) {
        add(if asked.is_refused { &self.tally.refused } else { &self.tally.answered }, 1);
        let found = self.suspicions.lock().unwrap_or_else(PoisonError::into_inner).asked(asked);
        self.suspect(found, "follow_up");
    }

    fn suspect(&self, found: Option<Suspicion>, sign: &'static str) {
        let (name, tally) = match found {
            Some(Suspicion::FalseRefusal) => ("vouch_refusals_suspected_total", &self.tally.refusals_suspected),
            Some(Suspicion::Overconfidence) => ("vouch_answers_suspected_total", &self.tally.answers_suspected),
            None => return,
        };
        add(tally, 1);
        self.count(|| counter!(name, "sign" => sign).increment(1));
    }

    /// What a reader thinks of the reply to a request. Whoever changes their mind has still one word: it is counted as it was
    /// first said, since a counter cannot take anything back, and the change is counted by itself.
    pub fn feedback(&self, request_id: &str, is_helpful: bool, outcome: FeedbackOutcome) {
        let found = self.suspicions.lock().unwrap_or_else(PoisonError::into_inner).rated(request_id, is_helpful);
        self.suspect(found, "feedback");
        let of = |is_helpful| match is_helpful {
            true => ("helpful", &self.tally.helpful),
            false => ("unhelpful", &self.tally.unhelpful),
        };
        let (rating, tally) = of(is_helpful);
        let name = match outcome {
            FeedbackOutcome::New => "vouch_feedback_total",
            FeedbackOutcome::Replaced { was_helpful } if was_helpful != is_helpful => {
                // What was said before this process began is not among its figures.
                let _ =
                    of(was_helpful).1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
                "vouch_feedback_changed_total"
            }
            FeedbackOutcome::Replaced { .. } | FeedbackOutcome::NoEntry => return,
        };
        add(tally, 1);
        self.count(|| counter!(name, "rating" => rating).increment(1));
    }
}
