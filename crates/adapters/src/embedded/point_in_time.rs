//! A catalogue's file → the same store as it was at an earlier generation, to go on from there.
//!
//! Invariant: what came later is gone, with everything that follows from it, and a version's number that is given again meets
//! nothing of the version that had it. Generations never go back: the store goes on at the one after the last, so that an
//! entry of the trail never names another state than it meant, and those in between are refused.
//! Nothing of it stays in the file, and an index elsewhere that followed what came later is not taken for this store's.
//! What is not kept by generation (curated memory, vocabularies, people) stays as it is.

use std::path::Path;

use rusqlite::{OpenFlags, OptionalExtension, Transaction, params};
use vouch_domain::{PortError, ports::Generation};

use super::{
    database::{connect, mark_changed, new_vectors},
    facts::{generation, meta, set_meta},
    findings,
    following::{FILLING, FOLLOWED, LINEAGE},
    kept_generations::{check_kept, invalid, note_span},
    past_access,
    rewind::turn_back,
    schema,
    sqlite_fault::fault,
    totals,
};

/// A state of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PointInTime {
    /// The documents as they were at a generation.
    Generation(Generation),
    /// The documents that had been taken in by a moment, in ISO 8601; without a zone it is UTC.
    Moment(String),
}

/// What a store was turned back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnedBack {
    /// The generation whose documents it has.
    pub to: Generation,
    /// The generation that it goes on at.
    pub goes_on_at: Generation,
    /// Living passages whose vectors are no longer kept, since vectors were computed again after they had died.
    pub passages_without_vector: u64,
}

/// Turns a catalogue's file back that nobody uses.
pub(super) fn turn_back_for_good(path: &Path, point: &PointInTime) -> Result<TurnedBack, PortError> {
    let mut connection = connect(path, OpenFlags::default())?;
    schema::migrate(&mut connection, schema::CATALOGUE).map_err(fault)?;
    let transaction = connection.transaction().map_err(fault)?;
    if meta(&transaction, FOLLOWED).map_err(fault)?.is_some() {
        let sentence = "the store is a copy of a database, which would not be turned back with it; make a separate \
                        store with `vouch store copy --from postgres` and turn that back";
        return Err(invalid(sentence.to_owned()));
    }
    let to = match point {
        PointInTime::Generation(generation) => *generation,
        PointInTime::Moment(moment) => generation_at(&transaction, moment)?,
    };
    check_kept(&transaction, to)?;
    let last = generation(&transaction).map_err(fault)?;
    if to == last {
        return Ok(TurnedBack { to, goes_on_at: last, passages_without_vector: 0 });
    }
    let turned = leave_out(&transaction, to, last)?;
    transaction.commit().map_err(fault)?;
    // What was left out could still be read from the file's free pages.
    connection.execute_batch("VACUUM").map_err(fault)?;
    Ok(turned)
}

/// Tells a catalogue's file that nobody uses from the store it is a backup of. An index elsewhere may have followed what that went
/// through afterwards, and would otherwise be taken for up to date once the generations are as high again; and it is the other's
/// where both are used. A copy of a database stays one: it comes up to what the database went through.
pub(super) fn separate_from_indexes(path: &Path) -> Result<(), PortError> {
    let mut connection = connect(path, OpenFlags::default())?;
    let transaction = connection.transaction().map_err(fault)?;
    // The table itself is asked, since a backup of an earlier version has no checksums yet.
    let sql = "SELECT EXISTS (SELECT 1 FROM meta WHERE key IN (?1, ?2))";
    let is_copy: bool = transaction.query_row(sql, [FOLLOWED, FILLING], |row| row.get(0)).map_err(fault)?;
    if !is_copy {
        mark_changed(&transaction, LINEAGE).map_err(fault)?;
    }
    transaction.commit().map_err(fault)
}

/// The generation of the last document that was taken in by a moment, before the first that came after it. Generations have no times
/// of their own: a removal counts from the next document on, so that the moment before an accidental one gives back what it
/// removed. Of a moment that has not passed it is the generation that the store is at.
///
/// # Errors
/// Fails if it is no moment, or a document that came later than another has a time before the moment and that one after it.
fn generation_at(transaction: &Transaction<'_>, moment: &str) -> Result<Generation, PortError> {
    let sql = "SELECT CAST(round(unixepoch(?1, 'subsec') * 1000) AS INTEGER),
                      CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER)";
    let (at_ms, now_ms): (Option<i64>, i64) =
        transaction.query_row(sql, [moment], |row| Ok((row.get(0)?, row.get(1)?))).map_err(fault)?;
    let at_ms = at_ms.ok_or_else(|| invalid(format!("'{moment}' is not a point in time such as 2026-05-21T10:30Z")))?;
    let next = first_document(transaction, "v.taken_in_ms > ?1 ORDER BY p.born", at_ms).map_err(fault)?;
    let last = first_document(transaction, "v.taken_in_ms <= ?1 ORDER BY p.born DESC", at_ms).map_err(fault)?;
    match (next, last) {
        (None, _) if at_ms >= now_ms => generation(transaction).map_err(fault),
        // Either time may be the wrong one, and the store would go back by a year, or by nothing, for one document.
        (Some((next, early)), Some((last, late))) if next <= last => Err(invalid(format!(
            "it cannot be determined which documents there were at {moment}, because their times contradict the order \
             in which they were taken in (a clock was wrong, or several were taken in at once): {early} is dated \
             after that moment, and {late}, which came no earlier, before it; name a generation with --generation \
             (`vouch audit show` has that of an answer)"
        ))),
        (_, last) => Ok(Generation(last.map_or(0, |(born, _)| born))),
    }
}

/// The first document of those that are asked for, and the generation that it came with.
fn first_document(transaction: &Transaction<'_>, which: &str, at_ms: i64) -> rusqlite::Result<Option<(u64, String)>> {
    let sql = format!(
        "SELECT p.born, d.id FROM versions v JOIN passages p ON p.document = v.document AND p.version = v.number
         JOIN documents d ON d.key = v.document WHERE {which} LIMIT 1"
    );
    transaction.query_row(&sql, [at_ms], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

fn leave_out(transaction: &Transaction<'_>, to: Generation, last: Generation) -> Result<TurnedBack, PortError> {
    let rewound = remove_later(transaction, to).map_err(fault)?;
    note_span(transaction, (to.0, last.0))?;
    let goes_on_at = Generation(last.0 + 1);
    set_meta(transaction, "generation", &goes_on_at.0.to_string()).map_err(fault)?;
    new_vectors(transaction).map_err(fault)?;
    Ok(TurnedBack { to, goes_on_at, passages_without_vector: rewound })
}

/// Removes versions that came later and everything that follows from them. A document that had no other is one that was removed,
/// so that answers that rest on it are known to. A question that was answered by a document that is not there then is open again.
fn remove_later(transaction: &Transaction<'_>, to: Generation) -> rusqlite::Result<u64> {
    transaction.execute_batch(
        "CREATE TEMP TABLE later (document INTEGER, version INTEGER, PRIMARY KEY (document, version))",
    )?;
    transaction
        .execute("INSERT INTO later SELECT DISTINCT document, version FROM passages WHERE born > ?1", params![to.0])?;
    let documents = transaction
        .prepare("SELECT DISTINCT document FROM later")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    // What documents are compared by is made again of the versions that are left.
    documents.into_iter().try_for_each(|key| findings::forget(transaction, key))?;
    let rewound = turn_back(transaction, to)?;
    transaction.execute_batch(
        "DELETE FROM findings WHERE (left_document, left_version) IN (SELECT document, version FROM later)
             OR (right_document, right_version) IN (SELECT document, version FROM later);
         DELETE FROM version_topics WHERE (document, version) IN (SELECT document, version FROM later);
         DELETE FROM versions WHERE (document, number) IN (SELECT document, version FROM later);
         DELETE FROM readings WHERE NOT EXISTS
             (SELECT 1 FROM documents d WHERE d.key = readings.document AND d.version = readings.version);
         UPDATE sent_questions SET document = NULL, answered_ms = NULL WHERE EXISTS
             (SELECT 1 FROM documents d WHERE d.tenant_id = sent_questions.tenant_id AND d.id = sent_questions.document
                  AND d.version IS NULL AND d.key IN (SELECT document FROM later));
         DROP TABLE later;",
    )?;
    transaction.execute("DELETE FROM edits WHERE generation > ?1", params![to.0])?;
    totals::count_anew(transaction)?;
    past_access::remember_removed(transaction)?;
    Ok(rewound.passages_without_vector)
}
