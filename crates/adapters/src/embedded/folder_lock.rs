//! One process per data folder: the lock is the kernel's, so a killed process leaves none behind.
//!
//! The folder itself is locked where the system can do that. A lock on a file in it would be no lock any more once
//! somebody removes the file, since the next process would make and lock another one.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
};

use vouch_domain::{Fault, PortError};

use super::files::cannot_use;

const LOCK_FILE: &str = "lock";
const HOLDER_BYTES_MAX: u64 = 4_096;
/// What stands before and behind the address of a holder.
const AT: &str = " at ";
const ASK_THERE: &str = "; ask there, or stop it first";

/// Held for as long as the store is open.
pub(super) struct FolderLock {
    folder: Option<File>,
    file: File,
}

impl Drop for FolderLock {
    /// Whoever has the folder finds its file free: the folder, which is locked first, is let go last.
    fn drop(&mut self) {
        let_go(&self.file);
        self.folder.iter().for_each(let_go);
    }
}

impl FolderLock {
    pub(super) fn take(folder: &Path) -> Result<Self, PortError> {
        let path = folder.join(LOCK_FILE);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| cannot_use(folder, error))?;
        let locked_folder = lock_folder(folder)?;
        let outcome = match &locked_folder {
            LockedFolder::Held => Err(TryLockError::WouldBlock),
            LockedFolder::Taken(_) | LockedFolder::Impossible => file.try_lock(),
        };
        let folder_file = locked_folder.into_file();
        if outcome.is_err() {
            folder_file.iter().for_each(let_go);
        }
        match outcome {
            Ok(()) => {
                // The holder is written for people; the lock itself does not depend on it.
                let told =
                    file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(whoami().as_bytes()));
                if let Err(error) = told {
                    tracing::debug!(%error, "the lock's holder could not be recorded");
                }
                Ok(Self { folder: folder_file, file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let read = file.take(HOLDER_BYTES_MAX).read_to_string(&mut holder);
                let holder = if read.is_ok() && !holder.trim().is_empty() { holder.trim() } else { "another process" };
                let sentence = format!("the data folder {} is in use by {holder}", folder.display());
                Err(PortError::new("store", Fault::Held, sentence))
            }
            Err(TryLockError::Error(error)) => Err(cannot_use(folder, error)),
        }
    }
}

/// Writes down for people where the process that holds a folder can be asked.
pub fn announce(folder: &Path, address: &str) {
    let told = std::fs::write(folder.join(LOCK_FILE), format!("{}{AT}{address}{ASK_THERE}", whoami()));
    if let Err(error) = told {
        tracing::debug!(%error, "the server's address could not be recorded");
    }
}

/// Where the process that holds a folder said it can be asked; nothing where nobody holds it.
#[must_use]
pub fn announced(folder: &Path) -> Option<String> {
    if !is_held(folder) {
        return None;
    }
    let mut holder = String::new();
    File::open(folder.join(LOCK_FILE)).ok()?.take(HOLDER_BYTES_MAX).read_to_string(&mut holder).ok()?;
    let (_, address) = holder.split_once(AT)?;
    Some(address.split_once(ASK_THERE)?.0.to_owned())
}

/// Whether another process holds a folder.
#[must_use]
pub fn is_held(folder: &Path) -> bool {
    folder.is_dir() && FolderLock::take(folder).is_err_and(|error| error.fault == Fault::Held)
}

enum LockedFolder {
    Taken(File),
    Held,
    /// The system opens no folders as files; the lock on the file has to do.
    Impossible,
}

impl LockedFolder {
    fn into_file(self) -> Option<File> {
        match self {
            Self::Taken(file) => Some(file),
            Self::Held | Self::Impossible => None,
        }
    }
}

/// Unlocks a file. Closing it would not do: a program that is being started elsewhere in this process has a copy of it until it runs.
fn let_go(file: &File) {
    if let Err(error) = file.unlock() {
        tracing::debug!(%error, "a lock ends with its last copy");
    }
}

fn lock_folder(folder: &Path) -> Result<LockedFolder, PortError> {
    if !cfg!(unix) {
        return Ok(LockedFolder::Impossible);
    }
    let file = File::open(folder).map_err(|error| cannot_use(folder, error))?;
    match file.try_lock() {
        Ok(()) => Ok(LockedFolder::Taken(file)),
        Err(TryLockError::WouldBlock) => Ok(LockedFolder::Held),
        Err(TryLockError::Error(error)) => Err(cannot_use(folder, error)),
    }
}

fn whoami() -> String {
    let command: Vec<String> = std::env::args_os().take(2).map(|word| word.to_string_lossy().into_owned()).collect();
    let program = command.first().map(|path| Path::new(path).file_name().unwrap_or_default().to_string_lossy());
    let verb = command.get(1).map(String::as_str).unwrap_or_default();
    format!("process {} ({} {verb})", std::process::id(), program.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Fault, FolderLock, is_held};

    #[test]
    fn a_folder_that_is_let_go_is_free_whoever_has_copies_of_its_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = FolderLock::take(folder.path()).expect("nobody has it");
        let copies: Vec<_> =
            lock.folder.iter().chain([&lock.file]).map(|file| file.try_clone().expect("a copy")).collect();
        assert_eq!(FolderLock::take(folder.path()).err().map(|error| error.fault), Some(Fault::Held));
        drop(lock);
        assert!(!is_held(folder.path()));
        FolderLock::take(folder.path()).expect("it was let go");
        drop(copies);
    }
}
