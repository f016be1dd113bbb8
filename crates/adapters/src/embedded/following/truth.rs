//! Where the truth lies, as a copy needs it.

use rusqlite::types::Value;
use vouch_domain::PortError;

use super::TableShape;

/// How far the truth has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// Its last change; nothing was ever written where it is zero.
    pub(crate) change: u64,
    /// The change that it began with, where it is a copy of a store: what has come to an earlier one followed another copy.
    pub(crate) first: u64,
    /// Which store it is.
    pub(crate) store_id: Option<String>,
}

impl Head {
    /// What tells a copy of this truth from those of others of the same store; nothing where the store began here.
    pub(crate) fn lineage(&self) -> String {
        if self.first > 0 { self.first.to_string() } else { String::new() }
    }
}

/// Rows of one table that were written, and keys of rows that were taken out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Changed {
    /// The table.
    pub(crate) table: TableShape,
    /// Rows, each with a value for every column.
    pub(crate) rows: Vec<Vec<Value>>,
    /// Keys of rows that are gone.
    pub(crate) gone: Vec<Vec<Value>>,
}

/// How far a copy of everything has come, table by table in the order of their keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// The table of the last row that was copied; those before it are whole.
    pub(crate) table: String,
    /// The key of that row.
    pub(crate) key: Vec<Value>,
}

impl Place {
    /// Where a copy is once these rows are written.
    pub(crate) fn after(changed: &Changed) -> Option<Self> {
        let key = changed.table.key_of(changed.rows.last()?);
        Some(Self { table: changed.table.name.clone(), key })
    }

    /// The tables that are not whole yet, each with the key that it is copied up to.
    pub(crate) fn rest<'a>(
        place: Option<&'a Self>,
        tables: &'a [TableShape],
    ) -> Vec<(&'a TableShape, Option<&'a [Value]>)> {
        let Some(place) = place else { return tables.iter().map(|table| (table, None)).collect() };
        let rest = tables.iter().skip_while(|table| table.name != place.table);
        rest.map(|table| (table, (table.name == place.table).then_some(place.key.as_slice()))).collect()
    }
}

/// Which store is copied, and in which of its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The store.
    pub(crate) store_id: String,
    /// How many changes its file had seen.
    pub(crate) revision: u64,
}

/// Takes changes, a few at a time; an error ends the reading.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(Changed) -> Result<(), PortError>;

/// A store that copies follow. Every call has a deadline of its own.
pub(crate) trait Truth: Send + Sync {
    /// Locks the truth for one change of whoever calls.
    fn turn(&self) -> Result<Box<dyn Turn + '_>, PortError>;

    /// Everything that was written after a change, as of one moment: first what is gone, then rows. Answers the moment.
    fn changes(&self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<Head, PortError>;

    /// How far it has come.
    fn head(&self) -> Result<Head, PortError>;

    /// Every row from a place on, as of one moment, in the order of tables and keys. Answers the moment.
    fn rows(&self, tables: &[TableShape], from: Option<&Place>, visit: Visit<'_>) -> Result<Head, PortError>;
}

/// Where a store can be copied to. Nobody uses it before the copy is finished.
pub(crate) trait CopyTarget {
    /// Begins a copy, or goes on with one that was broken off; answers how far that had come.
    ///
    /// # Errors
    /// Fails if there is a store already, or the unfinished copy is of another store and is not to be discarded.
    fn begin(&self, origin: &Origin, tables: &[TableShape], unfinished: Unfinished)
    -> Result<Option<Place>, PortError>;

    /// Writes rows, and how far the copy has come with them.
    fn write(&self, changed: Changed) -> Result<(), PortError>;

    /// Every row that was written.
    fn written(&self, tables: &[TableShape], visit: Visit<'_>) -> Result<(), PortError>;

    /// Makes what was copied the store.
    fn finish(&self) -> Result<(), PortError>;
}

/// What becomes of an unfinished copy of another store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// It stays, and nothing is copied.
    Keep,
    /// Its rows are removed.
    Discard,
}

/// The truth, locked: until this is dropped nobody else changes it.
pub(crate) trait Turn {
    /// How far it has come.
    fn head(&self) -> &Head;

    /// Everything that was written after a change.
    fn changes(&mut self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<(), PortError>;

    /// Writes rows as part of the next change; nobody sees them before it is whole.
    fn write(&mut self, changed: Changed) -> Result<(), PortError>;

    /// Ends the change; answers which it is.
    fn commit(self: Box<Self>) -> Result<u64, PortError>;
}
