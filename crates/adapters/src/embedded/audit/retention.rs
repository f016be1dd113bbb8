//! How long the trail is kept and how large it may get: what is over goes, oldest first, a batch at a time.
//!
//! Invariant: a request never waits for this. It runs beside requests, at most once at a time, and is looked at again after so
//! many entries or bytes, so that the trail is over its limit by those bytes at the most. A clock that jumps ahead erases
//! nothing at once: see `trail_clock`.

use std::{
    ops::RangeInclusive,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use rusqlite::{Transaction, params};
use vouch_domain::PortError;

use super::{
    chain,
    trail_clock::{DAY_MS, advance},
};
use crate::embedded::database::Database;

/// Entries taken out in one transaction, so that no write waits long for it.
const BATCH: usize = 256;
/// After this many entries, or this many bytes of them, the limits are checked again.
const ENTRIES_BETWEEN: u64 = 64;
const BYTES_BETWEEN: u64 = 1 << 20;
/// One check removes at most one in this many of the entries, or this number, for their age.
const OUTLIVED_SHARE: usize = 10;
const OUTLIVED_MIN: usize = 2 * BATCH;

/// How much of the trail is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrailLimits {
    /// For how many days; for ever if none.
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
    pub(super) fn new(limits: TrailLimits) -> Self {
        // The first entry of a process looks at the limits too: one that asks once would never do it otherwise.
        let entries_since = AtomicU64::new(ENTRIES_BETWEEN);
        let (bytes_since, is_running) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { limits, entries_since, bytes_since, is_running }
    }

    /// Counts an entry that was written at this time; now and then removes what is over the limit in the background.
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
                Ok(removed) => tracing::info!(removed, component = "audit", "old audit entries were removed"),
                Err(error) => tracing::error!(%error, component = "audit", "old audit entries could not be removed"),
            }
            own.is_running.store(false, Ordering::Release);
        });
    }
}

/// Removes what is over the limit; returns how many entries that were.
pub(super) fn apply(limits: &TrailLimits, now_ms: u64, database: &Database) -> Result<usize, PortError> {
    let kept = match limits.keep_days {
        Some(days) => {
            let kept_ms = u64::from(days) * DAY_MS;
            let trail_ms = database.write(|transaction| advance(transaction, now_ms, kept_ms / 3))?;
            // A clock that ran ahead and was corrected has left the trail's clock ahead of it, which alone makes
            // nothing old.
            Some(trail_ms.min(now_ms).saturating_sub(kept_ms)..=trail_ms.saturating_add(DAY_MS))
        }
        None => None,
    };
    let entries: usize =
        database.read(|transaction| transaction.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)))?;
    let outlived_max = (entries / OUTLIVED_SHARE).max(OUTLIVED_MIN);
    let (mut removed, mut outlived) = (0, 0);
    loop {
        let batch = database.write(|transaction| {
            let mut places = match &kept {
                Some(kept) if outlived < outlived_max => older(transaction, kept)?,
                Some(_) | None => Vec::new(),
            };
            outlived += places.len();
            if places.is_empty() && bytes(transaction)? > limits.bytes_max {
                places = oldest(transaction)?;
            }
            remove(transaction, &places)?;
            Ok(places.len())
        })?;
        removed += batch;
        if batch == 0 {
            return Ok(removed);
        }
    }
}

fn remove(transaction: &Transaction<'_>, places: &[u64]) -> rusqlite::Result<()> {
    for place in places {
        transaction.prepare_cached("DELETE FROM entries WHERE place = ?1")?.execute([place])?;
        chain::add(transaction, *place)?;
    }
    if places.is_empty() { Ok(()) } else { chain::prune(transaction) }
}

/// What the entries take, without the room that those taken out have left.
fn bytes(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let figure = |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    Ok(figure("page_count")?.saturating_sub(figure("freelist_count")?) * figure("page_size")?)
}

/// A batch of those before the first that was written within the days that are kept. They go by their order and not by
/// their times alone: one written while the clock was wrong stays as long as its neighbours do. Where none was written
/// within those days, the first that lies beyond them counts instead: it was written while the trail's clock was behind.
fn older(transaction: &Transaction<'_>, kept: &RangeInclusive<u64>) -> rusqlite::Result<Vec<u64>> {
    let sql = "SELECT place FROM entries WHERE place < coalesce(
                   (SELECT place FROM entries WHERE at_ms BETWEEN ?1 AND ?2 ORDER BY place LIMIT 1),
                   (SELECT place FROM entries WHERE at_ms > ?2 ORDER BY place LIMIT 1),
                   (SELECT max(place) FROM entries))
               ORDER BY place LIMIT ?3";
    let values = params![kept.start(), kept.end(), BATCH];
    transaction.prepare_cached(sql)?.query_map(values, |row| row.get(0))?.collect()
}

/// A batch of the oldest, but never the newest entry of all: it is the one that is being answered.
fn oldest(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<u64>> {
    let sql = "SELECT place FROM entries WHERE place < (SELECT max(place) FROM entries) ORDER BY place LIMIT ?1";
    transaction.prepare_cached(sql)?.query_map([BATCH], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::{BATCH, DAY_MS, Database, TrailLimits, apply};
    use crate::embedded::schema;

    const HOUR_MS: u64 = DAY_MS / 24;

    fn trail(entries: usize) -> (tempfile::TempDir, Database) {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::open(&folder.path().join("audit.sqlite"), schema::AUDIT).expect("it opens");
        write(&database, (0..entries as u64).map(|day| day * DAY_MS));
        (folder, database)
    }

    /// Writes an entry at each of these times.
    fn write(database: &Database, times: impl Iterator<Item = u64>) {
        let written = database.write(|transaction| {
            let sql = "INSERT INTO entries (id, tenant, asker, at_ms, outcome, generation, elapsed_ms, record)
                       VALUES ('r', 't', 'a', ?1, 'answered', 1, 1.0, ?2)";
            for at_ms in times {
                transaction.execute(sql, (at_ms, "x".repeat(2_000)))?;
                super::chain::add(transaction, transaction.last_insert_rowid().unsigned_abs())?;
            }
            Ok(())
        });
        written.expect("written");
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
        let breaks = database.read(super::chain::find_breaks).expect("read");
        assert_eq!(breaks, Vec::<String>::new(), "what retention takes out leaves a chain that holds");
    }

    #[test]
    fn a_clock_that_jumps_ten_years_ahead_erases_nothing_at_once() {
        let (_folder, database) = trail(90);
        let limits = TrailLimits { keep_days: Some(90), bytes_max: u64::MAX };
        let (now, jumped) = (89 * DAY_MS, (89 + 3_650) * DAY_MS);
        assert_eq!(apply(&limits, now, &database).expect("applied"), 0);
        for _ in 0..1_000 {
            apply(&limits, jumped, &database).expect("applied");
        }
        assert!(left(&database).0 >= 89, "{:?}", left(&database));
        // Put right again, it erases what is due and nothing else.
        assert_eq!(apply(&limits, 94 * DAY_MS, &database).expect("applied"), 4);
    }

    #[test]
    fn a_clock_that_ran_ahead_and_was_put_right_erases_nothing_that_is_not_due() {
        let (_folder, database) = trail(5);
        let limits = TrailLimits { keep_days: Some(90), bytes_max: u64::MAX };
        let jumped = 3_650 * DAY_MS;
        assert_eq!(apply(&limits, 4 * DAY_MS, &database).expect("applied"), 0);
        // Nobody notices for so long that the trail's own clock comes to lie further ahead than entries are kept.
        for hour in 0..120 {
            apply(&limits, jumped + hour * HOUR_MS, &database).expect("applied");
        }
        write(&database, (10..20).map(|day| day * DAY_MS));
        let before = left(&database);
        assert_eq!(apply(&limits, 20 * DAY_MS, &database).expect("applied"), 0);
        assert_eq!(left(&database), before);
    }

    #[test]
    fn entries_written_while_the_clock_was_ahead_outlive_those_before_them() {
        let (_folder, database) = trail(5);
        let limits = TrailLimits { keep_days: Some(90), bytes_max: u64::MAX };
        let jumped = 3_650 * DAY_MS;
        assert_eq!(apply(&limits, 4 * DAY_MS, &database).expect("applied"), 0);
        write(&database, (0..10).map(|hour| jumped + hour * HOUR_MS));
        for hour in 0..120 {
            apply(&limits, jumped + hour * HOUR_MS, &database).expect("applied");
        }
        assert_eq!(left(&database), (10, Some(jumped)));
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
        let limits = TrailLimits { keep_days: None, bytes_max: 1 };
        apply(&limits, 0, &database).expect("applied");
        assert_eq!(left(&database).0, 1);
    }
}
