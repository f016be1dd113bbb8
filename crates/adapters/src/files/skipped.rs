//! Folders → the files in them that Vouch does not read, and why.

use std::path::{Path, PathBuf};

use vouch_domain::reason_unread;
use walkdir::WalkDir;

use super::{DEPTH_MAX, Reading, is_hidden};

/// How many are told by name.
const NAMED_MAX: usize = 20;

/// Files that were passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: usize,
    /// The first of them, each with the reason.
    pub named: Vec<(PathBuf, String)>,
}

/// The files below the given paths that Vouch does not read; hidden ones are not meant to be read.
#[must_use]
pub fn skipped(paths: &[PathBuf], reading: &Reading) -> Skipped {
    let mut skipped = Skipped::default();
    for root in paths {
        let walk = WalkDir::new(root).max_depth(DEPTH_MAX).sort_by_file_name().into_iter();
        let seen = walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry)).flatten();
        let is_unread = |entry: &walkdir::DirEntry| {
            entry.depth() > 0 && entry.file_type().is_file() && reading.format_of(entry.path()).is_none()
        };
        for entry in seen.filter(is_unread) {
            skipped.count += 1;
            if skipped.named.len() < NAMED_MAX {
                let why = reason(entry.path());
                skipped.named.push((entry.into_path(), why));
            }
        }
    }
    skipped
}

/// Why a file is not read.
pub(super) fn reason(path: &Path) -> String {
    reason_unread(&path.file_name().unwrap_or_default().to_string_lossy())
}
