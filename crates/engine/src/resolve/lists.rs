//! "List ADRs" → every document of the kind, in a fixed order.

use std::{collections::BTreeSet, sync::Arc};

use vouch_domain::{
    DocumentCard, DocumentId, PortError, Reader,
    language::{fold_spaces, key_terms, terms, words::stem},
    ports::Register,
};

use crate::{
    policy::UnderstandPolicy,
    retrieve::Candidates,
    understand::{Intent, ListRequest, Understanding},
};

/// The longest list that is given; longer ones say so.
pub const LIST_MAX: usize = 10_000;

/// Documents of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The kind as its documents write it.
    pub kind: String,
    /// The status they must have, if that is said.
    pub status: Option<String>,
    /// What they must be about, if that is said.
    pub about: Option<String>,
    /// The documents, by address, then by title; one more than `LIST_MAX` where there are more.
    pub cards: Vec<DocumentCard>,
}

pub(super) async fn resolve(
    understanding: &Understanding,
    reader: &Reader,
    register: &Arc<dyn Register>,
    policy: &UnderstandPolicy,
) -> Result<Option<Listing>, PortError> {
    let Intent::List(request) = understanding.intent() else { return Ok(None) };
    list(request, reader, register, policy).await
}

/// The documents a request wants; none if its noun is no kind.
///
/// # Errors
/// Fails if the register cannot be read.
pub async fn list(
    request: &ListRequest,
    reader: &Reader,
    register: &Arc<dyn Register>,
    policy: &UnderstandPolicy,
) -> Result<Option<Listing>, PortError> {
    let known: Vec<String> = register.kinds(reader).await?.into_iter().map(|known| known.kind).collect();
    let (kind, status) = match (kind_of(&request.noun, &known, policy), request.noun.split_once(' ')) {
        (Some(kind), _) => (kind, None),
        (None, Some((status, noun))) => match kind_of(noun, &known, policy) {
            Some(kind) => (kind, Some(status.to_owned())),
            None => return Ok(None),
        },
        (None, None) => return Ok(None),
    };
    // One more than is listed shows whether that is all.
    let mut cards = register.of_kind(reader, &kind, LIST_MAX + 1).await?;
    if let Some(status) = &status {
        cards.retain(|card| card.status.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(status)));
        // A word that is no document's status may mean anything, so the question is not one for a list.
        if cards.is_empty() {
            return Ok(None);
        }
    }
    Ok(Some(Listing { kind, status, about: request.about.clone(), cards }))
}

/// The kind a noun means: as the profile says, or as the documents write it.
fn kind_of(noun: &str, known: &[String], policy: &UnderstandPolicy) -> Option<String> {
    let named = policy.kind_names.iter().find(|(name, _)| same_noun(name, noun)).map(|(_, kind)| kind.clone());
    let wanted = |kind: &str| known.iter().find(|known| known.eq_ignore_ascii_case(kind)).cloned();
    match named {
        Some(kind) => wanted(&kind).or(Some(kind)),
        None => known.iter().find(|known| same_noun(known, noun)).cloned(),
    }
}

/// Whether two words name the same kind, apart from number and case.
fn same_noun(left: &str, right: &str) -> bool {
    let stems = |text: &str| fold_spaces(text).split([' ', '-', '_']).map(stem).collect::<Vec<_>>();
    stems(left) == stems(right)
}

/// Those of a list that are about the topic: a passage found for it holds all its words, or is near enough in meaning.
#[must_use]
pub fn about(cards: Vec<DocumentCard>, topic: &str, found: &Candidates, relevance_min: f32) -> Vec<DocumentCard> {
    let wanted = key_terms(topic);
    let mut chosen: BTreeSet<DocumentId> = BTreeSet::new();
    for candidate in found.items() {
        let document = &candidate.passage.document;
        let mut held: BTreeSet<String> = terms(&candidate.passage.passage.text).into_iter().collect();
        held.extend(terms(&document.title));
        let holds_all = !wanted.is_empty() && wanted.iter().all(|term| held.contains(term));
        let is_near = candidate.similarity.is_some_and(|similarity| similarity.relevance >= relevance_min);
        if holds_all || is_near {
            chosen.insert(document.id.clone());
        }
    }
    cards.into_iter().filter(|card| chosen.contains(&card.id)).collect()
}
