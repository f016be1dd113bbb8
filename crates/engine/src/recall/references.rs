//! References an editor wrote → the passages a reader may see behind them.

use vouch_domain::{
    DocumentCard, DocumentId, PortError, Reader, Scope, StoredPassage,
    language::fold_spaces,
    memory::{MemoryEntry, Reference},
    ports::Register,
};

/// A section of more passages than this is looked through for the nearest, like a document.
const SECTION_PASSAGES_MAX: usize = 4;
/// From so many documents of one title on, none of them is meant.
const SAME_TITLE_MAX: usize = 2;

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

/// A reference as it is kept: a title as the id of the one document that has it.
///
/// # Errors
/// Fails if the register cannot be read.
pub(super) async fn resolve(
    reference: &Reference,
    editor: &Reader,
    register: &dyn Register,
) -> Result<Result<Reference, String>, PortError> {
    let mut resolved = reference.clone();
    let (target, several) = (&reference.target, "name one by its id");
    let id = match document_of(reference, editor, register).await? {
        Ok(id) => id,
        Err(Unresolved::Ambiguous) => return Ok(Err(format!("several documents are called '{target}'; {several}"))),
        Err(Unresolved::Missing) => {
            let titled = register.by_title(editor, target, SAME_TITLE_MAX).await?;
            match titled.as_slice() {
                [] => return Ok(Err(format!("no document is called '{}'", reference.to_text()))),
                [only] => {
                    resolved.target = only.id.as_str().to_owned();
                    only.id.clone()
                }
                _ => return Ok(Err(format!("several documents have the title '{target}'; {several}"))),
            }
        }
    };
    if let Some(words) = &reference.words
        && passages_with(words, &register.passages_of(editor, &id).await?).is_empty()
    {
        return Ok(Err(format!("no heading and no passage of '{target}' contains \"{words}\"")));
    }
    Ok(Ok(resolved))
}

/// The passages behind a reference, and whether each of them was named or the nearest of them is meant.
pub(super) struct Referred {
    pub(super) passages: Vec<StoredPassage>,
    pub(super) is_named: bool,
}

/// The passages behind a reference: all of its document, those it names, or the one spoken at its second. Where the document
/// no longer has the words, it is still the one the editor chose.
pub(super) async fn passages_of(
    reference: &Reference,
    reader: &Reader,
    register: &dyn Register,
) -> Result<Referred, PortError> {
    let Ok(id) = document_of(reference, reader, register).await? else {
        return Ok(Referred { passages: Vec::new(), is_named: false });
    };
    let passages = register.passages_of(reader, &id).await?;
    if let Some(words) = &reference.words {
        let named = passages_with(words, &passages);
        return Ok(match named.is_empty() {
            true => Referred { passages, is_named: false },
            false => Referred { is_named: named.len() <= SECTION_PASSAGES_MAX, passages: named },
        });
    }
    let Some(seconds) = reference.seconds else { return Ok(Referred { passages, is_named: false }) };
    let spoken =
        passages.into_iter().filter(|one| one.passage.times.first().is_some_and(|mark| mark.seconds <= seconds));
    Ok(Referred { passages: spoken.last().into_iter().collect(), is_named: true })
}

/// The passages under a heading of these words; where there is no such heading, the first with them in its text.
fn passages_with(words: &str, passages: &[StoredPassage]) -> Vec<StoredPassage> {
    let words = fold_spaces(words);
    let is_under = |one: &&StoredPassage| one.passage.section.iter().any(|heading| fold_spaces(heading) == words);
    let section: Vec<StoredPassage> = passages.iter().filter(is_under).cloned().collect();
    if !section.is_empty() {
        return section;
    }
    passages.iter().find(|one| fold_spaces(&one.passage.text).contains(&words)).into_iter().cloned().collect()
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
