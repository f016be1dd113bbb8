//! What an editor has prepared for a question: which entries it recalls, and what they refer to.

use vouch_domain::{Reader, StoredPassage, language::sentence_ranges};

use super::{engine::Engine, material::Material};
use crate::{
    decide::{Decision, Suggestion},
    recall::{Recall, RecalledEntry, Recollection},
    retrieve::{Candidates, Lane, Probe, retrieve_among},
    understand::Understanding,
};

/// How many entries are offered at most.
const OFFERS_MAX: usize = 2;

impl Engine {
    /// What the memory holds for a question; nothing if there is no memory.
    pub(super) async fn recall(&self, probe: &Probe, reader: &Reader) -> Recollection {
        match self.memory_recall() {
            Some(recall) => recall.run(probe, reader).await,
            None => Recollection::default(),
        }
    }

    /// The entry that an editor set for these very words; none if there is no such entry.
    pub(super) async fn recall_exact(&self, understanding: &Understanding, reader: &Reader) -> Option<Recollection> {
        self.memory_recall()?.exact(understanding, reader).await
    }

    /// Whether an editor chose sources for these very words, and the reader may see one of them.
    pub(super) async fn is_set_by_editor(&self, understanding: &Understanding, reader: &Reader) -> bool {
        let recalled = self.recall_exact(understanding, reader).await;
        recalled.is_some_and(|found| found.pinned.or(found.note).is_some_and(|one| !one.passages.is_empty()))
    }

    /// Offers the phrases of entries near a question that was searched for and has no answer or a weak one.
    pub(super) async fn offer_entries(&self, decision: Decision, material: &Material, reader: &Reader) -> Decision {
        let is_wanting = match &decision {
            Decision::Refuse(_) => true,
            Decision::Answer(answer) => answer.is_weak(),
            Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => false,
        };
        let Some(recall) = self.memory_recall().filter(|_| is_wanting) else { return decision };
        // The vector of the search serves again, so that a question costs the embedder no second call.
        let Some(vector) = material.candidates.question_vector() else { return decision };
        let suggestions_max = self.policies.decide.suggestions_max;
        let offers_max = OFFERS_MAX.min(suggestions_max);
        let offers = recall.offers((&material.understanding, vector), reader, offers_max).await;
        decision.with_offers(offers.iter().map(|phrase| Suggestion::from_phrase(phrase)).collect(), suggestions_max)
    }

    fn memory_recall(&self) -> Option<Recall<'_>> {
        let memory = self.memory.as_ref()?;
        Some(Recall {
            memory,
            judge: self.passage_judge.as_ref(),
            ports: &self.retrieve,
            policy: &self.policies.memory,
            deadline: &self.policies.retrieve,
        })
    }

    /// What a note refers to, nearest first; nothing if there is no note.
    pub(super) async fn note_references(&self, probe: &Probe, note: Option<&RecalledEntry>) -> Candidates {
        match note {
            None => Candidates::empty(),
            Some(note) => {
                let found = self.rank_passages(probe, note.passages.clone()).await;
                // What is only near the question takes part with no more than its own weight.
                let relevance = if note.is_same { self.policies.memory.reference_relevance } else { 0.0 };
                found.forced_by(Lane::Memory, relevance)
            }
        }
    }

    /// What the memory alone finds, for a search.
    pub(super) async fn search_memory(&self, probe: &Probe, reader: &Reader) -> Candidates {
        let recalled = self.recall(probe, reader).await;
        let pinned = recalled.pinned.as_ref().map(|pinned| pinned.passages.clone()).unwrap_or_default();
        let pinned = self.rank_passages(probe, pinned).await.forced_by(Lane::Memory, 0.0);
        let found = pinned.merge(self.note_references(probe, recalled.note.as_ref()).await);
        found.with_lane_reports(recalled.report().into_iter().collect())
    }

    pub(super) async fn rank_passages(&self, probe: &Probe, passages: Vec<StoredPassage>) -> Candidates {
        retrieve_among(probe, passages, Lane::Memory, &self.retrieve, &self.policies.retrieve).await
    }
}

/// How a note that is written for readers is told: its first sentence, said as a note and never as evidence.
pub(super) fn editors_note(note: &str) -> String {
    let lead = sentence_ranges(note).into_iter().next().and_then(|range| note.get(range)).unwrap_or(note);
    format!("Editor's note: {lead}")
}
