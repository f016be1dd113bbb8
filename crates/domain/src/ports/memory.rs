//! The curated memory: entries with the vectors they are found by.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    embedding::Embedding,
    error::PortError,
    memory::{MemoryEntry, MemoryKind, WordingKey},
    reader::Reader,
};

/// An entry with a vector for each of its phrases and each piece of its note, so that a question that echoes the body
/// finds it too.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedEntry {
    /// The entry.
    pub entry: MemoryEntry,
    /// Its texts with their languages and vectors.
    pub texts: Vec<EmbeddedText>,
}

/// One text an entry is found by.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedText {
    /// The words.
    pub text: String,
    /// Their language, if one is named.
    pub language: Option<String>,
    /// Their vector.
    pub vector: Embedding,
}

/// An entry near a question.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryMatch {
    /// The entry.
    pub entry: Arc<MemoryEntry>,
    /// The text of it that is nearest.
    pub text: String,
    /// Which of the question's vectors it is nearest to.
    pub vector: usize,
    /// How near.
    pub cosine: f32,
}

/// Keeps what editors prepare. Nothing a reader may not see changes what it answers.
#[async_trait]
pub trait Memory: Send + Sync {
    /// Keeps entries, each in the place of the tenant's entry of the same id; all of them or none. Answers how many are new.
    async fn upsert(&self, entries: Vec<EmbeddedEntry>) -> Result<usize, PortError>;

    /// Removes entries; answers how many were there.
    async fn remove(&self, tenant: &str, ids: &[String]) -> Result<usize, PortError>;

    /// Every entry the reader may see, by id.
    async fn entries(&self, reader: &Reader) -> Result<Vec<MemoryEntry>, PortError>;

    /// The entries with a phrase of these very words, in whatever language it is; pinned questions first, then by id.
    async fn with_phrase(&self, reader: &Reader, words: &WordingKey) -> Result<Vec<Arc<MemoryEntry>>, PortError>;

    /// The entries nearest to any of the vectors by a text in one of these languages or in none, each once by its nearest
    /// text; nearest first, then by id, up to a limit.
    async fn nearest(
        &self,
        reader: &Reader,
        vectors: &[Embedding],
        languages: &[String],
        limit: usize,
    ) -> Result<Vec<MemoryMatch>, PortError>;
}

/// Of some entries those that the reader may see, as `Memory::with_phrase` promises them.
pub fn entries_in_order<'a>(
    entries: impl Iterator<Item = &'a EmbeddedEntry>,
    reader: &Reader,
) -> Vec<Arc<MemoryEntry>> {
    let visible = entries.map(|one| &one.entry).filter(|entry| reader.may_read(&entry.tenant, &entry.tags));
    let mut found: Vec<Arc<MemoryEntry>> = visible.cloned().map(Arc::new).collect();
    found.sort_by(|a, b| (a.kind == MemoryKind::Note, &a.id).cmp(&(b.kind == MemoryKind::Note, &b.id)));
    found
}

/// Of some entries those nearest to any of the vectors, as `Memory::nearest` promises them.
pub fn nearest_entries<'a>(
    entries: impl Iterator<Item = &'a EmbeddedEntry>,
    vectors: &[Embedding],
    languages: &[String],
    limit: usize,
) -> Vec<MemoryMatch> {
    let mut found: Vec<_> =
        entries.filter_map(|one| nearest_text(one, vectors, languages).map(|near| (one, near))).collect();
    found.sort_by(|(a, (_, _, near_a)), (b, (_, _, near_b))| {
        near_b.total_cmp(near_a).then_with(|| a.entry.id.cmp(&b.entry.id))
    });
    found.truncate(limit);
    let kept = found.into_iter().map(|(one, (text, vector, cosine))| {
        let entry = Arc::new(one.entry.clone());
        MemoryMatch { entry, text: text.to_owned(), vector, cosine }
    });
    kept.collect()
}

/// The nearest text of an entry to any of the vectors; none if it has no text in one of the languages.
fn nearest_text<'a>(
    entry: &'a EmbeddedEntry,
    vectors: &[Embedding],
    languages: &[String],
) -> Option<(&'a str, usize, f32)> {
    let speaks = |text: &&EmbeddedText| text.language.as_ref().is_none_or(|own| languages.contains(own));
    let mut best: Option<(&str, usize, f32)> = None;
    for text in entry.texts.iter().filter(speaks) {
        for (at, vector) in vectors.iter().enumerate() {
            let cosine = text.vector.cosine(vector);
            if best.is_none_or(|(_, _, known)| cosine > known) {
                best = Some((&text.text, at, cosine));
            }
        }
    }
    best
}
