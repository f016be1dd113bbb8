//! How long the trail is kept and how large it may get: what is over goes, oldest first, a batch at a time.
//!
//! Invariant: a request never waits for this. It runs beside requests, at most once at a time, and is looked at again after so
//! many entries or bytes, so that the trail is over its limit by those bytes at the most.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use rusqlite::{Transaction, params};
use vouch_domain::PortError;

use crate::embedded::database::Database;

const DAY_MS: u64 = 86_400_000;
/// Entries taken out in one transaction, so that no write waits long for it.
const BATCH: usize = 256;
/// After so many entries, or so many bytes of them, the limits are looked at again.
const ENTRIES_BETWEEN: u64 = 64;
const BYTES_BETWEEN: u64 = 1 << 20;

/// How much of the trail is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrailLimits {
    /// For how many days; for ever where none.
    pub keep_days: Option<u32>,
    /// How many bytes all entries may take together.
    pub bytes_max: u64,
}

impl Default for TrailLimits {
    fn default() -> Self {
        Self { keep_days: Some(90), bytes_max: 1 << 30 }
    }
}

/// Keeps one trail within its limits.
pub(super) struct Retention {
    limits: TrailLimits,
    entries_since: AtomicU64,
    bytes_since: AtomicU64,
    is_running: AtomicBool,
}

impl Retention {
    pub(super) fn of(limits: TrailLimits) -> Self {
        // The first entry of a process looks at the limits too: one that asks once would never do it otherwise.
        let entries_since = AtomicU64::new(ENTRIES_BETWEEN);
        Self { limits, entries_since, bytes_since: AtomicU64::new(0), is_running: AtomicBool::new(false) }
    }

    /// Counts an entry that was written at this time; takes out what is over in the background, now and then.
    pub(super) fn count(self: &Arc<Self>, bytes: usize, now_ms: u64, database: &Arc<Database>) {
        let entries = self.entries_since.fetch_add(1, Ordering::Relaxed) + 1;
        let bytes = self.bytes_since.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        let is_due = entries >= ENTRIES_BETWEEN || bytes >= BYTES_BETWEEN;
        if !is_due || self.is_running.swap(true, Ordering::AcqRel) {
            return;
        }
        self.entries_since.store(0, Ordering::Relaxed);
        self.bytes_since.store(0, Ordering::Relaxed);
        let (own, database) = (Arc::clone(self), Arc::clone(database));
        tokio::task::spawn_blocking(move || {
            match apply(&own.limits, now_ms, &database) {
                Ok(0) => {}
                Ok(removed) => tracing::info!(removed, component = "audit", "old entries were taken out"),
                Err(error) => tracing::error!(%error, component = "audit", "old entries could not be taken out"),
            }
            own.is_running.store(false, Ordering::Release);
        });
    }
}

/// Takes out what is over; answers how many entries that were.
pub(super) fn apply(limits: &TrailLimits, now_ms: u64, database: &Database) -> Result<usize, PortError> {
    let mut removed = 0;
    loop {
        let batch = database.write(|transaction| {
            let outlived = match limits.keep_days {
                Some(days) => remove_older(transaction, now_ms.saturating_sub(u64::from(days) * DAY_MS))?,
                None => 0,
            };
            let oldest = if bytes(transaction)? > limits.bytes_max { remove_oldest(transaction)? } else { 0 };
            Ok(outlived + oldest)
        })?;
        removed += batch;
        if batch == 0 {
            return Ok(removed);
        }
    }
}

/// What the entries take, without the room that those taken out have left.
fn bytes(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let figure = |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    Ok(figure("page_count")?.saturating_sub(figure("freelist_count")?) * figure("page_size")?)
}

fn remove_older(transaction: &Transaction<'_>, at_ms: u64) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM entries WHERE place IN (SELECT place FROM entries WHERE at_ms < ?1 ORDER BY at_ms LIMIT ?2)";
    transaction.prepare_cached(sql)?.execute(params![at_ms, BATCH])
}

/// A batch of the oldest, but never the newest entry of all: it is the one that is being answered.
fn remove_oldest(transaction: &Transaction<'_>) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM entries WHERE place IN (SELECT place FROM entries ORDER BY place LIMIT ?1)
               AND place < (SELECT max(place) FROM entries)";
    transaction.prepare_cached(sql)?.execute([BATCH])
}

#[cfg(test)]
mod tests {
    use super::{BATCH, DAY_MS, Database, TrailLimits, apply};
    use crate::embedded::schema;

    fn trail(entries: usize) -> (tempfile::TempDir, Database) {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::open(&folder.path().join("audit.sqlite"), schema::AUDIT).expect("it opens");
        database
            .write(|transaction| {
                let sql = "INSERT INTO entries (id, tenant, asker, at_ms, outcome, generation, elapsed_ms, record)
                           VALUES ('r', 't', 'a', ?1, 'answered', 1, 1.0, ?2)";
                for number in 0..entries {
                    transaction.execute(sql, (number as u64 * DAY_MS, "x".repeat(2_000)))?;
                }
                Ok(())
            })
            .expect("written");
        (folder, database)
    }

    fn left(database: &Database) -> (usize, Option<u64>) {
        let counted = database.read(|transaction| {
            transaction.query_row("SELECT count(*), min(at_ms) FROM entries", [], |row| Ok((row.get(0)?, row.get(1)?)))
        });
        counted.expect("a count")
    }

    #[test]
    fn what_is_older_than_its_days_goes_and_nothing_else() {
        let (_folder, database) = trail(2 * BATCH + 10);
        let limits = TrailLimits { keep_days: Some(10), bytes_max: u64::MAX };
        let now = (2 * BATCH + 9) as u64 * DAY_MS;
        assert_eq!(apply(&limits, now, &database).expect("applied"), 2 * BATCH - 1);
        assert_eq!(left(&database), (11, Some(now - 10 * DAY_MS)));
        assert_eq!(apply(&limits, now, &database).expect("applied"), 0);
    }

    #[test]
    fn where_there_are_too_many_bytes_the_oldest_go_until_there_are_not() {
        let (_folder, database) = trail(3 * BATCH);
        let limits = TrailLimits { keep_days: None, bytes_max: 1 << 20 };
        apply(&limits, 0, &database).expect("applied");
        let (count, oldest) = left(&database);
        assert!((1..BATCH * 2).contains(&count), "{count} are left");
        assert_eq!(oldest, Some((3 * BATCH - count) as u64 * DAY_MS), "the newest are left");
    }

    #[test]
    fn the_entry_that_is_being_answered_stays_however_small_the_limit() {
        let (_folder, database) = trail(5);
        apply(&TrailLimits { keep_days: None, bytes_max: 1 }, 0, &database).expect("applied");
        assert_eq!(left(&database).0, 1);
    }
}
