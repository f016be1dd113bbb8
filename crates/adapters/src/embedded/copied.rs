//! A store → another place: a folder's into a database, a database's into a folder. Nobody uses the copy before all of it is
//! there and was compared row by row; one that was broken off goes on where it stopped.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use rusqlite::{Connection, OpenFlags, Transaction, types::Value};
use vouch_domain::{Fault, PortError};

use super::{
    CATALOGUE_FILE,
    database::{Database, connect},
    examine::examine_database,
    facts::meta,
    files::own_folder,
    folder_lock::FolderLock,
    following::{Changed, CopyTarget, FILLING, TableShape, Truth, Unfinished, every_row, rows_from},
    schema,
    sqlite_fault::fault,
    unfinished,
};

const PORT: &str = "store";
/// Whose mark is in a folder that is not filled yet.
const COMMAND: &str = "vouch store copy";
/// How often a copy of a store that others change meanwhile is compared with it.
const COMPARED_MAX: usize = 5;

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyReport {
    /// Rows, by the names of their tables.
    pub rows: BTreeMap<String, u64>,
    /// One digest over all of them, which the copy was found to have too.
    pub digest: String,
    /// Whether an earlier attempt had begun.
    pub was_resumed: bool,
}

/// Copies the store of a folder to where there is none yet.
pub(crate) fn copy_out(
    folder: &Path,
    target: &dyn CopyTarget,
    unfinished: Unfinished,
) -> Result<CopyReport, PortError> {
    let path = folder.join(CATALOGUE_FILE);
    if !path.exists() {
        return Err(invalid(format!("there is no store in {}", folder.display())));
    }
    let _lock = FolderLock::take(folder)?;
    unfinished::refuse(folder)?;
    // Rows are copied as they lie there, and no node can use a database with one that does not fit its checksum.
    if let Some(what) = examine_database(&path).into_iter().next() {
        let sentence = format!(
            "{CATALOGUE_FILE} is damaged and is not copied: {what}. `vouch store repair` keeps what is sound, `vouch store restore` \
             brings back a backup"
        );
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    let database = Database::open_own(&path, schema::CATALOGUE)?;
    let origin = database.origin()?;
    let (tables, from) = database.read_if_fit(|transaction| {
        let tables = all_tables(transaction)?;
        let from = target.begin(&origin, &tables, unfinished)?;
        rows_from(transaction, &tables, from.as_ref(), |changed| target.write(changed))?;
        Ok((tables, from))
    })?;
    let own = database.read_if_fit(|transaction| Rows::of(transaction, &tables))?;
    let mut copied = Rows::default();
    target.written(&tables, &mut |changed| {
        copied.add(&changed);
        Ok(())
    })?;
    let report = compare(own, &copied)?;
    target.finish()?;
    Ok(CopyReport { was_resumed: from.is_some(), ..report })
}

/// Copies a store into a folder that has none.
pub(crate) fn copy_in(folder: &Path, truth: Arc<dyn Truth>) -> Result<CopyReport, PortError> {
    if truth.head()?.change == 0 {
        return Err(invalid("the database contains no store yet".to_owned()));
    }
    own_folder(folder)?;
    let _lock = FolderLock::take(folder)?;
    let path = folder.join(CATALOGUE_FILE);
    let was_resumed = unfinished::is_of(folder, COMMAND)?;
    if !was_resumed && path.exists() {
        return Err(invalid(format!(
            "{} already contains a store; a copy needs a folder without one",
            folder.display()
        )));
    }
    unfinished::begin(folder, COMMAND)?;
    let report = match was_resumed && is_let_go(&path)? {
        true => compared_before(&path)?,
        false => {
            let database = Database::open_following(&path, schema::CATALOGUE, Arc::clone(&truth))?;
            let report = compare_with(&database, truth.as_ref())?;
            database.follow_no_more()?;
            report
        }
    };
    unfinished::end(folder)?;
    Ok(CopyReport { was_resumed, ..report })
}

/// Counts the rows of a folder's store and makes one digest of them, whoever holds the folder. Stores with the same digest hold the
/// same, wherever they are.
///
/// # Errors
/// Fails if there is no store, it is of another version, or it is not whole yet.
pub fn digest_of(folder: &Path) -> Result<CopyReport, PortError> {
    let path = folder.join(CATALOGUE_FILE);
    if !path.exists() {
        return Err(invalid(format!("there is no store in {}", folder.display())));
    }
    unfinished::refuse(folder)?;
    let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let version: usize = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fault)?;
    if version != schema::CATALOGUE.len() {
        let sentence = "the store was written by another version of vouch; `vouch doctor` brings an earlier one up to this version";
        return Err(invalid(sentence.to_owned()));
    }
    let transaction = connection.transaction().map_err(fault)?;
    if meta(&transaction, FILLING).map_err(fault)?.is_some() {
        let sentence = "the data folder is an unfinished copy of a database; run the command that was filling it again";
        return Err(invalid(sentence.to_owned()));
    }
    Ok(Rows::of(&transaction, &all_tables(&transaction)?)?.into_report())
}

/// Compares a copy with the truth as both are at one change.
fn compare_with(database: &Database, truth: &dyn Truth) -> Result<CopyReport, PortError> {
    let tables = database.read_if_fit(|transaction| all_tables(transaction))?;
    for _ in 0..COMPARED_MAX {
        let mut own = Rows::default();
        let head = truth.rows(&tables, None, &mut |changed| {
            own.add(&changed);
            Ok(())
        })?;
        database.follow()?;
        if database.follow_state().is_some_and(|state| state.change == head.change) {
            return compare(own, &database.read_if_fit(|transaction| Rows::of(transaction, &tables))?);
        }
    }
    let sentence =
        "the database was changed each time the copy was compared with it; run the copy again, which goes on from here";
    Err(PortError::new(PORT, Fault::Held, sentence))
}

/// Whether a folder was filled and compared, and only its mark was left.
fn is_let_go(path: &Path) -> Result<bool, PortError> {
    if !path.exists() {
        return Ok(false);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM tenants) AND NOT EXISTS (SELECT 1 FROM meta WHERE key IN ('followed', 'filling'))";
    // A kill may have left a journal, which only one who may write takes back; the folder is held.
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let is_made: bool = connection
        .query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'tenants')", [], |row| row.get(0))
        .map_err(fault)?;
    Ok(is_made && connection.query_row(sql, [], |row| row.get(0)).map_err(fault)?)
}

fn compared_before(path: &Path) -> Result<CopyReport, PortError> {
    let database = Database::open_own(path, schema::CATALOGUE)?;
    database.read_if_fit(|transaction| Ok(Rows::of(transaction, &all_tables(transaction)?)?.into_report()))
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
    fn of(transaction: &Transaction<'_>, tables: &[TableShape]) -> Result<Self, PortError> {
        let mut rows = Self::default();
        every_row(transaction, tables, |changed| {
            rows.add(&changed);
            Ok(())
        })?;
        Ok(rows)
    }

    fn into_report(self) -> CopyReport {
        let mut hasher = blake3::Hasher::new();
        for (table, (count, sum)) in &self.tables {
            hasher.update(table.as_bytes()).update(&count.to_le_bytes()).update(&sum.to_le_bytes());
        }
        let rows = self.tables.into_iter().map(|(table, (count, _))| (table, count)).collect();
        CopyReport { rows, digest: hasher.finalize().to_hex().to_string(), was_resumed: false }
    }

    fn add(&mut self, changed: &Changed) {
        let (count, sum) = self.tables.entry(changed.table.name.clone()).or_default();
        for row in &changed.rows {
            *count += 1;
            *sum = sum.wrapping_add(row_digest(row));
        }
    }
}

fn row_digest(row: &[Value]) -> u128 {
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
    let differs = |table: &&String| own.tables.get(*table) != copied.tables.get(*table);
    if let Some(table) = own.tables.keys().chain(copied.tables.keys()).find(differs) {
        let sentence = format!("the copy differs from what was copied ({table}) and cannot be used");
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    Ok(own.into_report())
}

fn invalid(sentence: String) -> PortError {
    PortError::new(PORT, Fault::Invalid, sentence)
}
