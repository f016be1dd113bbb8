//! Memory is one lane more: it is asked while the others search, and none waits for another.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use tokio::sync::Notify;
use vouch_domain::{
    Embedding, MemoryEntry, MemoryKind, PortError, Question, Reader, Reference, Wording, WordingKey,
    passage::PassageKey,
    ports::{EmbeddedEntry, Generation, LaneHit, LexicalIndex, Memory, MemoryMatch, Spelling},
};
use vouch_testkit::{
    contracts::{everyone, memory::embedded},
    corpus::{TENANT, card, kept},
    fakes::FakeMemory,
};

use crate::support::engines::{engine_over, filled};

/// A memory that says nothing before words are searched for.
struct WaitingMemory {
    memory: FakeMemory,
    searched: Arc<Notify>,
}

#[async_trait]
impl Memory for WaitingMemory {
    async fn upsert(&self, entries: Vec<EmbeddedEntry>) -> Result<usize, PortError> {
        self.memory.upsert(entries).await
    }

    async fn remove(&self, tenant: &str, ids: &[String]) -> Result<usize, PortError> {
        self.memory.remove(tenant, ids).await
    }

    async fn entries(&self, reader: &Reader) -> Result<Vec<MemoryEntry>, PortError> {
        self.memory.entries(reader).await
    }

    async fn with_phrase(&self, reader: &Reader, words: &WordingKey) -> Result<Vec<Arc<MemoryEntry>>, PortError> {
        self.memory.with_phrase(reader, words).await
    }

    async fn nearest(
        &self,
        reader: &Reader,
        vectors: &[Embedding],
        languages: &[String],
        limit: usize,
    ) -> Result<Vec<MemoryMatch>, PortError> {
        self.searched.notified().await;
        self.memory.nearest(reader, vectors, languages, limit).await
    }
}

/// An index that says when it is searched.
struct TellingIndex {
    index: Arc<dyn LexicalIndex>,
    searched: Arc<Notify>,
}

#[async_trait]
impl LexicalIndex for TellingIndex {
    async fn refresh(&self) -> Result<Generation, PortError> {
        self.index.refresh().await
    }

    async fn matching(&self, reader: &Reader, text: &str, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        self.searched.notify_one();
        self.index.matching(reader, text, limit).await
    }

    async fn rare(&self, reader: &Reader, text: &str, holders_max: usize) -> Result<Vec<PassageKey>, PortError> {
        self.index.rare(reader, text, holders_max).await
    }

    async fn spellings(&self, reader: &Reader, text: &str) -> Result<Vec<Spelling>, PortError> {
        self.index.spellings(reader, text).await
    }
}

#[tokio::test]
async fn memory_is_asked_while_the_lanes_search() {
    let mut engine = engine_over(&filled(vec![kept(card("rope", &[]), &["The rope is long."])]).await);
    let pinned = MemoryEntry {
        id: "pin".to_owned(),
        tenant: TENANT.to_owned(),
        kind: MemoryKind::Pinned,
        phrases: vec![Wording { text: "mast height".to_owned(), language: None }],
        note: Vec::new(),
        references: Reference::parse("rope").into_iter().collect(),
        tags: BTreeSet::new(),
        is_for_readers: false,
        translated_by_model: BTreeSet::new(),
    };
    let (memory, searched) = (FakeMemory::default(), Arc::<Notify>::default());
    memory.upsert(vec![embedded(pinned)]).await.expect("kept");
    engine.memory = Some(Arc::new(WaitingMemory { memory, searched: Arc::clone(&searched) }));
    let index = Arc::clone(&engine.retrieve.lexical);
    engine.retrieve.lexical = Arc::new(TellingIndex { index, searched });
    let response = engine.ask(&Question::new("mast height", everyone())).await.expect("a decision");
    assert!(response.trace.memory.iter().any(|one| one.id == "pin"), "{:?}", response.trace.lanes);
}
