//! The contract of `Catalogue`.

use vouch_domain::{
    ContentHash, DocumentId, PassageKey, Reader, SourceDigest,
    ports::{SourceReading, UpsertOutcome},
};

use super::{StorePorts, everyone, of_collections, tagged};
use crate::corpus::{TENANT, card, card_of, kept};

/// Runs every clause, each on an empty store.
pub async fn check(make: impl Fn() -> StorePorts) {
    kept_documents_are_found_again(&make()).await;
    a_changed_document_replaces_its_passages(&make()).await;
    a_removed_document_is_gone_and_can_come_back(&make()).await;
    sources_are_told_apart_by_folder(&make()).await;
    readers_see_their_own_alone(&make()).await;
    readers_of_collections_see_these_alone(&make()).await;
    every_change_raises_the_generation(&make()).await;
    a_document_is_found_by_its_text_and_given_another_source(&make()).await;
    what_a_document_was_read_from_holds_for_its_present_form(&make()).await;
}

fn id(text: &str) -> DocumentId {
    DocumentId::parse(text).expect("a usable id")
}

/// All passages the reader may see, by trying every key a small corpus can have.
async fn visible(store: &StorePorts, reader: &Reader) -> Vec<String> {
    let keys: Vec<PassageKey> = (0..100).map(PassageKey).collect();
    let found = store.catalogue.passages(reader, &keys).await.expect("passages");
    found.into_iter().map(|one| one.passage.text).collect()
}

async fn kept_documents_are_found_again(store: &StorePorts) {
    let filed = store.catalogue.upsert(vec![kept(card("a", &["x"]), &["One é.", "Two."])]).await.expect("keep");
    assert_eq!(filed, vec![UpsertOutcome::Added]);
    let keys: Vec<PassageKey> = (0..10).map(PassageKey).collect();
    let found = store.catalogue.passages(&everyone(), &keys).await.expect("passages");
    let original = kept(card("a", &["x"]), &["One é.", "Two."]);
    assert_eq!(found.len(), 2);
    for (stored, embedded) in found.iter().zip(&original.passages) {
        assert_eq!(stored.passage, embedded.passage);
        assert_eq!(*stored.document, original.document.card);
    }
    let text = store.catalogue.text(&everyone(), &id("a")).await.expect("text");
    assert_eq!(text, Some(original.document.text.clone()));
    let known = store.catalogue.fingerprints(TENANT, &[id("a"), id("b")]).await.expect("fingerprints");
    assert_eq!(known.iter().map(|one| (one.id.clone(), one.hash)).collect::<Vec<_>>(), vec![(id("a"), original.hash)]);
}

async fn a_changed_document_replaces_its_passages(store: &StorePorts) {
    store.catalogue.upsert(vec![kept(card("a", &[]), &["Old."])]).await.expect("keep");
    let filed = store.catalogue.upsert(vec![kept(card("a", &[]), &["New.", "Newer."])]).await.expect("keep");
    assert_eq!(filed, vec![UpsertOutcome::Updated(2)]);
    assert_eq!(visible(store, &everyone()).await, vec!["New.", "Newer."]);
    let counts = store.catalogue.counts(&everyone()).await.expect("counts");
    assert_eq!((counts.documents, counts.passages), (1, 2));
}

async fn a_removed_document_is_gone_and_can_come_back(store: &StorePorts) {
    store.catalogue.upsert(vec![kept(card("a", &[]), &["Here."])]).await.expect("keep");
    assert_eq!(store.catalogue.remove(TENANT, &[id("a"), id("nobody")]).await.expect("remove"), 1);
    assert!(visible(store, &everyone()).await.is_empty());
    assert_eq!(store.catalogue.text(&everyone(), &id("a")).await.expect("text"), None);
    assert!(store.catalogue.fingerprints(TENANT, &[id("a")]).await.expect("fingerprints").is_empty());
    let filed = store.catalogue.upsert(vec![kept(card("a", &[]), &["Here."])]).await.expect("keep");
    assert_eq!(filed, vec![UpsertOutcome::Added]);
    assert_eq!(visible(store, &everyone()).await, vec!["Here."]);
}

async fn sources_are_told_apart_by_folder(store: &StorePorts) {
    let mut beside = card("c", &[]);
    beside.source = "/docs-old/c.md".to_owned();
    let documents = vec![kept(card("a", &[]), &["A."]), kept(card("b", &[]), &["B."]), kept(beside, &["C."])];
    store.catalogue.upsert(documents).await.expect("keep");
    let ids = |found: Vec<vouch_domain::ports::Fingerprint>| {
        found.into_iter().map(|one| one.id.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(store.catalogue.under_source(TENANT, "/docs").await.expect("sources")), vec!["a", "b"]);
    assert_eq!(ids(store.catalogue.under_source(TENANT, "/docs/b.md").await.expect("sources")), vec!["b"]);
    assert!(store.catalogue.under_source("someone else", "/docs").await.expect("sources").is_empty());
}

async fn readers_see_their_own_alone(store: &StorePorts) {
    let mut foreign = card("a", &[]);
    foreign.tenant = "other".to_owned();
    let documents = vec![
        kept(card("open", &[]), &["For all."]),
        kept(card("hr", &["hr"]), &["For HR."]),
        kept(card("it", &["it", "ops"]), &["For IT."]),
        kept(foreign, &["For others."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    assert_eq!(visible(store, &tagged(&["hr"])).await, vec!["For all.", "For HR."]);
    assert_eq!(visible(store, &tagged(&[])).await, vec!["For all."]);
    assert_eq!(visible(store, &everyone()).await.len(), 3);
    assert_eq!(visible(store, &Reader::of_tenant("other")).await, vec!["For others."]);
    assert_eq!(visible(store, &Reader::of_tenant("nobody")).await, Vec::<String>::new());
    assert_eq!(store.catalogue.text(&tagged(&["hr"]), &id("it")).await.expect("text"), None);
    let counts = store.catalogue.counts(&tagged(&["ops"])).await.expect("counts");
    assert_eq!((counts.documents, counts.passages), (2, 2));
}

async fn readers_of_collections_see_these_alone(store: &StorePorts) {
    let documents = vec![
        kept(card_of("guides", "open", &[]), &["A guide.", "Its end."]),
        kept(card_of("guides", "hr", &["hr"]), &["A guide for HR."]),
        kept(card_of("minutes", "beside", &[]), &["Minutes."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    let guides = of_collections(&["guides"]);
    assert_eq!(visible(store, &guides).await, vec!["A guide.", "Its end.", "A guide for HR."]);
    let tagged_guides = tagged(&["it"]).within(&["guides".to_owned()].into());
    assert_eq!(visible(store, &tagged_guides).await, vec!["A guide.", "Its end."]);
    assert_eq!(visible(store, &of_collections(&["minutes", "nobody's"])).await, vec!["Minutes."]);
    assert!(visible(store, &of_collections(&[])).await.is_empty());
    assert_eq!(visible(store, &everyone()).await.len(), 4);
    assert_eq!(store.catalogue.text(&guides, &id("beside")).await.expect("text"), None);
    assert!(store.catalogue.text(&guides, &id("hr")).await.expect("text").is_some());
    let counts = store.catalogue.counts(&tagged_guides).await.expect("counts");
    assert_eq!((counts.documents, counts.passages), (1, 2));
    store.catalogue.upsert(vec![kept(card_of("minutes", "open", &[]), &["Moved."])]).await.expect("keep");
    assert_eq!(visible(store, &tagged_guides).await, Vec::<String>::new());
    assert_eq!(visible(store, &of_collections(&["minutes"])).await, vec!["Minutes.", "Moved."]);
    let counts = store.catalogue.counts(&of_collections(&["minutes"])).await.expect("counts");
    assert_eq!((counts.documents, counts.passages), (2, 2));
}

async fn every_change_raises_the_generation(store: &StorePorts) {
    let mut last = store.catalogue.generation().await.expect("generation");
    store.catalogue.upsert(vec![kept(card("a", &[]), &["A."])]).await.expect("keep");
    let after_keep = store.catalogue.generation().await.expect("generation");
    assert!(after_keep > last);
    last = after_keep;
    store.catalogue.remove(TENANT, &[id("a")]).await.expect("remove");
    assert!(store.catalogue.generation().await.expect("generation") > last);
}

async fn a_document_is_found_by_its_text_and_given_another_source(store: &StorePorts) {
    let mut foreign = card("a", &[]);
    foreign.tenant = "other".to_owned();
    let documents = vec![
        kept(card("b", &["hr"]), &["Same."]),
        kept(card("a", &[]), &["Same."]),
        kept(card("c", &[]), &["Another."]),
        kept(foreign, &["Same."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    store.catalogue.upsert(vec![kept(card("c", &[]), &["Same no more."])]).await.expect("keep");
    let found = store.catalogue.with_text(TENANT, "Same.").await.expect("documents");
    assert_eq!(found.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), vec!["a", "b"]);
    assert_eq!(found.iter().map(|one| one.tags.len()).collect::<Vec<_>>(), vec![0, 1]);
    assert!(store.catalogue.with_text(TENANT, "Another.").await.expect("documents").is_empty(), "an old version");
    let before = store.catalogue.generation().await.expect("generation");
    let renames = [(id("a"), "/docs/moved.md".to_owned()), (id("nobody"), "/docs/nobody.md".to_owned())];
    store.catalogue.rename(TENANT, &renames).await.expect("rename");
    assert!(store.catalogue.generation().await.expect("generation") > before);
    let known = store.catalogue.fingerprints(TENANT, &[id("a")]).await.expect("fingerprints");
    assert_eq!(known.iter().map(|one| one.source.as_str()).collect::<Vec<_>>(), vec!["/docs/moved.md"]);
    let others = store.catalogue.fingerprints("other", &[id("a")]).await.expect("fingerprints");
    assert_eq!(others.iter().map(|one| one.source.as_str()).collect::<Vec<_>>(), vec!["/docs/a.md"]);
    assert_eq!(visible(store, &everyone()).await.len(), 3, "passages stay as they are");
}

async fn what_a_document_was_read_from_holds_for_its_present_form(store: &StorePorts) {
    let digest = async |name: &str| {
        let known = store.catalogue.fingerprints(TENANT, &[id(name)]).await.expect("fingerprints");
        known.first().and_then(|known| known.read_from)
    };
    let (first, second) = (kept(card("a", &[]), &["One."]), kept(card("a", &[]), &["Two."]));
    let reading = |name: &str, hash: ContentHash, read_from: u8| SourceReading {
        id: id(name),
        hash,
        read_from: SourceDigest([read_from; 32]),
    };
    store.catalogue.upsert(vec![first.clone(), kept(card("b", &[]), &["Else."])]).await.expect("keep");
    let before = store.catalogue.generation().await.expect("generation");
    let readings = [reading("a", first.hash, 1), reading("nobody", first.hash, 1), reading("b", first.hash, 1)];
    store.catalogue.note_readings(TENANT, &readings).await.expect("noted");
    assert_eq!(digest("a").await, Some(SourceDigest([1; 32])));
    assert_eq!(digest("b").await, None, "it is kept under another hash");
    let found = store.catalogue.under_source(TENANT, "/docs").await.expect("documents");
    assert_eq!(found.iter().filter(|one| one.read_from.is_some()).count(), 1);
    store.catalogue.note_readings(TENANT, &[reading("a", first.hash, 2)]).await.expect("noted");
    assert_eq!(digest("a").await, Some(SourceDigest([2; 32])), "the last word counts");
    assert_eq!(store.catalogue.generation().await.expect("generation"), before, "answers do not depend on it");
    store.catalogue.upsert(vec![second]).await.expect("keep");
    assert_eq!(digest("a").await, None, "another version");
    store.catalogue.upsert(vec![first.clone()]).await.expect("keep");
    assert_eq!(digest("a").await, None, "the same text again is a version of its own");
}
