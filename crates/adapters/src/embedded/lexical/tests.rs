//! What an index tells of itself while it is being written, or not to be relied on: a test must hold its lock for that.

use std::sync::PoisonError;

use futures::FutureExt;
use tempfile::TempDir;
use vouch_domain::ports::{Catalogue, Embedder, Generation, LexicalIndex};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::FakeEmbedder,
};

use crate::embedded::{EmbeddedStore, EmbedderCheck};

/// A store of one document, and the generation its word index was brought to.
async fn filled(folder: &TempDir) -> (EmbeddedStore, Generation) {
    let embedder = FakeEmbedder::named("fake");
    let store = EmbeddedStore::open(folder.path(), embedder.identity(), EmbedderCheck::Enforce).expect("it opens");
    add(&store, "mast").await;
    let reached = store.lexical.refresh().await.expect("refreshed");
    (store, reached)
}

async fn add(store: &EmbeddedStore, word: &str) {
    let document = kept(card(word, &[]), &[&format!("The {word} stands by the river.")]);
    store.catalogue.upsert(vec![document]).await.expect("kept");
}

#[tokio::test]
async fn the_generation_is_told_while_the_index_is_being_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, reached) = filled(&folder).await;
    add(&store, "lamp").await;
    let writing = store.lexical.inner.opened.write().unwrap_or_else(PoisonError::into_inner);
    let told = store.lexical.generation().now_or_never();
    drop(writing);
    assert_eq!(told.expect("nobody waits").expect("a generation"), reached, "what was written is not searched yet");
    let later = store.lexical.refresh().await.expect("refreshed");
    assert!(later > reached, "{later:?}");
    assert_eq!(store.lexical.generation().await.expect("a generation"), later);
}

#[tokio::test]
async fn an_index_that_has_failed_tells_no_generation_until_it_is_rebuilt() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, reached) = filled(&folder).await;
    store.lexical.inner.standing.suspect();
    assert_eq!(store.lexical.generation().await.expect("a generation"), Generation::default());
    // Whoever is at the writing when a search fails has not rebuilt it either.
    store.lexical.inner.standing.show(Some(reached));
    assert_eq!(store.lexical.generation().await.expect("a generation"), Generation::default());
    assert_eq!(store.lexical.refresh().await.expect("rebuilt"), reached);
    assert_eq!(store.lexical.generation().await.expect("a generation"), reached);
    assert_eq!(store.lexical.matching(&everyone(), "mast", 3).await.expect("hits").len(), 1);
}
