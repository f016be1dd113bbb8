//! References an editor wrote → the passages a reader may see behind them.

use vouch_domain::{
    DocumentCard, DocumentId, PortError, Reader, Scope, StoredPassage,
    memory::{MemoryEntry, Reference},
    ports::Register,
};

/// The document a reference means, if it is one that the reader may see.
///
/// # Errors
/// Fails if the register cannot be read.
pub(super) async fn document_of(
    reference: &Reference,
    reader: &Reader,
    register: &dyn Register,
) -> Result<Result<DocumentId, Unresolved>, PortError> {
    let cards: Vec<DocumentCard> = register.by_address(reader, &[reference.address()]).await?;
    match cards.as_slice() {
        [only] => return Ok(Ok(only.id.clone())),
        [] => {}
        _ => return Ok(Err(Unresolved::Ambiguous)),
    }
    let Some(id) = DocumentId::parse(&reference.target) else { return Ok(Err(Unresolved::Missing)) };
    let is_there = register.by_id(reader, &id).await?.is_some();
    Ok(if is_there { Ok(id) } else { Err(Unresolved::Missing) })
}

/// Why a reference leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresolved {
    Missing,
    Ambiguous,
}

/// The passages behind a reference: all of its document, or the one spoken at its second.
pub(super) async fn passages_of(
    reference: &Reference,
    reader: &Reader,
    register: &dyn Register,
) -> Result<Vec<StoredPassage>, PortError> {
    let Ok(id) = document_of(reference, reader, register).await? else { return Ok(Vec::new()) };
    let passages = register.passages_of(reader, &id).await?;
    let Some(seconds) = reference.seconds else { return Ok(passages) };
    let spoken =
        passages.into_iter().filter(|one| one.passage.times.first().is_some_and(|mark| mark.seconds <= seconds));
    Ok(spoken.last().into_iter().collect())
}

/// The references of an entry that lead to something the reader may see; who sees the whole tenant sees them all.
///
/// # Errors
/// Fails if the register cannot be read.
pub async fn open_references(
    entry: &MemoryEntry,
    reader: &Reader,
    register: &dyn Register,
) -> Result<Vec<Reference>, PortError> {
    let mut open = Vec::with_capacity(entry.references.len());
    for reference in &entry.references {
        let is_open = match reader.scope {
            Scope::WholeTenant => true,
            Scope::Tags(_) => document_of(reference, reader, register).await?.is_ok(),
        };
        open.extend(is_open.then(|| reference.clone()));
    }
    Ok(open)
}
