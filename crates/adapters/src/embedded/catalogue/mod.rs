//! SQLite behind the `Catalogue` port.

mod edits;
mod marks;
mod read;
mod readings;
mod upsert;

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use vouch_domain::{
    CardEdit, DocumentId, EmbedderIdentity, PassageKey, PortError, Reader, StoredPassage,
    ports::{
        Catalogue, Counts, EditedCard, Fingerprint, Generation, KeptDocument, PastAccess, SourceReading, StoreState,
        UpsertOutcome,
    },
};

use super::{
    blocking::blocking,
    database::{Database, check_embedder},
    facts::{generation, meta},
    past_access,
    sqlite_fault::fault,
};

pub(super) use read::{card, living_passages_after, passages};

const PORT: &str = "catalogue";

/// The store of record.
pub struct EmbeddedCatalogue {
    database: Arc<Database>,
    embedder: EmbedderIdentity,
}

impl EmbeddedCatalogue {
    pub(super) fn new(database: Arc<Database>, embedder: EmbedderIdentity) -> Self {
        Self { database, embedder }
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.read(work)).await
    }
}

#[async_trait]
impl Catalogue for EmbeddedCatalogue {
    async fn generation(&self) -> Result<Generation, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.generation()).await
    }

    async fn state(&self) -> Result<StoreState, PortError> {
        self.read(state).await
    }

    async fn fingerprints(&self, tenant: &str, ids: &[DocumentId]) -> Result<Vec<Fingerprint>, PortError> {
        let (tenant, ids) = (tenant.to_owned(), ids.to_vec());
        self.read(move |transaction| read::fingerprints(transaction, &tenant, &ids)).await
    }

    async fn under_source(&self, tenant: &str, source: &str) -> Result<Vec<Fingerprint>, PortError> {
        let (tenant, source) = (tenant.to_owned(), source.to_owned());
        self.read(move |transaction| read::under_source(transaction, &tenant, &source)).await
    }

    async fn with_text(&self, tenant: &str, text: &str) -> Result<Vec<Fingerprint>, PortError> {
        let (tenant, text) = (tenant.to_owned(), text.to_owned());
        self.read(move |transaction| read::with_text(transaction, &tenant, &text)).await
    }

    async fn past_access(
        &self,
        tenant: &str,
        id: &DocumentId,
        source: &str,
        text: &str,
    ) -> Result<PastAccess, PortError> {
        let (tenant, id, source, text) = (tenant.to_owned(), id.clone(), source.to_owned(), text.to_owned());
        self.read(move |transaction| past_access::past_access(transaction, &tenant, (&id, &source, &text))).await
    }

    async fn past_access_below(&self, tenant: &str, folder: &str) -> Result<Vec<BTreeSet<String>>, PortError> {
        let (tenant, folder) = (tenant.to_owned(), folder.to_owned());
        self.read(move |transaction| past_access::below(transaction, &tenant, &folder)).await
    }

    async fn edits(&self, tenant: &str, id: &DocumentId) -> Result<Vec<CardEdit>, PortError> {
        let (tenant, id) = (tenant.to_owned(), id.clone());
        self.read(move |transaction| edits::edits(transaction, &tenant, &id)).await
    }

    async fn edit(&self, edited: EditedCard) -> Result<Option<u32>, PortError> {
        let (database, embedder) = (Arc::clone(&self.database), self.embedder.clone());
        blocking(PORT, move || {
            database.write_if_fit(|transaction| {
                check_embedder(transaction, &embedder)?;
                edits::edit(transaction, &edited).map_err(fault)
            })
        })
        .await
    }

    async fn rename(&self, tenant: &str, renames: &[(DocumentId, String)]) -> Result<(), PortError> {
        let (database, tenant, renames) = (Arc::clone(&self.database), tenant.to_owned(), renames.to_vec());
        blocking(PORT, move || database.write(|transaction| upsert::rename(transaction, &tenant, &renames))).await
    }

    async fn note_readings(&self, tenant: &str, readings: &[SourceReading]) -> Result<(), PortError> {
        let (database, tenant, readings) = (Arc::clone(&self.database), tenant.to_owned(), readings.to_vec());
        blocking(PORT, move || database.write(|transaction| readings::note(transaction, &tenant, &readings))).await
    }

    async fn upsert(&self, documents: Vec<KeptDocument>) -> Result<Vec<UpsertOutcome>, PortError> {
        let (database, embedder) = (Arc::clone(&self.database), self.embedder.clone());
        blocking(PORT, move || {
            database.write_if_fit(|transaction| {
                check_embedder(transaction, &embedder)?;
                upsert::upsert(transaction, &documents, &embedder).map_err(fault)
            })
        })
        .await
    }

    async fn remove(&self, tenant: &str, ids: &[DocumentId]) -> Result<u64, PortError> {
        let (database, tenant, ids) = (Arc::clone(&self.database), tenant.to_owned(), ids.to_vec());
        blocking(PORT, move || database.write(|transaction| upsert::remove(transaction, &tenant, &ids))).await
    }

    async fn passages(&self, reader: &Reader, keys: &[PassageKey]) -> Result<Vec<StoredPassage>, PortError> {
        let (reader, keys) = (reader.clone(), keys.to_vec());
        self.read(move |transaction| read::passages(transaction, &reader, &keys)).await
    }

    async fn text(&self, reader: &Reader, id: &DocumentId) -> Result<Option<String>, PortError> {
        let (reader, id) = (reader.clone(), id.clone());
        self.read(move |transaction| read::text(transaction, &reader, &id)).await
    }

    async fn counts(&self, reader: &Reader) -> Result<Counts, PortError> {
        let reader = reader.clone();
        self.read(move |transaction| read::counts(transaction, &reader)).await
    }
}

/// Identifiers of what is stored, which change with it.
pub(super) fn state(transaction: &rusqlite::Transaction<'_>) -> rusqlite::Result<StoreState> {
    Ok(StoreState {
        generation: generation(transaction)?,
        store: meta(transaction, "store_id")?,
        memory: meta(transaction, "memory")?,
        vocabulary: meta(transaction, "vocabularies")?,
        people: meta(transaction, "people")?,
    })
}
