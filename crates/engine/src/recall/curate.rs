//! Entries an editor wrote → entries that can be kept: every reference leads somewhere, every text has its vector.

use vouch_domain::{
    PortError, Reader, Wording,
    language::sentence_ranges,
    memory::{MemoryEntry, MemoryKind},
    ports::{EmbeddedEntry, EmbeddedText, Embedder, Memory, Register},
};

use super::references::resolve;

/// Why an entry cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry '{id}': {sentence}")]
pub struct BadEntry {
    /// Which entry.
    pub id: String,
    /// What is wrong with it.
    pub sentence: String,
}

/// Why nothing was kept.
#[derive(Debug, thiserror::Error)]
pub enum CurateError {
    /// Something is wrong with these entries.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Bad(Vec<BadEntry>),
    /// A port failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// How many entries of a run are new, and how many took another's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurateReport {
    /// New ones.
    pub added: usize,
    /// Those that took the place of one of the same id.
    pub changed: usize,
}

/// What entries are kept with.
pub struct Curator<'a> {
    /// Where they are kept.
    pub memory: &'a dyn Memory,
    /// Where their references lead.
    pub register: &'a dyn Register,
    /// Text to vectors.
    pub embedder: &'a dyn Embedder,
}

impl Curator<'_> {
    /// Checks, embeds and keeps an editor's entries: all of them, or none.
    ///
    /// # Errors
    /// Fails if one of them is wrong or a port fails.
    pub async fn upsert(&self, entries: Vec<MemoryEntry>, editor: &Reader) -> Result<CurateReport, CurateError> {
        let (mut faults, mut checked) = (Vec::new(), Vec::with_capacity(entries.len()));
        for entry in entries {
            match check(entry, editor, self.register).await? {
                Ok(entry) => checked.push(entry),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(CurateError::Bad(faults));
        }
        let all = checked.len();
        let added = self.memory.upsert(embed(checked, self.embedder).await?).await?;
        Ok(CurateReport { added, changed: all.saturating_sub(added) })
    }
}

/// An entry as it can be kept, with titles among its references as ids; or what is wrong with it: its form first, then its
/// references, which its editor must be able to see.
///
/// # Errors
/// Fails if the register cannot be read.
pub async fn check(
    mut entry: MemoryEntry,
    editor: &Reader,
    register: &dyn Register,
) -> Result<Result<MemoryEntry, BadEntry>, PortError> {
    if let Some(sentence) = fault_of_form(&entry) {
        return Ok(Err(BadEntry { id: entry.id, sentence }));
    }
    for reference in &mut entry.references {
        match resolve(reference, editor, register).await? {
            Ok(resolved) => *reference = resolved,
            Err(sentence) => return Ok(Err(BadEntry { id: entry.id, sentence })),
        }
    }
    Ok(Ok(entry))
}

fn fault_of_form(entry: &MemoryEntry) -> Option<String> {
    let texts = || entry.phrases.iter().chain(&entry.note);
    let is_long = |wording: &Wording| wording.text.chars().count() > MemoryEntry::CHARS_MAX;
    if entry.id.trim().is_empty() || entry.id.len() > 200 {
        Some("its id is empty or longer than 200 bytes".to_owned())
    } else if !entry.phrases.iter().any(|wording| !wording.text.trim().is_empty()) {
        Some("it needs at least one phrase or question by which it can be found".to_owned())
    } else if entry.kind == MemoryKind::Pinned && entry.references.is_empty() {
        Some("a pinned question needs at least one reference".to_owned())
    } else if entry.kind == MemoryKind::Note && !entry.note.iter().any(|wording| !wording.text.trim().is_empty()) {
        Some("a note needs a text".to_owned())
    } else if entry.phrases.len() > MemoryEntry::PARTS_MAX || entry.references.len() > MemoryEntry::PARTS_MAX {
        Some(format!("it has more than {} phrases or references", MemoryEntry::PARTS_MAX))
    } else if texts().any(is_long) {
        Some(format!("one of its texts is longer than {} characters", MemoryEntry::CHARS_MAX))
    } else {
        None
    }
}

/// Gives every phrase, and every sentence of a note, its vector: a question that echoes the body finds the note too.
///
/// # Errors
/// Fails if the embedder does.
pub async fn embed(entries: Vec<MemoryEntry>, embedder: &dyn Embedder) -> Result<Vec<EmbeddedEntry>, PortError> {
    let mut embedded = Vec::with_capacity(entries.len());
    for entry in entries {
        let parts: Vec<Wording> =
            entry.phrases.iter().cloned().chain(entry.note.iter().flat_map(sentences)).take(PARTS_MAX).collect();
        let vectors = embedder.embed(parts.iter().map(|part| part.text.clone()).collect()).await?;
        let vectors = embedder.identity().accept(vectors, parts.len())?;
        let texts = parts
            .into_iter()
            .zip(vectors)
            .map(|(part, vector)| EmbeddedText { text: part.text, language: part.language, vector })
            .collect();
        embedded.push(EmbeddedEntry { entry, texts });
    }
    Ok(embedded)
}

/// Most texts one entry is found by.
const PARTS_MAX: usize = 300;

fn sentences(note: &Wording) -> Vec<Wording> {
    let ranges = sentence_ranges(&note.text).into_iter().filter_map(|range| note.text.get(range));
    ranges.map(|text| Wording { text: text.to_owned(), language: note.language.clone() }).collect()
}
