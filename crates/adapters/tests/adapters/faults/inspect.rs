//! An opened store → what it holds, thing by thing, as numbers and editions; an error where a thing is not whole.

use std::collections::BTreeMap;

use vouch_domain::{
    AuditScope, DocumentId, NameWords, StoredPassage,
    ports::{AuditTrail, Authenticator, Catalogue, Directory, Memory, PageRequest, Register, Vocabulary},
};
use vouch_testkit::{contracts::everyone, corpus::TENANT};

use super::{
    texts,
    worker::Opened,
    workload::{Content, Editions, Entry},
};

/// More than any workload makes.
const LIMIT: usize = 10_000;

/// Secrets of keys by name, as far as they were told.
pub type Secrets = BTreeMap<u32, String>;

/// What is wrong, in a class of its own and in words.
#[derive(Debug, Clone)]
pub struct Bad {
    pub kind: &'static str,
    pub what: String,
}

impl Bad {
    pub fn of(kind: &'static str, what: impl std::fmt::Display) -> Self {
        Self { kind, what: what.to_string() }
    }
}

/// The edition of a thing that fits, among those it was ever given.
fn fitting(of: &BTreeMap<u32, Vec<u32>>, id: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
    of.get(&id).into_iter().flatten().copied().find(|edition| is_it(*edition))
}

/// Everything the ports tell of a store.
pub async fn content(opened: &Opened, editions: &Editions, secrets: &Secrets) -> Result<Content, Bad> {
    Ok(Content {
        documents: documents(opened, editions).await?,
        memory: memory(opened, editions).await?,
        terms: terms(opened, editions).await?,
        people: people(opened, editions).await?,
        keys: keys(opened, secrets).await?,
        trail: trail(opened).await?,
    })
}

fn number(name: &str, prefix: &str) -> Result<u32, Bad> {
    let number = name.strip_prefix(prefix).and_then(|rest| rest.parse().ok());
    number.ok_or_else(|| Bad::of("foreign", format!("{name} is no name that was given")))
}

/// The living passages of a document.
pub async fn passages(opened: &Opened, id: u32) -> Result<Vec<StoredPassage>, Bad> {
    let id = DocumentId::parse(&texts::id_of(id)).expect("a usable id");
    let read = opened.store.register.passages_of(&everyone(), &id).await;
    read.map_err(|error| Bad::of("unreadable", error))
}

async fn documents(opened: &Opened, editions: &Editions) -> Result<BTreeMap<u32, u32>, Bad> {
    let broken = |error| Bad::of("unreadable", format!("documents: {error}"));
    let wanted = PageRequest {
        kind: None,
        collection: None,
        topic: None,
        words: NameWords::default(),
        after: None,
        limit: LIMIT,
    };
    let mut found = BTreeMap::new();
    for card in opened.store.register.page(&everyone(), &wanted).await.map_err(broken)? {
        let id = number(card.id.as_str(), "doc")?;
        let text = opened.store.catalogue.text(&everyone(), &card.id).await.map_err(broken)?.unwrap_or_default();
        let edition = fitting(&editions.documents, id, |edition| texts::lines(id, edition).join("\n") == text);
        let edition = edition.ok_or_else(|| Bad::of("half there", format!("document {id} reads {text:?}")))?;
        let read = passages(opened, id).await?.into_iter().map(|one| one.passage.text).collect::<Vec<_>>();
        if read != texts::lines(id, edition) {
            return Err(Bad::of("half there", format!("document {id}, edition {edition}, has passages {read:?}")));
        }
        if card.tags.contains(texts::TAG) != texts::is_tagged(id) {
            return Err(Bad::of("wider access", format!("document {id} has tags {:?}", card.tags)));
        }
        found.insert(id, edition);
    }
    Ok(found)
}

async fn memory(opened: &Opened, editions: &Editions) -> Result<BTreeMap<u32, u32>, Bad> {
    let read = opened.store.memory.entries(&everyone()).await;
    let mut found = BTreeMap::new();
    for entry in read.map_err(|error| Bad::of("unreadable", format!("memory: {error}")))? {
        let id = number(&entry.id, "entry")?;
        let edition = fitting(&editions.memory, id, |edition| texts::memory(id, edition).entry == entry);
        found.insert(id, edition.ok_or_else(|| Bad::of("half there", format!("memory {entry:?}")))?);
    }
    Ok(found)
}

async fn terms(opened: &Opened, editions: &Editions) -> Result<BTreeMap<u32, u32>, Bad> {
    let mut found = BTreeMap::new();
    for (vocabulary, editions) in &editions.terms {
        let vocabulary = *vocabulary;
        for edition in editions.iter().copied() {
            let mut count = 0;
            for number in 0..texts::CONCEPTS {
                let (key, concept) = texts::term(vocabulary, edition, number);
                let read = opened.store.vocabulary.look_up(&everyone(), &key).await;
                let read = read.map_err(|error| Bad::of("unreadable", format!("vocabulary: {error}")))?;
                match read.as_slice() {
                    [] => {}
                    [one] if *one == concept => count += 1,
                    _ => return Err(Bad::of("half there", format!("term {} is {read:?}", key.as_str()))),
                }
            }
            if count == texts::CONCEPTS {
                if let Some(other) = found.insert(vocabulary, edition) {
                    let what = format!("vocabulary {vocabulary} is there in editions {other} and {edition}");
                    return Err(Bad::of("half there", what));
                }
            } else if count > 0 {
                let what = format!("{count} terms of vocabulary {vocabulary}, edition {edition}");
                return Err(Bad::of("half there", what));
            }
        }
    }
    Ok(found)
}

async fn people(opened: &Opened, editions: &Editions) -> Result<BTreeMap<u32, u32>, Bad> {
    let read = opened.store.directory.people(TENANT).await;
    let mut found = BTreeMap::new();
    for person in read.map_err(|error| Bad::of("unreadable", format!("people: {error}")))? {
        let id = number(&person.id, "person")?;
        let edition = fitting(&editions.people, id, |edition| texts::person(id, edition) == person);
        found.insert(id, edition.ok_or_else(|| Bad::of("half there", format!("{person:?}")))?);
    }
    Ok(found)
}

async fn keys(opened: &Opened, secrets: &Secrets) -> Result<BTreeMap<u32, bool>, Bad> {
    let broken = |error| Bad::of("unreadable", format!("keys: {error}"));
    let mut found = BTreeMap::new();
    for card in opened.keys.cards().await.map_err(broken)? {
        found.insert(number(&card.name, "key ")?, card.revoked_ms.is_some());
    }
    for (name, secret) in secrets {
        let caller = opened.keys.authenticate(secret, texts::NOW_MS).await.map_err(broken)?;
        if caller.is_some() != (found.get(name) == Some(&false)) {
            return Err(Bad::of("wider access", format!("key {name} is {:?} and opens {caller:?}", found.get(name))));
        }
    }
    Ok(found)
}

async fn trail(opened: &Opened) -> Result<BTreeMap<u32, Entry>, Bad> {
    let broken = |error| Bad::of("unreadable", format!("trail: {error}"));
    let scope = AuditScope::for_tenant(TENANT);
    let mut found = BTreeMap::new();
    for entry in opened.trail.newest(&scope, LIMIT).await.map_err(broken)? {
        let id = number(&entry.id, "req-")?;
        let is_rewritten = entry == texts::entry(id, true);
        let told = opened.trail.entry(&scope, &entry.id).await.map_err(broken)?;
        let feedback = told.map(|told| told.feedback).unwrap_or_default();
        let is_commented = feedback == [texts::comment(id)];
        if !(is_rewritten || entry == texts::entry(id, false)) || !(is_commented || feedback.is_empty()) {
            return Err(Bad::of("half there", format!("entry {entry:?} with {feedback:?}")));
        }
        found.insert(id, Entry { is_rewritten, is_commented });
    }
    Ok(found)
}
