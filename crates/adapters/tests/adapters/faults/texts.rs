//! A thing's number and edition → its words, its vector, its form in the store.

use std::collections::BTreeSet;

use vouch_adapters::embedded::NewKey;
use vouch_domain::{
    AuditEntry, Concept, EmbedderIdentity, Embedding, Feedback, MemoryEntry, MemoryKind, Opinion, Person, Rating,
    Reference, Role, TermKey, Wording,
    ports::{EmbeddedEntry, EmbeddedText, Generation, KeptDocument},
};
use vouch_testkit::{
    contracts::directory::person as plain_person,
    corpus::{TENANT, card, kept},
    fakes::concept,
};

/// Narrow vectors make small files, and so more crashes a second.
const DIMENSIONS: usize = 32;
/// When everything happens.
pub const NOW_MS: u64 = 1_800_000_000_000;
/// How many concepts an edition of a vocabulary has.
pub const CONCEPTS: u32 = 3;
/// Every so many documents one is for readers of this tag alone.
pub const TAG: &str = "hr";
const TAGGED_EVERY: u32 = 5;

pub fn embedder() -> EmbedderIdentity {
    EmbedderIdentity { name: "words".to_owned(), digest: "words 1".to_owned(), dimensions: DIMENSIONS }
}

/// A vector that is near to no other text's.
pub fn vector(text: &str) -> Embedding {
    let mut bytes = [0u8; DIMENSIONS];
    blake3::Hasher::new().update(text.as_bytes()).finalize_xof().fill(&mut bytes);
    let values = bytes.iter().map(|byte| f32::from(*byte) - 127.5).collect();
    Embedding::normalised(values).expect("a vector of some length")
}

/// A word that stands in one passage of one edition of one thing, and that no stemmer shortens.
pub fn word(kind: char, id: u32, edition: u32, passage: u32) -> String {
    let spelt = |number: u32| {
        let letters = ["b", "c", "d", "f", "g", "h", "j", "k", "l", "m"];
        let digits = format!("{number:04}");
        digits.chars().filter_map(|digit| letters.get(digit.to_digit(10)? as usize)).copied().collect::<String>()
    };
    format!("z{kind}{}x{}x{}q", spelt(id), spelt(edition), spelt(passage))
}

pub fn id_of(document: u32) -> String {
    format!("doc{document}")
}

pub fn is_tagged(document: u32) -> bool {
    document.is_multiple_of(TAGGED_EVERY)
}

/// The passages of a document; editions differ in number and length of them.
pub fn lines(document: u32, edition: u32) -> Vec<String> {
    let count = 1 + (document + edition) % 3;
    let padding = "The mast stands on the hill and the rain falls on it. ".repeat((edition % 7) as usize);
    (0..count).map(|at| format!("{padding}Mark {} of passage {at}.", word('d', document, edition, at))).collect()
}

pub fn document(id: u32, edition: u32) -> KeptDocument {
    let lines = lines(id, edition);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let tags: &[&str] = if is_tagged(id) { &[TAG] } else { &[] };
    let mut made = kept(card(&id_of(id), tags), &lines);
    for passage in &mut made.passages {
        passage.embedding = vector(&passage.passage.text);
    }
    made
}

pub fn memory(id: u32, edition: u32) -> EmbeddedEntry {
    let question = format!("Where is {}?", word('m', id, edition, 0));
    let entry = MemoryEntry {
        id: format!("entry{id}"),
        tenant: TENANT.to_owned(),
        kind: MemoryKind::Pinned,
        phrases: vec![Wording { text: question.clone(), language: None }],
        note: Vec::new(),
        references: Reference::parse("doc1").into_iter().collect(),
        tags: BTreeSet::new(),
        is_for_readers: false,
        translated_by_model: BTreeSet::new(),
    };
    let texts = vec![EmbeddedText { vector: vector(&question), text: question, language: None }];
    EmbeddedEntry { entry, texts }
}

pub fn source(vocabulary: u32) -> String {
    format!("terms{vocabulary}.ttl")
}

pub fn term(vocabulary: u32, edition: u32, number: u32) -> (TermKey, Concept) {
    let label = word('t', vocabulary, edition, number);
    let uri = format!("https://terms.test/{vocabulary}/{edition}/{number}");
    let key = TermKey::parse(&label).expect("a usable term");
    (key, concept(&uri, &[label.as_str()], Some(&format!("What {label} means."))))
}

pub fn terms(vocabulary: u32, edition: u32) -> Vec<Concept> {
    (0..CONCEPTS).map(|number| term(vocabulary, edition, number).1).collect()
}

pub fn person(id: u32, edition: u32) -> Person {
    plain_person(&format!("person{id}"), &[&format!("tag{edition}")])
}

pub fn key(name: u32) -> NewKey {
    NewKey {
        name: format!("key {name}"),
        tenant: TENANT.to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: NOW_MS,
        expires_ms: None,
    }
}

pub fn entry(id: u32, is_rewritten: bool) -> AuditEntry {
    let outcome = if is_rewritten { "answered" } else { "begun" };
    AuditEntry {
        id: format!("req-{id}"),
        tenant: TENANT.to_owned(),
        asker: "mira".to_owned(),
        at_ms: NOW_MS,
        outcome: outcome.to_owned(),
        reason: None,
        generation: Generation(7),
        elapsed_ms: 12.5,
        record: format!(
            "{{\"request_id\":\"req-{id}\",\"text\":\"{outcome} {}\"}}",
            "x".repeat((id % 5 * 300) as usize)
        ),
    }
}

pub fn comment(id: u32) -> Feedback {
    let opinion = Opinion { is_helpful: Some(true), rating: Rating::new(4) };
    Feedback { asker: "mira".to_owned(), at_ms: NOW_MS, opinion, comment: Some(format!("comment {id}")) }
}
