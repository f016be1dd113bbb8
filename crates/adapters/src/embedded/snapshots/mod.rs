//! A node's copy of a database ↔ a folder of snapshots, such as a mounted bucket or a network share, from which new nodes start.
//!
//! Invariant: what lies under a snapshot's name is whole: it is written under another one and renamed once it is on the disk.

mod facts;
mod manifest;
mod start;
mod write;

use std::path::{Path, PathBuf};

use vouch_domain::PortError;

use super::{CATALOGUE_FILE, files::cannot_use};
use facts::CopyFacts;
use manifest::{Manifest, Store};

pub(super) use start::{is_fresh, start_from};
pub use write::write_snapshot;

/// Where snapshots lie, and how many of a store are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFolder {
    /// The folder.
    pub folder: PathBuf,
    /// As many of a store are kept, the newest.
    pub kept_max: usize,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotReport {
    /// Where it lies.
    pub path: PathBuf,
    /// The change of the database that it has come to.
    pub change: u64,
    /// The generation of its documents.
    pub generation: u64,
    /// How large it is.
    pub bytes: u64,
    /// Whether it was there already, since nothing has changed, and was only found to be the newest still.
    pub was_there: bool,
    /// Older ones that were removed.
    pub removed: usize,
}

/// As many of a store's snapshots are looked at, the newest first.
const LOOKED_AT_MAX: usize = 50;

impl SnapshotFolder {
    /// When the newest snapshot of the store in a data folder was written, or was last found to be the newest still, in milliseconds
    /// since 1970; none where there is none. None was written after now.
    ///
    /// # Errors
    /// Fails if either folder cannot be read, or the data folder is no copy of a database.
    pub fn newest_ms(&self, data: &Path, now_ms: u64) -> Result<Option<u64>, PortError> {
        let facts = CopyFacts::read(&data.join(CATALOGUE_FILE))?.ok_or_else(write::no_copy)?;
        let newest = self.list(facts.store())?.into_iter().take(LOOKED_AT_MAX);
        let manifests = newest.filter_map(|path| Manifest::read(&path).ok());
        let own = manifests.filter(|manifest| manifest.store() == facts.store());
        Ok(own.filter_map(|manifest| manifest.made_by(now_ms)).max())
    }

    /// Folders that are named as snapshots of a store are, the newest first; none where the folder does not exist.
    fn list(&self, store: Store<'_>) -> Result<Vec<PathBuf>, PortError> {
        let entries = match self.folder.read_dir() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| cannot_use(&self.folder, error))?,
        };
        let mut found: Vec<(u64, PathBuf)> = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| cannot_use(&self.folder, error))?.path();
            found.extend(manifest::change_of(&path, store).map(|change| (change, path)));
        }
        found.sort_unstable_by(|one, other| other.cmp(one));
        Ok(found.into_iter().map(|(_, path)| path).collect())
    }
}
