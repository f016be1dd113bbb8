//! A store → another place: a folder's into a database, a database's into a folder; whole or not at all, and compared row by row.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use rusqlite::{Connection, types::Value};
use vouch_domain::{Fault, PortError};

use super::{
    CATALOGUE_FILE,
    database::Database,
    files::cannot_use,
    folder_lock::FolderLock,
    following::{Changed, TableShape, Truth, every_row},
    schema,
    sqlite_fault::fault,
    unfinished,
};

const PORT: &str = "store";

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyReport {
    /// Rows, by the names of their tables.
    pub rows: BTreeMap<String, u64>,
    /// One digest over all of them, which the copy was found to have too.
    pub digest: String,
}

/// Copies the store of a folder to where there is none yet.
pub(crate) fn copy_out(folder: &Path, truth: &dyn Truth) -> Result<CopyReport, PortError> {
    let path = folder.join(CATALOGUE_FILE);
    if !path.exists() {
        return Err(invalid(format!("there is no store in {}", folder.display())));
    }
    let _lock = FolderLock::take(folder)?;
    unfinished::refuse(folder)?;
    let database = Database::open_own(&path, schema::CATALOGUE)?;
    let mut turn = truth.turn()?;
    if turn.head().change > 0 {
        return Err(invalid("the database holds a store already; a copy needs an empty one".to_owned()));
    }
    let (tables, own) = database.read_if_fit(|transaction| {
        let (tables, mut own) = (all_tables(transaction)?, Rows::default());
        every_row(transaction, &tables, |changed| {
            own.add(&changed);
            turn.write(changed)
        })?;
        Ok((tables, own))
    })?;
    turn.commit()?;
    let mut copied = Rows::default();
    truth.changes(&tables, 0, &mut |changed| {
        copied.add(&changed);
        Ok(())
    })?;
    compare(own, &copied)
}

/// Copies a store into a folder that has none.
pub(crate) fn copy_in(folder: &Path, truth: Arc<dyn Truth>) -> Result<CopyReport, PortError> {
    if truth.turn()?.head().change == 0 {
        return Err(invalid("the database holds no store yet".to_owned()));
    }
    std::fs::create_dir_all(folder).map_err(|error| cannot_use(folder, error))?;
    let _lock = FolderLock::take(folder)?;
    unfinished::refuse(folder)?;
    let database = Database::open_following(&folder.join(CATALOGUE_FILE), schema::CATALOGUE, Arc::clone(&truth))?;
    let (tables, copied) = database.read_if_fit(|transaction| {
        let (tables, mut copied) = (all_tables(transaction)?, Rows::default());
        every_row(transaction, &tables, |changed| {
            copied.add(&changed);
            Ok(())
        })?;
        Ok((tables, copied))
    })?;
    let mut own = Rows::default();
    truth.changes(&tables, 0, &mut |changed| {
        own.add(&changed);
        Ok(())
    })?;
    let report = compare(own, &copied)?;
    database.follow_no_more()?;
    Ok(report)
}

fn all_tables(connection: &Connection) -> Result<Vec<TableShape>, PortError> {
    let mut tables = TableShape::all(connection).map_err(fault)?;
    tables.push(TableShape::sequences());
    Ok(tables)
}

/// Rows told apart by their digests, in whatever order they come.
#[derive(Debug, Default)]
struct Rows {
    tables: BTreeMap<String, (u64, u128)>,
}

impl Rows {
    fn add(&mut self, changed: &Changed) {
        let (count, sum) = self.tables.entry(changed.table.name.clone()).or_default();
        for row in &changed.rows {
            *count += 1;
            *sum = sum.wrapping_add(digest(row));
        }
    }
}

fn digest(row: &[Value]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    for value in row {
        match value {
            Value::Null => hasher.update(b"n"),
            Value::Integer(number) => hasher.update(b"i").update(&number.to_le_bytes()),
            Value::Real(number) => hasher.update(b"r").update(&number.to_bits().to_le_bytes()),
            Value::Text(text) => hasher.update(b"t").update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes()),
            Value::Blob(bytes) => hasher.update(b"b").update(&(bytes.len() as u64).to_le_bytes()).update(bytes),
        };
    }
    let mut first = [0; 16];
    hasher.finalize_xof().fill(&mut first);
    u128::from_le_bytes(first)
}

fn compare(own: Rows, copied: &Rows) -> Result<CopyReport, PortError> {
    if let Some(table) = own.tables.iter().find(|(table, rows)| copied.tables.get(*table) != Some(rows)) {
        let sentence = format!("the copy is not what was copied: {} differs", table.0);
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    let mut hasher = blake3::Hasher::new();
    for (table, (count, sum)) in &own.tables {
        hasher.update(table.as_bytes()).update(&count.to_le_bytes()).update(&sum.to_le_bytes());
    }
    let rows = own.tables.into_iter().map(|(table, (count, _))| (table, count)).collect();
    Ok(CopyReport { rows, digest: hasher.finalize().to_hex().to_string() })
}

fn invalid(sentence: String) -> PortError {
    PortError::new(PORT, Fault::Invalid, sentence)
}
