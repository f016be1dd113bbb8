//! Connections to a database file: one that writes, a few that read, and the facts of the file itself.
//!
//! Invariant: a file that lost acknowledged changes, or whose small content is damaged, is not opened; a clean end leaves
//! everything in the file itself and nothing in its write-ahead log.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};
use vouch_domain::{EmbedderIdentity, Fault, PortError, ports::Generation};

mod filling;
mod follow;

use super::facts::{generation, kept_from, meta, revision, set_meta};
use super::files::close_database;
use super::sqlite_fault::fault;
use super::{
    following::{FollowProgress, LINEAGE, Recorder, Truth},
    integrity, row_sums, schema,
    watermark::{Watermark, WatermarkState},
};

const PORT: &str = "store";
const READERS_MAX: usize = 8;
/// After this many pages of changes the write-ahead log is moved into the file, so that a small store does not stay in
/// its log for weeks.
const LOG_PAGES: u32 = 100;

pub(super) struct Database {
    path: PathBuf,
    store_id: String,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    /// The truth this file is a copy of; none where the file is the truth.
    following: Option<Following>,
}

struct Following {
    truth: Arc<dyn Truth>,
    recorder: Recorder,
    progress: FollowProgress,
}

impl Database {
    pub(super) fn open(path: &Path, migrations: &[schema::Migration]) -> Result<Self, PortError> {
        // The mark is read first: another process may write meanwhile, and its mark would then seem ahead of the file.
        let mark = Watermark::find(path);
        if matches!(mark, WatermarkState::Mark(_)) && !path.exists() {
            return Err(lost(path, "the file is missing"));
        }
        let mut writer = connect(path, OpenFlags::default())?;
        writer.pragma_update(None, "journal_mode", "WAL").map_err(fault)?;
        integrity::check_if_small(&writer, path)?;
        let found = schema::migrate(&mut writer, migrations).map_err(fault)?;
        if found > migrations.len() {
            let sentence = format!("{} was written by a newer version of vouch", path.display());
            return Err(PortError::new(PORT, Fault::Corrupt, sentence));
        }
        close_database(path);
        let store_id = identify(&writer).map_err(fault)?;
        let revision = revision(&writer).map_err(fault)?;
        match mark {
            WatermarkState::Mark(mark) if mark.store_id != store_id => {
                return Err(lost(path, "it is not the file that belongs to this data folder"));
            }
            WatermarkState::Mark(mark) if mark.revision > revision => {
                let missing = mark.revision - revision;
                return Err(lost(path, &format!("the last {missing} acknowledged changes are missing")));
            }
            WatermarkState::Unreadable => {
                tracing::warn!(file = %path.display(), "the watermark is damaged and is written again")
            }
            WatermarkState::Mark(_) | WatermarkState::Nothing => {}
        }
        Watermark { store_id: store_id.clone(), revision }.store(path);
        let (writer, readers) = (Mutex::new(writer), Mutex::new(Vec::new()));
        Ok(Self { path: path.to_owned(), store_id, writer, readers, following: None })
    }

    /// A number no other store has, so that an index copied from elsewhere is noticed.
    pub(super) fn store_id(&self) -> &str {
        &self.store_id
    }

    /// Reads on a connection of its own, as of one moment.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, PortError> {
        let pooled = lock(&self.readers).pop();
        let mut connection = match pooled {
            Some(connection) => connection,
            None => connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?,
        };
        let outcome = connection.transaction().and_then(|transaction| work(&transaction)).map_err(fault);
        let mut readers = lock(&self.readers);
        if readers.len() < READERS_MAX {
            readers.push(connection);
        }
        outcome
    }

    /// The same for work that can find what it reads to be wrong.
    pub(super) fn read_if_fit<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, PortError>,
    ) -> Result<T, PortError> {
        self.read(|transaction| Ok(work(transaction)))?
    }

    /// Writes in one transaction: all of it, or nothing.
    pub(super) fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, PortError> {
        self.write_if_fit(|transaction| work(transaction).map_err(fault))
    }

    /// Writes in one transaction unless the work finds, at any point of it, that the request makes no sense.
    pub(super) fn write_if_fit<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, PortError>,
    ) -> Result<T, PortError> {
        let mut connection = lock(&self.writer);
        if let Some(following) = &self.following {
            return self.write_through(&mut connection, following, work);
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        let before = transaction.total_changes();
        let outcome = work(&transaction)?;
        if transaction.total_changes() == before {
            // No row was written, so none can be lost, and a disk without room is no reason to fail.
            transaction.commit().map_err(fault)?;
            return Ok(outcome);
        }
        self.commit(transaction)?;
        Ok(outcome)
    }

    /// Ends a transaction that has changed something.
    fn commit(&self, transaction: Transaction<'_>) -> Result<(), PortError> {
        let revision = revision(&transaction).map_err(fault)? + 1;
        set_meta(&transaction, "revision", &revision.to_string()).map_err(fault)?;
        transaction.commit().map_err(fault)?;
        Watermark { store_id: self.store_id.clone(), revision }.store(&self.path);
        Ok(())
    }

    /// Moves what is in the write-ahead log into the file; fails if not all of it could be.
    pub(super) fn checkpoint(&self) -> Result<(), PortError> {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_held: bool = lock(&self.writer).query_row(sql, [], |row| row.get(0)).map_err(fault)?;
        if is_held {
            return Err(PortError::new(PORT, Fault::Held, "the catalogue's log is still being read"));
        }
        Ok(())
    }

    /// Gives the room of what was removed back to the disk; fails if somebody reads the file meanwhile.
    pub(super) fn reclaim(&self) -> Result<(), PortError> {
        lock(&self.readers).clear();
        lock(&self.writer).execute_batch("VACUUM").map_err(fault)?;
        self.checkpoint()
    }

    /// The generation from which on every version is kept.
    pub(super) fn kept_from(&self) -> Result<Generation, PortError> {
        self.read(kept_from)
    }

    pub(super) fn generation(&self) -> Result<Generation, PortError> {
        self.read(generation)
    }

    /// An identifier that changes when vectors are exchanged.
    pub(super) fn vectors(&self) -> Result<String, PortError> {
        self.read(|transaction| Ok(meta(transaction, "vectors")?.unwrap_or_default()))
    }

    /// What tells this file from other copies of its store; nothing where the store began in it.
    pub(super) fn lineage(&self) -> Result<String, PortError> {
        self.read(|transaction| Ok(meta(transaction, LINEAGE)?.unwrap_or_default()))
    }

    pub(super) fn limit_bytes(&self, bytes_max: u64) -> Result<(), PortError> {
        let connection = lock(&self.writer);
        let page: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0)).map_err(fault)?;
        connection.pragma_update(None, "max_page_count", bytes_max / page.max(1)).map_err(fault)
    }

    /// Overwrites what is deleted.
    pub(super) fn erase_what_is_deleted(&self) -> Result<(), PortError> {
        // The pragma answers the setting it now has, so its row is read.
        lock(&self.writer).query_row("PRAGMA secure_delete = ON", [], |_| Ok(())).map_err(fault)
    }

    /// Refuses a store whose vectors another embedder made.
    pub(super) fn check_embedder(&self, own: &EmbedderIdentity) -> Result<(), PortError> {
        self.read_if_fit(|transaction| check_embedder(transaction, own))
    }
}

/// The same in a transaction, before vectors are written in it: another node may have written its own since the store was opened.
pub(super) fn check_embedder(transaction: &Transaction<'_>, own: &EmbedderIdentity) -> Result<(), PortError> {
    let is_filled = transaction.query_row("SELECT 1 FROM embeddings LIMIT 1", [], |_| Ok(())).optional();
    if is_filled.map_err(fault)?.is_none() {
        return Ok(());
    }
    if meta(transaction, "embedder").map_err(fault)?.is_some_and(|digest| digest == own.digest) {
        return Ok(());
    }
    let name = match meta(transaction, "embedder_name").map_err(fault)? {
        Some(name) if name == own.name => format!("an earlier {name}"),
        Some(name) => name,
        None => "another embedder".to_owned(),
    };
    let sentence = format!(
        "the store's vectors were made by {name}, not by {} as configured now, and the two cannot be compared; run `vouch reembed` \
         to make them again",
        own.name
    );
    Err(PortError::new(PORT, Fault::OtherEmbedder, sentence))
}

impl Drop for Database {
    fn drop(&mut self) {
        // SQLite moves the log into the file when the last connection closes, but not where that one may only read.
        lock(&self.readers).clear();
        if let Err(error) = self.checkpoint() {
            tracing::debug!(%error, "the write-ahead log was not emptied; the next checkpoint tries again");
        }
    }
}

/// The error for a file that lost data; nothing is opened in its place.
fn lost(path: &Path, what: &str) -> PortError {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let sentence = format!(
        "{name} has lost data: {what}. Restore a backup with `vouch store restore`, or keep what is left with \
         `vouch store repair`"
    );
    PortError::new(PORT, Fault::Corrupt, sentence)
}

/// Sorted tags as they are stored.
pub(super) fn tags_to_json(tags: &BTreeSet<String>) -> String {
    serde_json::to_string(tags).unwrap_or_else(|_| "[]".to_owned())
}

/// Marks what this key stands for as changed, with a value it never had before.
pub(super) fn mark_changed(connection: &Connection, key: &str) -> rusqlite::Result<()> {
    let fresh: String = connection.query_row("SELECT lower(hex(randomblob(8)))", [], |row| row.get(0))?;
    set_meta(connection, key, &fresh)
}

/// Says that vectors were exchanged although no passage was, so that whatever is derived from them is rebuilt.
pub(super) fn new_vectors(connection: &Connection) -> rusqlite::Result<()> {
    mark_changed(connection, "vectors")
}

fn identify(connection: &Connection) -> rusqlite::Result<String> {
    if let Some(known) = meta(connection, "store_id")? {
        return Ok(known);
    }
    let fresh: String = connection.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?;
    set_meta(connection, "store_id", &fresh)?;
    Ok(fresh)
}

/// A connection with everything this store's triggers and views need.
pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, PortError> {
    let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
    row_sums::register(&connection).map_err(fault)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(fault)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(fault)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(fault)?;
    // The pragma answers the setting it now has, so its row is read.
    connection.query_row(&format!("PRAGMA wal_autocheckpoint = {LOG_PAGES}"), [], |_| Ok(())).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A panic in another thread leaves the connection usable: its transaction was rolled back when it unwound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
