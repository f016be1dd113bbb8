//! A source that was certified → what the store has of it now, as its reader may see it.

use vouch_domain::{
    Concept, DocumentId, MemoryEntry, PortError, Reader, TermKey,
    ports::{Catalogue, Memory, Register, Vocabulary},
};
use vouch_engine::{ask::term_text, verify::is_row_of};

use super::{CertifiedQuote, CertifiedSource, Digest, SourceKind};
use crate::{
    quoted_words::FoldedText,
    wire::{EntryWire, QuoteWire},
};

/// Where sources are read: of one store, and without asking anybody else.
pub struct SourcePorts<'a> {
    /// The documents.
    pub catalogue: &'a dyn Catalogue,
    /// Their cards.
    pub register: &'a dyn Register,
    /// What editors prepared.
    pub memory: &'a dyn Memory,
    /// The vocabulary of the store.
    pub vocabulary: &'a dyn Vocabulary,
    /// The language that definitions are given in.
    pub language: &'a str,
    /// How texts are digested.
    pub digest: Digest,
}

/// A source as it is kept now.
pub(super) struct KeptSource {
    /// A digest of it.
    pub(super) hash: String,
    /// Where the quotes stand in it, each in its turn.
    pub(super) places: Vec<QuotePlace>,
    /// What has taken its place, by its own word.
    pub(super) superseded_by: Option<String>,
}

/// Where a quote stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotePlace {
    /// Where it stood.
    Same,
    /// In another place.
    Elsewhere,
    /// Nowhere.
    Nowhere,
}

impl SourcePorts<'_> {
    /// Whether the store can say anything of a source.
    pub(super) fn can_look_up(&self, source: &CertifiedSource) -> bool {
        match source.kind {
            SourceKind::Document | SourceKind::Card | SourceKind::Entry => true,
            SourceKind::Term => source.origin == self.vocabulary.backend(),
        }
    }

    /// What is kept of a source; none if it is not there, or not open to the reader.
    pub(super) async fn look_up(
        &self,
        reader: &Reader,
        source: &CertifiedSource,
    ) -> Result<Option<KeptSource>, PortError> {
        match source.kind {
            SourceKind::Document | SourceKind::Card => self.document(reader, source).await,
            SourceKind::Term => self.term(reader, source).await,
            SourceKind::Entry => self.entry(reader, source).await,
        }
    }

    async fn document(&self, reader: &Reader, source: &CertifiedSource) -> Result<Option<KeptSource>, PortError> {
        let Some(id) = DocumentId::parse(&source.id) else { return Ok(None) };
        let Some(card) = self.register.by_id(reader, &id).await? else { return Ok(None) };
        let Some(text) = self.catalogue.text(reader, &id).await? else { return Ok(None) };
        let prints = self.catalogue.fingerprints(&reader.tenant, std::slice::from_ref(&id)).await?;
        let Some(print) = prints.into_iter().find(|print| print.id == id) else { return Ok(None) };
        let places = match source.kind {
            SourceKind::Card => places(source, |quote| known(is_row_of(&quote.text, &card))),
            SourceKind::Document | SourceKind::Term | SourceKind::Entry => places(source, |quote| place(&text, quote)),
        };
        Ok(Some(KeptSource {
            hash: print.hash.0.iter().map(|byte| format!("{byte:02x}")).collect(),
            places,
            superseded_by: card.superseded_by.as_ref().map(|successor| successor.as_str().to_owned()),
        }))
    }

    async fn term(&self, reader: &Reader, source: &CertifiedSource) -> Result<Option<KeptSource>, PortError> {
        let Some(key) = TermKey::parse(source.term.as_ref().unwrap_or(&source.title)) else { return Ok(None) };
        let concepts = self.vocabulary.look_up(reader, &key).await?;
        let own = concepts.iter().find(|concept| concept.uri == source.id);
        Ok(own.map(|concept: &Concept| {
            let text = term_text(concept, self.language);
            let places = places(source, |quote| place(&text, quote));
            KeptSource { hash: (self.digest)(&text), places, superseded_by: None }
        }))
    }

    async fn entry(&self, reader: &Reader, source: &CertifiedSource) -> Result<Option<KeptSource>, PortError> {
        let entries = self.memory.entries(reader).await?;
        let own = entries.iter().find(|entry| entry.id == source.id);
        Ok(own.map(|entry: &MemoryEntry| {
            let holds = |quote: &str| entry.phrases.iter().chain(&entry.note).any(|own| holds(&own.text, quote));
            // Whoever reads it, the same entry has the same digest.
            let whole = EntryWire::new(entry, &Reader::of_tenant(&entry.tenant));
            KeptSource {
                hash: (self.digest)(&serde_json::to_string(&whole).unwrap_or_default()),
                places: places(source, |quote| known(holds(&quote.text))),
                superseded_by: None,
            }
        }))
    }
}

fn places(source: &CertifiedSource, place: impl Fn(&CertifiedQuote) -> QuotePlace) -> Vec<QuotePlace> {
    source.quotes.iter().map(place).collect()
}

/// The only place there is, where something is there.
fn known(is_there: bool) -> QuotePlace {
    if is_there { QuotePlace::Same } else { QuotePlace::Nowhere }
}

/// Where a quote stands in a text; one without words stands nowhere.
fn place(text: &str, quote: &CertifiedQuote) -> QuotePlace {
    let is_at = |span: QuoteWire| {
        let length = span.end.saturating_sub(span.start);
        text.chars().skip(span.start).take(length).eq(quote.text.chars())
    };
    match quote.text.trim().is_empty() {
        true => QuotePlace::Nowhere,
        false if quote.span.is_some_and(is_at) => QuotePlace::Same,
        false if holds(text, &quote.text) => QuotePlace::Elsewhere,
        false => QuotePlace::Nowhere,
    }
}

fn holds(text: &str, quote: &str) -> bool {
    FoldedText::new(text).holds(quote)
}

#[cfg(test)]
mod tests {
    use super::{CertifiedQuote, QuotePlace, QuoteWire};

    fn place(text: &str, span: Option<QuoteWire>, quote: &str) -> QuotePlace {
        super::place(text, &CertifiedQuote { span, text: quote.to_owned() })
    }

    #[test]
    fn a_quote_stands_where_it_stood_elsewhere_or_nowhere() {
        let at = |text: &str| place(text, Some(QuoteWire { start: 3, end: 14 }), "mast is 3 m");
        assert_eq!(at("Ö: mast is 3 m tall."), QuotePlace::Same);
        assert_eq!(at("As ever, the mast\n  is 3 m tall."), QuotePlace::Elsewhere);
        assert_eq!(at("The mast is 3 mm tall, and the foremast is 3 m."), QuotePlace::Nowhere, "parts of words");
        assert_eq!(at("The mast is 13 m."), QuotePlace::Nowhere);
        assert_eq!(place("text", Some(QuoteWire { start: 9, end: 2 }), "text"), QuotePlace::Elsewhere);
        assert_eq!(place("text", Some(QuoteWire { start: 0, end: 0 }), " "), QuotePlace::Nowhere, "no words");
    }
}
