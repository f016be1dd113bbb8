//! What documents are compared by and what was found, in the catalogue's file, behind the `Findings` port.
//!
//! Invariant: every row is reached through its tenant, and a finding is shown only where both its documents are of the
//! versions it was found in and the reader may see both.

mod kept;
mod lookup;
mod sketches;

use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Transaction};
use vouch_domain::{
    Dismissal, DocumentId, DocumentSketch, Finding, FindingKind, FindingPage, PortError, Reader,
    finding::{Similar, SketchedDocument, UncomparedDocument},
    ports::Findings,
};

use super::{blocking::blocking, database::Database};

pub(super) use sketches::forget;

const PORT: &str = "findings";

/// The findings of one data folder.
pub struct EmbeddedFindings {
    database: Arc<Database>,
}

impl EmbeddedFindings {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.read(work)).await
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.write(work)).await
    }
}

#[async_trait]
impl Findings for EmbeddedFindings {
    async fn uncompared(&self, tenant: &str, limit: usize) -> Result<Vec<UncomparedDocument>, PortError> {
        let tenant = tenant.to_owned();
        self.read(move |transaction| sketches::uncompared(transaction, &tenant, limit)).await
    }

    async fn keep_sketches(&self, tenant: &str, sketched: Vec<SketchedDocument>) -> Result<(), PortError> {
        let tenant = tenant.to_owned();
        self.write(move |transaction| {
            let Some(tenant) = tenant_id(transaction, &tenant)? else { return Ok(()) };
            sketched.iter().try_for_each(|one| sketches::keep(transaction, tenant, one))
        })
        .await
    }

    async fn similar(&self, tenant: &str, id: &DocumentId, sketch: &DocumentSketch) -> Result<Similar, PortError> {
        let (tenant, id, sketch) = (tenant.to_owned(), id.clone(), sketch.clone());
        self.read(move |transaction| match tenant_id(transaction, &tenant)? {
            Some(tenant) => lookup::similar(transaction, tenant, &id, &sketch),
            None => Ok(Similar::default()),
        })
        .await
    }

    async fn record(
        &self,
        tenant: &str,
        compared: Vec<(DocumentId, u32)>,
        findings: Vec<Finding>,
    ) -> Result<(), PortError> {
        let tenant = tenant.to_owned();
        self.write(move |transaction| {
            let Some(tenant) = tenant_id(transaction, &tenant)? else { return Ok(()) };
            findings.iter().try_for_each(|finding| kept::keep(transaction, tenant, finding))?;
            compared.iter().try_for_each(|(id, version)| sketches::mark_compared(transaction, tenant, id, *version))
        })
        .await
    }

    async fn open(&self, reader: &Reader, kind: Option<FindingKind>, limit: usize) -> Result<FindingPage, PortError> {
        let reader = reader.clone();
        self.read(move |transaction| kept::open(transaction, &reader, kind, limit)).await
    }

    async fn dismiss(&self, reader: &Reader, id: &str, dismissal: Dismissal) -> Result<bool, PortError> {
        let (reader, id) = (reader.clone(), id.to_owned());
        self.write(move |transaction| kept::dismiss(transaction, &reader, &id, &dismissal)).await
    }
}

fn tenant_id(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT id FROM checked_tenants WHERE name = ?1";
    transaction.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
}

/// The key and the present version of a document.
fn document(transaction: &Transaction<'_>, tenant: i64, id: &DocumentId) -> rusqlite::Result<Option<(i64, u32)>> {
    let sql = "SELECT key, version FROM checked_documents WHERE tenant_id = ?1 AND id = ?2 AND version IS NOT NULL";
    let place = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    transaction.prepare_cached(sql)?.query_row(rusqlite::params![tenant, id.as_str()], place).optional()
}

fn to_bytes(digests: &[u64]) -> Vec<u8> {
    digests.iter().flat_map(|digest| digest.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|eight| u64::from_le_bytes(*eight)).collect()
}

/// A digest as SQLite keeps it: the same bits with a sign.
fn signed(digest: u64) -> i64 {
    i64::from_le_bytes(digest.to_le_bytes())
}
