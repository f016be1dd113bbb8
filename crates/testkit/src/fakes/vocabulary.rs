//! A vocabulary of a few terms that can hang, fail, and count how often it is asked.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    Concept, Fault, Label, LabelKind, PortError, Reader, TermKey, Wording, language::most_similar, ports::Vocabulary,
};

/// How the vocabulary behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Answering,
    Slow(Duration),
    Down,
}

/// Terms in memory.
#[derive(Debug)]
pub struct FakeVocabulary {
    concepts: Vec<Concept>,
    manner: Manner,
    asked: AtomicU64,
}

/// A concept with English words.
#[must_use]
pub fn concept(uri: &str, labels: &[&str], definition: Option<&str>) -> Concept {
    let say = |text: &str| Wording { text: text.to_owned(), language: Some("en".to_owned()) };
    let kinds = std::iter::once(LabelKind::Preferred).chain(std::iter::repeat(LabelKind::Alternative));
    Concept {
        uri: uri.to_owned(),
        schemes: vec!["Test terms".to_owned()],
        labels: labels.iter().zip(kinds).map(|(text, kind)| Label { kind, wording: say(text) }).collect(),
        definitions: definition.map(say).into_iter().collect(),
        ..Concept::default()
    }
}

impl FakeVocabulary {
    /// One that answers at once.
    #[must_use]
    pub fn new(concepts: Vec<Concept>) -> Self {
        Self { concepts, manner: Manner::Answering, asked: AtomicU64::new(0) }
    }

    /// One that takes its time.
    #[must_use]
    pub fn slow(concepts: Vec<Concept>, by: Duration) -> Self {
        Self { manner: Manner::Slow(by), ..Self::new(concepts) }
    }

    /// One that cannot be reached.
    #[must_use]
    pub fn down() -> Self {
        Self { manner: Manner::Down, ..Self::new(Vec::new()) }
    }

    /// How often a term was looked up here.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Vocabulary for FakeVocabulary {
    fn backend(&self) -> &'static str {
        "fake"
    }

    async fn look_up(&self, _: &Reader, key: &TermKey) -> Result<Vec<Concept>, PortError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        match self.manner {
            Manner::Answering => {}
            Manner::Slow(by) => tokio::time::sleep(by).await,
            Manner::Down => return Err(PortError::new("vocabulary", Fault::Unavailable, "no connection")),
        }
        let is_meant =
            |concept: &&Concept| concept.label_for(key).is_some() || TermKey::parse(&concept.uri).as_ref() == Some(key);
        let mut found: Vec<Concept> = self.concepts.iter().filter(is_meant).cloned().collect();
        found.sort_by(|a, b| a.uri.cmp(&b.uri));
        Ok(found)
    }

    async fn similar(&self, _: &Reader, key: &TermKey, limit: usize) -> Result<Vec<String>, PortError> {
        let names: Vec<&str> = self.concepts.iter().map(|concept| concept.name("en")).collect();
        Ok(most_similar(key.as_str(), names.into_iter(), limit).into_iter().map(str::to_owned).collect())
    }
}
