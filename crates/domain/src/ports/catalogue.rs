//! The store of record: documents, their versions and their passages, stored as whole documents or not at all.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::Generation;
use crate::{
    card_edit::{CardEdit, CardField},
    document::{ContentHash, Document, DocumentCard, DocumentId, SourceDigest},
    embedding::Embedding,
    error::PortError,
    passage::{EmbeddedPassage, PassageKey, StoredPassage},
    reader::Reader,
};

/// A document ready to be kept, with all its passages.
#[derive(Debug, Clone)]
pub struct KeptDocument {
    /// The document.
    pub document: Document,
    /// What decides whether it has changed.
    pub hash: ContentHash,
    /// Its passages in order.
    pub passages: Vec<EmbeddedPassage>,
    /// When it was taken in, in milliseconds since 1970.
    pub taken_in_ms: u64,
    /// What people had set of it and its source has a newer statement on.
    pub ended_edits: Vec<CardField>,
}

/// A document whose card a person changes, and nothing else of it.
#[derive(Debug, Clone)]
pub struct EditedCard {
    /// The card as it is to be.
    pub card: DocumentCard,
    /// What was set, in place of earlier edits of the same fields.
    pub edits: Vec<CardEdit>,
    /// The vectors of its passages, in order; none where they stay as they are.
    pub embeddings: Option<Vec<Embedding>>,
    /// When it was changed, in milliseconds since 1970.
    pub edited_ms: u64,
}

/// What the catalogue knows of a document without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The document.
    pub id: DocumentId,
    /// Where it came from.
    pub source: String,
    /// The hash it was last kept under.
    pub hash: ContentHash,
    /// The tags it was last kept with; open to the whole tenant if there are none.
    pub tags: BTreeSet<String>,
    /// The source it was last read from; none where that was not noted.
    pub read_from: Option<SourceDigest>,
}

/// A document, the hash it is kept under, and the source that gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReading {
    /// The document.
    pub id: DocumentId,
    /// The hash.
    pub hash: ContentHash,
    /// The source.
    pub read_from: SourceDigest,
}

/// Who could see what is no longer there, by what it can come back as. An empty set is everyone in the tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastAccess {
    /// The document of an id that was removed.
    pub by_id: Option<BTreeSet<String>>,
    /// The document that a source held before; where there were several, one that not everyone could see.
    pub by_source: Option<BTreeSet<String>>,
    /// A document of the same text that was removed; none where everyone could see it.
    pub by_text: Option<BTreeSet<String>>,
}

/// What became of a document that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpsertOutcome {
    /// It was not there before.
    Added,
    /// It was there in another form; this is its new version's number.
    Updated(u32),
}

/// How much a reader may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Passages.
    pub passages: u64,
}

/// Identifiers of everything answers depend on, which change whenever it does; none if the store does not keep it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreState {
    /// The documents.
    pub generation: Generation,
    /// Which store it is: generations of two stores have nothing in common.
    pub store: Option<String>,
    /// The curated memory.
    pub memory: Option<String>,
    /// The vocabularies.
    pub vocabulary: Option<String>,
    /// People and topics.
    pub people: Option<String>,
}

/// The store of record.
#[async_trait]
pub trait Catalogue: Send + Sync {
    /// How often it has changed.
    async fn generation(&self) -> Result<Generation, PortError>;

    /// The same, and what is kept besides the documents, as of one moment.
    async fn state(&self) -> Result<StoreState, PortError> {
        Ok(StoreState { generation: self.generation().await?, ..StoreState::default() })
    }

    /// What is known of these documents; unknown ones are left out.
    async fn fingerprints(&self, tenant: &str, ids: &[DocumentId]) -> Result<Vec<Fingerprint>, PortError>;

    /// The documents whose source is this one or lies below it.
    async fn under_source(&self, tenant: &str, source: &str) -> Result<Vec<Fingerprint>, PortError>;

    /// The documents whose text is exactly this one, in the order of their ids.
    async fn with_text(&self, tenant: &str, text: &str) -> Result<Vec<Fingerprint>, PortError>;

    /// Who could see what is no longer there under an id, from a source or with a text. It outlives the removal, whatever is
    /// cleaned up later, until a document of that id, source or text is kept for everyone.
    async fn past_access(
        &self,
        tenant: &str,
        id: &DocumentId,
        source: &str,
        text: &str,
    ) -> Result<PastAccess, PortError>;

    /// The different tags of what was removed from sources below a folder, or has moved away from there.
    async fn past_access_below(&self, tenant: &str, folder: &str) -> Result<Vec<BTreeSet<String>>, PortError>;

    /// Gives documents another source and leaves all else as it is; unknown ones are left out.
    async fn rename(&self, tenant: &str, renames: &[(DocumentId, String)]) -> Result<(), PortError>;

    /// Notes which sources give documents; those that are kept under another hash, or not at all, are left out. It changes
    /// nothing that answers depend on.
    async fn note_readings(&self, tenant: &str, readings: &[SourceReading]) -> Result<(), PortError>;

    /// Keeps all of these documents or none of them; answers in their order.
    async fn upsert(&self, documents: Vec<KeptDocument>) -> Result<Vec<UpsertOutcome>, PortError>;

    /// What people have set of a document, in the order of the fields; also of one that was removed since.
    async fn edits(&self, tenant: &str, id: &DocumentId) -> Result<Vec<CardEdit>, PortError>;

    /// Gives a document a new version with another card; answers its number, or none if there is no such document. Its hash
    /// and what it was read from stay, so that its source, which has not changed, leaves it as it is.
    async fn edit(&self, edited: EditedCard) -> Result<Option<u32>, PortError>;

    /// Removes documents of every search; answers how many were there.
    async fn remove(&self, tenant: &str, ids: &[DocumentId]) -> Result<u64, PortError>;

    /// The passages with these keys that the reader may see, in the order of the keys.
    async fn passages(&self, reader: &Reader, keys: &[PassageKey]) -> Result<Vec<StoredPassage>, PortError>;

    /// A document's text as it stands now, if the reader may see it.
    async fn text(&self, reader: &Reader, id: &DocumentId) -> Result<Option<String>, PortError>;

    /// How much the reader may see.
    async fn counts(&self, reader: &Reader) -> Result<Counts, PortError>;
}
