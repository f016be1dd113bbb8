//! Understanding → `Resolved`: the documents a question names or wants listed, from the register and nowhere else.
//!
//! Invariant: an address leads to the documents that have it or to none; nothing near it is put in its place.

mod entities;
mod lists;

use std::sync::Arc;

use vouch_domain::{DocumentCard, PortError, Reader, ports::Register};

use crate::{policy::UnderstandPolicy, understand::Understanding};

pub use entities::{Aim, Entity};
pub use lists::{LIST_MAX, Listing, about, list};

/// What a question names.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolved {
    /// Documents of a kind.
    Listing(Listing),
    /// Documents by their addresses, and what is wanted of them.
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
    /// Nothing the register knows by name.
    Nothing,
}

/// Looks up what the question names.
///
/// # Errors
/// Fails where the register cannot be read.
pub async fn resolve(
    understanding: &Understanding,
    reader: &Reader,
    register: &Arc<dyn Register>,
    policy: &UnderstandPolicy,
) -> Result<Resolved, PortError> {
    let named = entities::resolve(understanding, reader, register).await?;
    if named != Resolved::Nothing {
        return Ok(named);
    }
    lists::resolve(understanding, reader, register, policy).await
}
