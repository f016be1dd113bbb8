//! A copy of the catalogue as of any earlier generation shows every reader what they saw then.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{path::Path, sync::Arc};

use vouch_adapters::embedded::{EmbeddedStore, EmbedderCheck, rewind, state_of};
use vouch_domain::{
    Address, DocumentCard, DocumentId, Fault,
    ports::{Catalogue, DenseIndex, Embedder, Generation, LexicalIndex, Register},
};
use vouch_testkit::{
    contracts::{everyone, tagged},
    corpus::{TENANT, card, kept},
    fakes::FakeEmbedder,
};

pub(super) fn open(folder: &Path) -> EmbeddedStore {
    let embedder = FakeEmbedder::named("fake");
    EmbeddedStore::open(folder, embedder.identity(), EmbedderCheck::Enforce).expect("it opens")
}

pub(super) fn titled(id: &str, title: &str, tags: &[&str]) -> DocumentCard {
    DocumentCard { title: title.to_owned(), address: Address::parse(&format!("G-{id}")), ..card(id, tags) }
}

/// Everything three readers can find out, in words.
pub(super) async fn seen(store: &EmbeddedStore) -> Vec<String> {
    let mut seen = vec![format!("{:?}", store.catalogue.generation().await.expect("a generation"))];
    for reader in [everyone(), tagged(&["hr"]), tagged(&[])] {
        let cards = store.register.of_kind(&reader, "guide", 100).await.expect("cards");
        for card in &cards {
            let passages = store.register.passages_of(&reader, &card.id).await.expect("passages");
            let text = store.catalogue.text(&reader, &card.id).await.expect("a text");
            seen.push(format!("{card:?} {passages:?} {text:?}"));
        }
        seen.push(format!("{:?}", store.catalogue.counts(&reader).await.expect("counts")));
        for word in ["mast", "battery", "heater", "leave"] {
            let matching = store.lexical.matching(&reader, word, 10).await.expect("matching");
            let near = store.dense.nearest(&reader, &FakeEmbedder::vector(word), 10).await.expect("nearest");
            seen.push(format!("{word}: {matching:?} {near:?}"));
        }
    }
    seen
}

pub(super) async fn refreshed(store: &EmbeddedStore) {
    store.lexical.refresh().await.expect("refresh");
    store.dense.refresh().await.expect("refresh");
}

/// A store that went through additions, changes, new tags, removals and returns, and what was seen after each step.
pub(super) async fn history(folder: &Path) -> Vec<Vec<String>> {
    let store = open(folder);
    let mut states = vec![seen(&store).await];
    let id = |name: &str| DocumentId::parse(name).expect("an id");
    let steps: Vec<Vec<vouch_domain::ports::KeptDocument>> = vec![
        vec![kept(titled("a", "Masts", &[]), &["The mast is 3 m tall.", "The battery is old."])],
        vec![
            kept(titled("b", "Leave", &["hr"]), &["Annual leave is 25 days."]),
            kept(titled("c", "Heaters", &[]), &["The heater is red."]),
        ],
        vec![kept(titled("a", "Masts", &[]), &["The mast is 4 m tall."])],
        vec![kept(titled("b", "Holidays", &["it"]), &["Annual leave is 26 days.", "The heater is off."])],
    ];
    for documents in steps {
        store.catalogue.upsert(documents).await.expect("keep");
        refreshed(&store).await;
        states.push(seen(&store).await);
    }
    store.catalogue.remove(TENANT, &[id("a")]).await.expect("remove");
    refreshed(&store).await;
    states.push(seen(&store).await);
    store.catalogue.upsert(vec![kept(titled("a", "Masts again", &["hr"]), &["The mast fell."])]).await.expect("keep");
    refreshed(&store).await;
    states.push(seen(&store).await);
    states
}

#[tokio::test]
async fn every_generation_can_be_seen_again_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let states = history(folder.path()).await;
    for (generation, then) in (0u64..).zip(&states) {
        let copy = tempfile::tempdir().expect("a folder");
        let rewound = rewind(folder.path(), copy.path(), Generation(generation)).expect("rewound");
        assert_eq!(rewound.passages_without_vector, 0);
        let store = open(copy.path());
        assert_eq!(&seen(&store).await, then, "generation {generation}");
        assert!(store.health().expect("health").is_sound(), "generation {generation}");
    }
    assert_eq!(state_of(folder.path()).expect("a state").generation, Generation(6), "the original is as it was");
}

#[tokio::test]
async fn a_folder_that_is_held_can_be_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    history(folder.path()).await;
    let _held = open(folder.path());
    let copy = tempfile::tempdir().expect("a folder");
    rewind(folder.path(), copy.path(), Generation(1)).expect("rewound");
    let counts = open(copy.path()).catalogue.counts(&everyone()).await.expect("counts");
    assert_eq!((counts.documents, counts.passages), (1, 2));
}

#[tokio::test]
async fn a_generation_that_never_was_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    history(folder.path()).await;
    let copy = tempfile::tempdir().expect("a folder");
    let error = rewind(folder.path(), copy.path(), Generation(99)).expect_err("there is none");
    assert_eq!(error.fault, Fault::Invalid);
    let nowhere = tempfile::tempdir().expect("a folder");
    assert_eq!(state_of(nowhere.path()).expect_err("no catalogue").fault, Fault::Unavailable);
}

#[tokio::test]
async fn vectors_that_are_no_longer_kept_are_told_and_can_be_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    history(folder.path()).await;
    let same: Arc<dyn Embedder> = Arc::new(FakeEmbedder::named("fake"));
    open(folder.path()).reembed(&same, |_, passage| passage.text.clone(), |_| ()).await.expect("reembed");
    let copy = tempfile::tempdir().expect("a folder");
    let rewound = rewind(folder.path(), copy.path(), Generation(1)).expect("rewound");
    assert_eq!(rewound.passages_without_vector, 2);
    let store =
        EmbeddedStore::open(copy.path(), same.identity(), EmbedderCheck::Reembedding).expect("opens to re-embed");
    store.reembed(&same, |_, passage| passage.text.clone(), |_| ()).await.expect("reembed");
    let near = store.dense.nearest(&everyone(), &FakeEmbedder::vector("mast tall"), 5).await.expect("nearest");
    assert_eq!(near.len(), 2);
}
