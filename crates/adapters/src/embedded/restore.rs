//! A backup → the data folder it is put into.
//!
//! Invariant: what is restored is what was backed up, row for row unless it is turned back, but for the name that indexes elsewhere
//! know its vectors by. It lies complete beside the folder's own files before one of them is touched; what it takes the place of is
//! moved aside and never deleted.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use rusqlite::OpenFlags;
use vouch_domain::PortError;

use super::{
    CATALOGUE_FILE, INDEX_FOLDERS,
    backup::{BackupReport, Manifest, check, damaged, invalid, report},
    database::connect,
    examine::DATABASES,
    file_card::card,
    files::{cannot_use, own_folder, remove_database, sync_folder},
    folder_lock::FolderLock,
    keys,
    point_in_time::{PointInTime, TurnedBack, separate_from_indexes, turn_back_for_good},
    restored_access::{AccessNow, access_now, keep_to},
    schema,
    sqlite_fault::fault,
    unfinished,
};

const COMMAND: &str = "vouch store restore";
/// What the names of folders begin with into which replaced files are moved.
const ASIDE: &str = "replaced-";

/// What whoever restores a backup agrees to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestoreConsent {
    /// It takes the place of the store that the folder holds.
    pub replaces: bool,
    /// More people may see documents than can see them in that store.
    pub opens: bool,
}

/// Puts a backup in the place of what a data folder holds.
///
/// # Errors
/// Fails if the backup is not whole or does not fit on the disk, somebody holds the folder, or it holds a store that is
/// not to be replaced.
pub fn restore(backup: &Path, folder: &Path, replaces: bool) -> Result<BackupReport, PortError> {
    restore_at(backup, folder, RestoreConsent { replaces, opens: false }, None)
}

/// The same with the documents as they were at a point in time, where one is named.
///
/// # Errors
/// Fails as `restore` does, or if the documents of that time are not kept.
pub fn restore_at(
    backup: &Path,
    folder: &Path,
    consent: RestoreConsent,
    point: Option<&PointInTime>,
) -> Result<BackupReport, PortError> {
    let manifest = check(backup)?;
    own_folder(folder)?;
    let _lock = FolderLock::take(folder)?;
    let is_broken_off = unfinished::refuse(folder).is_err();
    if folder.join(CATALOGUE_FILE).exists() && !consent.replaces && !is_broken_off {
        let sentence =
            format!("{} already contains a store; add --replace to replace it with the backup", folder.display());
        return Err(invalid(sentence));
    }
    // Keys must not change meanwhile: their files are about to be replaced.
    let _keys = replaces_keys(&manifest).then(|| keys::lock(folder)).transpose()?;
    let begun = stage(backup, folder, &manifest).and_then(|()| {
        let catalogue = staged(folder, CATALOGUE_FILE);
        let turned_back = prepare(&catalogue, point)?;
        keep_closed(&catalogue, &access_now(&replaced_catalogue(folder)), consent.opens)?;
        unfinished::begin(folder, COMMAND)?;
        Ok(turned_back)
    });
    let turned_back = begun.inspect_err(|_| discard(folder, &manifest))?;
    let moved_to = move_aside(folder, &manifest)?;
    for name in manifest.files.keys() {
        let to = folder.join(name);
        std::fs::rename(staged(folder, name), &to).map_err(|error| cannot_use(&to, error))?;
    }
    unfinished::end(folder)?;
    own_folder(folder)?;
    Ok(BackupReport { turned_back, ..report(&manifest, moved_to) })
}

/// Where a file of a backup lies until it takes its place.
fn staged(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("restored-{name}"))
}

/// Copies a backup beside what it takes the place of, so that a disk without room changes nothing. What a restore that was killed
/// has left there goes first, with its logs.
fn stage(backup: &Path, folder: &Path, manifest: &Manifest) -> Result<(), PortError> {
    for (name, made) in &manifest.files {
        let beside = staged(folder, name);
        remove_database(&beside)
            .and_then(|()| std::fs::copy(backup.join(name), &beside))
            .and_then(|_| File::open(&beside)?.sync_all())
            .map_err(|error| cannot_use(&beside, error))?;
        if card(&beside)? != *made {
            return Err(damaged(&format!("{name} changed while it was read")));
        }
    }
    Ok(())
}

/// Makes the copied catalogue the one that the store goes on with.
fn prepare(catalogue: &Path, point: Option<&PointInTime>) -> Result<Option<TurnedBack>, PortError> {
    let turned_back = point.map(|point| turn_back_for_good(catalogue, point)).transpose()?;
    separate_from_indexes(catalogue)?;
    File::open(catalogue).and_then(|file| file.sync_all()).map_err(|error| cannot_use(catalogue, error))?;
    Ok(turned_back)
}

/// Has the copied catalogue keep to who may see the documents now.
fn keep_closed(catalogue: &Path, now: &AccessNow, opens: bool) -> Result<(), PortError> {
    if now.is_empty() {
        return Ok(());
    }
    let mut connection = connect(catalogue, OpenFlags::default())?;
    // Unlike what it takes the place of, a backup may be of an earlier version.
    schema::migrate(&mut connection, schema::CATALOGUE).map_err(fault)?;
    let transaction = connection.transaction().map_err(fault)?;
    keep_to(&transaction, now, opens)?;
    transaction.commit().map_err(fault)?;
    drop(connection);
    File::open(catalogue).and_then(|file| file.sync_all()).map_err(|error| cannot_use(catalogue, error))
}

/// The catalogue that is replaced; a restore that was killed has moved it aside.
fn replaced_catalogue(folder: &Path) -> PathBuf {
    let aside = (1..).map(|number| folder.join(format!("{ASIDE}{number}"))).take_while(|path| path.exists()).last();
    let own = folder.join(CATALOGUE_FILE);
    match aside {
        Some(aside) if !own.exists() => aside.join(CATALOGUE_FILE),
        Some(_) | None => own,
    }
}

/// Removes the copied files of a backup that is not restored after all.
fn discard(folder: &Path, manifest: &Manifest) {
    for path in manifest.files.keys().map(|name| staged(folder, name)) {
        if let Err(error) = remove_database(&path) {
            tracing::warn!(%error, file = %path.display(), "a copy of a backup's file could not be removed");
        }
    }
}

/// Moves the files that a backup takes the place of into a folder within; indexes, which can be rebuilt, are removed.
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
    let aside = (1..).map(|number| folder.join(format!("{ASIDE}{number}"))).find(|path| !path.exists());
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
