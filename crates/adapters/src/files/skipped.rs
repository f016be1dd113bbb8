//! Folders → the files in them that Vouch does not read, and why.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::{DEPTH_MAX, Reading, is_hidden, known_endings};

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

/// The files below the given paths that are of no form Vouch reads; hidden ones are not meant to be read.
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

fn reason(path: &Path) -> String {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "doc" => "the old form of Word is not read; save it as .docx".to_owned(),
        "xls" => "the old form of Excel is not read; save it as .xlsx".to_owned(),
        "ppt" | "odp" => "not read; save it as .pptx or .pdf".to_owned(),
        "rtf" => "not read; save it as .docx or .odt".to_owned(),
        "msg" => "a mail of Outlook is not read; save it as .eml".to_owned(),
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "ico" | "tif" | "tiff" => {
            "an image; ingest.convert can name a program that reads it".to_owned()
        }
        _ => format!("of no form that is read: {}", known_endings()),
    }
}
