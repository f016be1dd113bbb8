//! Cards of the catalogue → text: what a row says of a document is what its card says, and nothing else.

use std::sync::Arc;

use vouch_domain::{DocumentCard, ports::SentenceRole};

use super::{
    NEXT_LINE, Verification,
    text::{Citation, Claim, Source, VerifiedText},
};

/// Who wrote a list.
const WRITER: &str = "catalogue";
const CHECKS: [&str; 1] = ["catalogue"];

/// Documents to be told by their cards, one row per document.
pub(crate) struct Rows {
    heading: Option<String>,
    cards: Vec<DocumentCard>,
    has_every_fact: bool,
}

impl Rows {
    /// How each document stands.
    pub(crate) fn new(cards: Vec<DocumentCard>) -> Self {
        Self { heading: None, cards, has_every_fact: false }
    }

    /// Everything the cards say: also their versions and whose the documents are.
    pub(crate) fn with_every_fact(cards: Vec<DocumentCard>) -> Self {
        Self { heading: None, cards, has_every_fact: true }
    }

    /// A list under a heading, which is made of the catalogue's words and not of the asker's.
    pub(crate) fn with_heading(heading: String, cards: Vec<DocumentCard>) -> Self {
        Self { heading: Some(heading), cards, has_every_fact: false }
    }

    /// The rows as text. There is nothing to check them against but the cards they are made of.
    pub(crate) fn verified(&self) -> Verification {
        let (mut claims, mut citations) = (Vec::new(), Vec::new());
        for (marker, card) in (1u32..).zip(&self.cards) {
            let claim = row(card, marker, self.has_every_fact);
            let source = Source::Card(Arc::new(card.clone()), claim.text.clone());
            citations.push(Citation { marker, source });
            claims.push(claim);
        }
        let text = VerifiedText { heading: self.heading.clone(), claims, citations, model: WRITER.to_owned() };
        Verification::Passed { text, left_out: Vec::new() }
    }
}

impl Verification {
    /// The same under the card of the document it quotes; unchanged where it quotes none of that document.
    pub(crate) fn under_card(mut self, card: &DocumentCard) -> Self {
        if let Self::Passed { text, .. } = &mut self
            && let Some(cited) = text.citations.iter().find(|cited| cited.document().id == card.id)
        {
            let claim = row(card, cited.marker, false);
            text.claims.insert(0, claim);
        }
        self
    }
}

fn row(card: &DocumentCard, marker: u32, has_every_fact: bool) -> Claim {
    Claim {
        text: row_text(card, has_every_fact),
        markers: vec![marker],
        score: 1.0,
        checks: CHECKS.to_vec(),
        lead: NEXT_LINE.to_owned(),
        role: SentenceRole::Answer,
        is_row: true,
        is_quoted: false,
    }
}

/// Whether a row says what a card says, with every fact of it or without.
#[must_use]
pub fn is_row_of(row: &str, card: &DocumentCard) -> bool {
    [false, true].into_iter().any(|has_every_fact| row_text(card, has_every_fact) == row)
}

/// `ADR-0009: Title (superseded by ADR-0024, 2024-03-18)`; with every fact also `version 1.0, owner a@b.example`.
fn row_text(card: &DocumentCard, has_every_fact: bool) -> String {
    let name = match &card.address {
        Some(address) if !card.title.starts_with(address.as_str()) => format!("{}: {}", address.as_str(), card.title),
        Some(_) | None => card.title.clone(),
    };
    let status = match (&card.superseded_by, &card.status) {
        (Some(successor), _) => Some(format!("superseded by {}", successor.as_str())),
        (None, status) => status.clone(),
    };
    let mut facts: Vec<String> = status.into_iter().chain(card.date.clone()).collect();
    if has_every_fact {
        facts.extend(card.version.as_ref().map(|version| format!("version {version}")));
        facts.extend(card.owner.as_ref().map(|owner| format!("owner {owner}")));
    }
    if facts.is_empty() { name } else { format!("{name} ({})", facts.join(", ")) }
}
