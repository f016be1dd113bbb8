//! A memory entry as JSON in its row.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use vouch_domain::{
    Wording,
    memory::{MemoryEntry, MemoryKind, Reference},
};

#[derive(Serialize, Deserialize)]
pub(super) struct StoredEntry {
    kind: StoredKind,
    phrases: Vec<StoredWording>,
    note: Vec<StoredWording>,
    references: Vec<(String, Option<u32>)>,
    /// The words of each reference that names some; absent from entries of earlier versions, as what follows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    words: BTreeMap<usize, String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_for_readers: bool,
    /// Absent from entries of earlier versions.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    translated_by_model: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
enum StoredKind {
    Pinned,
    Note,
}

#[derive(Serialize, Deserialize)]
struct StoredWording(String, Option<String>);

impl StoredEntry {
    pub(super) fn new(entry: &MemoryEntry) -> Self {
        let wording = |one: &Wording| StoredWording(one.text.clone(), one.language.clone());
        Self {
            kind: match entry.kind {
                MemoryKind::Pinned => StoredKind::Pinned,
                MemoryKind::Note => StoredKind::Note,
            },
            phrases: entry.phrases.iter().map(wording).collect(),
            note: entry.note.iter().map(wording).collect(),
            references: entry.references.iter().map(|one| (one.target.clone(), one.seconds)).collect(),
            words: (0..).zip(&entry.references).filter_map(|(at, one)| Some((at, one.words.clone()?))).collect(),
            is_for_readers: entry.is_for_readers,
            translated_by_model: entry.translated_by_model.clone(),
        }
    }

    pub(super) fn into_entry(self, id: String, tenant: String, tags: BTreeSet<String>) -> MemoryEntry {
        let wording = |one: StoredWording| Wording { text: one.0, language: one.1 };
        let words = |at: &usize| self.words.get(at).cloned();
        let reference = |(at, (target, seconds))| Reference { target, seconds, words: words(&at) };
        MemoryEntry {
            id,
            tenant,
            kind: match self.kind {
                StoredKind::Pinned => MemoryKind::Pinned,
                StoredKind::Note => MemoryKind::Note,
            },
            phrases: self.phrases.into_iter().map(wording).collect(),
            note: self.note.into_iter().map(wording).collect(),
            references: (0..).zip(self.references).map(reference).collect(),
            is_for_readers: self.is_for_readers,
            tags,
            translated_by_model: self.translated_by_model,
        }
    }
}
