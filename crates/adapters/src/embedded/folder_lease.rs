//! The lock of an open store, which can be let go for a while and taken again.
//!
//! Who has let go only reads, and reads what SQLite shows every process alike; before anything is written the folder is taken
//! again. Invariant: a store whose files were exchanged meanwhile is never written to.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use vouch_domain::{Fault, PortError};

use super::{CATALOGUE_FILE, files::cannot_use, folder_lock::FolderLock, unfinished};

/// How often a folder that somebody else holds is tried again.
const TRIED_EVERY: Duration = Duration::from_millis(50);

/// A lock that can be let go.
pub struct FolderLease {
    folder: PathBuf,
    held: Mutex<Option<FolderLock>>,
    /// Which file the catalogue is, as the system knows it.
    catalogue: u64,
}

impl FolderLease {
    pub(super) fn new(folder: &Path, lock: FolderLock) -> Result<Self, PortError> {
        Ok(Self { folder: folder.to_owned(), held: Mutex::new(Some(lock)), catalogue: catalogue(folder)? })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Lets others have the folder.
    pub fn let_go(&self) {
        drop(self.held.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Takes the folder again, once whoever has it is done; nothing to do where it was not let go. Waits on this thread.
    ///
    /// # Errors
    /// Fails if it is not free in time, or holds other files now.
    pub fn take_again(&self, wait: Duration) -> Result<(), PortError> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(());
        }
        let began = Instant::now();
        let lock = loop {
            match FolderLock::take(&self.folder) {
                Err(error) if error.fault == Fault::Held && began.elapsed() < wait => std::thread::sleep(TRIED_EVERY),
                taken => break taken?,
            }
        };
        unfinished::refuse(&self.folder)?;
        if catalogue(&self.folder)? != self.catalogue {
            let sentence = "the store was replaced while an answer was being written; ask again";
            return Err(PortError::new("store", Fault::Held, sentence));
        }
        *held = Some(lock);
        Ok(())
    }
}

#[cfg(unix)]
fn catalogue(folder: &Path) -> Result<u64, PortError> {
    use std::os::unix::fs::MetadataExt;
    let file = std::fs::metadata(folder.join(CATALOGUE_FILE)).map_err(|error| cannot_use(folder, error))?;
    Ok(file.ino())
}

#[cfg(not(unix))]
fn catalogue(folder: &Path) -> Result<u64, PortError> {
    std::fs::metadata(folder.join(CATALOGUE_FILE)).map_err(|error| cannot_use(folder, error)).map(|_| 0)
}
