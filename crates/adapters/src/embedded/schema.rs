//! The tables of every file, as migrations: each runs once, in order, in a transaction of its own.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use vouch_domain::AddressKey;

use super::{audit::chain, facts::meta, following::FOLLOWED, past_access, row_sums, shelves};

/// A migration: its SQL, and what SQL alone cannot do.
pub(super) struct Migration {
    sql: &'static str,
    then: fn(&Transaction<'_>) -> rusqlite::Result<()>,
}

/// The catalogue.
pub(super) const CATALOGUE: &[Migration] = &[
    Migration { sql: include_str!("schema/001_documents.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/002_register.sql"), then: fill_address_keys },
    Migration { sql: include_str!("schema/003_vocabulary.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/004_times.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/005_memory.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/006_people.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/007_integrity.sql"), then: row_sums::install },
    Migration { sql: include_str!("schema/008_topics.sql"), then: row_sums::install },
    Migration { sql: include_str!("schema/009_shelves.sql"), then: number_shelves },
    Migration { sql: include_str!("schema/010_questions.sql"), then: row_sums::install },
    Migration { sql: include_str!("schema/011_findings.sql"), then: row_sums::install },
    Migration { sql: include_str!("schema/012_renames.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/013_readings.sql"), then: row_sums::install },
    Migration { sql: include_str!("schema/014_access.sql"), then: remember_removed },
];

/// The trail of requests.
pub(super) const AUDIT: &[Migration] = &[
    Migration { sql: include_str!("schema/audit_001.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/audit_002.sql"), then: nothing_more },
    Migration { sql: include_str!("schema/audit_003.sql"), then: chain::install },
    Migration { sql: include_str!("schema/audit_004.sql"), then: row_sums::install },
    Migration { sql: include_str!("schema/audit_005.sql"), then: nothing_more },
];

/// The keys.
pub(super) const KEYS: &[Migration] = &[Migration { sql: include_str!("schema/keys_001.sql"), then: nothing_more }];

/// Conversations between two turns.
pub(super) const SESSIONS: &[Migration] =
    &[Migration { sql: include_str!("schema/sessions_001.sql"), then: nothing_more }];

/// Background jobs.
pub(super) const JOBS: &[Migration] = &[Migration { sql: include_str!("schema/jobs_001.sql"), then: nothing_more }];

/// Brings a database to the current schema; answers the version it had.
pub(super) fn migrate(connection: &mut Connection, migrations: &[Migration]) -> rusqlite::Result<usize> {
    let found: usize = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (number, migration) in (1usize..).zip(migrations).skip(found) {
        // Two processes may open a new file at once; whoever comes second finds the work done.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let reached: usize = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if reached >= number {
            continue;
        }
        transaction.execute_batch(migration.sql)?;
        (migration.then)(&transaction)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(found)
}

fn nothing_more(_: &Transaction<'_>) -> rusqlite::Result<()> {
    Ok(())
}

/// Remembers who could see what was removed. A copy of a database gets that from there.
fn remember_removed(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    row_sums::install(transaction)?;
    match meta(transaction, FOLLOWED)? {
        None => past_access::remember_removed(transaction),
        Some(_) => Ok(()),
    }
}

/// Gives the collections of every audience their numbers.
fn number_shelves(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    row_sums::install(transaction)?;
    shelves::number_all(transaction)
}

/// Files every document under its address.
pub(super) fn fill_address_keys(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare("SELECT DISTINCT address FROM versions WHERE address IS NOT NULL")?;
    let addresses = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let mut update = transaction.prepare("UPDATE versions SET address_key = ?2 WHERE address = ?1")?;
    for address in addresses {
        update.execute(params![address, AddressKey::new(&address).as_str()])?;
    }
    Ok(())
}
