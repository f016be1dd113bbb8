//! Entries of the curated memory as other programs send and see them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{MemoryEntry, MemoryKind, Reader, Reference, Wording};

use super::document::{kept_tags, shared_tags};

/// An entry of the curated memory to store: a note if it has a `note`, else a pinned question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EntryBody, example = json!({
    "id": "carry-over", "phrases": ["Can I keep unused leave?"], "references": ["handbook/leave"]
}))]
pub struct EntryBody {
    /// Id of the entry, at most 200 bytes; an entry with the same id is replaced.
    #[schema(min_length = 1, pattern = r"\S")]
    pub id: String,
    /// Wordings of the pinned question, or phrases that bring the note up.
    pub phrases: Vec<String>,
    /// Background that frames an answer and is never cited; absent for a pinned question.
    pub note: Option<String>,
    /// Sources: addresses or ids of documents, with ` t=754` after one for a second of a recording.
    #[serde(default)]
    pub references: Vec<String>,
    /// Only people with one of these tags may see it; without any, everyone in the tenant.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub tags: BTreeSet<String>,
}

impl EntryBody {
    /// The entry of a tenant; none if a reference is empty.
    pub fn entry(self, tenant: &str) -> Option<MemoryEntry> {
        let say = |text: String| Wording { text, language: None };
        Some(MemoryEntry {
            id: self.id,
            tenant: tenant.to_owned(),
            kind: if self.note.is_some() { MemoryKind::Note } else { MemoryKind::Pinned },
            phrases: self.phrases.into_iter().map(say).collect(),
            note: self.note.into_iter().map(say).collect(),
            references: self.references.iter().map(|text| Reference::parse(text)).collect::<Option<_>>()?,
            tags: kept_tags(self.tags),
        })
    }
}

/// An entry of the curated memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Entry)]
pub struct EntryWire {
    /// Id of the entry.
    pub id: String,
    /// `pinned` or `note`.
    pub kind: &'static str,
    /// Wordings of the pinned question, or phrases that bring the note up.
    pub phrases: Vec<String>,
    /// The note, sentence by sentence; empty for a pinned question.
    pub note: Vec<String>,
    /// Sources it points to.
    pub references: Vec<String>,
    /// Those of its tags that the caller's key has too.
    pub tags: Vec<String>,
}

impl EntryWire {
    /// An entry as a reader sees it.
    #[must_use]
    pub fn new(entry: &MemoryEntry, reader: &Reader) -> Self {
        let texts = |wordings: &[Wording]| wordings.iter().map(|wording| wording.text.clone()).collect();
        Self {
            id: entry.id.clone(),
            kind: entry.kind.as_str(),
            phrases: texts(&entry.phrases),
            note: texts(&entry.note),
            references: entry.references.iter().map(Reference::to_text).collect(),
            tags: shared_tags(&entry.tags, reader),
        }
    }
}
