//! The same SQLite behind the `Versions` port: documents as they were. A folder that somebody else holds can be read too.
//!
//! Invariant: of an earlier form nothing is told to a reader who may not see the document as it is now, nor to one who could
//! not have seen that form.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use rusqlite::{OpenFlags, OptionalExtension, Transaction, params};
use vouch_domain::{
    CurrentVersions, DocumentId, DocumentVersion, Fault, PortError, Reader, VersionCard,
    ports::{Generation, Versions},
};

use super::{
    CATALOGUE_FILE,
    audiences::VisibleAudiences,
    blocking::blocking,
    catalogue,
    database::{Database, connect},
    kept_generations::is_left_out,
    schema,
    sqlite_fault::fault,
};

const PORT: &str = "versions";

/// Documents as they were.
pub struct EmbeddedVersions {
    from: Source,
}

#[derive(Clone)]
enum Source {
    /// A store that this process holds.
    Store(Arc<Database>),
    /// A catalogue that anybody may hold.
    File(PathBuf),
}

impl EmbeddedVersions {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { from: Source::Store(database) }
    }

    /// The versions of a folder's catalogue, whoever holds the folder; nothing is created or changed.
    ///
    /// # Errors
    /// Fails if there is no catalogue, or another version of Vouch wrote it.
    pub fn open_to_read(folder: &Path) -> Result<Self, PortError> {
        let path = folder.join(CATALOGUE_FILE);
        if !path.exists() {
            let sentence = format!("there is no catalogue in {}", folder.display());
            return Err(PortError::new(PORT, Fault::Unavailable, sentence));
        }
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let version: usize = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fault)?;
        if version != schema::CATALOGUE.len() {
            let sentence = format!(
                "{} was written by another version of vouch; `vouch doctor` brings an earlier one up to this version",
                path.display()
            );
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        Ok(Self { from: Source::File(path) })
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let from = self.from.clone();
        blocking(PORT, move || match from {
            Source::Store(database) => database.read(work),
            Source::File(path) => {
                let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
                connection.transaction().and_then(|transaction| work(&transaction)).map_err(fault)
            }
        })
        .await
    }
}

#[async_trait]
impl Versions for EmbeddedVersions {
    async fn versions(&self, reader: &Reader, id: &DocumentId, limit: usize) -> Result<Vec<VersionCard>, PortError> {
        let (reader, id) = (reader.clone(), id.clone());
        self.read(move |transaction| {
            let mut found = Vec::new();
            for place in places(transaction, &reader, &id)?.into_iter().take(limit) {
                found.extend(version_card(transaction, place)?);
            }
            Ok(found)
        })
        .await
    }

    async fn version(
        &self,
        reader: &Reader,
        id: &DocumentId,
        number: u32,
    ) -> Result<Option<DocumentVersion>, PortError> {
        let (reader, id) = (reader.clone(), id.clone());
        self.read(move |transaction| {
            let found = places(transaction, &reader, &id)?.into_iter().find(|place| place.number == number);
            let Some(place) = found else { return Ok(None) };
            let sql = "SELECT text FROM checked_versions WHERE document = ?1 AND number = ?2
                       AND row_fits(text_sum, 'versions.text', text)";
            let text = transaction
                .prepare_cached(sql)?
                .query_row(params![place.document, place.number], |row| row.get(0))
                .optional()?;
            let card = version_card(transaction, place)?;
            Ok(card.zip(text).map(|(card, text)| DocumentVersion { card, text }))
        })
        .await
    }

    async fn current_at(
        &self,
        tenant: &str,
        id: &DocumentId,
        generation: Generation,
    ) -> Result<CurrentVersions, PortError> {
        let (tenant, id) = (tenant.to_owned(), id.clone());
        self.read(move |transaction| {
            let sql = "SELECT d.key, d.version FROM checked_documents d JOIN checked_tenants t ON t.id = d.tenant_id
                       WHERE t.name = ?1 AND d.id = ?2";
            let found = transaction
                .prepare_cached(sql)?
                .query_row(params![tenant, id.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))
                .optional()?;
            let Some((key, now)) = found else { return Ok(CurrentVersions::default()) };
            if is_left_out(transaction, generation)? {
                return Ok(CurrentVersions { is_known: true, then: None, now });
            }
            let sql = "SELECT version FROM checked_passages
                       WHERE document = ?1 AND born <= ?2 AND (died IS NULL OR died > ?2) LIMIT 1";
            let at = i64::try_from(generation.0).unwrap_or(i64::MAX);
            let then = transaction.prepare_cached(sql)?.query_row(params![key, at], |row| row.get(0)).optional()?;
            Ok(CurrentVersions { is_known: true, then, now })
        })
        .await
    }
}

/// Where a version is kept.
#[derive(Clone, Copy)]
struct Place {
    document: i64,
    number: u32,
    taken_in_ms: u64,
    is_current: bool,
}

/// The versions of a document that are open to a reader, newest first; none if the current one is not.
fn places(transaction: &Transaction<'_>, reader: &Reader, id: &DocumentId) -> rusqlite::Result<Vec<Place>> {
    let visible = VisibleAudiences::load(transaction, reader)?;
    let mut statement = transaction.prepare_cached(
        "SELECT v.document, v.number, v.taken_in_ms, v.number = d.version, v.audience, v.collection
         FROM checked_documents d JOIN checked_tenants t ON t.id = d.tenant_id
         JOIN checked_versions v ON v.document = d.key
         WHERE t.name = ?1 AND d.id = ?2 AND d.version IS NOT NULL ORDER BY v.number DESC",
    )?;
    let mut rows = statement.query(params![reader.tenant, id.as_str()])?;
    let mut open = Vec::new();
    while let Some(row) = rows.next()? {
        if visible.includes(row.get(4)?, row.get_ref(5)?.as_str()?) {
            let (document, number, taken_in_ms, is_current) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            open.push(Place { document, number, taken_in_ms, is_current });
        }
    }
    if !open.iter().any(|place| place.is_current) {
        open.clear();
    }
    Ok(open)
}

fn version_card(transaction: &Transaction<'_>, place: Place) -> rusqlite::Result<Option<VersionCard>> {
    let Place { document, number, taken_in_ms, is_current } = place;
    let card = catalogue::card(transaction, (document, number))?;
    Ok(card.map(|card| VersionCard { number, card, taken_in_ms, is_current }))
}
