//! The rows of every SQLite file of a data folder, so that a change of content shows, whoever else overlooks it.

use std::{collections::BTreeMap, path::Path};

use rusqlite::{Connection, types::ValueRef};

/// The files that hold what cannot be rebuilt.
const FILES: [&str; 3] = ["catalogue.sqlite", "keys.sqlite", "audit.sqlite"];

/// A digest of each table; why not, where it cannot be read.
pub type Content = BTreeMap<String, Result<String, String>>;

/// Reads a folder that nobody else uses.
pub fn content(data: &Path) -> Content {
    let mut content = Content::new();
    for file in FILES {
        let path = data.join(file);
        if !path.exists() {
            content.insert(file.to_owned(), Err("not there".to_owned()));
            continue;
        }
        match tables(&path) {
            Ok(tables) => content.extend(tables.into_iter().map(|(name, rows)| (format!("{file} {name}"), rows))),
            Err(error) => drop(content.insert(file.to_owned(), Err(error.to_string()))),
        }
    }
    content
}

fn tables(path: &Path) -> rusqlite::Result<Content> {
    let connection = Connection::open(path)?;
    let mut statement = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let integrity: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    let mut content: Content = names
        .into_iter()
        .map(|name| (name.clone(), digest(&connection, &name).map_err(|error| error.to_string())))
        .collect();
    content.insert("integrity".to_owned(), Ok(integrity));
    Ok(content)
}

fn digest(connection: &Connection, table: &str) -> rusqlite::Result<String> {
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\" NOT INDEXED"))?;
    let columns = statement.column_count();
    let (mut hasher, mut count) = (blake3::Hasher::new(), 0);
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        count += 1;
        for column in 0..columns {
            let bytes = match row.get_ref(column)? {
                ValueRef::Null => b"null".to_vec(),
                ValueRef::Integer(number) => number.to_le_bytes().to_vec(),
                ValueRef::Real(number) => number.to_le_bytes().to_vec(),
                ValueRef::Text(text) => text.to_vec(),
                ValueRef::Blob(bytes) => bytes.to_vec(),
            };
            hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
        }
    }
    Ok(format!("{count} rows {}", hasher.finalize().to_hex()))
}

/// The tables that are not the same.
pub fn changed(before: &Content, after: &Content) -> Vec<String> {
    let names = before.keys().chain(after.keys()).collect::<std::collections::BTreeSet<_>>();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}
