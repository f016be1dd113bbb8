//! The trail of requests in a file of its own, behind the `AuditTrail` port.
//!
//! Invariant: an entry that was written is on the disk; every row is reached through its tenant's name.

mod outcomes;

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row, params};
use vouch_domain::{
    AuditEntry, Audited, Fault, Feedback, PortError,
    ports::{AuditPlace, AuditTrail, Generation},
};

use super::{blocking, database::Database, schema};

pub use outcomes::OutcomeCount;

const PORT: &str = "audit";
const COLUMNS: &str = "place, id, tenant, asker, at_ms, outcome, reason, generation, elapsed_ms, record";

/// The trail of one data folder.
pub struct EmbeddedTrail {
    database: Arc<Database>,
}

impl EmbeddedTrail {
    /// Opens or creates the trail of a folder; the folder need not be held.
    ///
    /// # Errors
    /// Fails where the file cannot be read or written.
    pub fn open(folder: &Path) -> Result<Self, PortError> {
        std::fs::create_dir_all(folder).map_err(|error| super::cannot_use(folder, error))?;
        let database = Database::open(&folder.join("audit.sqlite"), schema::AUDIT)?;
        Ok(Self { database: Arc::new(database) })
    }
}

#[async_trait]
impl AuditTrail for EmbeddedTrail {
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || {
            database.write(|transaction| {
                let sql =
                    "INSERT INTO entries (id, tenant, asker, at_ms, outcome, reason, generation, elapsed_ms, record)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
                transaction.prepare_cached(sql)?.execute(params![
                    entry.id,
                    entry.tenant,
                    entry.asker,
                    entry.at_ms,
                    entry.outcome,
                    entry.reason,
                    entry.generation.0,
                    entry.elapsed_ms,
                    entry.record
                ])?;
                Ok(AuditPlace(transaction.last_insert_rowid().unsigned_abs()))
            })
        })
        .await
    }

    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError> {
        let database = Arc::clone(&self.database);
        let changed = blocking(PORT, move || {
            database.write(|transaction| {
                let sql = "UPDATE entries SET outcome = ?2, reason = ?3, elapsed_ms = ?4, record = ?5 WHERE place = ?1";
                transaction.prepare_cached(sql)?.execute(params![
                    place.0,
                    entry.outcome,
                    entry.reason,
                    entry.elapsed_ms,
                    entry.record
                ])
            })
        })
        .await?;
        if changed == 1 {
            Ok(())
        } else {
            Err(PortError::of(PORT, Fault::Internal, "the entry to be finished is no longer there"))
        }
    }

    async fn entry(&self, tenant: &str, id: &str) -> Result<Option<Audited>, PortError> {
        let (database, names) = (Arc::clone(&self.database), [tenant.to_owned(), id.to_owned()]);
        blocking(PORT, move || {
            database.read(|transaction| {
                let sql =
                    format!("SELECT {COLUMNS} FROM entries WHERE tenant = ?1 AND id = ?2 ORDER BY place DESC LIMIT 1");
                let found = transaction.prepare_cached(&sql)?.query_row(names, placed).optional()?;
                let Some((place, entry)) = found else { return Ok(None) };
                let sql =
                    "SELECT asker, at_ms, is_helpful, comment FROM feedback WHERE place = ?1 ORDER BY at_ms, asker";
                let mut statement = transaction.prepare_cached(sql)?;
                let feedback = statement.query_map([place], feedback)?.collect::<rusqlite::Result<Vec<_>>>()?;
                Ok(Some(Audited { entry, feedback }))
            })
        })
        .await
    }

    async fn newest(&self, tenant: &str, limit: usize) -> Result<Vec<AuditEntry>, PortError> {
        let (database, tenant) = (Arc::clone(&self.database), tenant.to_owned());
        blocking(PORT, move || {
            database.read(|transaction| {
                let sql = format!("SELECT {COLUMNS} FROM entries WHERE tenant = ?1 ORDER BY place DESC LIMIT ?2");
                let mut statement = transaction.prepare_cached(&sql)?;
                let rows = statement.query_map(params![tenant, limit], placed)?;
                rows.map(|row| row.map(|(_, entry)| entry)).collect()
            })
        })
        .await
    }

    async fn comment(&self, tenant: &str, id: &str, feedback: Feedback) -> Result<bool, PortError> {
        let (database, tenant, id) = (Arc::clone(&self.database), tenant.to_owned(), id.to_owned());
        blocking(PORT, move || {
            database.write(|transaction| {
                let sql = "SELECT place FROM entries WHERE tenant = ?1 AND id = ?2 ORDER BY place DESC LIMIT 1";
                let place: Option<u64> =
                    transaction.prepare_cached(sql)?.query_row([tenant, id], |row| row.get(0)).optional()?;
                let Some(place) = place else { return Ok(false) };
                let sql = "INSERT INTO feedback (place, asker, at_ms, is_helpful, comment) VALUES (?1, ?2, ?3, ?4, ?5)
                           ON CONFLICT (place, asker) DO UPDATE SET at_ms = ?3, is_helpful = ?4, comment = ?5";
                transaction.prepare_cached(sql)?.execute(params![
                    place,
                    feedback.asker,
                    feedback.at_ms,
                    feedback.is_helpful,
                    feedback.comment
                ])?;
                Ok(true)
            })
        })
        .await
    }
}

fn placed(row: &Row<'_>) -> rusqlite::Result<(u64, AuditEntry)> {
    let entry = AuditEntry {
        id: row.get(1)?,
        tenant: row.get(2)?,
        asker: row.get(3)?,
        at_ms: row.get(4)?,
        outcome: row.get(5)?,
        reason: row.get(6)?,
        generation: Generation(row.get(7)?),
        elapsed_ms: row.get(8)?,
        record: row.get(9)?,
    };
    Ok((row.get(0)?, entry))
}

fn feedback(row: &Row<'_>) -> rusqlite::Result<Feedback> {
    Ok(Feedback { asker: row.get(0)?, at_ms: row.get(1)?, is_helpful: row.get(2)?, comment: row.get(3)? })
}
