//! A memory in memory.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    Embedding, Fault, PortError, Reader,
    memory::{MemoryEntry, WordingKey},
    ports::{EmbeddedEntry, Memory, MemoryMatch, entries_in_order, nearest_entries},
};

/// By tenant and id.
type Entries = BTreeMap<(String, String), EmbeddedEntry>;

/// Entries that are forgotten when it is dropped.
#[derive(Debug, Default)]
pub struct FakeMemory {
    kept: Mutex<Entries>,
    is_down: bool,
}

impl FakeMemory {
    /// One that cannot be asked.
    #[must_use]
    pub fn down() -> Self {
        Self { is_down: true, ..Self::default() }
    }

    fn kept(&self) -> Result<MutexGuard<'_, Entries>, PortError> {
        if self.is_down {
            return Err(PortError::new("memory", Fault::Unavailable, "the memory is down"));
        }
        Ok(self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Memory for FakeMemory {
    async fn upsert(&self, entries: Vec<EmbeddedEntry>) -> Result<usize, PortError> {
        let mut kept = self.kept()?;
        let mut new = 0;
        for entry in entries {
            let place = (entry.entry.tenant.clone(), entry.entry.id.clone());
            new += usize::from(kept.insert(place, entry).is_none());
        }
        Ok(new)
    }

    async fn remove(&self, tenant: &str, ids: &[String]) -> Result<usize, PortError> {
        let mut kept = self.kept()?;
        Ok(ids.iter().filter(|id| kept.remove(&(tenant.to_owned(), (*id).clone())).is_some()).count())
    }

    async fn entries(&self, reader: &Reader) -> Result<Vec<MemoryEntry>, PortError> {
        let kept = self.kept()?;
        let visible = kept.values().filter(|one| reader.may_read(&one.entry.tenant, &one.entry.tags));
        Ok(visible.map(|one| one.entry.clone()).collect())
    }

    async fn with_phrase(&self, reader: &Reader, words: &WordingKey) -> Result<Vec<Arc<MemoryEntry>>, PortError> {
        let kept = self.kept()?;
        Ok(entries_in_order(kept.values().filter(|one| one.entry.phrase_asked(words).is_some()), reader))
    }

    async fn nearest(
        &self,
        reader: &Reader,
        vectors: &[Embedding],
        languages: &[String],
        limit: usize,
    ) -> Result<Vec<MemoryMatch>, PortError> {
        let kept = self.kept()?;
        let visible = kept.values().filter(|one| reader.may_read(&one.entry.tenant, &one.entry.tags));
        Ok(nearest_entries(visible, vectors, languages, limit))
    }
}
