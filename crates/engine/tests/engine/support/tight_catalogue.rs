//! A catalogue that is full for some documents.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use vouch_domain::{
    CardEdit, DocumentId, Fault, PassageKey, PortError, Reader, StoredPassage,
    ports::{
        Catalogue, Counts, EditedCard, Fingerprint, Generation, KeptDocument, PastAccess, SourceReading, UpsertOutcome,
    },
};
use vouch_testkit::fakes::MemoryStore;

/// A catalogue with no room for documents whose text names it; everything else goes through.
#[derive(Default)]
pub struct TightCatalogue(pub Arc<MemoryStore>);

#[async_trait]
impl Catalogue for TightCatalogue {
    async fn generation(&self) -> Result<Generation, PortError> {
        self.0.generation().await
    }

    async fn fingerprints(&self, tenant: &str, ids: &[DocumentId]) -> Result<Vec<Fingerprint>, PortError> {
        self.0.fingerprints(tenant, ids).await
    }

    async fn under_source(&self, tenant: &str, source: &str) -> Result<Vec<Fingerprint>, PortError> {
        self.0.under_source(tenant, source).await
    }

    async fn with_text(&self, tenant: &str, text: &str) -> Result<Vec<Fingerprint>, PortError> {
        self.0.with_text(tenant, text).await
    }

    async fn past_access(
        &self,
        tenant: &str,
        id: &DocumentId,
        source: &str,
        text: &str,
    ) -> Result<PastAccess, PortError> {
        self.0.past_access(tenant, id, source, text).await
    }

    async fn past_access_below(&self, tenant: &str, folder: &str) -> Result<Vec<BTreeSet<String>>, PortError> {
        self.0.past_access_below(tenant, folder).await
    }

    async fn edits(&self, tenant: &str, id: &DocumentId) -> Result<Vec<CardEdit>, PortError> {
        self.0.edits(tenant, id).await
    }

    async fn edit(&self, edited: EditedCard) -> Result<Option<u32>, PortError> {
        self.0.edit(edited).await
    }

    async fn rename(&self, tenant: &str, renames: &[(DocumentId, String)]) -> Result<(), PortError> {
        self.0.rename(tenant, renames).await
    }

    async fn note_readings(&self, tenant: &str, readings: &[SourceReading]) -> Result<(), PortError> {
        self.0.note_readings(tenant, readings).await
    }

    async fn upsert(&self, documents: Vec<KeptDocument>) -> Result<Vec<UpsertOutcome>, PortError> {
        if documents.iter().any(|kept| kept.document.text.contains("huge")) {
            return Err(PortError::new("catalogue", Fault::Full, "no room left"));
        }
        self.0.upsert(documents).await
    }

    async fn remove(&self, tenant: &str, ids: &[DocumentId]) -> Result<u64, PortError> {
        self.0.remove(tenant, ids).await
    }

    async fn passages(&self, reader: &Reader, keys: &[PassageKey]) -> Result<Vec<StoredPassage>, PortError> {
        self.0.passages(reader, keys).await
    }

    async fn text(&self, reader: &Reader, id: &DocumentId) -> Result<Option<String>, PortError> {
        self.0.text(reader, id).await
    }

    async fn counts(&self, reader: &Reader) -> Result<Counts, PortError> {
        self.0.counts(reader).await
    }
}
