//! A data folder → everything in it that is damaged, without opening it as a store and without mending what is damaged.
//!
//! A catalogue that is sound is opened to hold the indexes against it, and keys are opened to be verified; one of an earlier
//! version is brought to the present one by that, as by any other command.

use std::path::Path;

use rusqlite::OpenFlags;
use vouch_domain::{EmbedderIdentity, PortError};

use super::{
    CATALOGUE_FILE, audit,
    database::{Database, connect},
    dense::EmbeddedDense,
    facts::{meta, revision},
    files::cannot_use,
    integrity, keys,
    lexical::EmbeddedLexical,
    schema, totals, unfinished,
    watermark::{Watermark, WatermarkState},
};

/// The database files of a folder that this module knows; keys look after themselves.
pub(super) const DATABASES: [&str; 2] = [CATALOGUE_FILE, audit::FILE];

const EXCHANGED: &str = "it is not the file that belongs to this data folder";

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file or folder it is wrong with, from the data folder on.
    pub part: String,
    /// What is wrong, for a person.
    pub what: String,
    /// Whether opening the store mends it, because it is derived from the catalogue.
    pub is_derived: bool,
}

impl Finding {
    fn new(part: &str, what: impl Into<String>) -> Self {
        Self { part: part.to_owned(), what: what.into(), is_derived: false }
    }
}

/// Looks through every file of a data folder, whoever holds it.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn examine(folder: &Path, embedder: &EmbedderIdentity) -> Result<Vec<Finding>, PortError> {
    let mut findings = Vec::new();
    match unfinished::refuse(folder) {
        Ok(()) => findings.extend(keys::find_damage(folder).map(|what| Finding::new("keys.sqlite", what))),
        Err(error) => findings.push(Finding::new("unfinished", error.sentence)),
    }
    for name in DATABASES {
        let path = folder.join(name);
        if path.try_exists().map_err(|error| cannot_use(&path, error))? {
            findings.extend(examine_database(&path).into_iter().map(|what| Finding::new(name, what)));
            if Watermark::find(&path) == WatermarkState::Unreadable {
                let part = name.replace(".sqlite", ".watermark");
                findings.push(Finding { is_derived: true, ..Finding::new(&part, "it cannot be read") });
            }
        } else if let WatermarkState::Mark(_) | WatermarkState::Unreadable = Watermark::find(&path) {
            findings.push(Finding::new(name, "the file is missing"));
        }
    }
    if folder.join(CATALOGUE_FILE).exists()
        && !findings.iter().any(|finding| finding.part == CATALOGUE_FILE)
        && let Ok(database) = Database::open(&folder.join(CATALOGUE_FILE), schema::CATALOGUE)
    {
        let derived = |part: &str, what: String| Finding { is_derived: true, ..Finding::new(part, what) };
        let (words, vectors) = (folder.join("lexical"), folder.join("dense"));
        findings.extend(EmbeddedLexical::find_damage(&words, &database).map(|what| derived("lexical", what)));
        findings.extend(EmbeddedDense::find_damage(&vectors, &database, embedder).map(|what| derived("dense", what)));
    }
    Ok(findings)
}

/// What is wrong with one database file.
pub(super) fn examine_database(path: &Path) -> Vec<String> {
    examine_against(path, Watermark::find(path))
}

/// What is wrong with a database file that had come as far as this mark.
pub(super) fn examine_against(path: &Path, mark: WatermarkState) -> Vec<String> {
    let looked = || -> Result<Vec<String>, PortError> {
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let fault = crate::embedded::sqlite_fault::fault;
        let mut found = integrity::find_damage(&connection).map_err(fault)?;
        if !found.is_empty() {
            return Ok(found);
        }
        if !integrity::has_sums(&connection).map_err(fault)? {
            // A file with a watermark has checksums already.
            found.extend(matches!(mark, WatermarkState::Mark(_)).then(|| EXCHANGED.to_owned()));
            return Ok(found);
        }
        match mark {
            WatermarkState::Mark(mark)
                if meta(&connection, "store_id").map_err(fault)?.as_ref() != Some(&mark.store_id) =>
            {
                found.push(EXCHANGED.to_owned());
            }
            WatermarkState::Mark(mark) => {
                let missing = mark.revision.saturating_sub(revision(&connection).map_err(fault)?);
                if missing > 0 {
                    found.push(format!("the last {missing} acknowledged changes are missing"));
                }
            }
            WatermarkState::Unreadable | WatermarkState::Nothing => {}
        }
        let transaction = connection.transaction().map_err(fault)?;
        if path.ends_with(CATALOGUE_FILE) {
            found.extend(totals::find_missing(&transaction).map_err(fault)?.map(|error| error.sentence));
        }
        if path.ends_with(audit::FILE) {
            found.extend(audit::chain::find_breaks(&transaction).map_err(fault)?);
        }
        Ok(found)
    };
    looked().unwrap_or_else(|error| vec![error.sentence])
}
