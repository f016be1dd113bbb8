//! A mark in the data folder while its files are being exchanged, so that a folder left half exchanged is not opened.
//!
//! Invariant: the mark names the command that set it, and only that command, or a restore, which replaces everything, goes on in
//! its place.

use std::path::Path;

use vouch_domain::{Fault, PortError};

use super::files::{cannot_use, replace_file, sync_folder};

const FILE: &str = "unfinished";

/// Says in the folder what is being done to it, until `end`.
pub(super) fn begin(folder: &Path, command: &str) -> Result<(), PortError> {
    replace_file(&folder.join(FILE), command.as_bytes()).map_err(|error| cannot_use(folder, error))
}

/// Removes the mark, once every exchanged file is on the disk under its name.
pub(super) fn end(folder: &Path) -> Result<(), PortError> {
    let ended =
        sync_folder(folder).and_then(|()| std::fs::remove_file(folder.join(FILE))).and_then(|()| sync_folder(folder));
    ended.map_err(|error| cannot_use(folder, error))
}

/// Fails if an exchange was broken off.
pub(super) fn refuse(folder: &Path) -> Result<(), PortError> {
    found(folder)?.map_or(Ok(()), |command| Err(broken_off(&command)))
}

/// Whether this command was broken off in the folder; fails if another one was, which has to be run again itself.
pub(super) fn is_of(folder: &Path, command: &str) -> Result<bool, PortError> {
    match found(folder)? {
        None => Ok(false),
        Some(broken) if broken == command => Ok(true),
        Some(broken) => Err(broken_off(&broken)),
    }
}

/// The command whose mark is in the folder.
fn found(folder: &Path) -> Result<Option<String>, PortError> {
    match std::fs::read_to_string(folder.join(FILE)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_use(folder, error)),
        Ok(command) => Ok(Some(command)),
    }
}

fn broken_off(command: &str) -> PortError {
    let sentence = format!("`{command}` was interrupted in this data folder; run it again");
    PortError::new("store", Fault::Corrupt, sentence)
}
