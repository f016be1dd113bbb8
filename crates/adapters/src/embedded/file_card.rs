//! What is known of a file: how long it is, and its digest.

use std::{fs::File, path::Path};

use serde::{Deserialize, Serialize};
use vouch_domain::PortError;

use super::files::cannot_use;

/// A file's length and digest.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct FileCard {
    pub(super) bytes: u64,
    pub(super) blake3: String,
}

/// What is known of the file at a path.
pub(super) fn card(path: &Path) -> Result<FileCard, PortError> {
    let mut hasher = blake3::Hasher::new();
    let read = File::open(path).and_then(|file| hasher.update_reader(file).map(|hasher| hasher.count()));
    let bytes = read.map_err(|error| cannot_use(path, error))?;
    Ok(FileCard { bytes, blake3: hasher.finalize().to_hex().to_string() })
}
