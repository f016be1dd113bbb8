//! How many rows the catalogue's largest tables have, kept in its facts and compared when it is opened.
//!
//! A damaged page can take rows with it without any read failing; their number is then the only trace.

use rusqlite::Transaction;
use vouch_domain::{Fault, PortError};

use super::{
    facts::{meta, set_meta},
    sqlite_fault::damage_sentence,
};

const TABLES: &[&str] = &["documents", "versions", "passages"];

/// Counts new rows of a table.
pub(super) fn add(transaction: &Transaction<'_>, table: &str, rows: usize) -> rusqlite::Result<()> {
    let before = kept(transaction, table)?.unwrap_or(0);
    set_meta(transaction, &key(table), &(before + rows as u64).to_string())
}

/// Takes the rows that are there now for all there are, after some were taken out on purpose.
pub(super) fn count_anew(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    TABLES.iter().try_for_each(|table| set_meta(transaction, &key(table), &counted(transaction, table)?.to_string()))
}

/// The error for the first table with more or fewer rows than were ever written; none if all are there.
pub(super) fn find_missing(transaction: &Transaction<'_>) -> rusqlite::Result<Option<PortError>> {
    for table in TABLES {
        let (kept, counted) = (kept(transaction, table)?, counted(transaction, table)?);
        if kept != Some(counted) {
            let kept = kept.map_or("an unknown number".to_owned(), |kept| kept.to_string());
            let sentence = damage_sentence(&format!("{table} has {counted} rows where {kept} were written"));
            return Ok(Some(PortError::new("catalogue", Fault::Corrupt, sentence)));
        }
    }
    Ok(None)
}

fn key(table: &str) -> String {
    format!("total_{table}")
}

fn kept(transaction: &Transaction<'_>, table: &str) -> rusqlite::Result<Option<u64>> {
    Ok(meta(transaction, &key(table))?.and_then(|text| text.parse().ok()))
}

/// SQLite counts through the smallest index, so this reads no text.
fn counted(transaction: &Transaction<'_>, table: &str) -> rusqlite::Result<u64> {
    transaction.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
}
