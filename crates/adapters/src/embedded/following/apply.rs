//! Rows of the truth → rows of the copy, in the caller's transaction.

use rusqlite::{Transaction, params_from_iter, types::Value};
use vouch_domain::{Fault, PortError};

use super::{
    Changed, TableShape, derived,
    recorder::set_sequence,
    shape::{LEADING, SEQUENCES},
};
use crate::embedded::sqlite_fault::fault;

/// What becomes of the look-up tables that follow from rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookups {
    /// They follow at once.
    Kept,
    /// They are made of all rows later.
    MadeLater,
}

/// Writes rows and takes others out.
///
/// # Errors
/// Fails if a row is not as the truth wrote it, or the copy cannot be written.
pub(in crate::embedded) fn apply(transaction: &Transaction<'_>, changed: &Changed) -> Result<(), PortError> {
    apply_with(transaction, changed, Lookups::Kept)
}

/// The same where the look-up tables are made once every row is there.
///
/// # Errors
/// Fails as `apply` does.
pub(in crate::embedded) fn apply_without_lookups(
    transaction: &Transaction<'_>,
    changed: &Changed,
) -> Result<(), PortError> {
    apply_with(transaction, changed, Lookups::MadeLater)
}

fn apply_with(transaction: &Transaction<'_>, changed: &Changed, lookups: Lookups) -> Result<(), PortError> {
    let table = &changed.table;
    if table.name == SEQUENCES {
        return changed.rows.iter().try_for_each(|row| set_sequence(transaction, row)).map_err(fault);
    }
    let leads = lookups == Lookups::Kept && LEADING.contains(&table.name.as_str());
    for key in &changed.gone {
        if leads {
            derived::forget(transaction, &table.name, key).map_err(fault)?;
        }
        take_out(transaction, table, key).map_err(fault)?;
    }
    let statements = Statements::of(table);
    for row in &changed.rows {
        let key = table.key_of(row);
        if leads {
            derived::forget(transaction, &table.name, &key).map_err(fault)?;
        }
        if !put(transaction, table, &statements, row).map_err(fault)? {
            let sentence =
                format!("a row of {} differs from what was written to the database; nothing was copied", table.name);
            return Err(PortError::new("store", Fault::Corrupt, sentence));
        }
        if leads {
            derived::add(transaction, &table.name, &key).map_err(fault)?;
        }
    }
    Ok(())
}

struct Statements {
    put: String,
    is_as_written: String,
}

impl Statements {
    fn of(table: &TableShape) -> Self {
        let own: Vec<&str> = table.column_names().filter(|name| *name != "sum").collect();
        let places: Vec<String> = table
            .column_names()
            .zip(1..)
            .filter(|(name, _)| *name != "sum")
            .map(|(_, at): (&str, usize)| format!("?{at}"))
            .collect();
        let keys: Vec<&str> = table.key_names().collect();
        let replaced: Vec<String> =
            own.iter().filter(|name| !keys.contains(name)).map(|name| format!("{name} = excluded.{name}")).collect();
        let then =
            if replaced.is_empty() { "NOTHING".to_owned() } else { format!("UPDATE SET {}", replaced.join(", ")) };
        let put = format!(
            "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({}) DO {then}",
            table.name,
            own.join(", "),
            places.join(", "),
            keys.join(", ")
        );
        let wanted: Vec<String> = (2..).zip(&keys).map(|(at, key)| format!("{key} = ?{at}")).collect();
        let is_as_written =
            format!("SELECT EXISTS (SELECT 1 FROM {} WHERE {} AND sum IS ?1)", table.name, wanted.join(" AND "));
        Self { put, is_as_written }
    }
}

/// Writes a row; whether its checksum comes out as it was.
fn put(
    transaction: &Transaction<'_>,
    table: &TableShape,
    statements: &Statements,
    row: &[Value],
) -> rusqlite::Result<bool> {
    let key = table.key_of(row);
    let sum = table.column_names().position(|name| name == "sum").and_then(|at| row.get(at));
    let mut statement = transaction.prepare_cached(&statements.put)?;
    for (at, (value, (name, _))) in (1..).zip(row.iter().zip(&table.columns)) {
        if name != "sum" {
            statement.raw_bind_parameter(at, value)?;
        }
    }
    statement.raw_execute()?;
    let Some(sum) = sum else { return Ok(true) };
    let values = std::iter::once(sum).chain(&key);
    transaction.prepare_cached(&statements.is_as_written)?.query_row(params_from_iter(values), |row| row.get(0))
}

fn take_out(transaction: &Transaction<'_>, table: &TableShape, key: &[Value]) -> rusqlite::Result<()> {
    let wanted: Vec<String> = (1..).zip(table.key_names()).map(|(at, key)| format!("{key} = ?{at}")).collect();
    let sql = format!("DELETE FROM {} WHERE {}", table.name, wanted.join(" AND "));
    transaction.prepare_cached(&sql)?.execute(params_from_iter(key)).map(drop)
}
