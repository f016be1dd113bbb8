//! A damaged data folder → one that holds what was sound, and a list of what was not.
//!
//! Invariant: nothing is deleted. The damaged files are moved aside, and what cannot be kept is named so that it can be
//! taken in again. A repair that fails or is killed before it has everything to put in their places changes nothing.
//! Keys are not repaired: half of them would be a guess at who may come in.

mod exchange;
mod salvage;
mod whole;

use std::path::{Path, PathBuf};

use vouch_domain::PortError;

use super::{
    CATALOGUE_FILE, INDEX_FOLDERS, audit,
    database::Database,
    examine::examine_database,
    files::cannot_use,
    folder_lock::FolderLock,
    keys,
    schema::{self, Migration},
    unfinished,
    watermark::{Watermark, WatermarkState},
};

const COMMAND: &str = "vouch store repair";
/// What is repaired, and the tables it has.
const FILES: [(&str, &[Migration]); 2] = [(CATALOGUE_FILE, schema::CATALOGUE), (audit::FILE, schema::AUDIT)];

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

/// Keeps what is sound of a data folder's catalogue and trail, and has the indexes rebuilt.
///
/// # Errors
/// Fails if somebody holds the folder, a restore was broken off in it, or a file cannot be written. A repair that was
/// broken off can be run again and goes on where it was.
pub fn repair(folder: &Path) -> Result<RepairReport, PortError> {
    if !folder.is_dir() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(cannot_use(folder, missing));
    }
    let _lock = FolderLock::take(folder)?;
    let mut report = RepairReport::default();
    if unfinished::is_of(folder, COMMAND)? {
        exchange::finish(folder, &mut report)?;
    }
    let mut repaired = Vec::new();
    for (name, migrations) in FILES {
        let wrong = findings(&folder.join(name));
        if !wrong.is_empty() {
            report.damaged.extend(wrong.iter().map(|what| format!("{name}: {what}")));
            rescue(folder, name, migrations, &mut report)?;
            repaired.push(name);
        }
    }
    for name in INDEX_FOLDERS {
        let path = folder.join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(|error| cannot_use(&path, error))?;
        }
    }
    if !repaired.is_empty() {
        exchange::exchange(folder, &repaired, &mut report)?;
    }
    report.left.extend(keys::find_damage(folder));
    Ok(report)
}

fn findings(path: &Path) -> Vec<String> {
    match (path.exists(), Watermark::find(path)) {
        (true, _) => examine_database(path),
        (false, WatermarkState::Mark(_) | WatermarkState::Unreadable) => vec!["the file is missing".to_owned()],
        (false, WatermarkState::Nothing) => Vec::new(),
    }
}

/// Copies what is sound of a database into a new file beside it.
fn rescue(folder: &Path, name: &str, migrations: &[Migration], report: &mut RepairReport) -> Result<(), PortError> {
    let (old, new) = (folder.join(name), exchange::repaired(folder, name));
    exchange::clear(&new)?;
    let database = Database::open(&new, migrations)?;
    let lost_rows = database.write(|transaction| {
        let salvaged = salvage::copy(&old, transaction)?;
        let mut lost: Vec<String> = match &salvaged {
            None => vec!["nothing of it could be read".to_owned()],
            Some(lost) => lost.iter().map(|lost| lost.what.clone()).collect(),
        };
        if name == CATALOGUE_FILE {
            report.lost.extend(whole::keep_whole(transaction, &salvaged.unwrap_or_default())?);
        } else {
            lost.extend(whole::without_stray_feedback(transaction)?);
            audit::renewal::renew(transaction, |key| salvage::fact(&old, key))?;
        }
        Ok(lost)
    })?;
    report.lost.extend(lost_rows.into_iter().map(|lost| format!("{name}: {lost}")));
    database.checkpoint()?;
    drop(database);
    exchange::settle(&new)
}

/// The rows of a query's first column.
fn column<T: rusqlite::types::FromSql>(transaction: &rusqlite::Transaction<'_>, sql: &str) -> rusqlite::Result<Vec<T>> {
    transaction.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}
