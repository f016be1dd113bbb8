//! The nearest things the reader may see → up to three questions that have an answer.

use vouch_domain::{DocumentCard, StoredPassage};

use crate::retrieve::{Candidate, Candidates};

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

impl Suggestion {
    /// A question that an editor has prepared sources for.
    #[must_use]
    pub fn from_phrase(phrase: &str) -> Self {
        Self { label: format!("Did you mean \"{phrase}\"?"), query: phrase.to_owned(), kind: Self::PREPARED.to_owned() }
    }

    /// The kind of a question that an editor has prepared sources for.
    pub const PREPARED: &'static str = "question";
}

/// How near a passage is whose section is worth offering.
const NEAR_MIN: f32 = 0.5;

/// The name a section is offered and asked for by: its document's title, and its heading where it has one of its own.
pub(crate) fn section_name(passage: &StoredPassage) -> String {
    let title = &passage.document.title;
    match own_heading(passage) {
        Some(heading) => format!("{title}: {heading}"),
        None => title.clone(),
    }
}

fn own_heading(passage: &StoredPassage) -> Option<&String> {
    passage.passage.section.last().filter(|heading| **heading != passage.document.title)
}

pub(super) fn suggest(candidates: &Candidates, suggestions_max: usize) -> Vec<Suggestion> {
    let mut found: Vec<Suggestion> = Vec::new();
    // Without an embedder nothing is known of nearness, and the words have to do.
    let is_near = |candidate: &&Candidate| candidate.similarity.is_none_or(|near| near.relevance >= NEAR_MIN);
    for candidate in candidates.items().iter().filter(is_near) {
        if found.len() >= suggestions_max {
            break;
        }
        let card = &candidate.passage.document;
        let suggestion = match own_heading(&candidate.passage).filter(|_| card.address.is_none()) {
            Some(heading) => Suggestion {
                label: format!("{heading} ({})", card.title),
                query: section_name(&candidate.passage),
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
