//! A sentence that only the built-in judge rejects → the word of a model that did not write it.
//!
//! Invariant: it is never asked about what a rule objects to, what the built-in judge finds contradicted, or what has fewer than half
//! of its words in the source. It reads one passage at a time, and only those that it finds to say the sentence are cited.

use super::{PassedSentence, Rejected, Verifier, model_sentence::is_near};
use crate::{judge::Piece, model_registry::ClaimOpinion};

impl<'a> Verifier<'a> {
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
            return Err(format!("{}; {} {word}", rejected.reason, second.name()));
        }
        let mut checks = rejected.checks;
        checks.retain(|check| *check != "judge");
        checks.push("judge_model");
        let (score, overlap) = (rejected.score, rejected.overlap);
        Ok(PassedSentence { places, score, overlap, checks, is_verbatim: false, stands_in: false, source: None })
    }
}
