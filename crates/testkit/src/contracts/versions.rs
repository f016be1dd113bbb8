//! The contract of `Versions`.

use std::sync::Arc;

use vouch_domain::{
    CurrentVersions, DocumentId, Reader,
    ports::{Catalogue, Generation, Versions},
};

use super::{everyone, of_collections, tagged};
use crate::corpus::{TENANT, card, card_of, kept};

type Ports = (Arc<dyn Catalogue>, Arc<dyn Versions>);

/// Runs every clause, each on an empty store.
pub async fn check(make: impl Fn() -> Ports) {
    every_form_stays_with_its_text_and_its_card(make()).await;
    who_may_not_read_a_document_now_reads_no_earlier_form(make()).await;
    who_could_not_read_an_earlier_form_does_not_read_it_now(make()).await;
    of_a_removed_document_nothing_is_shown_until_it_comes_back(make()).await;
    the_form_of_any_generation_is_known(make()).await;
}

fn id(text: &str) -> DocumentId {
    DocumentId::parse(text).expect("a usable id")
}

async fn numbers(versions: &dyn Versions, reader: &Reader, name: &str) -> Vec<u32> {
    let found = versions.versions(reader, &id(name), 100).await.expect("versions");
    found.iter().map(|one| one.number).collect()
}

async fn text(versions: &dyn Versions, reader: &Reader, name: &str, number: u32) -> Option<String> {
    versions.version(reader, &id(name), number).await.expect("a version").map(|one| one.text)
}

async fn every_form_stays_with_its_text_and_its_card((catalogue, versions): Ports) {
    let mut named = card("a", &[]);
    named.version = Some("1.0".to_owned());
    catalogue.upsert(vec![kept(named, &["Old."])]).await.expect("keep");
    catalogue.upsert(vec![kept(card("a", &[]), &["New."])]).await.expect("keep");
    let found = versions.versions(&everyone(), &id("a"), 100).await.expect("versions");
    let told: Vec<_> = found.iter().map(|one| (one.number, one.is_current, one.card.version.as_deref())).collect();
    assert_eq!(told, [(2, true, None), (1, false, Some("1.0"))]);
    assert!(found.iter().all(|one| one.taken_in_ms == 1_000));
    assert_eq!(text(versions.as_ref(), &everyone(), "a", 1).await.as_deref(), Some("Old."));
    assert_eq!(text(versions.as_ref(), &everyone(), "a", 2).await.as_deref(), Some("New."));
    for number in [0, 3] {
        assert_eq!(text(versions.as_ref(), &everyone(), "a", number).await, None);
    }
    let newest = versions.versions(&everyone(), &id("a"), 1).await.expect("versions");
    assert_eq!(newest, found.get(..1).unwrap_or_default());
    assert_eq!(numbers(versions.as_ref(), &everyone(), "nobody").await, Vec::<u32>::new());
    assert_eq!(numbers(versions.as_ref(), &Reader::of_tenant("other"), "a").await, Vec::<u32>::new());
}

async fn who_may_not_read_a_document_now_reads_no_earlier_form((catalogue, versions): Ports) {
    catalogue.upsert(vec![kept(card("a", &[]), &["Open."])]).await.expect("keep");
    catalogue.upsert(vec![kept(card("a", &["hr"]), &["Closed."])]).await.expect("keep");
    assert_eq!(numbers(versions.as_ref(), &tagged(&["it"]), "a").await, Vec::<u32>::new());
    assert_eq!(text(versions.as_ref(), &tagged(&["it"]), "a", 1).await, None);
    assert_eq!(numbers(versions.as_ref(), &tagged(&["hr"]), "a").await, [2, 1]);
    catalogue.upsert(vec![kept(card_of("box", "b", &[]), &["One."])]).await.expect("keep");
    catalogue.upsert(vec![kept(card_of("chest", "b", &[]), &["Two."])]).await.expect("keep");
    assert_eq!(numbers(versions.as_ref(), &of_collections(&["box"]), "b").await, Vec::<u32>::new());
    assert_eq!(numbers(versions.as_ref(), &of_collections(&["chest"]), "b").await, [2]);
}

async fn who_could_not_read_an_earlier_form_does_not_read_it_now((catalogue, versions): Ports) {
    catalogue.upsert(vec![kept(card("a", &["hr"]), &["Closed."])]).await.expect("keep");
    catalogue.upsert(vec![kept(card("a", &[]), &["Open."])]).await.expect("keep");
    assert_eq!(numbers(versions.as_ref(), &tagged(&["it"]), "a").await, [2]);
    assert_eq!(text(versions.as_ref(), &tagged(&["it"]), "a", 1).await, None);
    assert_eq!(numbers(versions.as_ref(), &everyone(), "a").await, [2, 1]);
}

async fn of_a_removed_document_nothing_is_shown_until_it_comes_back((catalogue, versions): Ports) {
    catalogue.upsert(vec![kept(card("a", &[]), &["Here."])]).await.expect("keep");
    catalogue.remove(TENANT, &[id("a")]).await.expect("remove");
    assert_eq!(numbers(versions.as_ref(), &everyone(), "a").await, Vec::<u32>::new());
    assert_eq!(text(versions.as_ref(), &everyone(), "a", 1).await, None);
    catalogue.upsert(vec![kept(card("a", &[]), &["Again."])]).await.expect("keep");
    assert_eq!(numbers(versions.as_ref(), &everyone(), "a").await, [2, 1]);
}

async fn the_form_of_any_generation_is_known((catalogue, versions): Ports) {
    catalogue.upsert(vec![kept(card("a", &["hr"]), &["One."])]).await.expect("keep");
    catalogue.upsert(vec![kept(card("b", &[]), &["Other."])]).await.expect("keep");
    catalogue.upsert(vec![kept(card("a", &["hr"]), &["Two."])]).await.expect("keep");
    catalogue.remove(TENANT, &[id("a")]).await.expect("remove");
    let mut then = Vec::new();
    for generation in 0..=4 {
        let found = versions.current_at(TENANT, &id("a"), Generation(generation)).await.expect("numbers");
        assert_eq!((found.is_known, found.now), (true, None));
        then.push(found.then);
    }
    assert_eq!(then, [None, Some(1), Some(1), Some(2), None]);
    let other = versions.current_at(TENANT, &id("b"), Generation(4)).await.expect("numbers");
    assert_eq!(other, CurrentVersions { is_known: true, then: Some(1), now: Some(1) });
    let unknown = versions.current_at("other", &id("a"), Generation(4)).await.expect("numbers");
    assert_eq!(unknown, CurrentVersions::default());
}
