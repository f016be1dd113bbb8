//! What askers do with a reply → figures: what they say of it, and what their next question says of it.

use std::sync::PoisonError;

use metrics::counter;
use vouch_domain::{FeedbackOutcome, Opinion, Rating};

use super::{
    Metrics, add,
    suspicion::{Asked, Suspicion},
    tally::take_back,
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
    /// first said, since a counter cannot take anything back. Shares and means are of what everybody says now.
    pub fn feedback(&self, request_id: &str, opinion: Opinion, outcome: FeedbackOutcome) {
        let before = match outcome {
            FeedbackOutcome::NoEntry => return,
            FeedbackOutcome::New => Opinion::default(),
            FeedbackOutcome::Replaced { before } => before,
        };
        if let Some(is_helpful) = opinion.is_helpful {
            let found = self.suspicions.lock().unwrap_or_else(PoisonError::into_inner).rated(request_id, is_helpful);
            self.suspect(found, "feedback");
        }
        self.thumb(before.is_helpful, opinion.is_helpful);
        self.rating(before.rating, opinion.rating);
    }

    fn thumb(&self, before: Option<bool>, now: Option<bool>) {
        if before == now {
            return;
        }
        let of = |is_helpful| match is_helpful {
            true => ("helpful", &self.tally.helpful),
            false => ("unhelpful", &self.tally.unhelpful),
        };
        if let Some(was_helpful) = before {
            take_back(of(was_helpful).1);
        }
        let Some((rating, tally)) = now.map(of) else { return };
        add(tally, 1);
        let name = if before.is_none() { "vouch_feedback_total" } else { "vouch_feedback_changed_total" };
        self.count(|| counter!(name, "rating" => rating).increment(1));
    }

    fn rating(&self, before: Option<Rating>, now: Option<Rating>) {
        if before == now {
            return;
        }
        if let Some(earlier) = before.and_then(|before| self.tally.rated(before)) {
            take_back(earlier);
        }
        let Some(rating) = now else { return };
        if let Some(own) = self.tally.rated(rating) {
            add(own, 1);
        }
        if before.is_none() {
            let stars = rating.stars().to_string();
            self.count(|| counter!("vouch_feedback_ratings_total", "rating" => stars).increment(1));
        }
    }
}
