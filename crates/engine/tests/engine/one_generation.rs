//! A question is answered at one generation of the store, which the response names, whatever changes meanwhile.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use vouch_domain::{
    Embedding, Fault, PortError, Question, Reader,
    passage::PassageKey,
    ports::{Catalogue, DenseIndex, Generation, LaneHit, LexicalIndex, Spelling},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::Policies,
    retrieve::ReadGeneration,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{MemoryStore, ScriptedGenerator},
};

use crate::support::engines::{engine_over, filled};

/// An index beside a writer: after a search a document is replaced, so that what was found is gone when it is read.
struct ChangingIndex {
    store: Arc<MemoryStore>,
    /// How many searches are followed by a change.
    changes_left: AtomicU32,
    number: AtomicU32,
}

#[async_trait]
impl LexicalIndex for ChangingIndex {
    async fn refresh(&self) -> Result<Generation, PortError> {
        LexicalIndex::refresh(self.store.as_ref()).await
    }

    async fn matching(&self, reader: &Reader, text: &str, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let found = self.store.matching(reader, text, limit).await;
        let is_due = self.changes_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if is_due.is_ok() {
            let number = self.number.fetch_add(1, Ordering::SeqCst);
            let text = fact(number);
            self.store.upsert(vec![kept(card("a", &[]), &[&text])]).await?;
        }
        found
    }

    async fn rare(&self, reader: &Reader, text: &str, holders_max: usize) -> Result<Vec<PassageKey>, PortError> {
        self.store.rare(reader, text, holders_max).await
    }

    async fn spellings(&self, reader: &Reader, text: &str) -> Result<Vec<Spelling>, PortError> {
        self.store.spellings(reader, text).await
    }
}

fn fact(number: u32) -> String {
    format!("The mast is {number} metres tall.")
}

/// An engine whose store changes after so many searches, one after another.
async fn engine(changes: u32) -> Engine {
    let store = filled(vec![kept(card("a", &[]), &[&fact(10)])]).await;
    let mut engine = engine_over(&store);
    engine.retrieve.lexical =
        Arc::new(ChangingIndex { store, changes_left: AtomicU32::new(changes), number: AtomicU32::new(11) });
    let written = fact(10_u32.saturating_add(changes));
    Engine {
        writer: Arc::new(ScriptedGenerator::saying(&[(written.as_str(), &[1])])),
        policies: Policies::default(),
        ..engine
    }
}

async fn asked(engine: &Engine) -> Response {
    engine.ask(&Question::new("How tall is the mast?", everyone())).await.expect("a decision")
}

#[tokio::test]
async fn what_was_read_while_documents_changed_is_read_again() {
    for changes in [0, 1, 3] {
        let response = asked(&engine(changes).await).await;
        let Decision::Answer(answer) = &response.decision else { panic!("{changes}: {:?}", response.decision) };
        assert!(answer.text().with_markers().contains(&fact(10 + changes)), "{:?}", response.decision);
        let generation = Generation(u64::from(1 + changes));
        assert_eq!(response.read, ReadGeneration::Single(generation), "{changes}");
    }
}

#[tokio::test]
async fn where_documents_never_stop_changing_a_question_ends_and_names_no_generation() {
    let response = asked(&engine(u32::MAX - 100).await).await;
    assert_eq!(response.read, ReadGeneration::Mixed);
}

#[tokio::test]
async fn what_reads_nothing_is_of_no_generation() {
    let response = engine(0).await.ask(&Question::new("Thank you!", everyone())).await.expect("a decision");
    assert_eq!(response.read, ReadGeneration::Nothing);
}

/// An index of vectors behind a server that answers, and is brought up by somebody else.
struct IndexElsewhere {
    store: Arc<MemoryStore>,
    /// As far as it has come; none where that is not known.
    reached: Option<Generation>,
}

fn brought_up_elsewhere() -> PortError {
    PortError::new("dense", Fault::Held, "the vector index is already being brought up to date")
}

#[async_trait]
impl DenseIndex for IndexElsewhere {
    async fn refresh(&self) -> Result<Generation, PortError> {
        unreachable!("a question does not wait for this")
    }

    async fn catch_up(&self) -> Result<Generation, PortError> {
        Err(brought_up_elsewhere())
    }

    async fn generation(&self) -> Result<Generation, PortError> {
        self.reached.ok_or_else(brought_up_elsewhere)
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        self.store.nearest(reader, vector, limit).await
    }

    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        self.store.cosines(vector, keys).await
    }
}

#[tokio::test]
async fn where_an_index_answers_that_is_behind_or_cannot_tell_how_far_it_is_no_generation_is_named() {
    let own = Generation(1);
    for (reached, read) in [
        (Some(own), ReadGeneration::Single(own)),
        (Some(Generation(0)), ReadGeneration::Mixed),
        (None, ReadGeneration::Mixed),
    ] {
        let mut engine = engine(0).await;
        let store = filled(vec![kept(card("a", &[]), &[&fact(10)])]).await;
        engine.retrieve.catalogue = store.clone();
        engine.retrieve.register = store.clone();
        engine.retrieve.lexical = store.clone();
        engine.retrieve.dense = Arc::new(IndexElsewhere { store, reached });
        let response = asked(&engine).await;
        assert!(matches!(response.decision, Decision::Answer(_)), "{:?}", response.decision);
        assert_eq!(response.read, read, "{reached:?}");
    }
}
