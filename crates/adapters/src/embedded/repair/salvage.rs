//! A damaged database file → its sound rows in a new one.
//!
//! A table is read in the order its rows lie in, from the first on and, where that fails on the way, from the last back,
//! so that one damaged page costs the rows in it and those that only it leads to. Any other order would have to read
//! everything before it gives the first row, and a single page would cost them all.

use std::{collections::BTreeSet, path::Path};

use rusqlite::{Connection, OpenFlags, Transaction, types::Value};

use crate::embedded::database::connect;

/// Tables in an order in which no row refers to one that comes later. The chain of the trail is made anew.
const TABLES: &[&str] = &[
    "meta",
    "tenants",
    "audiences",
    "documents",
    "versions",
    "tags",
    "passages",
    "embeddings",
    "vocabularies",
    "concepts",
    "labels",
    "memory",
    "memory_texts",
    "people",
    "topics",
    "entries",
    "feedback",
];
/// Facts of the new file that the old one's must not take the place of.
const OWN_FACTS: &[&str] = &["revision", "chain_head", "chain_anchor"];

/// Copies every sound row; answers what was lost, table by table.
pub(super) fn copy(old: &Path, new: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    new.pragma_update(None, "defer_foreign_keys", true)?;
    let Ok(source) = connect(old, OpenFlags::SQLITE_OPEN_READ_ONLY) else {
        return Ok(vec!["nothing of it could be read".to_owned()]);
    };
    let mut lost = Vec::new();
    for table in TABLES {
        let columns = columns(new, table)?;
        if columns.is_empty() {
            continue;
        }
        match copy_table(&source, new, table, &columns)? {
            Copied::Whole { damaged: 0 } => {}
            Copied::Whole { damaged: 1 } => lost.push(format!("one damaged row of {table}")),
            Copied::Whole { damaged } => lost.push(format!("{damaged} damaged rows of {table}")),
            Copied::Partly => lost.push(format!("some rows of {table} that could not be read")),
        }
    }
    Ok(lost)
}

enum Copied {
    Whole { damaged: u64 },
    Partly,
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_info(?1) WHERE name <> 'sum' ORDER BY cid";
    connection.prepare(sql)?.query_map([table], |row| row.get(0))?.collect()
}

fn copy_table(source: &Connection, new: &Transaction<'_>, table: &str, columns: &[String]) -> rusqlite::Result<Copied> {
    let names = columns.join(", ");
    let places: Vec<String> = (1..=columns.len()).map(|number| format!("?{number}")).collect();
    let insert = format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({})", places.join(", "));
    let summed: Vec<&str> =
        columns.iter().map(String::as_str).filter(|column| (table, *column) != ("versions", "text")).collect();
    let mut is_damaged = format!("row_is_damaged(sum, '{table}', {})", summed.join(", "));
    if table == "versions" {
        is_damaged.push_str(" OR row_is_damaged(text_sum, 'versions.text', text)");
    }
    let keys = keys(new, table)?;
    let mut damaged: BTreeSet<String> = BTreeSet::new();
    for direction in ["ASC", "DESC"] {
        let order: Vec<String> = keys.iter().map(|key| format!("{key} {direction}")).collect();
        let (key, order) = (keys.join(" || ' ' || "), order.join(", "));
        let select = format!("SELECT {is_damaged}, {key}, {names} FROM {table} NOT INDEXED ORDER BY {order}");
        let Ok(mut statement) = source.prepare(&select) else { continue };
        let Ok(mut rows) = statement.query([]) else { continue };
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(Copied::Whole { damaged: damaged.len() as u64 }),
                Err(_) => break,
            };
            let values: rusqlite::Result<Vec<Value>> = (2..columns.len() + 2).map(|column| row.get(column)).collect();
            let is_sound = row.get::<_, bool>(0).is_ok_and(|is_damaged| !is_damaged);
            match values {
                Ok(values) if is_sound => {
                    if !is_own_fact(table, &values) {
                        new.prepare_cached(&insert)?.execute(rusqlite::params_from_iter(values))?;
                    }
                }
                Ok(_) | Err(_) => {
                    damaged.insert(format!("{:?}", row.get::<_, Value>(1)));
                }
            }
        }
    }
    Ok(Copied::Partly)
}

/// What a table's rows lie ordered by: their primary key, or the number that SQLite gives each.
fn keys(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?1";
    if connection.query_row(sql, [table], |row| row.get::<_, bool>(0))? {
        let sql = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";
        return connection.prepare(sql)?.query_map([table], |row| row.get(0))?.collect();
    }
    Ok(vec!["rowid".to_owned()])
}

fn is_own_fact(table: &str, values: &[Value]) -> bool {
    table == "meta" && matches!(values.first(), Some(Value::Text(name)) if OWN_FACTS.contains(&name.as_str()))
}
