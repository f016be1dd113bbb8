//! The file of keys and the seal over it, read and changed as one.
//!
//! Invariant: no key is used that the seal does not cover. Whatever is lost or damaged (the file, the seal, a bit of either)
//! is an error, and an error lets nobody in.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use vouch_domain::{Fault, PortError};

use super::super::{files::sync_folder, schema, unfinished};
use super::file_names::FILE;
use super::{
    fault::{PORT, damaged},
    file_names::SEAL_FILE,
    row::{self, KeySet},
    seal::{self, NOTE_FILE, Seal},
};

/// What SQLite may keep beside the file, by how its name ends.
const COMPANIONS: [&str; 4] = ["", "-journal", "-wal", "-shm"];
const SET_ASIDE_MAX: u32 = 1_000;
/// Set inside the file once it is sealed, so that a seal that vanishes is missed.
const SEALED: &str = "sealed";

/// The keys of one folder.
pub(super) struct Vault {
    folder: PathBuf,
    known: Mutex<VerifiedKeys>,
}

/// A set of keys that was verified, and the seal it was verified by.
#[derive(Clone)]
struct VerifiedKeys {
    seal: Option<Seal>,
    keys: Arc<KeySet>,
}

impl Vault {
    /// Opens the keys of a folder, or begins with none if there never were any.
    pub(super) fn open(folder: &Path) -> Result<Self, PortError> {
        crate::embedded::files::own_folder(folder)?;
        let _lock = seal::lock(folder)?;
        unfinished::refuse(folder)?;
        if !holds_keys(folder)? {
            create(folder)?;
        }
        let (_, known) = load(folder)?;
        Ok(Self { folder: folder.to_owned(), known: Mutex::new(known) })
    }

    /// Starts over without keys, and keeps the old files under other names. Keys stay required.
    pub(super) fn reset(folder: &Path) -> Result<Vec<String>, PortError> {
        crate::embedded::files::own_folder(folder)?;
        let _lock = seal::lock(folder)?;
        seal::write_note(folder)?;
        let kept = set_aside(folder).map_err(|error| crate::embedded::files::cannot_use(folder, error))?;
        create(folder)?;
        Seal::new(&row::digest(&KeySet::new())).write(folder)?;
        Ok(kept)
    }

    /// What is wrong with the keys of a folder; nothing if they are whole or there never were any.
    pub(super) fn find_damage(folder: &Path) -> Option<String> {
        match holds_keys(folder) {
            Ok(false) => None,
            Ok(true) => Self::open(folder).err().map(|error| error.sentence),
            Err(error) => Some(error.sentence),
        }
    }

    /// Copies verified keys, their seal and the note that they are required into another folder; answers the names. Where
    /// there never was a key there is no seal, and nothing to copy: a file without one would not fit a later seal.
    pub(super) fn copy(folder: &Path, target: &Path) -> Result<Vec<String>, PortError> {
        if !holds_keys(folder)? {
            return Ok(Vec::new());
        }
        let _lock = seal::lock(folder)?;
        let (_, known) = load(folder)?;
        if known.seal.is_none() {
            return Ok(Vec::new());
        }
        let mut copied = Vec::new();
        for name in [FILE, SEAL_FILE, NOTE_FILE].into_iter().filter(|name| folder.join(name).exists()) {
            std::fs::copy(folder.join(name), target.join(name))
                .and_then(|_| File::open(target.join(name))?.sync_all())
                .map_err(|error| crate::embedded::files::cannot_use(&target.join(name), error))?;
            copied.push(name.to_owned());
        }
        Ok(copied)
    }

    /// The current keys: read again if the seal has changed.
    pub(super) fn keys(&self) -> Result<Arc<KeySet>, PortError> {
        let seal = Seal::read(&self.folder)?;
        let known = self.known().clone();
        if known.seal == seal {
            return Ok(known.keys);
        }
        let _lock = seal::lock(&self.folder)?;
        let (_, fresh) = load(&self.folder)?;
        *self.known() = fresh.clone();
        Ok(fresh.keys)
    }

    /// Whether a key is required. Expired and revoked keys count.
    pub(super) fn is_key_required(&self) -> Result<bool, PortError> {
        Ok(!self.keys()?.is_empty() || seal::has_note(&self.folder))
    }

    /// Changes keys in one transaction, and the seal with them.
    pub(super) fn change<T>(
        &self,
        work: impl FnOnce(&Connection, &KeySet) -> Result<T, PortError>,
    ) -> Result<T, PortError> {
        let _lock = seal::lock(&self.folder)?;
        let (mut connection, known) = load(&self.folder)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        let outcome = work(&transaction, &known.keys)?;
        let sealed = "INSERT INTO meta (key, value) VALUES (?1, '1') ON CONFLICT (key) DO NOTHING";
        transaction.execute(sealed, [SEALED]).map_err(fault)?;
        let keys = row::read_all(&transaction).map_err(fault)?;
        let (before, after) = (row::digest(&known.keys), row::digest(&keys));
        if before == after {
            return Ok(outcome);
        }
        let told = |outcome: &str, error: PortError| {
            let sentence = format!("{}; {outcome}", error.sentence);
            PortError { sentence, ..error }
        };
        Seal::across(&before, &after).write(&self.folder).map_err(|error| told("no key was changed", error))?;
        transaction.commit().map_err(fault)?;
        let seal = Seal::new(&after);
        seal.write(&self.folder)
            .and_then(|()| seal::write_note(&self.folder))
            .map_err(|error| told("the keys were changed nevertheless, see `vouch key list`", error))?;
        *self.known() = VerifiedKeys { seal: Some(seal), keys: Arc::new(keys) };
        Ok(outcome)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, VerifiedKeys> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file of keys and whatever SQLite may keep beside it, by name.
pub(super) fn files() -> impl Iterator<Item = String> {
    COMPANIONS.iter().map(|ending| format!("{FILE}{ending}"))
}

/// Whether the folder has or had keys: a file of them, or anything that remembers one.
fn holds_keys(folder: &Path) -> Result<bool, PortError> {
    let is_there = folder.join(FILE).try_exists().map_err(|error| crate::embedded::files::cannot_use(folder, error))?;
    Ok(is_there || Seal::read(folder)?.is_some() || seal::has_note(folder))
}

/// Makes a file without keys. It appears whole, so that one without tables is always a damaged one.
fn create(folder: &Path) -> Result<(), PortError> {
    let fresh = folder.join(format!("{FILE}.new"));
    let refused = |error| crate::embedded::files::cannot_use(folder, error);
    for ending in COMPANIONS {
        let leftover = folder.join(format!("{FILE}.new{ending}"));
        match std::fs::remove_file(leftover) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(refused(error)),
            Ok(()) | Err(_) => {}
        }
    }
    let mut connection = connect(&fresh, OpenFlags::default()).map_err(fault)?;
    schema::migrate(&mut connection, schema::KEYS).map_err(fault)?;
    connection.close().map_err(|(_, error)| fault(error))?;
    crate::embedded::files::close_database(&fresh);
    std::fs::rename(&fresh, folder.join(FILE)).and_then(|()| sync_folder(folder)).map_err(refused)
}

/// Reads and verifies the keys of a folder whose lock is held and whose files are not half exchanged.
fn load(folder: &Path) -> Result<(Connection, VerifiedKeys), PortError> {
    unfinished::refuse(folder)?;
    if !folder.join(FILE).try_exists().map_err(|error| crate::embedded::files::cannot_use(folder, error))? {
        return Err(damaged(format!("{FILE} is missing, although this folder had keys")));
    }
    let connection = open_file(folder)?;
    let keys = row::read_all(&connection).map_err(fault)?;
    let (digest, seal) = (row::digest(&keys), Seal::read(folder)?);
    let seal = match seal {
        Some(seal) if !seal.covers(&digest) => {
            return Err(damaged(format!("{FILE} does not match {SEAL_FILE}")));
        }
        Some(seal) if seal.is_settled() => Some(seal),
        Some(_) => Some(sealed(folder, &digest)?),
        None if is_sealed(&connection).map_err(fault)? || seal::has_note(folder) => {
            return Err(damaged(format!("{SEAL_FILE} is missing")));
        }
        None if keys.is_empty() => None,
        // Written before there were seals: taken over as it is.
        None => Some(sealed(folder, &digest)?),
    };
    if !keys.is_empty() {
        seal::write_note(folder)?;
    }
    Ok((connection, VerifiedKeys { seal, keys: Arc::new(keys) }))
}

/// Whether the file says that it was sealed once.
fn is_sealed(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM meta WHERE key = ?1)", [SEALED], |row| row.get(0))
}

fn sealed(folder: &Path, digest: &str) -> Result<Seal, PortError> {
    let seal = Seal::new(digest);
    seal.write(folder)?;
    Ok(seal)
}

fn open_file(folder: &Path) -> Result<Connection, PortError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = connect(&folder.join(FILE), flags).map_err(fault)?;
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(fault)?;
    let version: usize = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fault)?;
    if verdict != "ok" || version == 0 {
        return Err(damaged(format!("{FILE} is damaged")));
    }
    if version > schema::KEYS.len() {
        let sentence =
            format!("{FILE} was written by a newer version of vouch, so every request is rejected; use that version");
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    schema::migrate(&mut connection, schema::KEYS).map_err(fault)?;
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    // Keys change rarely and are read from memory, so nothing is gained by a log beside the file that can get lost.
    let _mode: String = connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// Renames every file of the key store; answers the names they have now.
fn set_aside(folder: &Path) -> std::io::Result<Vec<String>> {
    let is_free = |number: &u32| !folder.join(format!("{FILE}.lost-{number}")).exists();
    let number = (1..SET_ASIDE_MAX).find(is_free).unwrap_or(SET_ASIDE_MAX);
    let files = COMPANIONS.iter().map(|ending| (format!("{FILE}{ending}"), format!("{FILE}.lost-{number}{ending}")));
    let seal = (SEAL_FILE.to_owned(), format!("{SEAL_FILE}.lost-{number}"));
    let mut kept = Vec::new();
    for (from, to) in files.chain([seal]) {
        match std::fs::rename(folder.join(&from), folder.join(&to)) {
            Ok(()) => kept.push(to),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(kept)
}

pub(super) fn fault(error: rusqlite::Error) -> PortError {
    let known = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Some((Fault::Full, "there is no room left on the disk; no key was changed")),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Some((Fault::Held, "another process is using the keys; try again"))
        }
        _ => None,
    };
    match known {
        Some((fault, sentence)) => PortError::new(PORT, fault, sentence).with_source(error),
        None => damaged(format!("{FILE} cannot be read")).with_source(error),
    }
}
