//! A sentence that only the built-in judge rejects → the word of a model that did not write it.
//!
//! Invariant: it is never asked about what a rule objects to, what the built-in judge finds contradicted, or what has fewer than half
//! of its words in the source. It reads one passage at a time, and only those that it finds to say the sentence are cited. All it is asked
//! in one answer together takes no longer than its own time limit; once it has failed it is not asked again.

use std::time::Duration;

use tokio::time::Instant;

use super::{PassedSentence, Rejected, Verifier, model_sentence::is_near};
use crate::{
    judge::Piece,
    model_registry::{ClaimOpinion, JobModel, claim_opinion},
};

/// How often it is asked in one answer.
const ASKED_MAX: usize = 8;

/// A model that judges, and what is left to it in this answer.
pub(super) struct SecondJudge<'a> {
    job_model: &'a JobModel,
    asks_left: usize,
    time_left: Duration,
}

impl SecondJudge<'_> {
    async fn opinion(&mut self, claim: &str, passage: &str) -> ClaimOpinion {
        if self.asks_left == 0 || self.time_left.is_zero() {
            return ClaimOpinion::Failed;
        }
        self.asks_left -= 1;
        let began = Instant::now();
        let opinion = claim_opinion(self.job_model, claim, passage, self.time_left).await;
        self.time_left = self.time_left.saturating_sub(began.elapsed());
        if opinion == ClaimOpinion::Failed {
            self.asks_left = 0;
        }
        opinion
    }
}

impl<'a> Verifier<'a> {
    /// The same, where a model is asked about what the built-in judge alone rejects.
    #[must_use]
    pub fn with_second_judge(mut self, job_model: Option<&'a JobModel>) -> Self {
        let second =
            |job_model: &'a JobModel| SecondJudge { job_model, asks_left: ASKED_MAX, time_left: job_model.timeout };
        self.second_judge = job_model.map(second);
        self
    }

    /// Whether a sentence may have to wait for a model, so that the one that writes must have ended before.
    pub(crate) fn may_ask_a_model(&self) -> bool {
        self.second_judge.is_some()
    }

    /// Passes a rejected claim on those of the passages in which the second judge finds it.
    pub(super) async fn appeal(
        &mut self,
        claim: &str,
        cites: Vec<&'a Piece>,
        rejected: Rejected,
    ) -> Result<PassedSentence<'a>, String> {
        let Some(second) = self.second_judge.as_mut().filter(|_| rejected.may_be_appealed) else {
            return Err(rejected.reason);
        };
        is_near(rejected.overlap)?;
        let mut places = Vec::new();
        let mut word = "has no word on it";
        for piece in cites {
            match second.opinion(claim, &piece.passage.passage.text).await {
                ClaimOpinion::Agrees => places.push((piece, piece.passage.passage.span)),
                ClaimOpinion::Disagrees => word = "does not find it either",
                ClaimOpinion::Unclear | ClaimOpinion::Failed => {}
            }
        }
        if places.is_empty() {
            return Err(format!("{}; {} {word}", rejected.reason, second.job_model.model));
        }
        let mut checks = rejected.checks;
        checks.retain(|check| *check != "judge");
        checks.push("judge_model");
        Ok(PassedSentence { places, score: rejected.score, overlap: rejected.overlap, checks })
    }
}
