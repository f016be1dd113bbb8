//! Where the truth lies, as a copy needs it.

use rusqlite::types::Value;
use vouch_domain::PortError;

use super::TableShape;

/// How far the truth has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// Its last change; nothing was ever written where it is zero.
    pub(crate) change: u64,
    /// Which store it is.
    pub(crate) store_id: Option<String>,
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

/// Takes changes, a few at a time; an error ends the reading.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(Changed) -> Result<(), PortError>;

/// A store that copies follow. Every call has a deadline of its own.
pub(crate) trait Truth: Send + Sync {
    /// Locks the truth for one change of whoever calls.
    fn turn(&self) -> Result<Box<dyn Turn + '_>, PortError>;

    /// Everything that was written after a change, as of one moment: first what is gone, then rows. Answers the moment.
    fn changes(&self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<Head, PortError>;
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
