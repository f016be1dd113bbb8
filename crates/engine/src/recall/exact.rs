//! A question that is one of an editor's phrases word for word → that entry, whatever any figure says.
//!
//! Invariant: it is decided by the words alone, in whatever language they are, so neither the embedder, the judge nor the
//! vocabulary can come between an editor and what they set.

use std::sync::Arc;

use vouch_domain::{
    PortError, Reader, WordingKey,
    memory::{MemoryEntry, MemoryKind},
};

use super::{Recall, RecalledEntry, Recollection};
use crate::{
    retrieve::{Similarity, with_timeout},
    trace::{MemoryReport, MemoryVerdict},
    understand::Understanding,
};

/// How near a phrase is to itself.
const SAME: Similarity = Similarity { cosine: None, relevance: 1.0 };

impl Recall<'_> {
    /// The entry one of whose phrases is the question; none where there is none, or the memory cannot be asked: whoever
    /// recalls after that says why. Of several, a pinned question whose sources the reader may see comes first.
    pub async fn exact(&self, understanding: &Understanding, reader: &Reader) -> Option<Recollection> {
        match with_timeout(self.deadline, "memory", self.find_exact(understanding, reader)).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "memory failed");
                None
            }
        }
    }

    async fn find_exact(
        &self,
        understanding: &Understanding,
        reader: &Reader,
    ) -> Result<Option<Recollection>, PortError> {
        // The asker's own words, and the same with the subject of the turn before.
        for asked in [understanding.text(), understanding.asked()] {
            let Some(words) = WordingKey::of(asked) else { continue };
            let mut found = Vec::new();
            for entry in self.memory.with_phrase(reader, &words).await? {
                found.extend(self.recall_exact(entry, &words, understanding, reader).await?);
            }
            let leads = found.iter().position(|one: &RecalledEntry| !one.passages.is_empty());
            let Some(recalled) = leads.map(|at| found.swap_remove(at)).or_else(|| {
                // A pinned question is worth what its sources are; a note still frames what is searched for.
                found.into_iter().find(|one| one.entry.kind == MemoryKind::Note)
            }) else {
                continue;
            };
            return Ok(Some(Recollection::of(recalled)));
        }
        Ok(None)
    }

    async fn recall_exact(
        &self,
        entry: Arc<MemoryEntry>,
        words: &WordingKey,
        understanding: &Understanding,
        reader: &Reader,
    ) -> Result<Option<RecalledEntry>, PortError> {
        let Some(phrase) = entry.phrase_asked(words).cloned() else { return Ok(None) };
        // A few words seldom tell their language, and the editor has said it.
        let languages = self.languages(understanding, phrase.language.as_ref());
        let recalled = self.recalled((entry, phrase.text), SAME, (reader, &languages)).await?;
        Ok(Some(RecalledEntry { is_same: true, is_exact: true, ..recalled }))
    }
}

impl Recollection {
    /// An entry that was found by the words alone.
    fn of(recalled: RecalledEntry) -> Self {
        let report = MemoryReport {
            id: recalled.entry.id.clone(),
            kind: recalled.entry.kind,
            text: recalled.text.clone(),
            cosine: 1.0,
            likeness: 1.0,
            judged: None,
            answers: None,
            verdict: MemoryVerdict::Accepted,
        };
        let considered = vec![report];
        match recalled.entry.kind {
            MemoryKind::Pinned => Self { pinned: Some(recalled), considered, ..Self::default() },
            MemoryKind::Note => Self { note: Some(recalled), considered, ..Self::default() },
        }
    }
}
