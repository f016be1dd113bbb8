//! What a data folder remembers of its keys outside their own file: a seal over the whole set, and a note that a key is
//! required at all.
//!
//! Invariant: each of the two is replaced whole or not at all, and is on the disk before anything relies on it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read},
    path::Path,
    time::{Duration, Instant},
};

use vouch_domain::{Fault, PortError};

use super::fault::{PORT, damaged};
use super::file_names::SEAL_FILE;
use crate::embedded::files::replace_file;

/// Named unlike the key store's own files, so that whatever removes those by a pattern leaves this one.
pub(super) const NOTE_FILE: &str = "requires-keys";
const LOCK_FILE: &str = "keys.lock";

const HEADING: &str = "vouch key store 1";
const SEAL_BYTES_MAX: u64 = 4_096;
const DIGEST_CHARS: usize = 64;

const NOTE: &str = "Servers on this data folder reject every request without a key, even if the files of the key store are lost.\n\
                    To go back to a server without keys, run `vouch key reset --yes` and then delete this file.\n";

const LOCK_DEADLINE: Duration = Duration::from_secs(5);
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The digests a set of keys may have: one, or two while a change is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seal(Vec<String>);

impl Seal {
    pub(super) fn new(digest: &str) -> Self {
        Self(vec![digest.to_owned()])
    }

    /// Both the set before a change and the set after it are valid, so a kill in between leaves a valid store.
    pub(super) fn across(before: &str, after: &str) -> Self {
        Self(vec![before.to_owned(), after.to_owned()])
    }

    pub(super) fn covers(&self, digest: &str) -> bool {
        self.0.iter().any(|own| own == digest)
    }

    pub(super) fn is_settled(&self) -> bool {
        self.0.len() == 1
    }

    /// The seal of a folder; none if there is no such file.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, PortError> {
        let file = match File::open(folder.join(SEAL_FILE)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(damaged(format!("{SEAL_FILE} cannot be read ({error})"))),
        };
        let mut text = String::new();
        let read = file.take(SEAL_BYTES_MAX).read_to_string(&mut text);
        read.map_err(|error| damaged(format!("{SEAL_FILE} cannot be read ({error})")))?;
        Self::parse(&text).map(Some).ok_or_else(|| damaged(format!("{SEAL_FILE} is damaged")))
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), PortError> {
        let text = format!("{HEADING}\n{}\n", self.0.join("\n"));
        replace(folder, SEAL_FILE, &text)
    }

    fn parse(text: &str) -> Option<Self> {
        let digests: Vec<String> = text
            .strip_prefix(HEADING)?
            .strip_prefix('\n')?
            .strip_suffix('\n')?
            .split('\n')
            .map(str::to_owned)
            .collect();
        let is_digest = |text: &String| {
            text.len() == DIGEST_CHARS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        ((1..=2).contains(&digests.len()) && digests.iter().all(is_digest)).then_some(Self(digests))
    }
}

/// Whether the folder says that a key is required; in doubt it does.
pub(super) fn has_note(folder: &Path) -> bool {
    folder.join(NOTE_FILE).try_exists().unwrap_or(true)
}

/// Records that from now on a key is required.
pub(super) fn write_note(folder: &Path) -> Result<(), PortError> {
    if has_note(folder) { Ok(()) } else { replace(folder, NOTE_FILE, NOTE) }
}

/// Locks the key store of a folder for reading and changing, until the value is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, PortError> {
    let refused = |error: io::Error| crate::embedded::files::cannot_use(folder, error);
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(LOCK_FILE));
    let file = file.map_err(refused)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_DEADLINE => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {
                let sentence = "another process is changing the keys and does not finish; try again";
                return Err(PortError::new(PORT, Fault::Held, sentence));
            }
            Err(TryLockError::Error(error)) => return Err(refused(error)),
        }
    }
}

/// Replaces a file atomically; it is on the disk when this returns.
fn replace(folder: &Path, name: &str, text: &str) -> Result<(), PortError> {
    replace_file(&folder.join(name), text.as_bytes()).map_err(|error| {
        let fault = crate::embedded::files::io_fault(&error);
        PortError::new(PORT, fault, format!("{name} cannot be written ({error})")).with_source(error)
    })
}

#[cfg(test)]
mod tests {
    use super::Seal;

    #[test]
    fn a_seal_is_read_back_and_nothing_else_is_one() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Seal::read(folder.path()).expect("an answer"), None);
        for seal in [Seal::new(&"a".repeat(64)), Seal::across(&"a".repeat(64), &"0".repeat(64))] {
            seal.write(folder.path()).expect("written");
            assert_eq!(Seal::read(folder.path()).expect("an answer").as_ref(), Some(&seal));
        }
        let digest = "f".repeat(64);
        for wrong in [
            String::new(),
            "vouch key store 1\n".to_owned(),
            format!("vouch key store 1\n{digest}"),
            format!("vouch key store 2\n{digest}\n"),
            format!("vouch key store 1\n{digest}\n{digest}\n{digest}\n"),
            format!("vouch key store 1\n{}\n", "F".repeat(64)),
            format!("vouch key store 1\n{}\n", "f".repeat(63)),
        ] {
            std::fs::write(folder.path().join("keys.seal"), &wrong).expect("written");
            assert!(Seal::read(folder.path()).is_err(), "{wrong:?}");
        }
    }
}
