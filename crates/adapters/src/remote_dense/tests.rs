//! What holds of an index behind a server whatever the server: who waits for what, and what is never searched as if it were whole.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use async_trait::async_trait;
use tempfile::TempDir;
use tokio::sync::{Mutex as AsyncMutex, Notify};
use vouch_domain::{
    Fault, PassageKey, PortError,
    ports::{Catalogue, DenseIndex, Embedder, Generation},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::FakeEmbedder,
};

use super::{
    IndexContent, IndexHead, NewIndex, RemoteDense, RemoteDenseFigures, ServerQuery, Shelves, VectorServer, held,
};
use crate::embedded::{DenseLane, EmbeddedStore, EmbedderCheck, IndexIdentity, VectorRow};

const FIGURES: RemoteDenseFigures = RemoteDenseFigures { candidates_min: 10, batch_rows: 8_192 };

/// A server in memory.
#[derive(Default)]
struct FakeServer {
    state: Mutex<State>,
    /// Nothing is written while somebody has this.
    gate: AsyncMutex<()>,
    /// Something is about to be written.
    writing: Notify,
    /// Searches were made faster.
    settled: Notify,
}

#[derive(Default)]
struct State {
    /// None is 0.
    incarnation: i64,
    head: Option<IndexHead>,
    rows: BTreeMap<u64, VectorRow>,
    /// How many rows each batch had.
    batches: Vec<usize>,
    /// For which shelves searches were to be made faster; none for all.
    settles: Vec<Option<Vec<u32>>>,
    /// Another node makes searches faster.
    is_settled_elsewhere: bool,
    /// Another node removes the index and begins to fill it when something is written next.
    is_made_again_elsewhere: bool,
}

impl State {
    fn make_again(&mut self) {
        self.incarnation += 1;
        self.head = None;
        self.rows.clear();
    }
}

impl FakeServer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic before")
    }

    fn say(&self, head: IndexHead, is_first: bool) -> Result<(), PortError> {
        let mut state = self.state();
        if state.incarnation != head.incarnation || (!is_first && state.head.is_none()) {
            return Err(held("made again"));
        }
        state.head = Some(head);
        Ok(())
    }
}

#[async_trait]
impl VectorServer for FakeServer {
    async fn head(&self, _: &IndexIdentity) -> Result<Option<IndexHead>, PortError> {
        Ok(self.state().head)
    }

    async fn create(&self, _: &IndexIdentity) -> Result<NewIndex, PortError> {
        let mut state = self.state();
        let is_there = state.incarnation > 0 && !state.rows.is_empty();
        if !is_there {
            state.make_again();
        }
        let content = if is_there { IndexContent::Rows } else { IndexContent::Nothing };
        Ok(NewIndex { incarnation: state.incarnation, content })
    }

    async fn remove(&self, _: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        let mut state = self.state();
        if state.head.is_none_or(|found| found.incarnation != head.incarnation) {
            return Err(held("made again"));
        }
        (state.head, state.rows) = (None, BTreeMap::new());
        Ok(())
    }

    async fn remove_superseded(&self, _: &IndexIdentity) -> Result<(), PortError> {
        Ok(())
    }

    async fn write(&self, _: &IndexIdentity, rows: Vec<VectorRow>, _: IndexContent) -> Result<(), PortError> {
        self.writing.notify_one();
        let _open = self.gate.lock().await;
        let mut state = self.state();
        if std::mem::take(&mut state.is_made_again_elsewhere) {
            state.make_again();
        }
        state.batches.push(rows.len());
        state.rows.extend(rows.into_iter().map(|row| (row.key, row)));
        Ok(())
    }

    async fn publish(&self, _: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        self.say(head, true)
    }

    async fn advance(&self, _: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        self.say(head, false)
    }

    async fn settle(&self, _: &IndexIdentity, shelves: Shelves<'_>, _: usize) -> Result<bool, PortError> {
        let shelves = match shelves {
            Shelves::All => None,
            Shelves::Only(shelves) => Some(shelves.to_vec()),
        };
        let mut state = self.state();
        state.settles.push(shelves);
        self.settled.notify_one();
        Ok(!state.is_settled_elsewhere)
    }

    async fn count(&self, _: &IndexIdentity, at: Generation) -> Result<u64, PortError> {
        let lives = |row: &&VectorRow| row.born <= at.0 && row.died.is_none_or(|died| died > at.0);
        Ok(self.state().rows.values().filter(lives).count() as u64)
    }

    async fn nearest(&self, _: &IndexIdentity, query: &ServerQuery<'_>) -> Result<Vec<PassageKey>, PortError> {
        let state = self.state();
        if state.incarnation != query.incarnation {
            return Err(held("made again"));
        }
        Ok(state.rows.keys().map(|key| PassageKey(*key)).collect())
    }
}

/// A node with one document, and a server that has no index yet.
struct Scene {
    store: EmbeddedStore,
    server: Arc<FakeServer>,
    dense: Arc<RemoteDense>,
    _folder: TempDir,
}

async fn scene() -> Scene {
    let folder = tempfile::tempdir().expect("a folder");
    let embedder = FakeEmbedder::named("fake");
    let fit = (embedder.identity(), EmbedderCheck::Enforce);
    let store = EmbeddedStore::open_with(folder.path(), fit, DenseLane::Elsewhere).expect("the store opens");
    let server = Arc::new(FakeServer::default());
    let dense = Arc::new(RemoteDense::new(store.vectors(), server.clone(), FIGURES));
    let scene = Scene { store, server, dense, _folder: folder };
    scene.keep("a", &["A mast.", "Rain."]).await;
    scene
}

impl Scene {
    async fn keep(&self, id: &str, lines: &[&str]) {
        self.store.catalogue.upsert(vec![kept(card(id, &[]), lines)]).await.expect("keep");
    }

    async fn own(&self) -> Generation {
        self.store.catalogue.generation().await.expect("a generation")
    }

    async fn found(&self) -> Result<usize, Fault> {
        let hits = self.dense.nearest(&everyone(), &FakeEmbedder::vector("mast"), 10).await;
        hits.map(|hits| hits.len()).map_err(|error| error.fault)
    }
}

fn fault<T>(outcome: Result<T, PortError>) -> Option<Fault> {
    outcome.err().map(|error| error.fault)
}

#[tokio::test]
async fn an_index_that_is_not_there_is_made_by_a_refresh_and_by_nothing_that_is_waited_for() {
    let scene = scene().await;
    assert_eq!(fault(scene.dense.catch_up().await), Some(Fault::Held));
    assert_eq!(fault(scene.dense.generation().await), Some(Fault::Held));
    assert_eq!(scene.found().await, Err(Fault::Held), "what breakers do not count");
    assert_eq!(scene.server.state().incarnation, 0, "nothing was made");
    assert_eq!(scene.dense.refresh().await.expect("refresh"), scene.own().await);
    assert_eq!(scene.dense.generation().await.expect("a generation"), scene.own().await);
    assert_eq!(scene.found().await, Ok(2));
    scene.keep("b", &["A gauge."]).await;
    assert!(scene.dense.generation().await.expect("a generation") < scene.own().await);
    assert_eq!(scene.dense.catch_up().await.expect("a few rows"), scene.own().await);
    assert_eq!(scene.found().await, Ok(3));
}

#[tokio::test]
async fn what_is_begun_goes_on_though_nobody_waits_and_nobody_else_waits_for_it() {
    let scene = scene().await;
    let closed = scene.server.gate.lock().await;
    let dense = Arc::clone(&scene.dense);
    let waiting = tokio::spawn(async move { dense.refresh().await });
    scene.server.writing.notified().await;
    assert_eq!(fault(scene.dense.generation().await), Some(Fault::Held));
    assert_eq!(fault(scene.dense.catch_up().await), Some(Fault::Held));
    assert_eq!(scene.found().await, Err(Fault::Held), "a half-filled index is not searched");
    waiting.abort();
    assert!(waiting.await.expect_err("it was given up").is_cancelled());
    drop(closed);
    scene.server.settled.notified().await;
    assert_eq!(scene.dense.generation().await.expect("a generation"), scene.own().await);
    assert_eq!(scene.server.state().batches, [2], "it was not begun again");
}

#[tokio::test]
async fn an_index_that_is_ahead_of_a_store_of_its_own_is_made_again() {
    let scene = scene().await;
    scene.dense.refresh().await.expect("refresh");
    // What the store went through before it was put back.
    let later = Generation(scene.own().await.0 + 7);
    {
        let mut state = scene.server.state();
        let head = state.head.expect("a head");
        state.head = Some(IndexHead { generation: later, ..head });
    }
    let restarted = RemoteDense::new(scene.store.vectors(), scene.server.clone(), FIGURES);
    assert_eq!(fault(restarted.catch_up().await), Some(Fault::Held));
    assert_eq!(restarted.refresh().await.expect("refresh"), scene.own().await);
    let head = scene.server.state().head.expect("a head");
    assert_eq!((head.incarnation, head.generation), (2, scene.own().await));
}

#[tokio::test]
async fn searches_that_were_not_made_faster_are_tried_again_until_they_are() {
    let scene = scene().await;
    scene.server.state().is_settled_elsewhere = true;
    for _ in 0..2 {
        scene.dense.refresh().await.expect("refresh");
    }
    scene.server.state().is_settled_elsewhere = false;
    for _ in 0..2 {
        scene.dense.refresh().await.expect("refresh");
    }
    let settles = scene.server.state().settles.clone();
    assert!(settles.len() == 3 && settles.iter().all(Option::is_none), "also with nothing to write: {settles:?}");
    // What a question has written waits for the next refresh.
    scene.keep("b", &["A gauge."]).await;
    scene.dense.catch_up().await.expect("a few rows");
    assert_eq!(scene.server.state().settles.len(), 3);
    scene.dense.refresh().await.expect("refresh");
    let settles = scene.server.state().settles.clone();
    assert_eq!((settles.len(), settles[3].as_ref().map(Vec::len)), (4, Some(1)));
}

#[tokio::test]
async fn an_index_that_another_node_fills_again_is_neither_searched_nor_said_to_be_whole() {
    let scene = scene().await;
    scene.dense.refresh().await.expect("refresh");
    scene.server.state().make_again();
    assert_eq!(scene.found().await, Err(Fault::Held));
    assert_eq!(fault(scene.dense.generation().await), Some(Fault::Held));
    scene.dense.refresh().await.expect("refresh");
    scene.keep("b", &["A gauge."]).await;
    scene.server.state().is_made_again_elsewhere = true;
    assert_eq!(fault(scene.dense.refresh().await), Some(Fault::Held));
    assert_eq!(scene.server.state().head, None, "it holds what was changed, and nothing else");
    scene.dense.refresh().await.expect("refresh");
    assert_eq!(scene.found().await, Ok(3));
}

#[tokio::test]
async fn changes_are_written_in_small_batches_and_a_new_index_in_large_ones() {
    let scene = scene().await;
    let lines: Vec<String> = (0..600).map(|line| format!("Mast {line}.")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    scene.keep("b", &lines).await;
    scene.dense.refresh().await.expect("refresh");
    assert_eq!(scene.server.state().batches, [602]);
    scene.keep("c", &lines).await;
    scene.dense.refresh().await.expect("refresh");
    assert_eq!(scene.server.state().batches, [602, 512, 88]);
}
