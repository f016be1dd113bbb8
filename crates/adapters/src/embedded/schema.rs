//! The catalogue's tables, as migrations: each runs once, in order, in a transaction of its own.

use rusqlite::Connection;

const MIGRATIONS: &[&str] = &[include_str!("schema/001_documents.sql")];

/// The schema version this program writes.
pub(super) fn current_version() -> usize {
    MIGRATIONS.len()
}

/// Brings a database to the current schema; answers the version it had.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<usize> {
    let found: usize = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (number, migration) in (1usize..).zip(MIGRATIONS).skip(found) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(found)
}
