//! A data folder → a copy of everything in it that is not derived, and back.
//!
//! Invariant: what is called a backup was read back and is sound; what is restored is what was backed up, byte for byte;
//! what a restore takes the place of is moved aside and never deleted.

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
    CATALOGUE_FILE, INDEX_FOLDERS, cannot_use,
    database::{connect, fault},
    examine::{DATABASES, examine_database},
    folder_lock::FolderLock,
    keys, replace_file, sync_folder, unfinished,
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
    /// Where what was replaced lies now.
    pub moved_to: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: u32,
    made_ms: u64,
    files: BTreeMap<String, FileCard>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct FileCard {
    bytes: u64,
    blake3: String,
}

/// Copies a data folder's databases into a new folder, also while a server uses them.
///
/// # Errors
/// Fails where the target holds something, a file cannot be read or written, or what was copied is damaged.
pub fn backup(folder: &Path, target: &Path) -> Result<BackupReport, PortError> {
    if !folder.join(CATALOGUE_FILE).exists() {
        return Err(invalid(format!("there is no store in {}", folder.display())));
    }
    if target.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(invalid(format!("{} is not empty; name a new folder", target.display())));
    }
    std::fs::create_dir_all(target).map_err(|error| cannot_use(target, error))?;
    let mut files = BTreeMap::new();
    for name in DATABASES.into_iter().filter(|name| folder.join(name).exists()) {
        let copy = target.join(name);
        // A copy by the database itself is of one moment, whoever writes meanwhile.
        let source = connect(&folder.join(name), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        source.execute("VACUUM INTO ?1", [copy.to_string_lossy().as_ref()]).map_err(fault)?;
        if let Some(what) = examine_database(&copy).into_iter().next() {
            let sentence = format!("{name} is damaged and cannot be backed up: {what}");
            return Err(PortError::of(PORT, Fault::Corrupt, sentence));
        }
        File::open(&copy).and_then(|file| file.sync_all()).map_err(|error| cannot_use(&copy, error))?;
        files.insert(name.to_owned(), card(&copy)?);
    }
    for name in keys::copy(folder, target)? {
        let copied = card(&target.join(&name))?;
        files.insert(name, copied);
    }
    let made_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    let manifest = Manifest { format: FORMAT, made_ms: u64::try_from(made_ms).unwrap_or(u64::MAX), files };
    let bytes = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    replace_file(&target.join(MANIFEST), &bytes).map_err(|error| cannot_use(target, error))?;
    Ok(report(&manifest, None))
}

/// Puts a backup in the place of what a data folder holds.
///
/// # Errors
/// Fails where the backup is not whole, somebody holds the folder, or it holds a store that is not to be replaced.
pub fn restore(backup: &Path, folder: &Path, replaces: bool) -> Result<BackupReport, PortError> {
    let manifest = check(backup)?;
    std::fs::create_dir_all(folder).map_err(|error| cannot_use(folder, error))?;
    let _lock = FolderLock::take(folder)?;
    let is_broken_off = unfinished::refuse(folder).is_err();
    if folder.join(CATALOGUE_FILE).exists() && !replaces && !is_broken_off {
        let sentence = format!("{} holds a store; add --replace to put the backup in its place", folder.display());
        return Err(invalid(sentence));
    }
    // Whoever changes keys meanwhile would change files that are about to be replaced.
    let _keys = replaces_keys(&manifest).then(|| keys::lock(folder)).transpose()?;
    unfinished::begin(folder, "vouch store restore")?;
    let moved_to = move_aside(folder, &manifest)?;
    for name in manifest.files.keys() {
        let (from, to) = (backup.join(name), folder.join(name));
        let beside = folder.join(format!("{name}.new"));
        std::fs::copy(&from, &beside)
            .and_then(|_| File::open(&beside)?.sync_all())
            .and_then(|()| std::fs::rename(&beside, &to))
            .map_err(|error| cannot_use(&to, error))?;
    }
    unfinished::end(folder)?;
    Ok(report(&manifest, moved_to))
}

/// Moves the files that a backup takes the place of into a folder within; indexes, which can be made anew, are removed.
/// Keys stay where the backup has none, and the note that they are required always stays.
fn move_aside(folder: &Path, manifest: &Manifest) -> Result<Option<PathBuf>, PortError> {
    let failed = |error| cannot_use(folder, error);
    for name in INDEX_FOLDERS {
        let path = folder.join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(failed)?;
        }
    }
    let replaces_keys = replaces_keys(manifest);
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if (replaces_keys && keys::is_replaced(&name)) || DATABASES.iter().any(|database| is_of(database, &name)) {
            files.push(name);
        }
    }
    if files.is_empty() {
        return Ok(None);
    }
    let aside = (1..).map(|number| folder.join(format!("replaced-{number}"))).find(|path| !path.exists());
    let Some(aside) = aside else { return Ok(None) };
    std::fs::create_dir(&aside).map_err(failed)?;
    for name in files {
        std::fs::rename(folder.join(&name), aside.join(&name)).map_err(failed)?;
    }
    sync_folder(&aside).map_err(failed)?;
    Ok(Some(aside))
}

fn replaces_keys(manifest: &Manifest) -> bool {
    manifest.files.keys().any(|name| keys::is_replaced(name))
}

/// Whether a file belongs to a database: itself, its logs and its watermark.
fn is_of(database: &str, name: &str) -> bool {
    let stem = database.trim_end_matches(".sqlite");
    name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'))
}

/// The manifest of a backup whose every file is as it was made.
fn check(backup: &Path) -> Result<Manifest, PortError> {
    let path = backup.join(MANIFEST);
    let bytes = std::fs::read(&path).map_err(|error| cannot_use(&path, error))?;
    let damaged = |what: String| PortError::of(PORT, Fault::Corrupt, format!("the backup is damaged: {what}"));
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|_| damaged(format!("{MANIFEST} cannot be read")))?;
    if manifest.format != FORMAT {
        return Err(invalid(format!("the backup has format {}, this version reads {FORMAT}", manifest.format)));
    }
    if !manifest.files.contains_key(CATALOGUE_FILE) {
        return Err(damaged(format!("it has no {CATALOGUE_FILE}")));
    }
    for (name, made) in &manifest.files {
        if !DATABASES.contains(&name.as_str()) && !keys::FILES.contains(&name.as_str()) {
            return Err(damaged(format!("{name} does not belong in a backup")));
        }
        if card(&backup.join(name))? != *made {
            return Err(damaged(format!("{name} is not as it was made")));
        }
    }
    Ok(manifest)
}

fn card(path: &Path) -> Result<FileCard, PortError> {
    let mut hasher = blake3::Hasher::new();
    let read = File::open(path).and_then(|file| hasher.update_reader(file).map(|hasher| hasher.count()));
    let bytes = read.map_err(|error| cannot_use(path, error))?;
    Ok(FileCard { bytes, blake3: hasher.finalize().to_hex().to_string() })
}

fn report(manifest: &Manifest, moved_to: Option<PathBuf>) -> BackupReport {
    let bytes = manifest.files.values().map(|file| file.bytes).sum();
    BackupReport { files: manifest.files.keys().cloned().collect(), bytes, moved_to }
}

fn invalid(sentence: String) -> PortError {
    PortError::of(PORT, Fault::Invalid, sentence)
}
