//! What a database file says of itself: facts under their names, how often it changed, its generation.

use rusqlite::{Connection, OptionalExtension, Transaction};
use vouch_domain::ports::Generation;

/// How many changes the file has seen.
pub(super) fn revision(connection: &Connection) -> rusqlite::Result<u64> {
    Ok(meta(connection, "revision")?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

pub(super) fn generation(transaction: &Transaction<'_>) -> rusqlite::Result<Generation> {
    let text = meta(transaction, "generation")?;
    Ok(Generation(text.and_then(|text| text.parse().ok()).unwrap_or(0)))
}

/// Under which name the generation is kept from which on nothing was removed.
pub(super) const KEPT_FROM: &str = "kept_from";

/// The generation from which on every version is kept.
pub(super) fn kept_from(transaction: &Transaction<'_>) -> rusqlite::Result<Generation> {
    let text = meta(transaction, KEPT_FROM)?;
    Ok(Generation(text.and_then(|text| text.parse().ok()).unwrap_or(0)))
}

pub(super) fn meta(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT value FROM checked_meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

pub(super) fn set_meta(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2")?
        .execute([key, value])
        .map(|_| ())
}
