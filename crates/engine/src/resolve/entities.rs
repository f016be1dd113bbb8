//! Addresses in a question → the documents that have them.

use std::sync::Arc;

use vouch_domain::{Address, DocumentCard, PortError, Reader, language::fold_spaces, ports::Register};

use super::{
    NamedDocuments,
    aim::{Aim, aim},
    entity::Entity,
};
use crate::{
    policy::UnderstandPolicy,
    understand::{Mention, Understanding},
};

/// How many neighbours of a missing address are offered.
const NEAR_MAX: usize = 3;

/// The longest question that is looked up as an address.
const BARE_CHARS_MAX: usize = 40;

pub(super) async fn resolve(
    understanding: &Understanding,
    reader: &Reader,
    register: &Arc<dyn Register>,
    policy: &UnderstandPolicy,
) -> Result<Option<NamedDocuments>, PortError> {
    let mut entities = Vec::new();
    for mention in understanding.mentions() {
        for address in &mention.addresses {
            let found = with_address(address, mention, reader, register).await?;
            let chosen = by_collection(found, understanding.asked());
            match chosen.as_slice() {
                [] => {
                    let near = register.near_address(reader, &address.key(), NEAR_MAX).await?;
                    // What begins like no address of this corpus is none, whatever it looks like.
                    if near.is_empty() && mention.scheme.kind.is_none() {
                        break;
                    }
                    let is_alone = mention.addresses.len() == 1;
                    let written = if is_alone { mention.written.as_str() } else { address.as_str() };
                    return Ok(Some(NamedDocuments::Missing { written: written.to_owned(), near }));
                }
                [card] => {
                    let lead_section = mention.scheme.lead_section.clone();
                    let at = (mention.addresses.len() == 1).then(|| mention.at.clone());
                    entities.push(Entity { card: card.clone(), lead_section, at });
                }
                _ => {
                    return Ok(Some(NamedDocuments::Ambiguous { written: address.as_str().to_owned(), cards: chosen }));
                }
            }
        }
    }
    if entities.is_empty() {
        return bare_address(understanding, reader, register).await;
    }
    let aim = aim(understanding, &entities, policy);
    Ok(Some(NamedDocuments::Entities(entities, aim)))
}

/// A question that is nothing but the address of documents, whether or not a scheme of the settings knows its form.
async fn bare_address(
    understanding: &Understanding,
    reader: &Reader,
    register: &Arc<dyn Register>,
) -> Result<Option<NamedDocuments>, PortError> {
    let text = understanding.text().trim_end_matches(['?', '.', '!']);
    let is_like_one = text.chars().nth(BARE_CHARS_MAX).is_none() && text.contains(|c: char| c.is_ascii_digit());
    let Some(address) = Address::parse(text).filter(|_| is_like_one) else { return Ok(None) };
    let cards = register.by_address(reader, &[address.key()]).await?;
    Ok(match cards.as_slice() {
        [] => None,
        [card] => {
            let entity = Entity { card: card.clone(), lead_section: None, at: None };
            Some(NamedDocuments::Entities(vec![entity], Aim::Whole))
        }
        _ => Some(NamedDocuments::Ambiguous { written: address.as_str().to_owned(), cards }),
    })
}

/// The documents with an address, of the scheme's kind where it has one.
async fn with_address(
    address: &Address,
    mention: &Mention,
    reader: &Reader,
    register: &Arc<dyn Register>,
) -> Result<Vec<DocumentCard>, PortError> {
    let mut found = register.by_address(reader, &[address.key()]).await?;
    if let Some(kind) = &mention.scheme.kind {
        found.retain(|card| card.kind.eq_ignore_ascii_case(kind));
    }
    Ok(found)
}

/// Where several documents share an address, those whose collection the question names.
fn by_collection(found: Vec<DocumentCard>, text: &str) -> Vec<DocumentCard> {
    let text = fold_spaces(text);
    let is_named = |card: &DocumentCard| {
        let collection = fold_spaces(&card.collection);
        let last = collection.rsplit('/').next().unwrap_or_default().to_owned();
        [collection, last].iter().any(|name| !name.is_empty() && holds_word(&text, name))
    };
    let named: Vec<DocumentCard> = found.iter().filter(|card| is_named(card)).cloned().collect();
    if named.is_empty() { found } else { named }
}

fn holds_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}
