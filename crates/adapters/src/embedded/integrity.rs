//! Whether a database file is whole: its structure by SQLite's own check, its rows by their sums.
//!
//! A small file is checked whole each time it is opened. A large one is sampled then, checked row by row as rows are
//! used, and checked whole by `doctor`.

use std::path::Path;

use rusqlite::Connection;
use vouch_domain::{Fault, PortError};

use super::sqlite_fault::damage_sentence;
use super::{row_sums, sqlite_fault::fault};

/// Files up to this size are checked whole when they are opened.
const SMALL_BYTES: u64 = 4 << 20;
/// How many complaints of SQLite's check are logged.
const COMPLAINTS_MAX: usize = 5;

/// Refuses a small file that is damaged anywhere.
pub(super) fn check_if_small(connection: &Connection, path: &Path) -> Result<(), PortError> {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.len() <= SMALL_BYTES);
    if !is_small {
        return Ok(());
    }
    match find_damage(connection).map_err(fault)?.into_iter().next() {
        None => Ok(()),
        Some(first) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Err(PortError::new("store", Fault::Corrupt, damage_sentence(&format!("{name}: {first}"))))
        }
    }
}

/// Everything that is wrong with a file, in words; nothing if it is whole.
pub(super) fn find_damage(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({COMPLAINTS_MAX})"))?;
    let complaints = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let mut found = Vec::new();
    if complaints.iter().any(|line| line != "ok") {
        // SQLite's own words about trees and pages only help somebody who inspects the file.
        tracing::debug!(?complaints, "the structure of a database is damaged");
        found.push("its structure is damaged".to_owned());
    }
    if found.is_empty() && has_sums(connection)? {
        found.extend(row_sums::find_damage(connection)?.into_iter().map(|damage| {
            let rows = if damage.rows == 1 { "one row".to_owned() } else { format!("{} rows", damage.rows) };
            format!("{rows} of {} damaged ({})", damage.table, damage.examples.join(", "))
        }));
    }
    Ok(found)
}

/// Whether the file's rows have sums; those of earlier versions get them when they are opened.
pub(super) fn has_sums(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = 'checked_meta')";
    connection.query_row(sql, [], |row| row.get(0))
}
