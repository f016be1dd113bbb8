//! The trail of requests in a file of its own, behind the `AuditTrail` port.
//!
//! Invariant: an entry that was written is on the disk, and is shown only as it was written; every row is reached through
//! its tenant's name.

pub(in crate::embedded) mod chain;
mod each_entry;
pub(crate) mod outgoing;
pub(in crate::embedded) mod renewal;
mod retention;
mod trail_clock;

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use vouch_domain::{
    AuditEntry, AuditScope, AuditedEntry, Fault, Feedback, FeedbackOutcome, Opinion, PortError, Rating,
    ports::{AuditPlace, AuditTrail, Generation},
};

use super::{
    blocking::blocking,
    database::Database,
    schema,
    sqlite_fault::{damage_sentence, fault},
    unfinished,
};

pub use retention::TrailLimits;

use retention::Retention;

const PORT: &str = "audit";
pub(in crate::embedded) const FILE: &str = "audit.sqlite";
const COLUMNS: &str = "place, id, tenant, asker, at_ms, outcome, reason, generation, elapsed_ms, record";
/// What is read of feedback.
const SAID: &str = "asker, at_ms, is_helpful, rating, comment";
/// What a caller may see: the tenant's entries, or only their own.
const IN_SIGHT: &str = "tenant = ?1 AND (?2 IS NULL OR asker = ?2)";

/// The trail of one data folder; a copy is the same.
#[derive(Clone)]
pub struct EmbeddedTrail {
    database: Arc<Database>,
    retention: Arc<Retention>,
    /// What it is called among the trails of all nodes.
    name: Arc<str>,
}

impl EmbeddedTrail {
    /// Opens or creates the trail of a folder; the folder need not be held.
    ///
    /// # Errors
    /// Fails if the folder is half exchanged, or the file cannot be read or written.
    pub fn open(folder: &Path, limits: TrailLimits) -> Result<Self, PortError> {
        crate::embedded::files::own_folder(folder)?;
        unfinished::refuse(folder)?;
        let database = Database::open(&folder.join(FILE), schema::AUDIT)?;
        // What is removed is erased, not merely unreachable: people are told how long their questions are kept.
        database.erase_what_is_deleted()?;
        let name = database.read(outgoing::name)?.unwrap_or_else(|| database.store_id().to_owned());
        Ok(Self { database: Arc::new(database), retention: Arc::new(Retention::new(limits)), name: name.into() })
    }

    /// The trail of a folder if it has one; read only, so nothing is created or removed.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn open_to_read(folder: &Path) -> Result<Option<Self>, PortError> {
        if !folder.join(FILE).exists() {
            return Ok(None);
        }
        Self::open(folder, TrailLimits { keep_days: None, bytes_max: u64::MAX }).map(Some)
    }

    /// The last link of the trail's chain: how many there have been, and its hash. Whoever keeps it elsewhere can tell
    /// later whether the trail was rewritten.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn head(&self) -> Result<(u64, String), PortError> {
        self.database.read(chain::head).map(|head| (head.number, head.chain))
    }

    /// How many bytes the file may grow to; writing past it fails as a full disk does.
    ///
    /// # Errors
    /// Fails if the file cannot be used.
    pub fn limit_bytes(&self, bytes_max: u64) -> Result<(), PortError> {
        self.database.limit_bytes(bytes_max)
    }
}

#[async_trait]
impl AuditTrail for EmbeddedTrail {
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError> {
        let (database, at_ms, bytes) = (Arc::clone(&self.database), entry.at_ms, entry.record.len());
        let place = blocking(PORT, move || {
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
                let place = transaction.last_insert_rowid().unsigned_abs();
                chain::add(transaction, place)?;
                Ok(AuditPlace(place))
            })
        })
        .await?;
        self.retention.count(bytes, at_ms, &self.database);
        Ok(place)
    }

    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError> {
        let (database, at_ms, bytes) = (Arc::clone(&self.database), entry.at_ms, entry.record.len());
        let changed = blocking(PORT, move || {
            database.write(|transaction| {
                let sql = "UPDATE entries SET outcome = ?2, reason = ?3, elapsed_ms = ?4, record = ?5, generation = ?6
                           WHERE place = ?1";
                let changed = transaction.prepare_cached(sql)?.execute(params![
                    place.0,
                    entry.outcome,
                    entry.reason,
                    entry.elapsed_ms,
                    entry.record,
                    entry.generation.0
                ])?;
                if changed == 1 {
                    chain::add(transaction, place.0)?;
                }
                Ok(changed)
            })
        })
        .await?;
        self.retention.count(bytes, at_ms, &self.database);
        if changed == 1 {
            Ok(())
        } else {
            Err(PortError::new(PORT, Fault::Internal, "the audit entry to be finished no longer exists"))
        }
    }

    async fn entry(&self, scope: &AuditScope, id: &str) -> Result<Option<AuditedEntry>, PortError> {
        let (database, scope, id) = (Arc::clone(&self.database), scope.clone(), id.to_owned());
        blocking(PORT, move || {
            database.read_if_fit(|transaction| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM checked_entries WHERE {IN_SIGHT} AND id = ?3 ORDER BY place DESC LIMIT 1"
                );
                let values = params![scope.tenant, scope.asker, id];
                let found =
                    transaction.prepare_cached(&sql).and_then(|mut found| found.query_row(values, placed).optional());
                let Some((place, entry)) = found.map_err(fault)? else { return Ok(None) };
                if !chain::holds(transaction, place).map_err(fault)? {
                    let what = format!("entry {} of the audit trail was changed after it was written", entry.id);
                    return Err(PortError::new(PORT, Fault::Corrupt, damage_sentence(&what)));
                }
                let feedback = said(transaction, place).map_err(fault)?;
                Ok(Some(AuditedEntry { entry, feedback }))
            })
        })
        .await
    }

    async fn before(
        &self,
        scope: &AuditScope,
        place: Option<AuditPlace>,
        limit: usize,
    ) -> Result<Vec<(AuditPlace, AuditEntry)>, PortError> {
        let (database, scope) = (Arc::clone(&self.database), scope.clone());
        // Places are SQLite's own numbers and never reach its largest.
        let before = place.map_or(i64::MAX, |place| i64::try_from(place.0).unwrap_or(i64::MAX));
        blocking(PORT, move || {
            database.read(|transaction| {
                let whose = match &scope.asker {
                    Some(_) => "tenant = ?1 AND asker = ?2",
                    None => "tenant = ?1 AND ?2 IS NULL",
                };
                // The places come from an index, and the rows are checked one by one as they are read by them.
                let sql = format!(
                    "SELECT {COLUMNS} FROM checked_entries WHERE place IN (SELECT place FROM entries
                         WHERE {whose} AND place < ?4 ORDER BY place DESC LIMIT ?3) ORDER BY place DESC"
                );
                let mut statement = transaction.prepare_cached(&sql)?;
                let rows = statement.query_map(params![scope.tenant, scope.asker, limit, before], placed)?;
                rows.map(|row| row.map(|(place, entry)| (AuditPlace(place), entry))).collect()
            })
        })
        .await
    }

    async fn commented(&self, scope: &AuditScope, limit: usize) -> Result<Vec<AuditedEntry>, PortError> {
        let (database, scope) = (Arc::clone(&self.database), scope.clone());
        blocking(PORT, move || {
            database.read(|transaction| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM checked_entries WHERE place IN (SELECT DISTINCT place FROM feedback)
                         AND {IN_SIGHT} ORDER BY place DESC LIMIT ?3"
                );
                let mut statement = transaction.prepare_cached(&sql)?;
                let rows = statement.query_map(params![scope.tenant, scope.asker, limit], placed)?;
                let audited = rows.map(|row| {
                    let (place, entry) = row?;
                    Ok(AuditedEntry { entry, feedback: said(transaction, place)? })
                });
                audited.collect()
            })
        })
        .await
    }

    async fn each(&self, visit: &mut (dyn FnMut(AuditedEntry) + Send)) -> Result<(), PortError> {
        let mut place = 0;
        loop {
            let own = self.clone();
            let (found, last) = blocking(PORT, move || own.after(place)).await?;
            found.into_iter().for_each(&mut *visit);
            let Some(last) = last else { return Ok(()) };
            place = last;
        }
    }

    async fn check(&self) -> Result<(), PortError> {
        let own = self.clone();
        blocking(PORT, move || own.check_writable()).await
    }

    async fn comment(&self, scope: &AuditScope, id: &str, feedback: Feedback) -> Result<FeedbackOutcome, PortError> {
        if let Some(fault) = feedback.fault() {
            return Err(PortError::new(PORT, Fault::Invalid, fault));
        }
        let (database, scope, id) = (Arc::clone(&self.database), scope.clone(), id.to_owned());
        blocking(PORT, move || {
            database.write_if_fit(|transaction| {
                let sql = format!("SELECT place FROM entries WHERE {IN_SIGHT} AND id = ?3 ORDER BY place DESC LIMIT 1");
                let values = params![scope.tenant, scope.asker, id];
                let place = transaction
                    .prepare_cached(&sql)
                    .and_then(|mut found| found.query_row(values, |row| row.get::<_, u64>(0)).optional());
                match place.map_err(fault)? {
                    Some(place) => add(transaction, place, &feedback),
                    None => Ok(FeedbackOutcome::NoEntry),
                }
            })
        })
        .await
    }
}

/// What was said of an entry, oldest first.
fn said(transaction: &Transaction<'_>, place: u64) -> rusqlite::Result<Vec<Feedback>> {
    let sql = format!("SELECT {SAID} FROM checked_feedback WHERE place = ?1 ORDER BY at_ms, asker");
    transaction.prepare_cached(&sql)?.query_map([place], feedback)?.collect()
}

/// Replaces the same caller's earlier feedback, unless there is too much from others.
fn add(transaction: &Transaction<'_>, place: u64, feedback: &Feedback) -> Result<FeedbackOutcome, PortError> {
    let others = "SELECT count(*) FROM feedback WHERE place = ?1 AND asker <> ?2";
    let others: usize =
        transaction.query_row(others, params![place, feedback.asker], |row| row.get(0)).map_err(fault)?;
    let limit = Feedback::PER_ENTRY_MAX;
    if others >= limit {
        return Err(PortError::new(
            PORT,
            Fault::Invalid,
            format!("this answer already has feedback from {limit} callers, which is the limit"),
        ));
    }
    let before = "SELECT is_helpful, rating FROM feedback WHERE place = ?1 AND asker = ?2";
    let before = transaction
        .query_row(before, params![place, feedback.asker], |row| opinion(row, (0, 1)))
        .optional()
        .map_err(fault)?;
    let sql = "INSERT INTO feedback (place, asker, at_ms, is_helpful, rating, comment) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (place, asker) DO UPDATE SET at_ms = ?3, is_helpful = ?4, rating = ?5, comment = ?6";
    let Opinion { is_helpful, rating } = feedback.opinion;
    let stars = rating.map(Rating::stars);
    let values = params![place, feedback.asker, feedback.at_ms, is_helpful, stars, feedback.comment];
    transaction.prepare_cached(sql).and_then(|mut kept| kept.execute(values)).map_err(fault)?;
    Ok(before.map_or(FeedbackOutcome::New, |before| FeedbackOutcome::Replaced { before }))
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
    Ok(Feedback { asker: row.get(0)?, at_ms: row.get(1)?, opinion: opinion(row, (2, 3))?, comment: row.get(4)? })
}

/// What somebody thinks, out of the columns of the thumb and of the rating.
fn opinion(row: &Row<'_>, (thumb, stars): (usize, usize)) -> rusqlite::Result<Opinion> {
    let rating = row.get::<_, Option<u8>>(stars)?.and_then(Rating::new);
    Ok(Opinion { is_helpful: row.get(thumb)?, rating })
}
