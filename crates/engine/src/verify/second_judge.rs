//! A model that judges sentences beside the built-in judge, and what is left to it in one answer.
//!
//! Invariant: all it is asked in one answer together takes no longer than its own time limit; once it has failed it is not asked again.

use std::{sync::Arc, time::Duration};

use vouch_domain::ports::Clock;

use crate::model_registry::{ClaimOpinion, JobModel, claim_opinion};

/// How often it is asked in one answer.
const ASKED_MAX: usize = 8;

/// A model that judges.
pub(super) struct SecondJudge<'a> {
    job_model: &'a JobModel,
    clock: &'a Arc<dyn Clock>,
    asks_left: usize,
    time_left: Duration,
}

impl<'a> SecondJudge<'a> {
    pub(super) fn new(job_model: &'a JobModel, clock: &'a Arc<dyn Clock>) -> Self {
        Self { job_model, clock, asks_left: ASKED_MAX, time_left: job_model.timeout }
    }

    pub(super) fn name(&self) -> &'a str {
        &self.job_model.model
    }

    /// What it makes of a sentence beside one passage.
    pub(super) async fn opinion(&mut self, claim: &str, passage: &str) -> ClaimOpinion {
        if self.asks_left == 0 || self.time_left.is_zero() {
            return ClaimOpinion::Failed;
        }
        self.asks_left -= 1;
        let began = self.clock.since_start();
        let opinion = claim_opinion(self.job_model, claim, passage, self.time_left).await;
        self.time_left = self.time_left.saturating_sub(self.clock.since_start().saturating_sub(began));
        if opinion == ClaimOpinion::Failed {
            self.asks_left = 0;
        }
        opinion
    }
}
