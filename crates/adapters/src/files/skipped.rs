//! Folders → the files in them that Vouch does not read, and why.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::{DEPTH_MAX, format_of, is_hidden};

/// How many are told by name.
const NAMED_MAX: usize = 20;

/// Files that were passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: usize,
    /// The first of them, each with the reason.
    pub named: Vec<(PathBuf, &'static str)>,
}

/// The files below the given paths that are of no form Vouch reads; hidden ones are not meant to be read.
#[must_use]
pub fn skipped(paths: &[PathBuf]) -> Skipped {
    let mut skipped = Skipped::default();
    for root in paths {
        let walk = WalkDir::new(root).max_depth(DEPTH_MAX).sort_by_file_name().into_iter();
        let seen = walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry)).flatten();
        let is_unread = |entry: &walkdir::DirEntry| {
            entry.depth() > 0 && entry.file_type().is_file() && format_of(entry.path()).is_none()
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

fn reason(path: &Path) -> &'static str {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "pdf" => "PDF is not read; save it as text, Markdown or HTML",
        "doc" | "docx" | "odt" | "rtf" | "ppt" | "pptx" | "xls" | "xlsx" | "ods" | "odp" => {
            "office files are not read; save them as text, Markdown or HTML"
        }
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "ico" => "an image",
        _ => "of no form that is read: .md, .txt, .html, .srt, .vtt, .jsonl",
    }
}
