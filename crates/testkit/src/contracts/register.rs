//! The contract of `Register`.

use vouch_domain::{
    Address, AddressKey, DocumentCard, DocumentId, NameWords,
    ports::{KindCount, PageRequest},
};

use super::{StorePorts, everyone, of_collections, tagged};
use crate::corpus::{card, kept};

/// Runs every clause, each on an empty store.
pub async fn check(make: impl Fn() -> StorePorts) {
    every_spelling_finds_the_document(&make()).await;
    ids_find_their_documents_in_their_order(&make()).await;
    near_addresses_come_nearest_first(&make()).await;
    a_kind_is_listed_whole_and_in_order(&make()).await;
    what_a_reader_may_not_see_is_not_counted(&make()).await;
    readers_of_collections_are_told_of_these_alone(&make()).await;
    one_collection_is_told_from_several(&make()).await;
    a_document_gives_its_passages_in_order(&make()).await;
    pages_by_id_leave_nothing_out_and_tell_nothing_twice(&make()).await;
    documents_are_found_by_words_of_what_they_are_called(&make()).await;
    a_document_is_found_by_its_id_by_those_who_may_see_it(&make()).await;
}

fn named(id: &str, kind: &str, address: &str, tags: &[&str]) -> DocumentCard {
    let mut card = card(id, tags);
    card.kind = kind.to_owned();
    card.address = Address::parse(address);
    card
}

fn ids(cards: &[DocumentCard]) -> Vec<&str> {
    cards.iter().map(|card| card.id.as_str()).collect()
}

async fn every_spelling_finds_the_document(store: &StorePorts) {
    let documents = vec![
        kept(named("twelve", "ADR", "ADR-0012", &[]), &["Twelve."]),
        kept(named("hundred", "ADR", "ADR-0112", &[]), &["A hundred and twelve."]),
        kept(named("twin", "ADR", "adr 12", &[]), &["Twelve too."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    for spelling in ["ADR-0012", "adr 12", "ADR.0012"] {
        let found = store.register.by_address(&everyone(), &[AddressKey::new(spelling)]).await.expect("found");
        assert_eq!(ids(&found), ["twelve", "twin"], "{spelling}");
    }
    let none = store.register.by_address(&everyone(), &[AddressKey::new("ADR-12-1")]).await.expect("found");
    assert!(none.is_empty());
    store.catalogue.remove(crate::corpus::TENANT, &[DocumentId::parse("twin").expect("an id")]).await.expect("remove");
    let found = store.register.by_address(&everyone(), &[AddressKey::new("ADR-12")]).await.expect("found");
    assert_eq!(ids(&found), ["twelve"]);
}

async fn ids_find_their_documents_in_their_order(store: &StorePorts) {
    let documents = vec![
        kept(card("a", &[]), &["A."]),
        kept(card("b", &["hr"]), &["B."]),
        kept(card("c", &[]), &["C."]),
        kept(card("d", &[]), &["D."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    store.catalogue.remove(crate::corpus::TENANT, &[DocumentId::parse("d").expect("an id")]).await.expect("remove");
    let wanted: Vec<DocumentId> =
        ["c", "nobody", "d", "b", "a"].iter().filter_map(|id| DocumentId::parse(id)).collect();
    assert_eq!(ids(&store.register.by_ids(&everyone(), &wanted).await.expect("found")), ["c", "b", "a"]);
    assert_eq!(ids(&store.register.by_ids(&tagged(&["it"]), &wanted).await.expect("found")), ["c", "a"]);
    assert!(store.register.by_ids(&everyone(), &[]).await.expect("found").is_empty());
}

async fn near_addresses_come_nearest_first(store: &StorePorts) {
    let documents = vec![
        kept(named("a", "ADR", "ADR-0001", &[]), &["A."]),
        kept(named("b", "ADR", "ADR-0030", &[]), &["B."]),
        kept(named("c", "ADR", "ADR-0034", &[]), &["C."]),
        kept(named("v", "verse", "John 3:16", &[]), &["V."]),
        kept(named("w", "verse", "John 4:1", &[]), &["W."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    let near = |text: &str| {
        let key = AddressKey::new(text);
        async move { store.register.near_address(&everyone(), &key, 2).await.expect("near") }
    };
    assert_eq!(ids(&near("ADR-9999").await), ["c", "b"]);
    assert_eq!(ids(&near("ADR-0002").await), ["a", "b"]);
    assert_eq!(ids(&near("John 3:99").await), ["v"]);
    assert_eq!(ids(&near("John 9:9").await), ["v", "w"]);
    assert!(near("Meeting 10:30").await.is_empty());
}

async fn a_kind_is_listed_whole_and_in_order(store: &StorePorts) {
    let mut bare = card("z", &[]);
    bare.kind = "ADR".to_owned();
    let documents = vec![
        kept(bare, &["Without an address."]),
        kept(named("x", "ADR", "ADR-100", &[]), &["X."]),
        kept(named("y", "adr", "ADR-9", &[]), &["Y."]),
        kept(named("p", "policy", "POL-1", &[]), &["P."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    let listed = store.register.of_kind(&everyone(), "Adr", 10).await.expect("listed");
    assert_eq!(ids(&listed), ["y", "x", "z"]);
    assert_eq!(ids(&store.register.of_kind(&everyone(), "ADR", 1).await.expect("listed")), ["y"]);
    assert!(store.register.of_kind(&everyone(), "chapter", 10).await.expect("listed").is_empty());
}

async fn what_a_reader_may_not_see_is_not_counted(store: &StorePorts) {
    let documents = vec![
        kept(named("open", "ADR", "ADR-1", &[]), &["Open."]),
        kept(named("closed", "ADR", "ADR-2", &["hr"]), &["Closed."]),
        kept(named("note", "note", "N-1", &["hr"]), &["Note."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    let stranger = tagged(&["it"]);
    let kinds = store.register.kinds(&stranger).await.expect("kinds");
    assert_eq!(kinds, vec![KindCount { kind: "ADR".to_owned(), documents: 1 }]);
    assert_eq!(ids(&store.register.of_kind(&stranger, "ADR", 10).await.expect("listed")), ["open"]);
    assert!(store.register.by_address(&stranger, &[AddressKey::new("ADR-2")]).await.expect("found").is_empty());
    assert_eq!(
        ids(&store.register.near_address(&stranger, &AddressKey::new("ADR-3"), 5).await.expect("near")),
        ["open"]
    );
    for (title, expected) in [("about OPEN", &["open"][..]), ("About closed", &[]), ("open", &[])] {
        assert_eq!(ids(&store.register.by_title(&stranger, title, 5).await.expect("found")), expected, "{title}");
    }
    let hidden = DocumentId::parse("closed").expect("an id");
    assert!(store.register.passages_of(&stranger, &hidden).await.expect("passages").is_empty());
    assert_eq!(store.register.passages_of(&tagged(&["hr"]), &hidden).await.expect("passages").len(), 1);
}

async fn readers_of_collections_are_told_of_these_alone(store: &StorePorts) {
    let of = |collection: &str, card: DocumentCard| DocumentCard { collection: collection.to_owned(), ..card };
    let documents = vec![
        kept(of("guides", named("own", "ADR", "ADR-1", &[])), &["Own."]),
        kept(of("minutes", named("beside", "ADR", "ADR-2", &[])), &["Beside."]),
        kept(of("minutes", named("note", "note", "N-1", &[])), &["Note."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    let (reader, register) = (of_collections(&["guides"]), &store.register);
    let kinds = register.kinds(&reader).await.expect("kinds");
    assert_eq!(kinds, vec![KindCount { kind: "ADR".to_owned(), documents: 1 }]);
    assert_eq!(ids(&register.of_kind(&reader, "ADR", 10).await.expect("listed")), ["own"]);
    assert!(register.by_address(&reader, &[AddressKey::new("ADR-2")]).await.expect("found").is_empty());
    assert_eq!(ids(&register.by_address(&reader, &[AddressKey::new("ADR-1")]).await.expect("found")), ["own"]);
    assert_eq!(ids(&register.near_address(&reader, &AddressKey::new("ADR-3"), 5).await.expect("near")), ["own"]);
    let beside = DocumentId::parse("beside").expect("an id");
    assert!(register.by_id(&reader, &beside).await.expect("looked up").is_none());
    let both = [beside.clone(), DocumentId::parse("own").expect("an id")];
    assert_eq!(ids(&register.by_ids(&reader, &both).await.expect("found")), ["own"]);
    assert!(register.passages_of(&reader, &beside).await.expect("passages").is_empty());
    assert_eq!(register.passages_of(&of_collections(&["minutes"]), &beside).await.expect("passages").len(), 1);
    let all =
        PageRequest { kind: None, collection: None, topic: None, words: NameWords::default(), after: None, limit: 1 };
    assert_eq!(ids(&register.page(&reader, &all).await.expect("a page")), ["own"], "what is hidden takes no place");
    let others = PageRequest { collection: Some("minutes".to_owned()), ..all };
    assert!(register.page(&reader, &others).await.expect("a page").is_empty());
    assert!(!register.has_several_collections(&reader).await.expect("an answer"));
    assert!(register.has_several_collections(&of_collections(&["guides", "minutes"])).await.expect("an answer"));
}

async fn one_collection_is_told_from_several(store: &StorePorts) {
    let of = |id: &str, collection: &str, tags: &[&str]| {
        let card = DocumentCard { collection: collection.to_owned(), ..card(id, tags) };
        kept(card, &["A passage."])
    };
    let are_several = async |reader| store.register.has_several_collections(&reader).await.expect("an answer");
    assert!(!are_several(everyone()).await, "there is nothing");
    let documents = vec![of("a", "policies", &[]), of("b", "policies", &["hr"]), of("c", "notices", &["hr"])];
    store.catalogue.upsert(documents).await.expect("keep");
    assert!(are_several(everyone()).await);
    assert!(are_several(tagged(&["hr"])).await);
    assert!(!are_several(tagged(&["it"])).await, "the other is hidden");
    store.catalogue.upsert(vec![of("d", "guides", &["it"])]).await.expect("keep");
    assert!(are_several(tagged(&["it"])).await);
    store.catalogue.remove(crate::corpus::TENANT, &[DocumentId::parse("d").expect("an id")]).await.expect("remove");
    assert!(!are_several(tagged(&["it"])).await, "it was taken out again");
}

async fn a_document_gives_its_passages_in_order(store: &StorePorts) {
    store.catalogue.upsert(vec![kept(card("a", &[]), &["Old."])]).await.expect("keep");
    store.catalogue.upsert(vec![kept(card("a", &[]), &["One.", "Two.", "Three."])]).await.expect("keep");
    let id = DocumentId::parse("a").expect("an id");
    let passages = store.register.passages_of(&everyone(), &id).await.expect("passages");
    let texts: Vec<&str> = passages.iter().map(|one| one.passage.text.as_str()).collect();
    assert_eq!(texts, ["One.", "Two.", "Three."]);
}

async fn pages_by_id_leave_nothing_out_and_tell_nothing_twice(store: &StorePorts) {
    let mut other = named("d", "ADR", "ADR-4", &[]);
    other.collection = "other".to_owned();
    let documents = vec![
        kept(named("c/2", "adr", "ADR-3", &[]), &["C."]),
        kept(other, &["D."]),
        kept(named("a", "ADR", "ADR-1", &[]), &["A."]),
        kept(named("b", "note", "N-2", &["hr"]), &["B."]),
        kept(named("gone", "ADR", "ADR-5", &[]), &["Gone."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    let mut again = named("a", "ADR", "ADR-1", &[]);
    again.topics.insert("Lake".to_owned());
    store.catalogue.upsert(vec![kept(again, &["A again."])]).await.expect("keep");
    store.catalogue.remove(crate::corpus::TENANT, &[DocumentId::parse("gone").expect("an id")]).await.expect("remove");
    let all =
        PageRequest { kind: None, collection: None, topic: None, words: NameWords::default(), after: None, limit: 2 };
    let mut told = Vec::new();
    let mut wanted = all.clone();
    loop {
        let page = store.register.page(&everyone(), &wanted).await.expect("a page");
        assert!(page.len() <= 2);
        let Some(last) = page.last() else { break };
        wanted.after = Some(last.id.clone());
        told.extend(page);
    }
    assert_eq!(ids(&told), ["a", "b", "c/2", "d"]);
    let all = PageRequest { limit: 10, ..all };
    let adrs = PageRequest { kind: Some("Adr".to_owned()), ..all.clone() };
    assert_eq!(ids(&store.register.page(&everyone(), &adrs).await.expect("a page")), ["a", "c/2", "d"]);
    let others = PageRequest { collection: Some("other".to_owned()), ..adrs };
    assert_eq!(ids(&store.register.page(&everyone(), &others).await.expect("a page")), ["d"]);
    let lake = PageRequest { topic: Some("lake".to_owned()), ..all.clone() };
    assert_eq!(ids(&store.register.page(&everyone(), &lake).await.expect("a page")), ["a"]);
    assert_eq!(ids(&store.register.page(&tagged(&["it"]), &all).await.expect("a page")), ["a", "c/2", "d"]);
    let first = PageRequest { limit: 1, after: DocumentId::parse("b"), ..all.clone() };
    for (wanted, reader, count) in [
        (&first, everyone(), 4),
        (&first, tagged(&["it"]), 3),
        (&PageRequest { kind: Some("adr".to_owned()), ..first.clone() }, everyone(), 3),
        (&PageRequest { topic: Some("nothing".to_owned()), ..first.clone() }, everyone(), 0),
    ] {
        assert_eq!(store.register.count(&reader, wanted).await.expect("a count"), count, "{wanted:?}");
    }
}

async fn documents_are_found_by_words_of_what_they_are_called(store: &StorePorts) {
    let titled = |id: &str, title: &str, tags: &[&str]| {
        let card = DocumentCard { title: title.to_owned(), ..named(id, "note", &format!("N-{id}"), tags) };
        kept(card, &["A passage."])
    };
    let documents = vec![
        titled("a", "Annual Leave Policy", &[]),
        titled("b", "Leave of Absence", &["hr"]),
        titled("guides/leave.md", "Résumé", &[]),
        titled("d", "Travel", &[]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    let all =
        PageRequest { kind: None, collection: None, topic: None, words: NameWords::default(), after: None, limit: 9 };
    for (typed, reader, found) in [
        ("leave", everyone(), vec!["a", "b", "guides/leave.md"]),
        ("leave", tagged(&["it"]), vec!["a", "guides/leave.md"]),
        ("LEAVE pol", everyone(), vec!["a"]),
        ("resume", everyone(), vec!["guides/leave.md"]),
        ("n-d", everyone(), vec!["d"]),
        ("leave travel", everyone(), vec![]),
    ] {
        let wanted = PageRequest { words: NameWords::parse(typed), ..all.clone() };
        assert_eq!(ids(&store.register.page(&reader, &wanted).await.expect("a page")), found, "{typed}");
        assert_eq!(store.register.count(&reader, &wanted).await.expect("a count"), found.len() as u64, "{typed}");
        let one = PageRequest { limit: 1, ..wanted };
        assert_eq!(store.register.page(&reader, &one).await.expect("a page").len(), found.len().min(1), "{typed}");
    }
}

async fn a_document_is_found_by_its_id_by_those_who_may_see_it(store: &StorePorts) {
    store.catalogue.upsert(vec![kept(named("a/b", "ADR", "ADR-1", &["hr"]), &["A."])]).await.expect("keep");
    let id = DocumentId::parse("a/b").expect("an id");
    let found = store.register.by_id(&everyone(), &id).await.expect("looked up").expect("there");
    assert_eq!((found.id.as_str(), found.kind.as_str()), ("a/b", "ADR"));
    assert!(store.register.by_id(&tagged(&["it"]), &id).await.expect("looked up").is_none());
    assert!(store.register.by_id(&tagged(&["hr"]), &id).await.expect("looked up").is_some());
    store.catalogue.remove(crate::corpus::TENANT, std::slice::from_ref(&id)).await.expect("remove");
    assert!(store.register.by_id(&everyone(), &id).await.expect("looked up").is_none());
}
