//! A checksum in every row, so that a damaged row is noticed when it is read instead of being answered from.
//!
//! SQLite has no checksums of its own: a bit that flips in a stored text changes the text and nothing else. Every table
//! therefore has a column `sum` over all its other columns. Triggers keep it, so no statement can forget to, and a view
//! `checked_TABLE` reads the table and fails at the first row whose sum does not fit. Whatever is shown, compared or
//! decided by is read through these views; only `doctor`, which lists damage, and writers use the tables.
//!
//! SQLite puts the value of `column = ?1` in the column's place wherever else a query has it, so also into the sum of rows
//! that do not have that value. A view is therefore asked with `=` only by columns that an index finds the rows by.
//!
//! Invariant: a row is changed only while its old sum fits, so that damage is never sealed again as if it were sound.

use rusqlite::{
    Connection, Transaction,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

/// What the message of an error begins with that was raised for a damaged row.
pub(super) const DAMAGED: &str = "damaged row in ";
const SUM_BYTES: usize = 16;
/// How many damaged rows of a table are named.
const NAMED_MAX: usize = 5;
/// A column too large to be read with every row; it has a sum of its own in `text_sum`, which the row's sum covers.
const APART: (&str, &str) = ("versions", "text");

/// Damaged rows of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DamagedRows {
    pub(super) table: String,
    pub(super) rows: u64,
    /// The first few, by their keys.
    pub(super) examples: Vec<String>,
}

/// Makes the functions that triggers and views use known to a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("row_sum", -1, flags, |context| sum(context, 0).map(|sum| sum.to_vec()))?;
    connection.create_scalar_function("row_fits", -1, flags, |context| {
        Ok(fits(context)? || Err(damaged(context.get_raw(1)))?)
    })?;
    connection.create_scalar_function("row_is_damaged", -1, flags, |context| Ok(!fits(context)?))
}

/// Gives every table of a database its sums, triggers and view. Runs again after a migration that changed a table.
pub(super) fn install(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    for table in tables(transaction)? {
        if !table.columns.iter().any(|column| column == "sum") {
            transaction.execute_batch(&format!("ALTER TABLE {} ADD COLUMN sum BLOB", table.name))?;
        }
        transaction.execute_batch(&table.definitions())?;
    }
    Ok(())
}

/// Every table's damaged rows; none if all is well.
pub(super) fn find_damage(connection: &Connection) -> rusqlite::Result<Vec<DamagedRows>> {
    let mut found = Vec::new();
    for table in tables(connection)? {
        let mut is_damaged = format!("row_is_damaged({})", table.arguments("sum, ", ""));
        if table.name == APART.0 {
            is_damaged.push_str(" OR row_is_damaged(text_sum, 'versions.text', text)");
        }
        let keys = table.keys.join(" || ' ' || ");
        let mut statement =
            connection.prepare(&format!("SELECT {keys} FROM {} NOT INDEXED WHERE {is_damaged}", table.name))?;
        let mut rows = statement.query([])?;
        let mut damage = DamagedRows { table: table.name.clone(), rows: 0, examples: Vec::new() };
        while let Some(row) = rows.next()? {
            damage.rows += 1;
            if damage.examples.len() < NAMED_MAX {
                damage.examples.push(shown(row.get_ref(0)?));
            }
        }
        if damage.rows > 0 {
            found.push(damage);
        }
    }
    Ok(found)
}

/// A table's name, its columns in order, and those of its primary key.
struct Table {
    name: String,
    columns: Vec<String>,
    keys: Vec<String>,
}

impl Table {
    fn summed(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .map(String::as_str)
            .filter(|column| *column != "sum" && (self.name.as_str(), *column) != APART)
    }

    /// What the functions take: something before, the table's name, and every column but the sum.
    fn arguments(&self, before: &str, prefix: &str) -> String {
        let columns: Vec<String> = self.summed().map(|column| format!("{prefix}{column}")).collect();
        format!("{before}'{}', {}", self.name, columns.join(", "))
    }

    fn definitions(&self) -> String {
        let name = &self.name;
        let columns: Vec<&str> = self.summed().collect();
        let is_new: Vec<String> = self.keys.iter().map(|key| format!("{key} = NEW.{key}")).collect();
        let seal =
            format!("UPDATE {name} SET sum = row_sum({}) WHERE {};", self.arguments("", "NEW."), is_new.join(" AND "));
        format!(
            "DROP TRIGGER IF EXISTS {name}_sum_insert;
             DROP TRIGGER IF EXISTS {name}_sum_before;
             DROP TRIGGER IF EXISTS {name}_sum_update;
             DROP VIEW IF EXISTS checked_{name};
             UPDATE {name} SET sum = row_sum({all}) WHERE sum IS NULL;
             CREATE TRIGGER {name}_sum_insert AFTER INSERT ON {name} BEGIN {seal} END;
             CREATE TRIGGER {name}_sum_before BEFORE UPDATE OF {of} ON {name} BEGIN SELECT row_fits({old}); END;
             CREATE TRIGGER {name}_sum_update AFTER UPDATE OF {of} ON {name} BEGIN {seal} END;
             CREATE VIEW checked_{name} AS SELECT * FROM {name} WHERE row_fits({now});",
            all = self.arguments("", ""),
            of = columns.join(", "),
            old = self.arguments("OLD.sum, ", "OLD."),
            now = self.arguments("sum, ", ""),
        )
    }
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
               AND name NOT IN ('embeddings_next', 'sketch_bands', 'claim_terms') ORDER BY name";
    let names = connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    names.into_iter().map(|name| table(connection, name)).collect()
}

fn table(connection: &Connection, name: String) -> rusqlite::Result<Table> {
    let mut statement = connection.prepare("SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid")?;
    let columns = statement
        .query_map([&name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)? > 0)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let keys = columns.iter().filter(|(_, is_key)| *is_key).map(|(name, _)| name.clone()).collect();
    Ok(Table { name, columns: columns.into_iter().map(|(name, _)| name).collect(), keys })
}

/// Whether the first argument is the sum of all the others.
fn fits(context: &Context<'_>) -> rusqlite::Result<bool> {
    let sum = sum(context, 1)?;
    Ok(matches!(context.get_raw(0), ValueRef::Blob(stored) if stored == sum))
}

/// The sum of the arguments from one on. Each is told by its type and length, so that no two rows read the same.
fn sum(context: &Context<'_>, from: usize) -> rusqlite::Result<[u8; SUM_BYTES]> {
    let mut hasher = blake3::Hasher::new();
    for index in from..context.len() {
        match context.get_raw(index) {
            ValueRef::Null => hasher.update(b"n"),
            ValueRef::Integer(number) => hasher.update(b"i").update(&number.to_le_bytes()),
            ValueRef::Real(number) => hasher.update(b"r").update(&number.to_bits().to_le_bytes()),
            ValueRef::Text(text) => hasher.update(b"t").update(&(text.len() as u64).to_le_bytes()).update(text),
            ValueRef::Blob(bytes) => hasher.update(b"b").update(&(bytes.len() as u64).to_le_bytes()).update(bytes),
        };
    }
    let mut sum = [0; SUM_BYTES];
    hasher.finalize_xof().fill(&mut sum);
    Ok(sum)
}

fn damaged(table: ValueRef<'_>) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(format!("{DAMAGED}{}", shown(table)).into())
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "?".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}
