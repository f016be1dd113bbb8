//! References an editor wrote → the passages a reader may see behind them.

use vouch_domain::{DocumentCard, DocumentId, PortError, Reader, StoredPassage, memory::Reference, ports::Register};

/// The document a reference means, where it is one that the reader may see.
///
/// # Errors
/// Fails where the register cannot be read.
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
    let is_there = !register.passages_of(reader, &id).await?.is_empty();
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
