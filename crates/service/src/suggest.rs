//! The beginning of a question → what it may go on as: pinned questions, terms and documents by their address. Where nothing was
//! typed yet: what can be asked.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    AddressKey, MemoryKind, NameWords, PortError, Reader, TermKey,
    language::fold_spaces,
    ports::{Memory, PageRequest, Register},
};
use vouch_engine::terminology::TermLookup;

/// Most suggestions of each sort.
const EACH_MAX: usize = 4;
/// How many documents are looked at for titles to begin with.
const TITLES_FROM: usize = 200;
/// The vocabulary that is near enough to be asked at every key stroke.
const NEAR_BACKEND: &str = "skos_file";

/// What suggestions are made from.
pub struct Suggester<'a> {
    /// Questions that the settings name as examples.
    pub examples: &'a [String],
    /// Pinned questions.
    pub memory: &'a dyn Memory,
    /// Documents by their address.
    pub register: &'a dyn Register,
    /// Terms, where there is a vocabulary.
    pub terms: Option<&'a TermLookup>,
}

/// What a question may go on as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Suggested)]
pub struct SuggestedWire {
    /// What to ask.
    pub text: String,
    /// `example`, `pinned`, `term` or `document`.
    pub kind: &'static str,
    /// Title of the document; null for the others.
    pub title: Option<String>,
}

impl Suggester<'_> {
    /// Suggestions for a text, each once.
    ///
    /// # Errors
    /// Fails if the store does; a vocabulary that fails suggests nothing.
    pub async fn suggest(&self, reader: &Reader, text: &str) -> Result<Vec<SuggestedWire>, PortError> {
        let typed = fold_spaces(text);
        let words: Vec<&str> =
            typed.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        if typed.is_empty() {
            return self.beginnings(reader).await;
        }
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = self.pinned(reader, &words).await?;
        found.extend(self.named(reader, (&typed, &words)).await);
        found.extend(self.addressed(reader, text).await?);
        Ok(found)
    }

    /// What can be asked: the examples of the settings, or else pinned questions, or else titles of documents, each of which is
    /// answered with how its document begins.
    async fn beginnings(&self, reader: &Reader) -> Result<Vec<SuggestedWire>, PortError> {
        if !self.examples.is_empty() {
            return Ok(self.examples.iter().map(|text| suggested(text.clone(), "example", None)).collect());
        }
        let pinned = self.pinned(reader, &[]).await?;
        if !pinned.is_empty() {
            return Ok(pinned);
        }
        let words = NameWords::default();
        let wanted = PageRequest { kind: None, collection: None, topic: None, words, after: None, limit: TITLES_FROM };
        let mut titles = Vec::new();
        for card in self.register.page(reader, &wanted).await? {
            if card.superseded_by.is_none() && !titles.contains(&card.title) {
                titles.push(card.title);
            }
        }
        // From all over the list: what lies side by side is often of one sort.
        let step = titles.len().div_ceil(EACH_MAX).max(1);
        Ok(titles.into_iter().step_by(step).map(|title| suggested(title, "document", None)).collect())
    }

    async fn pinned(&self, reader: &Reader, words: &[&str]) -> Result<Vec<SuggestedWire>, PortError> {
        let entries = self.memory.entries(reader).await?;
        let phrases = entries.iter().filter(|entry| entry.kind == MemoryKind::Pinned).flat_map(|entry| {
            entry.phrases.iter().map(|phrase| phrase.text.as_str()).find(|phrase| begins_words(phrase, words))
        });
        Ok(phrases.take(EACH_MAX).map(|text| suggested(text.to_owned(), "pinned", None)).collect())
    }

    async fn named(&self, reader: &Reader, (typed, words): (&str, &[&str])) -> Vec<SuggestedWire> {
        let near = self.terms.filter(|terms| terms.backend() == NEAR_BACKEND);
        let Some((terms, key)) = near.zip(TermKey::parse(typed)) else { return Vec::new() };
        let names = terms.similar(reader, &key, EACH_MAX * 2).await.unwrap_or_default();
        let names = names.into_iter().filter(|name| begins_words(name, words)).take(EACH_MAX);
        names.map(|name| suggested(name, "term", None)).collect()
    }

    async fn addressed(&self, reader: &Reader, text: &str) -> Result<Vec<SuggestedWire>, PortError> {
        let key = AddressKey::new(text);
        if key.as_str().is_empty() {
            return Ok(Vec::new());
        }
        let cards = self.register.near_address(reader, &key, EACH_MAX).await?;
        let named = cards.into_iter().filter_map(|card| {
            let address = card.address?.as_str().to_owned();
            Some(suggested(address, "document", Some(card.title)))
        });
        Ok(named.collect())
    }
}

fn suggested(text: String, kind: &'static str, title: Option<String>) -> SuggestedWire {
    SuggestedWire { text, kind, title }
}

/// Whether every one of these words begins a word of a text.
fn begins_words(text: &str, words: &[&str]) -> bool {
    let folded = fold_spaces(text);
    let own: Vec<&str> = folded.split(|sign: char| !sign.is_alphanumeric()).collect();
    words.iter().all(|word| own.iter().any(|one| one.starts_with(word)))
}
