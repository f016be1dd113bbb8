//! A damaged data folder → one that holds what was sound, and a list of what was not.
//!
//! Invariant: nothing is deleted. The damaged files are moved aside, and what cannot be kept is named so that it can be
//! taken in again. Keys are not repaired: half of them would be a guess at who may come in.

mod salvage;
mod whole;

use std::path::{Path, PathBuf};

use vouch_domain::PortError;

use super::{
    CATALOGUE_FILE, INDEX_FOLDERS, audit, cannot_use,
    database::Database,
    examine::examine_database,
    folder_lock::FolderLock,
    keys,
    schema::{self, Migration},
    unfinished,
    watermark::{Found, Watermark},
};

const COMMAND: &str = "vouch store repair";

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairReport {
    /// The files that were damaged, and what was wrong with each.
    pub damaged: Vec<String>,
    /// What could not be kept, by name.
    pub lost: Vec<String>,
    /// Where the damaged files lie now.
    pub moved_to: Option<PathBuf>,
    /// What this does not mend, and what does.
    pub left: Vec<String>,
}

/// Keeps what is sound of a data folder's catalogue and trail, and has the indexes made anew.
///
/// # Errors
/// Fails where somebody holds the folder, a restore was broken off in it, or a file cannot be written. A repair that was broken off can be run again.
pub fn repair(folder: &Path) -> Result<RepairReport, PortError> {
    if !folder.is_dir() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(cannot_use(folder, missing));
    }
    let _lock = FolderLock::take(folder)?;
    unfinished::is_of(folder, COMMAND)?;
    unfinished::begin(folder, COMMAND)?;
    let mut report = RepairReport::default();
    for (name, migrations) in [(CATALOGUE_FILE, schema::CATALOGUE), (audit::FILE, schema::AUDIT)] {
        let wrong = findings(&folder.join(name));
        if !wrong.is_empty() {
            report.damaged.extend(wrong.iter().map(|what| format!("{name}: {what}")));
            rescue(folder, name, migrations, &mut report)?;
        }
    }
    for name in INDEX_FOLDERS {
        let path = folder.join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(|error| cannot_use(&path, error))?;
        }
    }
    unfinished::end(folder)?;
    report.left.extend(keys::find_damage(folder));
    Ok(report)
}

fn findings(path: &Path) -> Vec<String> {
    match (path.exists(), Watermark::find(path)) {
        (true, _) => examine_database(path),
        (false, Found::Mark(_) | Found::Unreadable) => vec!["the file is missing".to_owned()],
        (false, Found::Nothing) => Vec::new(),
    }
}

/// Copies what is sound of a database into a new file, moves the old one aside and puts the new one in its place.
fn rescue(folder: &Path, name: &str, migrations: &[Migration], report: &mut RepairReport) -> Result<(), PortError> {
    let (old, new) = (folder.join(name), folder.join(format!("repaired-{name}")));
    for leftover in [new.clone(), Watermark::path(&new), with_suffix(&new, "-wal"), with_suffix(&new, "-shm")] {
        match std::fs::remove_file(&leftover) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(cannot_use(&leftover, error)),
            Ok(()) | Err(_) => {}
        }
    }
    let database = Database::open(&new, migrations)?;
    let lost_rows = database.write(|transaction| {
        let lost = salvage::copy(&old, transaction)?;
        if name == CATALOGUE_FILE {
            report.lost.extend(whole::keep_whole(transaction)?);
        } else {
            audit::link_all(transaction)?;
        }
        Ok(lost)
    })?;
    report.lost.extend(lost_rows.into_iter().map(|lost| format!("{name}: {lost}")));
    database.checkpoint();
    drop(database);
    let aside = aside(folder, report)?;
    for suffix in ["", "-wal", "-shm"] {
        let from = with_suffix(&old, suffix);
        if from.exists() {
            let to = aside.join(from.file_name().unwrap_or_default());
            std::fs::rename(&from, &to).map_err(|error| cannot_use(&from, error))?;
        }
    }
    // The mark goes last: until then a kill leaves a folder that says that its database is missing.
    std::fs::rename(&new, &old).map_err(|error| cannot_use(&old, error))?;
    std::fs::rename(Watermark::path(&new), Watermark::path(&old)).map_err(|error| cannot_use(&old, error))
}

fn aside(folder: &Path, report: &mut RepairReport) -> Result<PathBuf, PortError> {
    if let Some(known) = &report.moved_to {
        return Ok(known.clone());
    }
    let mut number = 1;
    loop {
        let path = folder.join(format!("damaged-{number}"));
        match std::fs::create_dir(&path) {
            Ok(()) => {
                report.moved_to = Some(path.clone());
                return Ok(path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(cannot_use(folder, error)),
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The rows of a query's first column.
fn column<T: rusqlite::types::FromSql>(transaction: &rusqlite::Transaction<'_>, sql: &str) -> rusqlite::Result<Vec<T>> {
    transaction.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}
