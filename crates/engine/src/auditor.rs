//! A response → what its writer's citations were worth, and every identifier it shows, looked up again as its reader may see it.
//!
//! Invariant: this reports faults and mends nothing. It does not trust the walk: whatever a reply names is in the
//! catalogue, in these characters, or it is reported here. It ends by its deadline, and says so if it did not finish.

use std::{collections::BTreeSet, time::Duration};

use vouch_domain::{AddressKey, DocumentId, PassageKey, PortError, Reader, StoredPassage, TermKey};

use crate::{
    ask::{Engine, Response, term_passage},
    decide::{Decision, Suggestion, UnsureOutcome},
    judge::Piece,
    understand::{Mention, mentions},
    verify::{
        Citation, VerifiedText,
        gauntlet::Removal::{self, Malformed, NeverMinted, Repeated, UnknownSource, Unneeded},
    },
};

/// Citations of something the writer was never given.
const INVENTED: [Removal; 2] = [NeverMinted, UnknownSource];
/// Citations that are removed for another reason.
const DROPPED: [Removal; 3] = [Malformed, Repeated, Unneeded];

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inspection {
    /// The writer's citations; none if no model wrote.
    pub markers: Option<MarkerCounts>,
    /// How many identifiers were looked up.
    pub checked: usize,
    /// Those that are not what they were shown as.
    pub unknown: Vec<UnknownIdentifier>,
    /// Why not everything was looked up, if that is so.
    pub unfinished: Option<String>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: f64,
}

/// What became of a model's citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkerCounts {
    /// All that it wrote in what was looked at.
    pub emitted: usize,
    /// Those that were taken out, the invented ones among them.
    pub dropped: usize,
    /// Those of sources it was never given.
    pub invented: usize,
}

impl MarkerCounts {
    /// The share that was taken out, 0 to 1; none if it wrote none.
    #[must_use]
    pub fn dropped_share(&self) -> Option<f32> {
        share(self.dropped, self.emitted)
    }

    /// The share that was invented, 0 to 1; none if it wrote none.
    #[must_use]
    pub fn invented_share(&self) -> Option<f32> {
        share(self.invented, self.emitted)
    }
}

/// An identifier that a reply shows and the catalogue does not bear out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownIdentifier {
    /// What it is an identifier of.
    pub kind: IdentifierKind,
    /// As it was shown.
    pub identifier: String,
    /// What is wrong with it.
    pub fault: IdentifierFault,
}

crate::words! {
    /// What an identifier is of.
    pub enum IdentifierKind {
        /// A passage.
        Source = "source",
        /// A document's row in the catalogue.
        Document = "document",
        /// A term of the vocabulary.
        Term = "term",
        /// A document's address.
        Address = "address",
    }

    /// Why the catalogue does not bear an identifier out.
    pub enum IdentifierFault {
        /// Nothing has it that the reader may see.
        NotFound = "not_found",
        /// What has it says something else.
        OtherText = "other_text",
        /// The document that has it has another card.
        OtherCard = "other_card",
    }
}

impl Engine {
    /// Looks up again everything a response names, on the caller's behalf.
    pub async fn inspect(&self, response: &Response, reader: &Reader, timeout: Duration) -> Inspection {
        let started = self.clock.since_start();
        let shown = Shown::new(response);
        let mut found = Inspection { markers: markers(response, &shown), ..Inspection::default() };
        match tokio::time::timeout(timeout, self.look_up_again(&shown, reader, &mut found)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => found.unfinished = Some(format!("{}: {}", error.port, error.fault.as_str())),
            Err(_) => {
                found.unfinished = Some(format!("not everything was looked up within {} ms", timeout.as_millis()));
            }
        }
        found.elapsed_ms = self.clock.since_start().saturating_sub(started).as_secs_f64() * 1e3;
        found
    }

    async fn look_up_again(&self, shown: &Shown<'_>, reader: &Reader, found: &mut Inspection) -> Result<(), PortError> {
        self.passages_again(shown, reader, found).await?;
        self.rows_again(shown, reader, found).await?;
        self.terms_again(shown, reader, found).await?;
        self.addresses_again(shown, reader, found).await
    }

    /// Passages by their numbers: the same source, the same characters.
    async fn passages_again(
        &self,
        shown: &Shown<'_>,
        reader: &Reader,
        found: &mut Inspection,
    ) -> Result<(), PortError> {
        let cited: Vec<(&Citation, &Piece)> = shown.pieces(|piece| piece.passage.key != PassageKey::NOT_STORED);
        let keys: Vec<PassageKey> = cited.iter().map(|(_, piece)| piece.passage.key).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let stored = self.retrieve.catalogue.passages(reader, &keys).await?;
        for (one, piece) in cited {
            found.checked += 1;
            let own = stored.iter().find(|stored| stored.key == piece.passage.key);
            let is_same = |stored: &StoredPassage| stored.source_id() == one.source_id();
            match own.filter(|stored| is_same(stored)) {
                None => found.miss(IdentifierKind::Source, one.source_id(), IdentifierFault::NotFound),
                Some(stored) if !is_quoted(one, stored) => {
                    found.miss(IdentifierKind::Source, one.source_id(), IdentifierFault::OtherText)
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Rows of the catalogue by the documents' ids: the same card.
    async fn rows_again(&self, shown: &Shown<'_>, reader: &Reader, found: &mut Inspection) -> Result<(), PortError> {
        let cited: Vec<&Citation> = shown.citations().filter(|one| one.piece().is_none()).collect();
        let ids: Vec<DocumentId> = cited.iter().map(|one| one.document().id.clone()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let cards = self.retrieve.register.by_ids(reader, &ids).await?;
        let mut cards = cards.iter().peekable();
        for one in cited {
            found.checked += 1;
            let card = one.document();
            // Cards come in the order of the ids, without those that are not there.
            match cards.next_if(|own| own.id == card.id) {
                None => found.miss(IdentifierKind::Document, card.id.to_string(), IdentifierFault::NotFound),
                Some(own) if own != card => {
                    found.miss(IdentifierKind::Document, card.id.to_string(), IdentifierFault::OtherCard)
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Definitions by their terms: the same concept, the same characters.
    async fn terms_again(&self, shown: &Shown<'_>, reader: &Reader, found: &mut Inspection) -> Result<(), PortError> {
        let Some(term_lookup) = &self.terms else { return Ok(()) };
        for (one, _) in shown.pieces(|piece| piece.passage.key == PassageKey::NOT_STORED) {
            found.checked += 1;
            let card = one.document();
            let Some(key) = TermKey::parse(&card.title) else { continue };
            let concepts = match term_lookup.look_up_fresh(reader, &key).await {
                Ok(concepts) => concepts,
                Err(error) => {
                    found.unfinished = Some(format!("{}: {}", error.port, error.fault.as_str()));
                    continue;
                }
            };
            let own = concepts.iter().find(|concept| concept.uri == card.id.as_str());
            match own.and_then(|concept| term_passage(concept, reader, term_lookup)) {
                None => found.miss(IdentifierKind::Term, card.id.to_string(), IdentifierFault::NotFound),
                Some(stored) if !is_quoted(one, &stored) => {
                    found.miss(IdentifierKind::Term, card.id.to_string(), IdentifierFault::OtherText)
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Addresses that the words name: of a document the reader may see, or in the words of what is cited.
    async fn addresses_again(
        &self,
        shown: &Shown<'_>,
        reader: &Reader,
        found: &mut Inspection,
    ) -> Result<(), PortError> {
        let schemes = &self.policies.understand.addresses;
        if schemes.is_empty() {
            return Ok(());
        }
        let mut named = mentions(&shown.words, schemes);
        for suggestion in &shown.suggestions {
            let whole = |mention: &Mention| mention.written == suggestion.query.trim();
            named.extend(mentions(&suggestion.query, schemes).into_iter().filter(whole));
        }
        let keys: Vec<AddressKey> =
            named.iter().flat_map(|mention| mention.addresses.iter().map(vouch_domain::Address::key)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let cards = self.retrieve.register.by_address(reader, &keys).await?;
        let known: BTreeSet<AddressKey> =
            cards.iter().filter_map(|card| card.address.as_ref().map(vouch_domain::Address::key)).collect();
        for address in named.iter().flat_map(|mention| &mention.addresses) {
            found.checked += 1;
            let key = address.key();
            if !known.contains(&key) && !shown.sources_say(&key) {
                found.miss(IdentifierKind::Address, address.as_str().to_owned(), IdentifierFault::NotFound);
            }
        }
        Ok(())
    }
}

impl Inspection {
    fn miss(&mut self, kind: IdentifierKind, identifier: String, fault: IdentifierFault) {
        self.unknown.push(UnknownIdentifier { kind, identifier, fault });
    }
}

/// What a response shows.
struct Shown<'a> {
    text: Option<&'a VerifiedText>,
    words: String,
    suggestions: Vec<&'a Suggestion>,
}

impl<'a> Shown<'a> {
    fn new(response: &'a Response) -> Self {
        let (text, suggestions): (Option<&VerifiedText>, &[Suggestion]) = match &response.decision {
            Decision::Answer(answer) => (Some(answer.text()), &[]),
            Decision::Refuse(refusal) => (refusal.nearest.as_ref(), &refusal.suggestions),
            Decision::Clarify(clarification) => (clarification.text.as_ref(), &clarification.options),
            Decision::Refer(referral) => match &referral.unsure {
                UnsureOutcome::Answer(answer) => (Some(answer.text()), &[]),
                UnsureOutcome::Refusal(refusal) => (refusal.nearest.as_ref(), &refusal.suggestions),
            },
            Decision::Tool(_) => (None, &[]),
            Decision::General(answer) => {
                return Self { text: None, words: answer.text(), suggestions: Vec::new() };
            }
        };
        let words = text.map(VerifiedText::with_markers).unwrap_or_default();
        Self { text, words, suggestions: suggestions.iter().collect() }
    }

    fn citations(&self) -> impl Iterator<Item = &'a Citation> {
        self.text.into_iter().flat_map(VerifiedText::citations)
    }

    /// The citations of passages, each with its piece.
    fn pieces(&self, wanted: impl Fn(&Piece) -> bool) -> Vec<(&'a Citation, &'a Piece)> {
        let pieces = self.citations().filter_map(|one| Some((one, one.piece()?)));
        pieces.filter(|(_, piece)| wanted(piece)).collect()
    }

    /// Whether what is cited names an address itself, in any spelling: then it is quoted and not invented.
    fn sources_say(&self, key: &AddressKey) -> bool {
        let holds = |text: &str| {
            let runs = format!(" {} ", AddressKey::new(text).as_str());
            runs.contains(&format!(" {} ", key.as_str()))
        };
        let says = |one: &Citation| {
            let card = one.document();
            let own = one.piece().and_then(|piece| piece.passage.passage.address.as_ref());
            let mut names = [card.address.as_ref(), card.superseded_by.as_ref(), own].into_iter().flatten();
            names.any(|own| own.key() == *key) || holds(one.text()) || holds(&card.title)
        };
        self.citations().any(says)
    }
}

/// Whether the stored passage has the quoted characters at the same place.
fn is_quoted(cited: &Citation, stored: &StoredPassage) -> bool {
    let (Some(piece), Some(quote)) = (cited.piece(), cited.quote()) else { return false };
    let shown = &piece.passage.passage;
    let at = |passage: &vouch_domain::Passage| {
        let start = quote.start.checked_sub(passage.span.start)?;
        let length = quote.end.checked_sub(quote.start)?;
        (quote.end <= passage.span.end).then(|| passage.text.chars().skip(start).take(length).collect::<String>())
    };
    at(shown).is_some_and(|quoted| at(&stored.passage).as_ref() == Some(&quoted))
}

fn markers(response: &Response, shown: &Shown<'_>) -> Option<MarkerCounts> {
    let writer = response.trace.writer.as_ref()?;
    let count = |kinds: &[Removal]| {
        let own = writer.drops.iter().filter(|(kind, _)| kinds.contains(kind));
        own.map(|(_, count)| count).sum::<usize>()
    };
    // Where the documents are quoted instead, or shown beside a refusal, the citations that stand are none of the model's.
    let is_answered = match &response.decision {
        Decision::Answer(_) => true,
        Decision::Refer(referral) => matches!(referral.unsure, UnsureOutcome::Answer(_)),
        Decision::Refuse(_) | Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => false,
    };
    let kept = match writer.is_quoted_instead || !is_answered {
        true => 0,
        false => shown.text.into_iter().flat_map(VerifiedText::claims).map(|claim| claim.markers().len()).sum(),
    };
    let invented = count(&INVENTED);
    let dropped = invented + count(&DROPPED);
    Some(MarkerCounts { emitted: kept + dropped, dropped, invented })
}

fn share(part: usize, whole: usize) -> Option<f32> {
    (whole > 0).then(|| part as f32 / whole as f32)
}
