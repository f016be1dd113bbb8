//! What a snapshot says of itself, and how its folder is named.

use std::{
    fs::File,
    io::Read,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use vouch_domain::{Fault, PortError};

use crate::embedded::{
    file_card::FileCard,
    files::{cannot_use, replace_file},
};

/// The name of the file.
pub(super) const MANIFEST: &str = "snapshot.json";
/// What this version writes.
pub(super) const FORMAT: u32 = 1;
/// What the name of a snapshot's folder begins with.
const NAME: &str = "snapshot-";
/// As much of a store's identifier is in the name.
const STORE_CHARS: usize = 8;
/// A manifest is some hundred bytes; a longer file is none.
const BYTES_MAX: u64 = 64 * 1024;
/// So far may the clock of another server be ahead. One that is further ahead was wrong, and says nothing.
const AHEAD_MAX_MS: u64 = 10 * 60 * 1_000;

/// A store and its lineage: which database a snapshot is of.
pub(super) type Store<'a> = (&'a str, &'a str);

/// What a snapshot says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u32,
    /// When it was written, or was last found to be the newest still.
    pub(super) made_ms: u64,
    /// Which store it is of.
    pub(super) store_id: String,
    /// What tells its database from others that the store was copied into; nothing where it began there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) lineage: String,
    /// The change of the database that it has come to.
    pub(super) change: u64,
    pub(super) generation: u64,
    /// How many migrations its tables have seen.
    pub(super) schema: usize,
    pub(super) catalogue: FileCard,
}

impl Manifest {
    pub(super) fn store(&self) -> Store<'_> {
        (&self.store_id, &self.lineage)
    }

    /// The manifest of a snapshot's folder; why there is none, in words.
    pub(super) fn read(snapshot: &Path) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("its manifest cannot be read ({error})");
        let file = File::open(snapshot.join(MANIFEST)).map_err(cannot)?;
        let mut bytes = Vec::new();
        let length = file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
        if length as u64 > BYTES_MAX {
            return Err("its manifest is too long".to_owned());
        }
        serde_json::from_slice(&bytes).map_err(|_| "its manifest cannot be read".to_owned())
    }

    /// Writes the manifest into a folder.
    pub(super) fn write(&self, folder: &Path) -> Result<(), PortError> {
        let bytes = serde_json::to_vec_pretty(self).map_err(|error| {
            PortError::new("store", Fault::Internal, "the manifest cannot be written").with_source(error)
        })?;
        replace_file(&folder.join(MANIFEST), &bytes).map_err(|error| cannot_use(folder, error))
    }

    /// When the snapshot was made, as far as this server can tell: what lies a little ahead was made now. A moment far ahead is none,
    /// since no server would write another before it has passed.
    pub(super) fn made_by(&self, now_ms: u64) -> Option<u64> {
        let is_told = self.made_ms <= now_ms.saturating_add(AHEAD_MAX_MS);
        is_told.then_some(self.made_ms.min(now_ms))
    }
}

/// The moment that a manifest notes, in milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    u64::try_from(now_ms).unwrap_or(u64::MAX)
}

/// How the folder of a store's snapshot is named that has come to a change.
pub(super) fn name(store: Store<'_>, change: u64) -> String {
    format!("{}{change:020}", prefix(store))
}

/// The change that is in the name of a folder; none where it is not that of a snapshot of this store.
pub(super) fn change_of(path: &Path, store: Store<'_>) -> Option<u64> {
    path.file_name()?.to_str()?.strip_prefix(prefix(store).as_str())?.parse().ok()
}

/// What the names of a store's snapshots begin with.
fn prefix((store_id, lineage): Store<'_>) -> String {
    let store: String = store_id.chars().take(STORE_CHARS).collect();
    let dash = if lineage.is_empty() { "" } else { "-" };
    format!("{NAME}{store}{dash}{lineage}-")
}
