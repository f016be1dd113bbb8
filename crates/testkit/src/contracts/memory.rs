//! The contract of `Memory`.

use std::{collections::BTreeSet, sync::Arc};

use vouch_domain::{
    Wording,
    memory::{MemoryEntry, MemoryKind, Reference, WordingKey},
    ports::{EmbeddedEntry, EmbeddedText, Memory},
};

use super::{everyone, tagged};
use crate::{corpus::TENANT, fakes::FakeEmbedder};

/// A pinned question with one reference.
#[must_use]
pub fn pinned(id: &str, question: &str, reference: &str) -> EmbeddedEntry {
    let entry = MemoryEntry {
        id: id.to_owned(),
        tenant: TENANT.to_owned(),
        kind: MemoryKind::Pinned,
        phrases: vec![Wording { text: question.to_owned(), language: None }],
        note: Vec::new(),
        references: Reference::parse(reference).into_iter().collect(),
        tags: BTreeSet::new(),
        is_for_readers: false,
        translated_by_model: BTreeSet::new(),
    };
    embedded(entry)
}

/// An entry with its texts embedded by the fake embedder.
#[must_use]
pub fn embedded(entry: MemoryEntry) -> EmbeddedEntry {
    let texts = entry.phrases.iter().chain(&entry.note).map(|wording| EmbeddedText {
        text: wording.text.clone(),
        language: wording.language.clone(),
        vector: FakeEmbedder::vector(&wording.text),
    });
    EmbeddedEntry { texts: texts.collect(), entry }
}

fn in_language(mut entry: EmbeddedEntry, language: &str) -> EmbeddedEntry {
    for text in &mut entry.texts {
        text.language = Some(language.to_owned());
    }
    entry
}

fn tags(languages: &[&str]) -> Vec<String> {
    languages.iter().map(|language| (*language).to_owned()).collect()
}

/// Runs every clause on an empty memory.
pub async fn check(memory: Arc<dyn Memory>) {
    let mut secret = pinned("secret", "mast height", "doc");
    secret.entry.tags.insert("hr".to_owned());
    let entries = vec![
        pinned("b", "mast height", "doc"),
        pinned("a", "rain gauge", "other t=12"),
        in_language(pinned("nl", "mast height metres", "doc"), "nl"),
        secret,
    ];
    assert_eq!(memory.upsert(entries).await.expect("kept"), 4);
    let ids = |entries: Vec<MemoryEntry>| entries.into_iter().map(|entry| entry.id).collect::<Vec<_>>();
    assert_eq!(ids(memory.entries(&tagged(&[])).await.expect("entries")), ["a", "b", "nl"]);
    assert_eq!(ids(memory.entries(&everyone()).await.expect("entries")), ["a", "b", "nl", "secret"]);

    let asked = [FakeEmbedder::vector("snow"), FakeEmbedder::vector("mast height")];
    let found = memory.nearest(&tagged(&[]), &asked, &tags(&["en"]), 10).await.expect("an answer");
    let first = found.first().expect("a match");
    assert_eq!((first.entry.id.as_str(), first.text.as_str(), first.vector), ("b", "mast height", 1));
    assert!((first.cosine - 1.0).abs() < 1e-5, "{first:?}");
    assert!(found.iter().all(|one| one.entry.id != "nl" && one.entry.id != "secret"), "{found:?}");
    assert_eq!(memory.nearest(&everyone(), &asked, &tags(&["nl"]), 1).await.expect("an answer").len(), 1);
    let both = memory.nearest(&tagged(&[]), &asked, &tags(&["nl", "en"]), 10).await.expect("an answer");
    assert_eq!(both.iter().map(|one| one.entry.id.as_str()).collect::<Vec<_>>(), ["b", "nl", "a"]);

    // Word for word, whatever the language, and never what the reader may not see.
    let words = |text: &str| WordingKey::of(text).expect("words");
    let named = |found: Vec<Arc<MemoryEntry>>| found.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>();
    let same = memory.with_phrase(&tagged(&[]), &words("Mast  HEIGHT?")).await.expect("an answer");
    assert_eq!(named(same), ["b"]);
    assert_eq!(
        named(memory.with_phrase(&everyone(), &words("mast height")).await.expect("an answer")),
        ["b", "secret"]
    );
    let dutch = memory.with_phrase(&everyone(), &words("mast height metres")).await.expect("an answer");
    assert_eq!(named(dutch), ["nl"]);
    assert_eq!(named(memory.with_phrase(&everyone(), &words("mast")).await.expect("an answer")), [""; 0]);

    // An entry of the same id takes the other's place, its vectors too.
    assert_eq!(memory.upsert(vec![pinned("b", "snow", "doc")]).await.expect("kept"), 0);
    let found = memory
        .nearest(&tagged(&[]), &[FakeEmbedder::vector("mast height")], &tags(&["en"]), 10)
        .await
        .expect("an answer");
    assert!(found.iter().all(|one| one.cosine < 0.99), "{found:?}");
    let kept = memory.entries(&everyone()).await.expect("entries");
    let reference = kept.iter().find(|entry| entry.id == "a").and_then(|entry| entry.references.first().cloned());
    assert_eq!(reference, Reference::parse("other t=12"));

    let gone = ["b".to_owned(), "nobody".to_owned()];
    assert_eq!(memory.remove(TENANT, &gone).await.expect("removed"), 1);
    assert_eq!(memory.remove("another", &["a".to_owned()]).await.expect("removed"), 0);
    assert_eq!(ids(memory.entries(&tagged(&[])).await.expect("entries")), ["a", "nl"]);
}
