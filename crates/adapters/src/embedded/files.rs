//! Files of a data folder: replaced at once, made to last, and the faults behind what goes wrong with them.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use vouch_domain::{Fault, PortError};

/// What the mode of a file says of everybody but its owner.
#[cfg(unix)]
const OTHERS: u32 = 0o077;
/// What the names of files in a data folder begin with that hold documents, questions or keys.
const OWN_FILES: [&str; 6] = ["catalogue.", "audit.", "sessions.", "jobs.", "keys.", "requires-keys"];

/// The store of record.
pub(super) const CATALOGUE_FILE: &str = "catalogue.sqlite";

pub(super) fn cannot_use(folder: &Path, error: std::io::Error) -> PortError {
    let sentence = format!("cannot use the data folder {}: {error}", folder.display());
    PortError::new("store", io_fault(&error), sentence).with_source(error)
}

/// Makes a data folder, or the folder of a backup, if it is not there, and has only its owner read it. One that an earlier
/// version has made is closed, too, as are the databases in it. Where the folder is somebody else's, its owner decides.
pub(super) fn own_folder(folder: &Path) -> Result<(), PortError> {
    std::fs::create_dir_all(folder).map_err(|error| cannot_use(folder, error))?;
    close_to_others(folder);
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        if OWN_FILES.iter().any(|own| name.to_string_lossy().starts_with(own)) {
            close_to_others(&entry.path());
        }
    }
    Ok(())
}

/// Takes from everybody but its owner what they may do with a database's file and its logs.
pub(super) fn close_database(database: &Path) {
    with_logs(database).iter().for_each(|path| close_to_others(path));
}

/// Takes from everybody but its owner what they may do with a file or folder. A link is left alone.
#[cfg(unix)]
fn close_to_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(there) = std::fs::symlink_metadata(path) else { return };
    let mode = there.permissions().mode();
    if there.is_symlink() || mode & OTHERS == 0 {
        return;
    }
    let own = std::fs::Permissions::from_mode(mode & !OTHERS);
    if let Err(error) = std::fs::set_permissions(path, own) {
        tracing::warn!(%error, path = %path.display(), "others than its owner may read this, and it could not be closed to them");
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) {}

/// The fault behind an I/O error.
pub(super) fn io_fault(error: &std::io::Error) -> Fault {
    use std::io::ErrorKind;
    #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum that may grow")]
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Fault::Full,
        ErrorKind::NotFound | ErrorKind::PermissionDenied => Fault::Unavailable,
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => Fault::Corrupt,
        _ => Fault::Internal,
    }
}

/// Writes a file beside the old one and takes its place at once.
pub(super) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes the names in a folder last; only some systems need it or allow it.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Where a database's file lies, and where its logs do. SQLite plays a log that a kill has left into whatever file is there then.
pub(super) fn with_logs(database: &Path) -> [PathBuf; 4] {
    ["", "-journal", "-wal", "-shm"].map(|suffix| {
        let mut path = database.as_os_str().to_owned();
        path.push(suffix);
        PathBuf::from(path)
    })
}

/// Removes a database's file and its logs, as far as they are there.
pub(super) fn remove_database(database: &Path) -> std::io::Result<()> {
    for path in with_logs(database) {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}
