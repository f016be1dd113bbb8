//! A sentence that only the built-in judge rejects → the word of a model that did not write it.
//!
//! Invariant: it is never asked about what a rule objects to, what most words of a source do not hold, or more than `ASKED_MAX`
//! times in one answer.

use super::{
    PassedSentence, Rejected, Verifier,
    model_sentence::{TOGETHER_MAX, is_near},
};
use crate::{
    judge::Piece,
    model_registry::{JobModel, claim_opinion},
};

/// How often it is asked in one answer.
const ASKED_MAX: usize = 8;

/// A model that judges, and how often it was asked.
pub(super) struct SecondJudge<'a> {
    job_model: &'a JobModel,
    asked: usize,
}

impl<'a> Verifier<'a> {
    /// The same, where a model is asked about what the built-in judge alone rejects.
    #[must_use]
    pub fn with_second_judge(mut self, job_model: Option<&'a JobModel>) -> Self {
        self.second_judge = job_model.map(|job_model| SecondJudge { job_model, asked: 0 });
        self
    }

    /// Passes a rejected claim where the second judge finds it in what it cites.
    pub(super) async fn appeal(
        &mut self,
        claim: &str,
        cites: Vec<&'a Piece>,
        rejected: Rejected,
    ) -> Result<PassedSentence<'a>, String> {
        let Some(second) = self.second_judge.as_mut().filter(|_| rejected.is_by_judge_alone) else {
            return Err(rejected.reason);
        };
        is_near(rejected.overlap)?;
        if cites.len() > TOGETHER_MAX || second.asked >= ASKED_MAX {
            return Err(rejected.reason);
        }
        second.asked += 1;
        let texts: Vec<&str> = cites.iter().map(|piece| piece.passage.passage.text.as_str()).collect();
        let word = match claim_opinion(second.job_model, claim, &texts).await {
            Some(true) => {
                let places = cites.into_iter().map(|piece| (piece, piece.passage.passage.span)).collect();
                let mut checks = rejected.checks;
                checks.push("judge_model");
                let score = self.policy.support_at_least;
                return Ok(PassedSentence { places, score, overlap: rejected.overlap, checks });
            }
            Some(false) => "does not find it either",
            None => "has no word on it",
        };
        Err(format!("{}; {} {word}", rejected.reason, second.job_model.model))
    }
}
