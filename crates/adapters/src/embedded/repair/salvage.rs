//! A damaged database file → its sound rows in a new one.
//!
//! A table is read in the order its rows lie in, from the first on and, where that fails on the way, from the last back,
//! so that one damaged page costs the rows in it and those that only it leads to. Any other order would have to read
//! everything before it gives the first row, and a single page would cost them all.

use std::{collections::BTreeSet, path::Path};

use rusqlite::{Connection, OpenFlags, Transaction, types::Value};

use crate::embedded::{database::connect, schema};

/// Tables in an order in which no row refers to one that comes later. The chain of the trail is rebuilt, and so are the
/// numbers of shelves, which follow from the versions, and what documents are compared by, which follows from their texts.
const TABLES: &[&str] = &[
    "meta",
    "tenants",
    "audiences",
    "documents",
    "versions",
    "version_topics",
    "passages",
    "embeddings",
    "vocabularies",
    "concepts",
    "labels",
    "memory",
    "memory_texts",
    "people",
    "topics",
    "sent_questions",
    "findings",
    "past_access",
    "edits",
    "entries",
    "feedback",
];
/// Facts of the new file that the old one's must not take the place of. Its identity, which it has already, stays too.
const OWN_FACTS: &[&str] = &["revision", "chain_head", "chain_anchor"];

/// What was lost of a table.
#[derive(Debug)]
pub(super) struct LostRows {
    pub(super) table: &'static str,
    pub(super) what: String,
}

/// Copies every sound row; answers what was lost, table by table, or nothing if no table could be read.
pub(super) fn copy(old: &Path, new: &Transaction<'_>) -> rusqlite::Result<Option<Vec<LostRows>>> {
    new.pragma_update(None, "defer_foreign_keys", true)?;
    let source = connect(old, OpenFlags::SQLITE_OPEN_READ_ONLY).ok();
    let found = source.as_ref().and_then(|source| version(source).ok()).filter(|version| *version > 0);
    let (Some(source), Some(found)) = (source, found) else {
        return Ok(None);
    };
    let is_earlier = found < version(new)?;
    let mut lost = Vec::new();
    for table in TABLES {
        let wanted = columns(new, table)?;
        if wanted.is_empty() {
            continue;
        }
        let copied = match columns(&source, table) {
            // A file of an earlier version need not have had it.
            Ok(found) if found.is_empty() && is_earlier => CopyOutcome::Whole { damaged: 0 },
            Ok(found) if !found.is_empty() => copy_table(&source, new, &Layout::new(table, &found, &wanted))?,
            Ok(_) | Err(_) => CopyOutcome::Nothing,
        };
        let what = match copied {
            CopyOutcome::Whole { damaged: 0 } => continue,
            CopyOutcome::Whole { damaged: 1 } => format!("one damaged row of {table}"),
            CopyOutcome::Whole { damaged } => format!("{damaged} damaged rows of {table}"),
            CopyOutcome::Partly => format!("some rows of {table} that could not be read"),
            CopyOutcome::Nothing => format!("nothing of {table} could be read"),
        };
        lost.push(LostRows { table, what });
    }
    if is_earlier && !columns(new, "versions")?.is_empty() {
        derive(new)?;
    }
    Ok(Some(lost))
}

/// What the old file says of itself under a name; none where that is damaged.
pub(super) fn fact(old: &Path, key: &str) -> Option<String> {
    let source = connect(old, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    let is_sound = match columns(&source, "meta").ok()?.iter().any(|column| column == "sum") {
        true => "NOT row_is_damaged(sum, 'meta', key, value)",
        false => "1",
    };
    // The index may be damaged where the rows are not.
    let sql = format!("SELECT value FROM meta NOT INDEXED WHERE key = ?1 AND {is_sound}");
    source.query_row(&sql, [key], |row| row.get(0)).ok()
}

enum CopyOutcome {
    Whole { damaged: u64 },
    Partly,
    Nothing,
}

/// The version of a file's tables.
fn version(connection: &Connection) -> rusqlite::Result<usize> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_info(?1) ORDER BY cid";
    connection.prepare(sql)?.query_map([table], |row| row.get(0))?.collect()
}

/// How the rows of a table are read.
struct Layout<'a> {
    table: &'a str,
    /// The columns that both files have.
    columns: Vec<&'a str>,
    /// Whether a row is damaged, in SQL; none is where the file is older than checksums.
    is_damaged: String,
}

impl<'a> Layout<'a> {
    fn new(table: &'a str, found: &'a [String], wanted: &[String]) -> Self {
        let has = |name: &str| found.iter().any(|column| column == name);
        let all = found.iter().map(String::as_str).filter(|column| *column != "sum");
        let summed: Vec<&str> = all.clone().filter(|column| (table, *column) != ("versions", "text")).collect();
        let mut is_damaged = "0".to_owned();
        if has("sum") {
            is_damaged = format!("row_is_damaged(sum, '{table}', {})", summed.join(", "));
        }
        if table == "versions" && has("text_sum") {
            is_damaged.push_str(" OR row_is_damaged(text_sum, 'versions.text', text)");
        }
        Self { table, columns: all.filter(|column| wanted.iter().any(|name| name == column)).collect(), is_damaged }
    }
}

fn copy_table(source: &Connection, new: &Transaction<'_>, layout: &Layout<'_>) -> rusqlite::Result<CopyOutcome> {
    let Layout { table, columns, is_damaged } = layout;
    let names = columns.join(", ");
    let places: Vec<String> = (1..=columns.len()).map(|number| format!("?{number}")).collect();
    let insert = format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({})", places.join(", "));
    let keys = keys(new, table)?;
    let mut damaged: BTreeSet<String> = BTreeSet::new();
    let mut copied = CopyOutcome::Nothing;
    for direction in ["ASC", "DESC"] {
        let order: Vec<String> = keys.iter().map(|key| format!("{key} {direction}")).collect();
        let (key, order) = (keys.join(" || ' ' || "), order.join(", "));
        let select = format!("SELECT {is_damaged}, {key}, {names} FROM {table} NOT INDEXED ORDER BY {order}");
        let Ok(mut statement) = source.prepare(&select) else { continue };
        let Ok(mut rows) = statement.query([]) else { continue };
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(CopyOutcome::Whole { damaged: damaged.len() as u64 }),
                Err(_) => break,
            };
            copied = CopyOutcome::Partly;
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
    Ok(copied)
}

/// Fills the columns that a file of an earlier version did not have, as bringing it to this version would have.
fn derive(new: &Transaction<'_>) -> rusqlite::Result<()> {
    schema::fill_address_keys(new)?;
    // Every document has a passage; of those that are gone only gaps tell, so the last one there is counts as well.
    new.execute_batch(
        "UPDATE versions SET text_sum = row_sum('versions.text', text) WHERE text_sum IS NULL;
         UPDATE versions SET passage_count =
             (SELECT max(count(*), coalesce(max(p.ordinal) + 1, 1)) FROM passages p
              WHERE p.document = versions.document AND p.version = versions.number)
         WHERE passage_count IS NULL;",
    )
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
