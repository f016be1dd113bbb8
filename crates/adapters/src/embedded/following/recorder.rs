//! Which rows a transaction has written, whatever statements wrote them.
//!
//! Temporary triggers on the connection note the keys; the file itself knows nothing of them. At the end of the transaction
//! the rows are read as they then are.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction, params, params_from_iter, types::Value};
use vouch_domain::PortError;

use super::{Changed, OWN_FACTS, Place, TableShape, shape::SEQUENCES};
use crate::embedded::sqlite_fault::fault;

/// What a connection notes.
#[derive(Debug)]
pub(in crate::embedded) struct Recorder {
    tables: Vec<TableShape>,
}

impl Recorder {
    /// What there is to note; nothing is noted before `install`.
    pub(in crate::embedded) fn new(connection: &Connection) -> rusqlite::Result<Self> {
        Ok(Self { tables: TableShape::all(connection)? })
    }

    /// Makes a connection note what it writes.
    pub(in crate::embedded) fn install(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.tables.iter().try_for_each(|table| connection.execute_batch(&triggers(table)))
    }

    /// Every table that is copied.
    pub(in crate::embedded) fn tables(&self) -> Vec<TableShape> {
        self.tables.iter().cloned().chain([TableShape::sequences()]).collect()
    }

    /// Forgets what was noted.
    pub(in crate::embedded) fn clear(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.tables.iter().try_for_each(|table| {
            connection.prepare_cached(&format!("DELETE FROM changed_{}", table.name))?.execute([]).map(drop)
        })
    }

    /// The highest numbers given so far.
    pub(in crate::embedded) fn sequences(connection: &Connection) -> rusqlite::Result<BTreeMap<String, i64>> {
        let sql = format!("SELECT name, seq FROM {SEQUENCES}");
        connection.prepare_cached(&sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// What was written since it was cleared.
    pub(in crate::embedded) fn changed(
        &self,
        transaction: &Transaction<'_>,
        sequences_before: &BTreeMap<String, i64>,
    ) -> rusqlite::Result<Vec<Changed>> {
        let mut found = Vec::new();
        for table in &self.tables {
            let changed = noted(transaction, table)?;
            if !(changed.rows.is_empty() && changed.gone.is_empty()) {
                found.push(changed);
            }
        }
        if found.is_empty() {
            return Ok(found);
        }
        let rows: Vec<Vec<Value>> = Self::sequences(transaction)?
            .into_iter()
            .filter(|(name, number)| sequences_before.get(name) != Some(number))
            .map(|(name, number)| vec![Value::Text(name), Value::Integer(number)])
            .collect();
        if !rows.is_empty() {
            found.push(Changed { table: TableShape::sequences(), rows, gone: Vec::new() });
        }
        Ok(found)
    }

    /// Every row there is, a few at a time.
    pub(in crate::embedded) fn everything(
        &self,
        transaction: &Transaction<'_>,
        visit: impl FnMut(Changed) -> Result<(), PortError>,
    ) -> Result<(), PortError> {
        every_row(transaction, &self.tables(), visit)
    }
}

/// Every row of some tables, a few at a time.
pub(in crate::embedded) fn every_row(
    transaction: &Transaction<'_>,
    tables: &[TableShape],
    visit: impl FnMut(Changed) -> Result<(), PortError>,
) -> Result<(), PortError> {
    rows_from(transaction, tables, None, visit)
}

/// Every row from a place on, a few at a time, in the order of tables and keys.
pub(in crate::embedded) fn rows_from(
    transaction: &Transaction<'_>,
    tables: &[TableShape],
    from: Option<&Place>,
    mut visit: impl FnMut(Changed) -> Result<(), PortError>,
) -> Result<(), PortError> {
    for (table, key) in Place::rest(from, tables) {
        let columns: Vec<&str> = table.column_names().collect();
        let keys = table.key_names().collect::<Vec<_>>().join(", ");
        let places: Vec<String> = (1..=key.map_or(0, <[Value]>::len)).map(|at| format!("?{at}")).collect();
        let wanted = if key.is_some() { format!("WHERE ({keys}) > ({})", places.join(", ")) } else { String::new() };
        let sql = format!("SELECT {} FROM {} {wanted} ORDER BY {keys}", columns.join(", "), table.name);
        let mut statement = transaction.prepare(&sql).map_err(fault)?;
        let mut rows = statement.query(params_from_iter(key.unwrap_or_default())).map_err(fault)?;
        let (mut some, mut bytes) = (Vec::new(), 0);
        loop {
            let row = rows.next().and_then(|row| row.map(|row| values(row, columns.len(), 0)).transpose());
            let row = row.map_err(fault)?;
            let is_end = row.is_none();
            bytes += row.as_ref().map_or(0, |row| size(row));
            some.extend(row.filter(|row| !is_own_fact(table, row)));
            if !some.is_empty() && (is_end || some.len() >= ROWS_MAX || bytes >= BYTES_MAX) {
                bytes = 0;
                visit(Changed { table: table.clone(), rows: std::mem::take(&mut some), gone: Vec::new() })?;
            }
            if is_end {
                break;
            }
        }
    }
    Ok(())
}

/// The bytes of a row, about.
pub(crate) fn size(row: &[Value]) -> usize {
    let bytes = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::Null | Value::Integer(_) | Value::Real(_) => 8,
    };
    row.iter().map(bytes).sum()
}

/// Rows that are read at a time, and their bytes.
const ROWS_MAX: usize = 2_000;
const BYTES_MAX: usize = 4 << 20;

fn triggers(table: &TableShape) -> String {
    let name = &table.name;
    let keys: Vec<&str> = table.key_names().collect();
    let of = |row: &str| keys.iter().map(|key| format!("{row}.{key}")).collect::<Vec<_>>().join(", ");
    let same = |row: &str| keys.iter().map(|key| format!("{key} = {row}.{key}")).collect::<Vec<_>>().join(" AND ");
    // What to do in a conflict is decided by the statement that set the trigger off, so there must be none.
    let note = |row: &str| {
        let (of, same) = (of(row), same(row));
        format!("INSERT INTO changed_{name} SELECT {of} WHERE NOT EXISTS (SELECT 1 FROM changed_{name} WHERE {same});")
    };
    let (new, old, keys) = (note("NEW"), note("OLD"), keys.join(", "));
    format!(
        "CREATE TEMP TABLE changed_{name} ({keys}, PRIMARY KEY ({keys})) WITHOUT ROWID;
         CREATE TEMP TRIGGER {name}_is_added AFTER INSERT ON main.{name} BEGIN {new} END;
         CREATE TEMP TRIGGER {name}_is_changed AFTER UPDATE ON main.{name} BEGIN {old} {new} END;
         CREATE TEMP TRIGGER {name}_is_gone AFTER DELETE ON main.{name} BEGIN {old} END;"
    )
}

fn noted(transaction: &Transaction<'_>, table: &TableShape) -> rusqlite::Result<Changed> {
    let mut changed = Changed { table: table.clone(), rows: Vec::new(), gone: Vec::new() };
    let keys: Vec<&str> = table.key_names().collect();
    let columns: Vec<&str> = table.column_names().collect();
    let sql = format!("SELECT {} FROM changed_{} ORDER BY {0}", keys.join(", "), table.name);
    let noted = transaction
        .prepare_cached(&sql)?
        .query_map([], |row| values(row, keys.len(), 0))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if noted.is_empty() {
        return Ok(changed);
    }
    let wanted: Vec<String> = (1..).zip(&keys).map(|(at, key)| format!("{key} = ?{at}")).collect();
    let sql = format!("SELECT {} FROM {} WHERE {}", columns.join(", "), table.name, wanted.join(" AND "));
    let mut statement = transaction.prepare_cached(&sql)?;
    for key in noted {
        let row = statement.query_row(params_from_iter(&key), |row| values(row, columns.len(), 0)).optional()?;
        match row {
            Some(row) if is_own_fact(table, &row) => {}
            Some(row) => changed.rows.push(row),
            None => changed.gone.push(key),
        }
    }
    Ok(changed)
}

fn is_own_fact(table: &TableShape, row: &[Value]) -> bool {
    let is_own = |value: &Value| matches!(value, Value::Text(name) if OWN_FACTS.contains(&name.as_str()));
    table.name == "meta" && row.first().is_some_and(is_own)
}

fn values(row: &rusqlite::Row<'_>, count: usize, from: usize) -> rusqlite::Result<Vec<Value>> {
    (from..from + count).map(|at| row.get(at)).collect()
}

/// Takes the highest numbers of elsewhere for those given here.
pub(super) fn set_sequence(transaction: &Transaction<'_>, row: &[Value]) -> rusqlite::Result<()> {
    let [name, number] = row else { return Ok(()) };
    let sql = format!("UPDATE {SEQUENCES} SET seq = ?2 WHERE name = ?1");
    if transaction.prepare_cached(&sql)?.execute(params![name, number])? == 0 {
        let sql = format!("INSERT INTO {SEQUENCES} (name, seq) VALUES (?1, ?2)");
        transaction.prepare_cached(&sql)?.execute(params![name, number])?;
    }
    Ok(())
}
