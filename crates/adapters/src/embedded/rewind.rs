//! The catalogue as it was at an earlier generation, as a copy in another folder; the folder it is copied from need not be held.
//!
//! Invariant: the copy holds every document, tag and passage as a reader saw them at that generation and nothing that came later;
//! where some of it is no longer kept there is no copy.
//! What is not kept by generation (curated memory, vocabularies, people) is in the copy as it is now.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Transaction};
use vouch_domain::{
    Fault, PortError,
    ports::{Generation, StoreState},
};

use super::{
    CATALOGUE_FILE, catalogue::state, database::connect, facts::set_meta, files::cannot_use, following::FOLLOWED,
    integrity, kept_generations, schema, sqlite_fault::fault, totals,
};

const PORT: &str = "catalogue";

/// What a copy lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewindReport {
    /// Living passages whose vectors are no longer kept, since vectors were computed again after they had died.
    pub passages_without_vector: u64,
}

/// What the catalogue of a folder is like now, whoever holds the folder.
///
/// # Errors
/// Fails if there is none, or it cannot be read.
pub fn state_of(folder: &Path) -> Result<StoreState, PortError> {
    let mut connection = open_to_read(folder)?;
    if !integrity::has_sums(&connection).map_err(fault)? {
        // A file of an earlier version has no sums yet; it gets them when the store is opened to be written.
        connection.execute_batch("CREATE TEMP VIEW checked_meta AS SELECT * FROM meta").map_err(fault)?;
    }
    connection.transaction().and_then(|transaction| state(&transaction)).map_err(fault)
}

/// Makes a copy of a folder's catalogue in another folder, as it was at a generation.
///
/// # Errors
/// Fails if the catalogue has not come to that generation yet, or no longer has all of it, or a file cannot be read or written.
pub fn rewind(from: &Path, to: &Path, generation: Generation) -> Result<RewindReport, PortError> {
    std::fs::create_dir_all(to).map_err(|error| cannot_use(to, error))?;
    let copy = to.join(CATALOGUE_FILE);
    let source = open_to_read(from)?;
    // A copy by the database itself is of one moment, whoever writes meanwhile.
    source.execute("VACUUM INTO ?1", [copy.to_string_lossy().as_ref()]).map_err(fault)?;
    drop(source);
    let mut connection = connect(&copy, OpenFlags::default())?;
    schema::migrate(&mut connection, schema::CATALOGUE).map_err(fault)?;
    let transaction = connection.transaction().map_err(fault)?;
    kept_generations::check_kept(&transaction, generation)?;
    let rewound = turn_back(&transaction, generation).map_err(fault)?;
    // What is turned back follows no other store.
    transaction.execute("DELETE FROM meta WHERE key = ?1", [FOLLOWED]).map_err(fault)?;
    transaction.commit().map_err(fault)?;
    Ok(rewound)
}

fn open_to_read(folder: &Path) -> Result<Connection, PortError> {
    let path = folder.join(CATALOGUE_FILE);
    if !path.exists() {
        return Err(PortError::new(PORT, Fault::Unavailable, format!("there is no catalogue in {}", folder.display())));
    }
    connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

pub(super) fn turn_back(transaction: &Transaction<'_>, generation: Generation) -> rusqlite::Result<RewindReport> {
    for sql in [
        "DELETE FROM embeddings WHERE passage IN (SELECT key FROM passages WHERE born > ?1)",
        "DELETE FROM passages WHERE born > ?1",
        "UPDATE passages SET died = NULL WHERE died > ?1",
    ] {
        transaction.execute(sql, [generation.0])?;
    }
    // No document is kept without a passage, so the version of those that live is the one it had.
    transaction.execute_batch(
        "UPDATE documents SET version =
             (SELECT p.version FROM passages p WHERE p.document = documents.key AND p.died IS NULL LIMIT 1);",
    )?;
    set_meta(transaction, "generation", &generation.0.to_string())?;
    totals::count_anew(transaction)?;
    let passages_without_vector = transaction.query_row(
        "SELECT count(*) FROM passages p WHERE p.died IS NULL
         AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.passage = p.key)",
        [],
        |row| row.get(0),
    )?;
    Ok(RewindReport { passages_without_vector })
}
