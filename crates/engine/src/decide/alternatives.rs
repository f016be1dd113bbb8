//! The nearest things the reader may see → up to three questions that have an answer.

use vouch_domain::DocumentCard;

use crate::retrieve::Candidates;

/// Something near the question that can be asked without typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What is shown.
    pub label: String,
    /// What is asked when it is chosen.
    pub query: String,
    /// The kind of document it leads to.
    pub kind: String,
}

impl Suggestion {
    /// A document, by its address where it has one.
    #[must_use]
    pub fn from_card(card: &DocumentCard) -> Self {
        let (label, query) = match &card.address {
            Some(address) => (format!("{} ({})", address.as_str(), card.title), address.as_str().to_owned()),
            None => (card.title.clone(), card.title.clone()),
        };
        Self { label, query, kind: card.kind.clone() }
    }

    /// A term that looks like the one asked for.
    #[must_use]
    pub fn from_term(name: &str) -> Self {
        Self { label: name.to_owned(), query: format!("Define {name}"), kind: "term".to_owned() }
    }
}

pub(super) fn suggest(candidates: &Candidates, suggestions_max: usize) -> Vec<Suggestion> {
    let mut found: Vec<Suggestion> = Vec::new();
    for candidate in candidates.items() {
        if found.len() >= suggestions_max {
            break;
        }
        let card = &candidate.passage.document;
        let heading = candidate.passage.passage.section.last().filter(|heading| **heading != card.title);
        let suggestion = match heading.filter(|_| card.address.is_none()) {
            Some(heading) => Suggestion {
                label: format!("{heading} ({})", card.title),
                query: format!("{}: {heading}", card.title),
                kind: card.kind.clone(),
            },
            None => Suggestion::from_card(card),
        };
        if !found.contains(&suggestion) {
            found.push(suggestion);
        }
    }
    found
}
