//! An answer → its sentences, one by one, for whoever listens.

use crate::{
    decide::{Decision, Referral, UnsureOutcome},
    verify::{Citation, Claim},
};

/// Receives an answer sentence by sentence. What it receives has been verified and is never taken back.
pub trait Listener: Send + Sync {
    /// Hears a sentence.
    fn on_sentence(&self, said: &AnswerSentence<'_>);

    /// Hears that an answer is being written, and that what of it is not told yet is told only once all of it was checked.
    fn on_checking(&self) {}
}

/// One sentence of an answer.
pub struct AnswerSentence<'a> {
    /// The separator from the sentence before, or the heading above the first.
    pub lead: &'a str,
    /// The sentence.
    pub claim: &'a Claim,
    /// What it cites that was not cited before.
    pub citations: &'a [Citation],
}

/// Sends a decision's sentences to a listener that has not received them on the way.
pub(super) fn tell(decision: &Decision, listener: Option<&dyn Listener>) {
    let text = match decision {
        Decision::Answer(answer) => answer.text(),
        Decision::Refer(Referral { unsure: UnsureOutcome::Answer(answer), .. }) => answer.text(),
        Decision::Refer(_) | Decision::Refuse(_) | Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => {
            return;
        }
    };
    let Some(listener) = listener else { return };
    let above = text.heading().map(|heading| format!("{heading}\n"));
    let mut told = 0;
    for (place, claim) in text.claims().iter().enumerate() {
        let cited =
            claim.markers().iter().max().map_or(told, |marker| usize::try_from(*marker).unwrap_or(told).max(told));
        let citations = text.citations().get(told..cited).unwrap_or_default();
        let lead = if place == 0 { above.as_deref().unwrap_or(claim.opening()) } else { claim.lead() };
        listener.on_sentence(&AnswerSentence { lead, claim, citations });
        told = cited;
    }
}
