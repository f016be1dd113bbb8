//! A memory entry as JSON in its row.

use std::collections::BTreeSet;

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
            translated_by_model: entry.translated_by_model.clone(),
        }
    }

    pub(super) fn into_entry(self, id: String, tenant: String, tags: BTreeSet<String>) -> MemoryEntry {
        let wording = |one: StoredWording| Wording { text: one.0, language: one.1 };
        MemoryEntry {
            id,
            tenant,
            kind: match self.kind {
                StoredKind::Pinned => MemoryKind::Pinned,
                StoredKind::Note => MemoryKind::Note,
            },
            phrases: self.phrases.into_iter().map(wording).collect(),
            note: self.note.into_iter().map(wording).collect(),
            references: self.references.into_iter().map(|(target, seconds)| Reference { target, seconds }).collect(),
            tags,
            translated_by_model: self.translated_by_model,
        }
    }
}
