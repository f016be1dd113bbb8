//! A data folder → a copy of everything in it that is not derived.
//!
//! Invariant: what is called a backup was read back, is sound, and has every change that its store had acknowledged.

use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::OpenFlags;
use serde::{Deserialize, Serialize};
use vouch_domain::{Fault, PortError};

use super::{
    CATALOGUE_FILE,
    database::connect,
    examine::{DATABASES, examine_against},
    file_card::{FileCard, card},
    files::{cannot_use, close_database, own_folder, remove_database, replace_file},
    keys,
    point_in_time::{PointInTime, TurnedBack, turn_back_for_good},
    sqlite_fault::fault,
    unfinished,
    watermark::{Watermark, WatermarkState},
};

const MANIFEST: &str = "backup.json";
const FORMAT: u32 = 1;
const PORT: &str = "store";

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// The files, by name.
    pub files: Vec<String>,
    /// How many bytes they have together.
    pub bytes: u64,
    /// Where the replaced files are now.
    pub moved_to: Option<PathBuf>,
    /// What the documents were turned back to, where that was asked for.
    pub turned_back: Option<TurnedBack>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    made_ms: u64,
    pub(super) files: BTreeMap<String, FileCard>,
}

/// Copies a data folder's databases into a new folder, also while a server uses them.
///
/// # Errors
/// Fails if the target holds something, a file cannot be read or written, or what was copied is damaged, has lost
/// changes or is half exchanged.
pub fn backup(folder: &Path, target: &Path) -> Result<BackupReport, PortError> {
    backup_at(folder, target, None)
}

/// The same with the documents as they were at a point in time, where one is named.
///
/// # Errors
/// Fails as `backup` does, or if the documents of that time are not kept.
pub fn backup_at(folder: &Path, target: &Path, point: Option<&PointInTime>) -> Result<BackupReport, PortError> {
    if !folder.join(CATALOGUE_FILE).exists() {
        return Err(invalid(format!("there is no store in {}", folder.display())));
    }
    if target.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(invalid(format!("{} is not empty; name a new folder", target.display())));
    }
    unfinished::refuse(folder)?;
    own_folder(target)?;
    let mut files = BTreeMap::new();
    // The catalogue comes last: no entry of the trail then names a generation that the copy has not come to.
    for name in DATABASES.into_iter().rev() {
        if let Some(copied) = copy_database(folder, target, name)? {
            files.insert(name.to_owned(), copied);
        }
    }
    let mut turned_back = None;
    if let Some(point) = point {
        let copy = target.join(CATALOGUE_FILE);
        // What cannot be turned back is no backup of that time.
        turned_back = Some(turn_back_for_good(&copy, point).inspect_err(|_| discard(target))?);
        files.insert(CATALOGUE_FILE.to_owned(), card(&copy)?);
    }
    for name in keys::copy(folder, target)? {
        let copied = card(&target.join(&name))?;
        files.insert(name, copied);
    }
    // Files that were exchanged meanwhile may not belong together.
    unfinished::refuse(folder)?;
    let made_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    let manifest = Manifest { format: FORMAT, made_ms: u64::try_from(made_ms).unwrap_or(u64::MAX), files };
    let bytes = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    replace_file(&target.join(MANIFEST), &bytes).map_err(|error| cannot_use(target, error))?;
    own_folder(target)?;
    Ok(BackupReport { turned_back, ..report(&manifest, None) })
}

/// Removes what was copied into a folder that was empty.
fn discard(target: &Path) {
    for path in DATABASES.map(|name| target.join(name)) {
        if let Err(error) = remove_database(&path) {
            tracing::warn!(%error, file = %path.display(), "a file that is no backup could not be removed");
        }
    }
}

/// Copies one database if it exists, and checks the copy.
fn copy_database(folder: &Path, target: &Path, name: &str) -> Result<Option<FileCard>, PortError> {
    let (path, copy) = (folder.join(name), target.join(name));
    let cannot = |what: &str| {
        let sentence = format!("{name} is damaged and cannot be backed up: {what}");
        Err(PortError::new(PORT, Fault::Corrupt, sentence))
    };
    // The mark is read first: whoever writes meanwhile takes the file beyond it, and never behind.
    let mark = Watermark::find(&path);
    if !path.exists() {
        return if mark == WatermarkState::Nothing { Ok(None) } else { cannot("the file is missing") };
    }
    // A copy by the database itself is of one moment, whoever writes meanwhile.
    let source = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    source.execute("VACUUM INTO ?1", [copy.to_string_lossy().as_ref()]).map_err(fault)?;
    if let Some(what) = examine_against(&copy, mark).into_iter().next() {
        return cannot(&what);
    }
    close_database(&copy);
    File::open(&copy).and_then(|file| file.sync_all()).map_err(|error| cannot_use(&copy, error))?;
    card(&copy).map(Some)
}

/// The manifest of a backup whose every file is as it was made. A file of keys without its seal, as earlier versions backed
/// up before there was a key, is left out: it holds none.
pub(super) fn check(backup: &Path) -> Result<Manifest, PortError> {
    let path = backup.join(MANIFEST);
    let bytes = std::fs::read(&path).map_err(|error| cannot_use(&path, error))?;
    let mut manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|_| damaged(&format!("{MANIFEST} cannot be read")))?;
    if manifest.format != FORMAT {
        return Err(invalid(format!("the backup has format {}, this version reads {FORMAT}", manifest.format)));
    }
    if !manifest.files.contains_key(CATALOGUE_FILE) {
        return Err(damaged(&format!("it has no {CATALOGUE_FILE}")));
    }
    for (name, made) in &manifest.files {
        if !DATABASES.contains(&name.as_str()) && !keys::FILES.contains(&name.as_str()) {
            return Err(damaged(&format!("{name} does not belong in a backup")));
        }
        if card(&backup.join(name))? != *made {
            return Err(damaged(&format!("{name} has changed since the backup was made")));
        }
    }
    if !keys::are_whole(|name| manifest.files.contains_key(name)) {
        manifest.files.retain(|name, _| !keys::is_replaced(name));
    }
    Ok(manifest)
}

pub(super) fn report(manifest: &Manifest, moved_to: Option<PathBuf>) -> BackupReport {
    let bytes = manifest.files.values().map(|file| file.bytes).sum();
    BackupReport { files: manifest.files.keys().cloned().collect(), bytes, moved_to, turned_back: None }
}

pub(super) fn invalid(sentence: String) -> PortError {
    PortError::new(PORT, Fault::Invalid, sentence)
}

pub(super) fn damaged(what: &str) -> PortError {
    PortError::new(PORT, Fault::Corrupt, format!("the backup is damaged: {what}"))
}
