//! Paths → raw documents: what lies in a folder, read with care.
//!
//! Invariant: only regular files of a known form and bounded size are opened; each at most once, in a fixed order. A link
//! that leads out of the folder given is not followed unless the caller says so.

mod skipped;

use std::{
    collections::HashSet,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    time::SystemTime,
};

use vouch_domain::{RawDocument, SourceFormat, document::Labels, is_open_mark};
use walkdir::{DirEntry, WalkDir};

pub use skipped::{Skipped, skipped};

const DEPTH_MAX: usize = 64;
const LEADS_OUT: &str = "a link that leads out of the folder given; not followed (--follow-links follows it)";

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file's stable name.
    pub source: String,
    /// The file as the caller knows it.
    pub path: String,
    /// What is wrong, for the person who can fix it.
    pub sentence: String,
}

/// Which symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Links {
    /// Those that stay in the folder given.
    #[default]
    Within,
    /// All of them.
    Everywhere,
}

/// What to read and how far to go.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The largest file that is read.
    pub bytes_max: u64,
    /// Which links are followed.
    pub links: Links,
    /// What the caller says of every document.
    pub labels: Labels,
    /// Endings of files that the site has converters of its own for, in lower case and without dots.
    pub foreign: Vec<String>,
}

impl Reading {
    /// How a file is read, by its name; none if it is not read.
    pub(super) fn format_of(&self, path: &Path) -> Option<SourceFormat> {
        if is_open_mark(path.file_name()?.to_str()?) {
            return None;
        }
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        if self.foreign.contains(&ending) { Some(SourceFormat::Foreign) } else { SourceFormat::of_ending(&ending) }
    }
}

/// The form of a file, by its ending; none if Vouch does not read it.
#[must_use]
pub fn format_of(path: &Path) -> Option<SourceFormat> {
    SourceFormat::of_ending(&path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The files below the given paths, in order, each as a raw document or with what is wrong with it. What names no id of its own
/// is named by its path from this process's working folder on.
pub fn read_all(
    paths: &[PathBuf],
    reading: &Reading,
) -> impl Iterator<Item = Result<RawDocument, FileError>> + Send + use<> {
    read_all_from(std::env::current_dir().ok().as_deref(), paths, reading)
}

/// The same, named from another folder on: that of whoever gave the paths, where they run in another process.
pub fn read_all_from(
    base: Option<&Path>,
    paths: &[PathBuf],
    reading: &Reading,
) -> impl Iterator<Item = Result<RawDocument, FileError>> + Send + use<> {
    // A folder that cannot be looked at here may still be the beginning of a path.
    let base = base.map(|base| std::fs::canonicalize(base).unwrap_or_else(|_| base.to_owned()));
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let reading = reading.clone();
    find(paths, &reading).filter_map(move |found| match found {
        Err(fault) => Some(Err(fault)),
        Ok(found) => read_once(&found, &reading, (base.as_deref(), &mut seen)).transpose(),
    })
}

/// How many bytes there are to read; what cannot be looked at counts for nothing.
#[must_use]
pub fn measure(paths: &[PathBuf], reading: &Reading) -> u64 {
    find(paths, reading)
        .flatten()
        .map(|found| std::fs::metadata(&found.path).map_or(0, |metadata| metadata.len()))
        .sum()
}

/// A signature of the files without reading them: names, sizes and modification times.
#[must_use]
pub fn signature(paths: &[PathBuf], reading: &Reading) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let look = |SourceFile { path, .. }: SourceFile| {
        let metadata = std::fs::metadata(&path).ok();
        let size = metadata.as_ref().map_or(0, std::fs::Metadata::len);
        (path, size, metadata.and_then(|metadata| metadata.modified().ok()))
    };
    find(paths, reading).flatten().map(look).collect()
}

/// The stable name of a path: where it really is.
#[must_use]
pub fn source_name(path: &Path) -> String {
    let real = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    real.unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// A file to read, the path it was found below, and the folder it must lie in.
struct SourceFile {
    path: PathBuf,
    root: PathBuf,
    boundary: Option<PathBuf>,
}

fn find(paths: &[PathBuf], reading: &Reading) -> impl Iterator<Item = Result<SourceFile, FileError>> + Send + use<> {
    let (roots, reading) = (paths.to_vec(), reading.clone());
    roots.into_iter().flat_map(move |root| {
        let reading = reading.clone();
        let boundary = match reading.links {
            Links::Within => std::fs::canonicalize(&root).ok(),
            Links::Everywhere => None,
        };
        let mut walk = WalkDir::new(&root).follow_links(true).max_depth(DEPTH_MAX).sort_by_file_name().into_iter();
        std::iter::from_fn(move || {
            loop {
                let entry = match walk.next()? {
                    Err(error) => return Some(Err(walk_fault(&root, &error))),
                    Ok(entry) => entry,
                };
                let is_folder = entry.file_type().is_dir();
                let is_hidden = entry.depth() > 0 && is_hidden(&entry);
                let is_readable = is_folder || reading.format_of(entry.path()).is_some();
                let leads_out =
                    entry.depth() > 0 && entry.path_is_symlink() && leads_out(entry.path(), boundary.as_deref());
                if is_folder && (is_hidden || leads_out) {
                    walk.skip_current_dir();
                }
                match is_readable {
                    _ if is_hidden => {}
                    true if leads_out => return Some(Err(fault(entry.path(), LEADS_OUT))),
                    true if is_folder => {}
                    true => {
                        let (path, root) = (entry.into_path(), root.clone());
                        return Some(Ok(SourceFile { path, root, boundary: boundary.clone() }));
                    }
                    false if entry.depth() > 0 => {}
                    false => {
                        return Some(Err(fault(entry.path(), &skipped::reason(entry.path()))));
                    }
                }
            }
        })
    })
}

/// Whether a path really lies elsewhere than in a folder.
fn leads_out(path: &Path, boundary: Option<&Path>) -> bool {
    boundary.is_some_and(|folder| std::fs::canonicalize(path).is_ok_and(|real| !real.starts_with(folder)))
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

fn walk_fault(root: &Path, error: &walkdir::Error) -> FileError {
    let path = error.path().unwrap_or(root);
    match (error.loop_ancestor(), error.io_error()) {
        (Some(ancestor), _) => fault(path, &format!("a link that leads back to {}; not followed", ancestor.display())),
        (None, Some(io)) => fault(path, &format!("cannot be read: {io}")),
        (None, None) => fault(path, &format!("cannot be read: {error}")),
    }
}

fn fault(path: &Path, sentence: &str) -> FileError {
    FileError { source: source_name(path), path: path.to_string_lossy().into_owned(), sentence: sentence.to_owned() }
}

/// Reads a file unless it was read before under another name.
fn read_once(
    found: &SourceFile,
    reading: &Reading,
    (base, seen): (Option<&Path>, &mut HashSet<PathBuf>),
) -> Result<Option<RawDocument>, FileError> {
    let path = found.path.as_path();
    let cannot = |error: std::io::Error| fault(path, &format!("cannot be read: {error}"));
    let real = std::fs::canonicalize(path).map_err(cannot)?;
    let Some(format) = reading.format_of(path) else { return Ok(None) };
    // Links may have changed since they were looked at.
    if found.boundary.as_deref().is_some_and(|folder| !real.starts_with(folder)) {
        return Err(fault(path, LEADS_OUT));
    }
    if !seen.insert(real.clone()) {
        return Ok(None);
    }
    let metadata = std::fs::metadata(&real).map_err(cannot)?;
    if !metadata.is_file() {
        return Err(fault(path, "not a regular file"));
    }
    let too_large = || {
        let sentence =
            format!("{} bytes, more than the limit of {} (ingest.file_bytes_max)", metadata.len(), reading.bytes_max);
        fault(path, &sentence)
    };
    if metadata.len() > reading.bytes_max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // A file may grow while it is read; what is taken in never does.
    File::open(&real).and_then(|file| file.take(reading.bytes_max + 1).read_to_end(&mut bytes)).map_err(cannot)?;
    if bytes.len() as u64 > reading.bytes_max {
        return Err(too_large());
    }
    let source = real.to_string_lossy().into_owned();
    let fallback_id = fallback_id(&real, found, base);
    Ok(Some(RawDocument { fallback_id, url: None, source, format, bytes, labels: reading.labels.clone() }))
}

/// The path from a base folder on; for a file elsewhere, from the folder given on. Replies tell it, and where on this machine
/// that folder lies is not for those who read them.
fn fallback_id(real: &Path, found: &SourceFile, base: Option<&Path>) -> String {
    let shown = match base.and_then(|base| real.strip_prefix(base).ok()) {
        Some(below) => below.to_owned(),
        None => {
            let root = std::fs::canonicalize(&found.root).unwrap_or_else(|_| found.root.clone());
            let name = root.file_name().map(PathBuf::from).unwrap_or_default();
            match found.path.strip_prefix(&found.root) {
                Ok(below) if below.as_os_str().is_empty() => name,
                Ok(below) => name.join(below),
                Err(_) => real.file_name().map(PathBuf::from).unwrap_or_default(),
            }
        }
    };
    shown.to_string_lossy().trim_start_matches('/').replace('\\', "/")
}
