//! An empty file → a copy of the truth, a few rows at a time; one that is broken off goes on where it stopped.
//!
//! Invariant: while it is being filled the file says so, and nobody opens it for anything else. Once every row is there it follows
//! the truth, from the change on that was the last when it was begun or gone on with; its rows are of several moments, and it is still
//! said to be filled, until it has come up.

use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde::{Deserialize, Serialize};
use vouch_domain::{Fault, PortError};

use super::{Database, Following, PORT, meta, set_meta};
use crate::embedded::{
    following::{FILLING, FOLLOWED, Head, Place, apply_without_lookups, key_of, key_text, make_lookups},
    sqlite_fault::fault,
    watermark::Watermark,
};

/// What makes a node begin anew.
pub(super) const BEGIN_ANEW: &str = "remove everything in the data folder but `audit.sqlite`, `audit.sqlite-wal` and \
                                     `audit.watermark`, which hold entries of the trail that may not have been sent, and \
                                     `certificate.json` and `evaluations` where they are there; the rest is copied again";

/// How far a file has been filled.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Filling {
    /// Everything that was written after this change is still to come, whatever is there already.
    change: u64,
    store_id: Option<String>,
    table: Option<String>,
    key: Option<String>,
}

/// Memory and waits as they suit many rows at once: they may be lost with the machine's power, and are then copied again.
const TO_FILL: &str = "PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000;";
const AS_EVER: &str = "PRAGMA synchronous = FULL; PRAGMA cache_size = -2000;";

impl Database {
    /// Copies every row of the truth into this file.
    pub(super) fn fill_from(&self, connection: &mut Connection, following: &Following) -> Result<(), PortError> {
        run(connection, TO_FILL)?;
        // A mark says how far a file had come that is about to become another.
        Watermark::forget(&self.path);
        let outcome = copy_rows(connection, following);
        run(connection, AS_EVER)?;
        let change = outcome?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        make_lookups(&transaction).map_err(fault)?;
        set_followed(&transaction, change).map_err(fault)?;
        transaction.commit().map_err(fault)?;
        run(connection, &format!("PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = {};", super::LOG_PAGES))
    }
}

/// Whether a file is being filled.
pub(super) fn is_filling(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(meta(connection, FILLING)?.is_some())
}

/// Notes that a file is of one moment, and filled no more.
pub(super) fn end(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM meta WHERE key = ?1", [FILLING]).map(drop)
}

/// Copies rows until all are there; answers the change from which on the truth is to be followed.
fn copy_rows(connection: &mut Connection, following: &Following) -> Result<u64, PortError> {
    let tables = following.recorder.tables();
    let mut filling = match read(connection)? {
        None => {
            let head = following.truth.head()?;
            Filling { change: head.change, store_id: head.store_id, table: None, key: None }
        }
        Some(filling) => {
            // What is there already is brought up first, so that it fits what is still to come.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
            let bring_up = &mut |changed| apply_without_lookups(&transaction, &changed);
            let head = following.truth.changes(&tables, filling.change, bring_up)?;
            check(&filling, &head)?;
            let filling = Filling { change: head.change, ..filling };
            keep(&transaction, &filling)?;
            transaction.commit().map_err(fault)?;
            filling
        }
    };
    let place = match (&filling.table, &filling.key) {
        (Some(table), Some(key)) => Some(Place { table: table.clone(), key: key_of(key)? }),
        (Some(_) | None, _) => None,
    };
    following.truth.rows(&tables, place.as_ref(), &mut |changed| {
        let Some(place) = Place::after(&changed) else { return Ok(()) };
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        apply_without_lookups(&transaction, &changed)?;
        (filling.table, filling.key) = (Some(place.table), Some(key_text(&place.key)?));
        keep(&transaction, &filling)?;
        transaction.commit().map_err(fault)
    })?;
    Ok(filling.change)
}

/// Refuses to go on from another truth than the one that was begun with.
fn check(filling: &Filling, head: &Head) -> Result<(), PortError> {
    if head.store_id == filling.store_id && (head.first..=head.change).contains(&filling.change) {
        return Ok(());
    }
    let sentence = format!(
        "the data folder contains part of another database, or of one that has since lost changes or been filled \
         again; {BEGIN_ANEW}"
    );
    Err(PortError::new(PORT, Fault::Invalid, sentence))
}

fn read(connection: &Connection) -> Result<Option<Filling>, PortError> {
    let Some(text) = meta(connection, FILLING).map_err(fault)? else { return Ok(None) };
    let damaged =
        |_| PortError::new(PORT, Fault::Corrupt, "how far the data folder was filled cannot be read; remove it");
    serde_json::from_str(&text).map(Some).map_err(damaged)
}

fn keep(transaction: &Transaction<'_>, filling: &Filling) -> Result<(), PortError> {
    let text = serde_json::to_string(filling)
        .map_err(|error| PortError::new(PORT, Fault::Internal, "cannot be written down").with_source(error))?;
    set_meta(transaction, FILLING, &text).map_err(fault)
}

/// Pragmas answer rows, which are not wanted.
fn run(connection: &Connection, pragmas: &str) -> Result<(), PortError> {
    connection.execute_batch(pragmas).map_err(fault)
}

/// Notes the change of the truth that a file has come to.
pub(super) fn set_followed(connection: &Connection, change: u64) -> rusqlite::Result<()> {
    set_meta(connection, FOLLOWED, &change.to_string())
}
