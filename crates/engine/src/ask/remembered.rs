//! The branches of questions an editor has prepared for: pinned sources in their own words, and what a note refers to.

use vouch_domain::{Reader, StoredPassage};

use super::{Engine, Outcome};
use crate::{
    compose::quote,
    decide::{Decision, Grounds, decide},
    judge::Evidence,
    recall::{Recall, Recalled, Recollection},
    retrieve::{Candidates, Lane, Probe, retrieve_within},
    verify::verify,
};

/// How many paragraphs of each reference are quoted.
const PARAGRAPHS_A_REFERENCE: usize = 3;
/// A document of more passages than this is quoted by the passage nearest to the question.
const WHOLE_PASSAGES_MAX: usize = 2;

impl Engine {
    /// What the memory holds for a question; nothing where there is no memory.
    pub(super) async fn recall(&self, probe: &Probe<'_>, reader: &Reader) -> Recollection {
        let Some(memory) = &self.memory else { return Recollection::default() };
        let recall = Recall {
            memory,
            judge: self.passage_judge.as_ref(),
            ports: &self.retrieve,
            policy: &self.policies.memory,
            deadline: &self.policies.retrieve,
        };
        recall.of(probe, reader).await
    }

    /// The sources an editor chose for this very question, in their own words; none where they cannot be quoted.
    pub(super) async fn pinned(&self, probe: &Probe<'_>, pinned: &Recalled) -> Option<Outcome> {
        let passages = self.nearest_of_each(probe, pinned.passages.clone()).await;
        let evidence = Evidence::pinned(passages, pinned.similarity);
        let draft = quote(&evidence, PARAGRAPHS_A_REFERENCE * evidence.pieces().len(), "extractive");
        let verification = verify(&draft, &evidence, None, &self.policies.verify).await;
        let none = Candidates::none();
        let grounds = Grounds { candidates: &none, evidence: &evidence, second_opinion: None };
        let decision = decide(verification, grounds, &self.policies.decide, self.clock.now_ms());
        let Decision::Answer(mut answer) = decision else { return None };
        answer.notices.push(format!("An editor chose these sources for the question \"{}\".", pinned.text));
        Some(Outcome::said(Decision::Answer(answer), Some(evidence)))
    }

    /// Short documents whole, of long ones the passage nearest to the question; in the order of the references.
    async fn nearest_of_each(&self, probe: &Probe<'_>, passages: Vec<StoredPassage>) -> Vec<StoredPassage> {
        let ordered = self.ordered(probe, passages.clone()).await;
        let of_same =
            |one: &StoredPassage| passages.iter().filter(|other| other.document.id == one.document.id).count();
        let is_nearest = |one: &StoredPassage| {
            let first = ordered.items().iter().find(|candidate| candidate.passage.document.id == one.document.id);
            first.is_some_and(|first| first.passage.key == one.key)
        };
        passages.iter().filter(|one| of_same(one) <= WHOLE_PASSAGES_MAX || is_nearest(one)).cloned().collect()
    }

    /// What a note refers to, nearest first; nothing where there is no note.
    pub(super) async fn referred(&self, probe: &Probe<'_>, note: Option<&Recalled>) -> Candidates {
        match note {
            None => Candidates::none(),
            Some(note) => {
                let found = self.ordered(probe, note.passages.clone()).await;
                found.forced_by(Lane::Memory, self.policies.memory.reference_relevance)
            }
        }
    }

    /// What the memory alone finds, for a search.
    pub(super) async fn remembered(&self, probe: &Probe<'_>, reader: &Reader) -> Candidates {
        let recalled = self.recall(probe, reader).await;
        let pinned = recalled.pinned.as_ref().map(|pinned| pinned.passages.clone()).unwrap_or_default();
        let pinned = self.ordered(probe, pinned).await.forced_by(Lane::Memory, 0.0);
        let found = pinned.and(self.referred(probe, recalled.note.as_ref()).await);
        found.reported(recalled.report().into_iter().collect())
    }

    async fn ordered(&self, probe: &Probe<'_>, passages: Vec<StoredPassage>) -> Candidates {
        retrieve_within(probe, passages, Lane::Memory, &self.retrieve, &self.policies.retrieve).await
    }
}
