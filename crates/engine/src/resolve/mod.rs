//! Understanding → `Resolution`: the documents a question names or wants listed, from the register and nowhere else.
//!
//! Invariant: an address leads to the documents that have it or to none; nothing near it is put in its place.

mod aim;
mod entities;
mod entity;
mod lists;
mod standing;

use std::sync::Arc;

use vouch_domain::{DocumentCard, PortError, Reader, ports::Register};

use crate::{policy::UnderstandPolicy, understand::Understanding};

pub use aim::Aim;
pub use entity::Entity;
pub use lists::{AboutBy, LIST_MAX, Listing, about, list};
pub use standing::{is_in_force, is_planned, said_of_status};

/// What a question names.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// Documents by their addresses.
    Named(NamedDocuments),
    /// Documents of a kind.
    Listing(Listing),
    /// Nothing the register knows by name.
    Nothing,
}

/// What the addresses in a question lead to.
#[derive(Debug, Clone, PartialEq)]
pub enum NamedDocuments {
    /// A document each, and what is wanted of them.
    Entities(Vec<Entity>, Aim),
    /// An address several documents have.
    Ambiguous {
        /// The address as it was written.
        written: String,
        /// Who has it.
        cards: Vec<DocumentCard>,
    },
    /// An address no document has.
    Missing {
        /// The address as it was written.
        written: String,
        /// The nearest that exist.
        near: Vec<DocumentCard>,
    },
}

/// Looks up what the question names.
///
/// # Errors
/// Fails if the register cannot be read.
pub async fn resolve(
    understanding: &Understanding,
    reader: &Reader,
    register: &Arc<dyn Register>,
    policy: &UnderstandPolicy,
) -> Result<Resolution, PortError> {
    if let Some(named) = entities::resolve(understanding, reader, register, policy).await? {
        return Ok(Resolution::Named(named));
    }
    let listing = lists::resolve(understanding, reader, register, policy).await?;
    Ok(listing.map_or(Resolution::Nothing, Resolution::Listing))
}
