//! What a catalogue's file says of the database that it is a copy of.

use std::path::Path;

use rusqlite::OpenFlags;
use vouch_domain::PortError;

use super::manifest::Store;
use crate::embedded::{
    database::connect,
    facts::meta,
    following::{FILLING, FOLLOWED, LINEAGE},
    sqlite_fault::fault,
};

/// What a file says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopyFacts {
    /// Which store it is a copy of.
    pub(super) store_id: String,
    /// What tells its database from others that the store was copied into; nothing where it began there.
    pub(super) lineage: String,
    /// The change of the database that it has come to.
    pub(super) change: u64,
    /// The generation of its documents.
    pub(super) generation: u64,
    /// How many migrations its tables have seen.
    pub(super) schema: usize,
}

impl CopyFacts {
    pub(super) fn store(&self) -> Store<'_> {
        (&self.store_id, &self.lineage)
    }

    /// The facts of a file, whoever writes to it; none where it is a copy of nothing, or one that is not filled yet.
    pub(super) fn read(catalogue: &Path) -> Result<Option<Self>, PortError> {
        let mut connection = connect(catalogue, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let transaction = connection.transaction().map_err(fault)?;
        let fact = |name: &str| meta(&transaction, name).map_err(fault);
        let number = |name: &str| Ok::<_, PortError>(fact(name)?.and_then(|text| text.parse::<u64>().ok()));
        let (Some(store_id), Some(change), None) = (fact("store_id")?, number(FOLLOWED)?, fact(FILLING)?) else {
            return Ok(None);
        };
        let generation = number("generation")?.unwrap_or(0);
        let schema = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fault)?;
        let lineage = fact(LINEAGE)?.unwrap_or_default();
        Ok(Some(Self { store_id, lineage, change, generation, schema }))
    }
}
