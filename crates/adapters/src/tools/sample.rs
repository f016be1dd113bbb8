//! Statements of a sample → a database file for tools to look at; one that is there stays as it is.

use std::path::Path;

use rusqlite::Connection;
use vouch_domain::{Fault, PortError};

/// Makes the file, whole or not at all.
///
/// # Errors
/// Fails if the file cannot be written or a statement is wrong.
pub fn sample_database(path: &Path, statements: &str) -> Result<(), PortError> {
    if path.exists() {
        return Ok(());
    }
    let unusable = |error: rusqlite::Error| {
        PortError::new("tools", Fault::Unavailable, "the sample database cannot be made").with_source(error)
    };
    let begun = path.with_extension("begun");
    let _ = std::fs::remove_file(&begun);
    let connection = Connection::open(&begun).map_err(unusable)?;
    connection.execute_batch(&format!("BEGIN;\n{statements}\nCOMMIT;")).map_err(unusable)?;
    connection.close().map_err(|(_, error)| unusable(error))?;
    std::fs::rename(&begun, path).map_err(|error| {
        PortError::new("tools", Fault::Unavailable, "the sample database cannot be kept").with_source(error)
    })
}
