//! A decision → the gates that were read after something was written: whether its sentences are verified, whether it is sure enough.

use super::{Decision, ModelOpinions, RefusalReason, VerifiedAnswer, confidence};
use crate::{
    policy::DecidePolicy,
    trace::{Fallback, GateName, GateReading},
};

/// The gates behind those of the profile's list, as they were read where this of the search was lost; none where nothing was written.
#[must_use]
pub fn gates_after_writing(decision: &Decision, lost: &[Fallback], policy: &DecidePolicy) -> Vec<GateReading> {
    match decision {
        Decision::Answer(answer) => of_answer(answer, lost, policy),
        Decision::Refuse(refusal) => match &refusal.reason {
            RefusalReason::NothingVerified(left_out) => vec![verification(0, left_out.len())],
            RefusalReason::Gate(reading) if reading.name == GateName::Confidence => vec![reading.clone()],
            RefusalReason::Gate(_)
            | RefusalReason::Unsearchable { .. }
            | RefusalReason::NotReadInTime { .. }
            | RefusalReason::NothingFound { .. }
            | RefusalReason::NothingToSay
            | RefusalReason::NoThesis
            | RefusalReason::TermUnknown { .. }
            | RefusalReason::TermLate { .. }
            | RefusalReason::TermFailed { .. }
            | RefusalReason::EntityMissing { .. }
            | RefusalReason::NothingListed { .. } => Vec::new(),
        },
        Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => Vec::new(),
    }
}

fn of_answer(answer: &VerifiedAnswer, lost: &[Fallback], policy: &DecidePolicy) -> Vec<GateReading> {
    let verified = verification(answer.text().claims().len(), answer.left_out().len());
    let least = confidence::least(lost, policy);
    let sure_enough = confidence::gate(answer.confidence(), least, ModelOpinions::default(), policy);
    std::iter::once(verified).chain(sure_enough).collect()
}

/// What passed of the sentences that were written. What did not is not shown, so one that passed is enough.
fn verification(verified: usize, left_out: usize) -> GateReading {
    let written = verified + left_out;
    #[expect(clippy::cast_precision_loss, reason = "an answer has few sentences")]
    let reading = if written == 0 { 0.0 } else { verified as f32 / written as f32 };
    let sentence = format!("{verified} of {written} sentences are verified; the others are not shown");
    GateReading { name: GateName::Verification, reading, raw: None, threshold: 0.0, passed: verified > 0, sentence }
}
