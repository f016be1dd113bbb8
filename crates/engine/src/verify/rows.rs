//! Cards of the catalogue → text: what a list says of a document is what its card says, and nothing else.

use std::sync::Arc;

use vouch_domain::{CharSpan, DocumentCard, Passage, PassageKey, StoredPassage};

use super::{CitedPiece, Claim, VerifiedText};
use crate::judge::Piece;

/// Who wrote a list.
const WRITER: &str = "catalogue";
const CHECKS: [&str; 1] = ["catalogue"];

impl VerifiedText {
    /// A list: how many there are, then a row a document, each with its citation.
    #[must_use]
    pub fn listing(heading: &str, cards: &[DocumentCard]) -> Self {
        let heading = Claim {
            text: heading.to_owned(),
            markers: Vec::new(),
            score: 1.0,
            checks: CHECKS.to_vec(),
            follows_directly: false,
        };
        let mut text = Self { claims: vec![heading], citations: Vec::new(), model: WRITER.to_owned() };
        for card in cards {
            text.add_row(card);
        }
        text
    }

    /// How one document stands, by its card.
    #[must_use]
    pub fn standing(cards: &[DocumentCard]) -> Self {
        let mut text = Self { claims: Vec::new(), citations: Vec::new(), model: WRITER.to_owned() };
        for card in cards {
            text.add_row(card);
        }
        text
    }

    /// The same text under the card of the document it quotes; unchanged where it quotes none of that document.
    #[must_use]
    pub fn under_card(mut self, card: &DocumentCard) -> Self {
        let cited = self.citations.iter().find(|cited| cited.piece.passage.document.id == card.id);
        if let Some(cited) = cited {
            let claim = row(card, vec![cited.marker]);
            self.claims.insert(0, claim);
        }
        self
    }

    fn add_row(&mut self, card: &DocumentCard) {
        let marker = u32::try_from(self.citations.len()).unwrap_or(u32::MAX).saturating_add(1);
        let claim = row(card, vec![marker]);
        let nowhere = CharSpan { start: 0, end: 0 };
        let passage = Passage {
            ordinal: 0,
            section: [].into(),
            span: nowhere,
            text: claim.text.clone(),
            address: card.address.clone(),
            times: Vec::new(),
        };
        let stored = StoredPassage { key: PassageKey(u64::MAX), document: Arc::new(card.clone()), passage };
        let piece = Piece::looked_up(marker, stored);
        self.citations.push(CitedPiece { marker, piece, quote: nowhere });
        self.claims.push(claim);
    }
}

fn row(card: &DocumentCard, markers: Vec<u32>) -> Claim {
    Claim { text: row_text(card), markers, score: 1.0, checks: CHECKS.to_vec(), follows_directly: false }
}

/// `ADR-0009: Title (superseded by ADR-0024, 2024-03-18)`.
fn row_text(card: &DocumentCard) -> String {
    let name = match &card.address {
        Some(address) if !card.title.starts_with(address.as_str()) => format!("{}: {}", address.as_str(), card.title),
        Some(_) | None => card.title.clone(),
    };
    let status = match (&card.superseded_by, &card.status) {
        (Some(successor), _) => Some(format!("superseded by {}", successor.as_str())),
        (None, status) => status.clone(),
    };
    let facts: Vec<String> = status.into_iter().chain(card.date.clone()).collect();
    if facts.is_empty() { name } else { format!("{name} ({})", facts.join(", ")) }
}
