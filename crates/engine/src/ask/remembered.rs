//! The branches of questions an editor has prepared for: pinned sources in their own words, and what a note refers to.

use vouch_domain::{PortError, Reader, StoredPassage};

use super::{AskError, Engine, Outcome};
use crate::{
    compose::quote,
    decide::{Decision, decide},
    judge::Evidence,
    recall::{Recall, Recalled, Recollection},
    retrieve::{Candidates, Lane, Probe, retrieve_within},
    understand::Understanding,
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
        let passages = self.nearest_of_each(probe, pinned.passages.clone()).await.ok()?;
        let evidence = Evidence::pinned(passages, pinned.similarity);
        let draft = quote(&evidence, PARAGRAPHS_A_REFERENCE * evidence.pieces().len(), "extractive");
        let verification = verify(&draft, &evidence, None, &self.policies.verify).await;
        let none = Candidates::none();
        let decision = decide(verification, &none, &evidence, &self.policies.decide, self.clock.now_ms());
        let Decision::Answer(mut answer) = decision else { return None };
        answer.notices.push(format!("An editor chose these sources for the question \"{}\".", pinned.text));
        Some(Outcome::said(Decision::Answer(answer), Some(evidence)))
    }

    /// Short documents whole, of long ones the passage nearest to the question; in the order of the references.
    async fn nearest_of_each(
        &self,
        probe: &Probe<'_>,
        passages: Vec<StoredPassage>,
    ) -> Result<Vec<StoredPassage>, PortError> {
        let ordered = retrieve_within(probe, passages.clone(), Lane::Memory, &self.retrieve, &self.policies.retrieve);
        let ordered = ordered.await?;
        let of_same =
            |one: &StoredPassage| passages.iter().filter(|other| other.document.id == one.document.id).count();
        let is_nearest = |one: &StoredPassage| {
            let first = ordered.items().iter().find(|candidate| candidate.passage.document.id == one.document.id);
            first.is_some_and(|first| first.passage.key == one.key)
        };
        Ok(passages.iter().filter(|one| of_same(one) <= WHOLE_PASSAGES_MAX || is_nearest(one)).cloned().collect())
    }

    /// What a note refers to, nearest first.
    pub(super) async fn referred(&self, probe: &Probe<'_>, note: &Recalled) -> Result<Candidates, PortError> {
        retrieve_within(probe, note.passages.clone(), Lane::Memory, &self.retrieve, &self.policies.retrieve).await
    }

    /// What the memory alone finds, for a search.
    pub(super) async fn remembered(
        &self,
        understanding: &Understanding,
        reader: &Reader,
    ) -> Result<Candidates, AskError> {
        let probe = Probe::of(understanding, &self.retrieve, &self.policies.retrieve).await;
        let recalled = self.recall(&probe, reader).await;
        let mut found = Candidates::none();
        for one in [&recalled.pinned, &recalled.note].into_iter().flatten() {
            found = found.with_named(self.referred(&probe, one).await?, 0.0);
        }
        Ok(found.with_report(recalled.report()))
    }
}
