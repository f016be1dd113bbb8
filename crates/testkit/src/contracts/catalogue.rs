//! The contract of `Catalogue`.

use std::collections::BTreeSet;

use vouch_domain::{
    CardEdit, CardField, ContentHash, DocumentId, PassageKey, Reader, SourceDigest,
    ports::{EditedCard, PastAccess, SourceReading, UpsertOutcome},
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
    who_could_see_a_document_outlives_its_removal(&make()).await;
    what_was_opened_is_closed_to_nobody_when_it_comes_back(&make()).await;
    a_card_that_is_edited_leaves_the_text_and_its_hash(&make()).await;
    an_edit_ends_with_a_newer_statement(&make()).await;
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

fn tags(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

async fn past(store: &StorePorts, (name, source, text): (&str, &str, &str)) -> PastAccess {
    store.catalogue.past_access(TENANT, &id(name), source, text).await.expect("past access")
}

async fn who_could_see_a_document_outlives_its_removal(store: &StorePorts) {
    let (closed, open) = (kept(card("a", &["hr"]), &["A."]), kept(card("b", &[]), &["B."]));
    let (of_closed, text) = (closed.document.card.source.clone(), closed.document.text.clone());
    let of_open = open.document.card.source.clone();
    store.catalogue.upsert(vec![closed, open]).await.expect("keep");
    assert_eq!(past(store, ("a", &of_closed, &text)).await, PastAccess::default(), "it is there");
    store.catalogue.rename(TENANT, &[(id("a"), "/new/a.md".to_owned())]).await.expect("rename");
    let by_source = past(store, ("x", &of_closed, "-")).await.by_source;
    assert_eq!(by_source, Some(tags(&["hr"])), "it has moved from there");
    store.catalogue.remove(TENANT, &[id("a"), id("b")]).await.expect("remove");
    let hr = Some(tags(&["hr"]));
    let expected = PastAccess { by_id: hr.clone(), by_source: hr.clone(), by_text: hr.clone() };
    assert_eq!(past(store, ("a", "/new/a.md", &text)).await, expected);
    let open = PastAccess { by_id: Some(tags(&[])), by_source: Some(tags(&[])), by_text: None };
    assert_eq!(past(store, ("b", &of_open, "Facts")).await, open);
    assert_eq!(store.catalogue.past_access_below(TENANT, "/new").await.expect("sets"), [tags(&["hr"])]);
    assert!(store.catalogue.past_access_below(TENANT, "/ne").await.expect("sets").is_empty());
    let elsewhere = store.catalogue.past_access("other", &id("a"), "/new/a.md", &text).await.expect("past access");
    assert_eq!(elsewhere, PastAccess::default(), "tenants know nothing of one another");
}

async fn what_was_opened_is_closed_to_nobody_when_it_comes_back(store: &StorePorts) {
    let closed = kept(card("a", &["hr"]), &["A."]);
    let (source, text) = (closed.document.card.source.clone(), closed.document.text.clone());
    store.catalogue.upsert(vec![closed]).await.expect("keep");
    store.catalogue.remove(TENANT, &[id("a")]).await.expect("remove");
    store.catalogue.upsert(vec![kept(card("a", &["it"]), &["Other."])]).await.expect("keep");
    assert_eq!(past(store, ("x", "-", &text)).await.by_text, Some(tags(&["hr"])), "nobody has opened that text");
    store.catalogue.upsert(vec![kept(card("a", &[]), &["A."])]).await.expect("keep");
    assert_eq!(past(store, ("a", &source, &text)).await, PastAccess::default());
}

async fn a_card_that_is_edited_leaves_the_text_and_its_hash(store: &StorePorts) {
    let original = kept(card("a", &[]), &["One.", "Two."]);
    store.catalogue.upsert(vec![original.clone()]).await.expect("keep");
    let read_from = SourceDigest([7; 32]);
    let reading = SourceReading { id: id("a"), hash: original.hash, read_from };
    store.catalogue.note_readings(TENANT, &[reading]).await.expect("noted");
    let mut card = original.document.card.clone();
    (card.status, card.tags) = (Some("withdrawn".to_owned()), tags(&["hr"]));
    let edit = |field: CardField, value: &str| CardEdit {
        field,
        value: Some(value.to_owned()),
        stated: None,
        set_by: "mira".to_owned(),
        set_ms: 5,
    };
    let edits = vec![edit(CardField::Status, "withdrawn"), edit(CardField::Tags, "hr")];
    let edited = EditedCard { card: card.clone(), edits: edits.clone(), embeddings: None, edited_ms: 5 };
    assert_eq!(store.catalogue.edit(edited).await.expect("edited"), Some(2));
    assert_eq!(store.catalogue.edits(TENANT, &id("a")).await.expect("edits"), edits);
    let known = store.catalogue.fingerprints(TENANT, &[id("a")]).await.expect("known");
    let known: Vec<_> = known.into_iter().map(|one| (one.hash, one.tags, one.read_from)).collect();
    assert_eq!(known, [(original.hash, tags(&["hr"]), Some(read_from))]);
    let text = store.catalogue.text(&tagged(&["hr"]), &id("a")).await.expect("text");
    assert_eq!(text, Some(original.document.text));
    assert_eq!(visible(store, &tagged(&["it"])).await, Vec::<String>::new());
    assert_eq!(visible(store, &tagged(&["hr"])).await, ["One.", "Two."]);
    let nobody = EditedCard { card: under(&card, "nobody"), edits: Vec::new(), embeddings: None, edited_ms: 5 };
    assert_eq!(store.catalogue.edit(nobody).await.expect("an answer"), None);
}

/// The same card under another id.
fn under(card: &vouch_domain::DocumentCard, name: &str) -> vouch_domain::DocumentCard {
    vouch_domain::DocumentCard { id: id(name), ..card.clone() }
}

async fn an_edit_ends_with_a_newer_statement(store: &StorePorts) {
    let mut document = kept(card("a", &[]), &["One."]);
    store.catalogue.upsert(vec![document.clone()]).await.expect("keep");
    let set = |field: CardField| CardEdit { field, value: None, stated: None, set_by: "mira".to_owned(), set_ms: 5 };
    let edits = vec![set(CardField::Status), set(CardField::Version)];
    let edited = EditedCard { card: document.document.card.clone(), edits, embeddings: None, edited_ms: 5 };
    store.catalogue.edit(edited).await.expect("edited");
    store.catalogue.remove(TENANT, &[id("a")]).await.expect("remove");
    assert_eq!(store.catalogue.edits(TENANT, &id("a")).await.expect("edits").len(), 2, "it may come back");
    document.ended_edits = vec![CardField::Status];
    store.catalogue.upsert(vec![document]).await.expect("keep");
    let left: Vec<CardField> =
        store.catalogue.edits(TENANT, &id("a")).await.expect("edits").iter().map(|edit| edit.field).collect();
    assert_eq!(left, [CardField::Version]);
}
