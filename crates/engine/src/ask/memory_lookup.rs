//! What an editor has prepared for a question: which entries it recalls, and what they refer to.

use vouch_domain::{Reader, StoredPassage, language::sentence_ranges};

use super::engine::Engine;
use crate::{
    recall::{Recall, RecalledEntry, Recollection},
    retrieve::{Candidates, Lane, Probe, retrieve_among},
};

impl Engine {
    /// What the memory holds for a question; nothing if there is no memory.
    pub(super) async fn recall(&self, probe: &Probe, reader: &Reader) -> Recollection {
        let Some(memory) = &self.memory else { return Recollection::default() };
        let recall = Recall {
            memory,
            judge: self.passage_judge.as_ref(),
            ports: &self.retrieve,
            policy: &self.policies.memory,
            deadline: &self.policies.retrieve,
        };
        recall.run(probe, reader).await
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

/// How a note begins: its first sentence.
pub(super) fn lead(note: &str) -> &str {
    sentence_ranges(note).into_iter().next().and_then(|range| note.get(range)).unwrap_or(note)
}
