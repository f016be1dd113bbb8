//! Versions that have not been current for long → gone, with their passages and vectors, and their room given back.
//!
//! A version ends when another takes its place or its document is removed. Generations have no times of their own: one is
//! taken to lie no later than the documents that were taken in with it or next after it. What ended so long ago that this
//! cannot be told, since nothing was taken in afterwards, stays.
//!
//! Invariant: what goes, goes in one transaction that also writes down from which generation on everything is kept. Nothing
//! that is searched changes, so the generation stays. An index that had not come as far is rebuilt.

use std::path::Path;

use rusqlite::{OptionalExtension, Transaction, params};
use vouch_domain::{PortError, ports::Generation};

use super::{
    CATALOGUE_FILE, EmbeddedStore, INDEX_FOLDERS,
    facts::{KEPT_FROM, kept_from, set_meta},
    totals,
};

/// What was removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompactReport {
    /// Versions.
    pub versions: u64,
    /// Their passages.
    pub passages: u64,
    /// The generation from which on everything is kept.
    pub kept_from: Generation,
    /// How large catalogue and indexes were.
    pub bytes_before: u64,
    /// How large they are now.
    pub bytes_after: u64,
    /// Why the room could not be given back to the disk; it is used for what comes next.
    pub unreclaimed: Option<String>,
}

impl EmbeddedStore {
    /// What would be removed: versions that ended before a moment, in milliseconds since 1970.
    ///
    /// # Errors
    /// Fails if the catalogue cannot be read.
    pub fn compactable(&self, ended_before_ms: u64) -> Result<CompactReport, PortError> {
        let bytes = self.bytes();
        self.database.read(|transaction| {
            let ended = Ended::find(transaction, ended_before_ms)?;
            let mut passages = 0;
            for place in &ended.places {
                let sql = "SELECT count(*) FROM passages WHERE document = ?1 AND version = ?2";
                passages += transaction
                    .prepare_cached(sql)?
                    .query_row(params![place.0, place.1], |row| row.get::<_, u64>(0))?;
            }
            Ok(CompactReport {
                versions: ended.places.len() as u64,
                passages,
                kept_from: ended.kept_from,
                bytes_before: bytes,
                bytes_after: bytes,
                unreclaimed: None,
            })
        })
    }

    /// Removes versions that ended before a moment, in milliseconds since 1970, and gives back the room of whatever was
    /// removed; none are removed where no moment is named.
    ///
    /// # Errors
    /// Fails if the store does; what is searched is then as it was.
    pub fn compact(&self, ended_before_ms: Option<u64>) -> Result<CompactReport, PortError> {
        let bytes_before = self.bytes();
        // An index follows deaths by the rows of the dead, so it must have seen them before they go.
        self.lexical.catch_up()?;
        self.dense.catch_up()?;
        let mut report = self.database.write(|transaction| match ended_before_ms {
            Some(moment) => remove(transaction, &Ended::find(transaction, moment)?),
            None => Ok(CompactReport { kept_from: kept_from(transaction)?, ..CompactReport::default() }),
        })?;
        self.dense.drop_dead()?;
        report.unreclaimed = self.database.reclaim().err().map(|error| error.sentence);
        Ok(CompactReport { bytes_before, bytes_after: self.bytes(), ..report })
    }

    /// How large catalogue and indexes are.
    fn bytes(&self) -> u64 {
        let folder = self.lease.folder();
        let files = [CATALOGUE_FILE.to_owned(), format!("{CATALOGUE_FILE}-wal")];
        let own: u64 = files.iter().map(|name| size(&folder.join(name))).sum();
        let inside = |name: &str| {
            let entries = std::fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
            entries.map(|entry| size(&entry.path())).sum::<u64>()
        };
        own + INDEX_FOLDERS.into_iter().map(inside).sum::<u64>()
    }
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// Versions that ended before a moment, by document and number, and the generation by which they all had.
struct Ended {
    places: Vec<(i64, u32)>,
    kept_from: Generation,
}

impl Ended {
    fn find(transaction: &Transaction<'_>, before_ms: u64) -> rusqlite::Result<Self> {
        let mut last = None;
        let mut deaths =
            transaction.prepare("SELECT DISTINCT died FROM passages WHERE died IS NOT NULL ORDER BY died")?;
        let mut rows = deaths.query([])?;
        while let Some(row) = rows.next()? {
            let generation: i64 = row.get(0)?;
            if ended_ms(transaction, generation)?.is_none_or(|ended| ended >= before_ms) {
                break;
            }
            last = Some(generation);
        }
        let kept = kept_from(transaction)?;
        let Some(last) = last else { return Ok(Self { places: Vec::new(), kept_from: kept }) };
        let sql = "SELECT DISTINCT document, version FROM checked_passages WHERE died <= ?1 ORDER BY document, version";
        let found = transaction
            .prepare(sql)?
            .query_map([last], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<(i64, u32)>>>()?;
        let mut places = Vec::with_capacity(found.len());
        for place in found {
            if !is_needed(transaction, place, last)? {
                places.push(place);
            }
        }
        let reached = Generation(u64::try_from(last).unwrap_or(0));
        Ok(Self { places, kept_from: reached.max(kept) })
    }
}

/// A moment that a generation does not lie after; none if nothing was taken in since.
fn ended_ms(transaction: &Transaction<'_>, generation: i64) -> rusqlite::Result<Option<u64>> {
    let next: Option<i64> = transaction
        .prepare_cached("SELECT min(born) FROM passages WHERE born >= ?1")?
        .query_row([generation], |row| row.get(0))?;
    let Some(next) = next else { return Ok(None) };
    let mut born = transaction.prepare_cached("SELECT DISTINCT document, version FROM passages WHERE born = ?1")?;
    let mut taken_in =
        transaction.prepare_cached("SELECT taken_in_ms FROM checked_versions WHERE document = ?1 AND number = ?2")?;
    let mut rows = born.query([next])?;
    let mut latest = None;
    while let Some(row) = rows.next()? {
        let place = params![row.get::<_, i64>(0)?, row.get::<_, u32>(1)?];
        latest = latest.max(taken_in.query_row(place, |row| row.get::<_, u64>(0)).optional()?);
    }
    Ok(latest)
}

/// Whether a version is current, or has a passage that lived longer.
fn is_needed(transaction: &Transaction<'_>, (document, number): (i64, u32), ended: i64) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM documents WHERE key = ?1 AND version = ?2)
                 OR EXISTS (SELECT 1 FROM passages WHERE document = ?1 AND version = ?2
                            AND (died IS NULL OR died > ?3))",
        )?
        .query_row(params![document, number, ended], |row| row.get(0))
}

fn remove(transaction: &Transaction<'_>, ended: &Ended) -> rusqlite::Result<CompactReport> {
    let mut passages = 0;
    for (document, number) in &ended.places {
        let place = params![document, number];
        transaction
            .prepare_cached(
                "DELETE FROM embeddings WHERE passage IN
                     (SELECT key FROM passages WHERE document = ?1 AND version = ?2)",
            )?
            .execute(place)?;
        passages +=
            transaction.prepare_cached("DELETE FROM passages WHERE document = ?1 AND version = ?2")?.execute(place)?;
        transaction
            .prepare_cached("DELETE FROM version_topics WHERE document = ?1 AND version = ?2")?
            .execute(place)?;
        transaction.prepare_cached("DELETE FROM versions WHERE document = ?1 AND number = ?2")?.execute(place)?;
    }
    if !ended.places.is_empty() {
        totals::count_anew(transaction)?;
        set_meta(transaction, KEPT_FROM, &ended.kept_from.0.to_string())?;
    }
    Ok(CompactReport {
        versions: ended.places.len() as u64,
        passages: passages as u64,
        kept_from: ended.kept_from,
        ..CompactReport::default()
    })
}
