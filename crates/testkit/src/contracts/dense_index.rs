//! The contract of `DenseIndex`.

use vouch_domain::PassageKey;

use super::{StorePorts, everyone, of_collections, tagged};
use crate::{
    corpus::{TENANT, card, card_of, kept},
    fakes::FakeEmbedder,
};

/// Runs every clause, each on an empty store.
pub async fn check(make: impl Fn() -> StorePorts) {
    the_nearest_come_first_with_exact_cosines(&make()).await;
    the_index_follows_the_catalogue(&make()).await;
    nothing_hidden_is_found_or_takes_a_place(&make()).await;
    other_collections_are_not_found_and_take_no_place(&make()).await;
    a_document_that_changes_its_collection_moves_over(&make()).await;
    unknown_passages_have_no_cosine(&make()).await;
}

async fn the_nearest_come_first_with_exact_cosines(store: &StorePorts) {
    let lines = ["The mast is tall.", "The gauge collects rain.", "Tall mast with rain gauge."];
    store.catalogue.upsert(vec![kept(card("a", &[]), &lines)]).await.expect("keep");
    store.dense.refresh().await.expect("refresh");
    let query = FakeEmbedder::vector("tall mast");
    let hits = store.dense.nearest(&everyone(), &query, 2).await.expect("nearest");
    assert_eq!(hits.len(), 2);
    let keys: Vec<PassageKey> = hits.iter().map(|hit| hit.key).collect();
    let found = store.catalogue.passages(&everyone(), &keys).await.expect("passages");
    for (hit, passage) in hits.iter().zip(&found) {
        let exact = FakeEmbedder::vector(&passage.passage.text).cosine(&query);
        assert!((hit.lane_score - exact).abs() < 1e-5, "{} and {exact}", hit.lane_score);
    }
    assert_eq!(found.first().map(|one| one.passage.text.as_str()), Some("The mast is tall."));
    let cosines = store.dense.cosines(&query, &keys).await.expect("cosines");
    assert_eq!(cosines, hits.iter().map(|hit| Some(hit.lane_score)).collect::<Vec<_>>());
}

async fn the_index_follows_the_catalogue(store: &StorePorts) {
    store
        .catalogue
        .upsert(vec![kept(card("a", &[]), &["Old heron."]), kept(card("b", &[]), &["A crane."])])
        .await
        .expect("keep");
    store.dense.refresh().await.expect("refresh");
    store.catalogue.upsert(vec![kept(card("a", &[]), &["New stork."])]).await.expect("keep");
    store.catalogue.remove(TENANT, &[card("b", &[]).id]).await.expect("remove");
    let reached = store.dense.refresh().await.expect("refresh");
    assert_eq!(reached, store.catalogue.generation().await.expect("generation"));
    assert_eq!(store.dense.generation().await.expect("generation"), reached);
    let hits = store.dense.nearest(&everyone(), &FakeEmbedder::vector("heron crane stork"), 10).await.expect("nearest");
    let keys: Vec<PassageKey> = hits.iter().map(|hit| hit.key).collect();
    let found = store.catalogue.passages(&everyone(), &keys).await.expect("passages");
    assert_eq!(found.iter().map(|one| one.passage.text.as_str()).collect::<Vec<_>>(), vec!["New stork."]);
    assert_eq!(hits.len(), 1);
}

async fn nothing_hidden_is_found_or_takes_a_place(store: &StorePorts) {
    let secret = ["Tall mast."; 60];
    let mut foreign = card("foreign", &[]);
    foreign.tenant = "other".to_owned();
    let documents = vec![
        kept(card("secret", &["board"]), &secret),
        kept(foreign, &secret),
        kept(card("open", &[]), &["A mast of some kind.", "Rain."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    store.dense.refresh().await.expect("refresh");
    let query = FakeEmbedder::vector("tall mast");
    let hits = store.dense.nearest(&tagged(&["hr"]), &query, 2).await.expect("nearest");
    assert_eq!(hits.len(), 2);
    let keys: Vec<PassageKey> = hits.iter().map(|hit| hit.key).collect();
    let found = store.catalogue.passages(&tagged(&["hr"]), &keys).await.expect("passages");
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|one| one.document.id.as_str() == "open"));
}

async fn other_collections_are_not_found_and_take_no_place(store: &StorePorts) {
    let open = kept(card_of("guides", "open", &[]), &["A mast of some kind.", "Rain."]);
    store.catalogue.upsert(vec![open]).await.expect("keep");
    store.dense.refresh().await.expect("refresh");
    let (query, reader) = (FakeEmbedder::vector("tall mast"), of_collections(&["guides"]));
    let before = store.dense.nearest(&reader, &query, 2).await.expect("nearest");
    assert_eq!(before.len(), 2);
    let beside = ["Tall mast."; 60];
    let documents = vec![
        kept(card_of("minutes", "beside", &[]), &beside),
        kept(card_of("guides", "secret", &["board"]), &["Tall mast of the board."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    store.dense.refresh().await.expect("refresh");
    let tagged_reader = tagged(&["hr"]).within(&["guides".to_owned()].into());
    let after = store.dense.nearest(&tagged_reader, &query, 2).await.expect("nearest");
    assert_eq!(after, before, "neither what tags hide nor what is of another collection");
    assert_eq!(store.dense.nearest(&reader, &query, 100).await.expect("nearest").len(), 3);
    let both = of_collections(&["guides", "minutes"]);
    assert_eq!(store.dense.nearest(&both, &query, 100).await.expect("nearest").len(), 63);
    for none in [of_collections(&[]), of_collections(&["Guides", "nobody's"])] {
        assert!(store.dense.nearest(&none, &query, 100).await.expect("nearest").is_empty());
    }
}

async fn a_document_that_changes_its_collection_moves_over(store: &StorePorts) {
    let query = FakeEmbedder::vector("tall mast");
    for (collection, other) in [("guides", "minutes"), ("minutes", "guides"), ("guides", "minutes")] {
        let moved = kept(card_of(collection, "a", &[]), &["Tall mast."]);
        store.catalogue.upsert(vec![moved]).await.expect("keep");
        store.dense.refresh().await.expect("refresh");
        let found = store.dense.nearest(&of_collections(&[collection]), &query, 5).await.expect("nearest");
        assert_eq!(found.len(), 1, "{collection}");
        assert!(store.dense.nearest(&of_collections(&[other]), &query, 5).await.expect("nearest").is_empty());
    }
}

async fn unknown_passages_have_no_cosine(store: &StorePorts) {
    let query = FakeEmbedder::vector("tall mast");
    assert!(store.dense.nearest(&everyone(), &query, 3).await.expect("nearest").is_empty());
    assert_eq!(store.dense.cosines(&query, &[PassageKey(77)]).await.expect("cosines"), vec![None]);
}
