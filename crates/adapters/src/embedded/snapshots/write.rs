//! A node's data folder → a snapshot of its copy; older ones go.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::OpenFlags;
use vouch_domain::{Fault, PortError};

use super::{
    SnapshotFolder, SnapshotReport,
    facts::CopyFacts,
    manifest::{FORMAT, MANIFEST, Manifest, Store, name, now_ms},
};
use crate::embedded::{
    CATALOGUE_FILE,
    database::connect,
    examine::examine_against,
    file_card::card,
    files::{cannot_use, sync_folder},
    sqlite_fault::fault,
    unfinished,
    watermark::Watermark,
};

const PORT: &str = "store";
/// What the name of a folder begins with that is being written.
const WRITING: &str = "writing-";
/// One that was left behind by a kill is removed after so long.
const LEFT_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Writes a snapshot of a node's copy, also while a server uses the folder, and removes those of the store beyond the number
/// that is kept. Where nothing has changed since the last one, that one is noted to be the newest still.
///
/// # Errors
/// Fails if the data folder is no copy of a database or is damaged, or a file cannot be read or written; earlier snapshots
/// are then as they were.
pub fn write_snapshot(data: &Path, place: &SnapshotFolder) -> Result<SnapshotReport, PortError> {
    let catalogue = data.join(CATALOGUE_FILE);
    if !catalogue.exists() {
        return Err(invalid(format!("there is no store in {}", data.display())));
    }
    unfinished::refuse(data)?;
    std::fs::create_dir_all(&place.folder).map_err(|error| cannot_use(&place.folder, error))?;
    clear_left(&place.folder);
    let facts = CopyFacts::read(&catalogue)?.ok_or_else(no_copy)?;
    let there = place.folder.join(name(facts.store(), facts.change));
    if let Some(manifest) = whole(&there) {
        let manifest = renew(place, &there, manifest)?;
        return report(place, there, &manifest, true);
    }
    let beside = Beside::new(&place.folder)?;
    let manifest = copy(data, &beside.path)?;
    let path = place.folder.join(name(manifest.store(), manifest.change));
    // Another server may have written it meanwhile.
    let was_there = whole(&path).is_some();
    if !was_there {
        // What lies there under the same name is damaged.
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(|error| cannot_use(&path, error))?;
        }
        std::fs::rename(&beside.path, &path)
            .and_then(|()| sync_folder(&place.folder))
            .map_err(|error| cannot_use(&path, error))?;
    }
    report(place, path, &manifest, was_there)
}

/// Notes of a snapshot that it is the newest still.
fn renew(place: &SnapshotFolder, snapshot: &Path, manifest: Manifest) -> Result<Manifest, PortError> {
    let manifest = Manifest { made_ms: now_ms(), ..manifest };
    // It is written in a folder of its own, since another server may do the same at this moment.
    let beside = Beside::new(&place.folder)?;
    manifest.write(&beside.path)?;
    let renewed =
        std::fs::rename(beside.path.join(MANIFEST), snapshot.join(MANIFEST)).and_then(|()| sync_folder(snapshot));
    renewed.map_err(|error| cannot_use(snapshot, error))?;
    Ok(manifest)
}

/// Removes what is too old, and tells what was done.
fn report(
    place: &SnapshotFolder,
    path: PathBuf,
    manifest: &Manifest,
    was_there: bool,
) -> Result<SnapshotReport, PortError> {
    let removed = remove_old(place, manifest.store(), &path)?;
    let (change, generation, bytes) = (manifest.change, manifest.generation, manifest.catalogue.bytes);
    Ok(SnapshotReport { path, change, generation, bytes, was_there, removed })
}

/// Copies the catalogue into a folder, with its manifest.
fn copy(data: &Path, target: &Path) -> Result<Manifest, PortError> {
    let (source, copied) = (data.join(CATALOGUE_FILE), target.join(CATALOGUE_FILE));
    // The mark is read first: whoever writes meanwhile takes the file beyond it, and never behind.
    let mark = Watermark::find(&source);
    let connection = connect(&source, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // A copy by the database itself is of one moment, whoever writes meanwhile.
    connection.execute("VACUUM INTO ?1", [copied.to_string_lossy().as_ref()]).map_err(fault)?;
    drop(connection);
    if let Some(what) = examine_against(&copied, mark).into_iter().next() {
        let sentence = format!("{CATALOGUE_FILE} is damaged, and no snapshot was written: {what}");
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    let CopyFacts { store_id, lineage, change, generation, schema } = CopyFacts::read(&copied)?.ok_or_else(no_copy)?;
    File::open(&copied).and_then(|file| file.sync_all()).map_err(|error| cannot_use(&copied, error))?;
    let catalogue = card(&copied)?;
    let manifest =
        Manifest { format: FORMAT, made_ms: now_ms(), store_id, lineage, change, generation, schema, catalogue };
    manifest.write(target)?;
    Ok(manifest)
}

/// The manifest of a snapshot whose file is as that says.
fn whole(path: &Path) -> Option<Manifest> {
    let manifest = Manifest::read(path).ok()?;
    let is_whole = card(&path.join(CATALOGUE_FILE)).is_ok_and(|found| found == manifest.catalogue);
    let is_named = path.file_name().is_some_and(|own| *own == *name(manifest.store(), manifest.change));
    (is_whole && is_named && manifest.format == FORMAT).then_some(manifest)
}

/// Removes the oldest of a store, never the one that was just written.
fn remove_old(place: &SnapshotFolder, store: Store<'_>, written: &Path) -> Result<usize, PortError> {
    let old = place.list(store)?.into_iter().skip(place.kept_max.max(1)).filter(|path| path != written);
    let mut removed = 0;
    for path in old {
        match std::fs::remove_dir_all(&path) {
            Ok(()) => removed += 1,
            Err(error) => tracing::warn!(%error, snapshot = %path.display(), "an old snapshot could not be removed"),
        }
    }
    Ok(removed)
}

/// Removes what kills left behind long ago; what is being written now is younger.
fn clear_left(folder: &Path) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        let is_written = entry.file_name().to_string_lossy().starts_with(WRITING);
        let age = path.metadata().and_then(|facts| facts.modified()).ok().and_then(|made| made.elapsed().ok());
        if is_written && age.is_some_and(|age| age > LEFT_AFTER) {
            // What cannot be removed now is tried again next time.
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

/// A folder that is removed unless it was given its name.
struct Beside {
    path: PathBuf,
}

impl Beside {
    fn new(folder: &Path) -> Result<Self, PortError> {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let path = folder.join(format!("{WRITING}{}-{nanos}", std::process::id()));
        std::fs::create_dir(&path).map_err(|error| cannot_use(&path, error))?;
        Ok(Self { path })
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if self.path.exists()
            && let Err(error) = std::fs::remove_dir_all(&self.path)
        {
            tracing::warn!(%error, folder = %self.path.display(), "what was written of a snapshot could not be removed");
        }
    }
}

/// The error for a data folder that follows no database.
pub(super) fn no_copy() -> PortError {
    let sentence = "the data folder is no copy of a database, or is not filled yet; snapshots are what nodes start from, and a store \
                    of its own is backed up with `vouch store backup`";
    invalid(sentence.to_owned())
}

fn invalid(sentence: String) -> PortError {
    PortError::new(PORT, Fault::Invalid, sentence)
}
