//! How far a database file had come, written beside it after every commit.
//!
//! A damaged write-ahead log does not fail: SQLite takes its damaged end for a write that was never finished and drops
//! it, and with it changes that had been acknowledged. The watermark remembers that they existed. It is written after
//! the commit has reached the disk and is not synced itself, so it may lag behind and can never be ahead of a sound file.

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

const BYTES: usize = 256;
const BYTES_MAX: u64 = 4_096;

/// Whose file it is and how many changes it had seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Watermark {
    pub(super) store_id: String,
    pub(super) revision: u64,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    mark: Watermark,
    sum: String,
}

/// What is found beside a database file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WatermarkState {
    /// The file was never written to, or its mark was removed.
    Nothing,
    /// There is a mark that cannot be read, so that it says nothing.
    Unreadable,
    Mark(Watermark),
}

impl Watermark {
    /// Where the mark of a database file lies.
    pub(super) fn path(database: &Path) -> PathBuf {
        database.with_extension("watermark")
    }

    pub(super) fn find(database: &Path) -> WatermarkState {
        let path = Self::path(database);
        let Ok(length) = std::fs::metadata(&path).map(|file| file.len()) else { return WatermarkState::Nothing };
        let bytes = if length <= BYTES_MAX { std::fs::read(&path).ok() } else { None };
        let sealed = bytes.and_then(|bytes| serde_json::from_slice::<Sealed>(&bytes).ok());
        match sealed {
            Some(sealed) if sealed.sum == sealed.mark.sum() => WatermarkState::Mark(sealed.mark),
            Some(_) | None => WatermarkState::Unreadable,
        }
    }

    /// Takes the mark of a database file away.
    pub(super) fn forget(database: &Path) {
        if let Err(error) = std::fs::remove_file(Self::path(database)) {
            tracing::debug!(%error, "the watermark of a database could not be removed");
        }
    }

    /// Writes the watermark. A failure only loses a chance to notice damage later.
    pub(super) fn store(&self, database: &Path) {
        let sealed = Sealed { mark: self.clone(), sum: self.sum() };
        let written = || -> std::io::Result<()> {
            let mut bytes = serde_json::to_vec(&sealed)?;
            // Always as long as before and in one piece: whoever reads meanwhile must not find half of it.
            bytes.resize(BYTES.max(bytes.len()), b' ');
            let path = Self::path(database);
            OpenOptions::new().write(true).create(true).truncate(false).open(path)?.write_all(&bytes)
        };
        let written = written();
        if let Err(error) = written {
            tracing::debug!(%error, "the watermark of a database could not be written");
        }
    }

    fn sum(&self) -> String {
        blake3::hash(format!("{} {}", self.store_id, self.revision).as_bytes()).to_hex().to_string()
    }
}
