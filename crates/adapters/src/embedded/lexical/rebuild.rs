//! The folder of an index → an index that can be relied on: opened where it fits its seal, rebuilt where it does not.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use tantivy::{Index, ReloadPolicy, TantivyError};
use vouch_domain::{Fault, PortError, ports::Generation};

use super::{
    analysis,
    fault::{PORT, fault},
    opened::OpenIndex,
    schema::{self, Fields, RECIPE},
    seal::{self, Owner, SealState},
    statistics::Totals,
};
use crate::embedded::{database::Database, files::cannot_use, generations::ahead_of_catalogue};

/// Runs the index library where a panic of it is an error like any other.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, PortError>) -> Result<T, PortError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(PortError::new(PORT, Fault::Corrupt, "the word index is damaged: its library failed on it"))
    })
}

/// Opens a folder's index, or makes an empty one in its place that the next catch-up fills. One that has seen more than the
/// catalogue holds is left as it is, whatever else is wrong with it: it shows that the catalogue lost something.
pub(super) fn open_or_create(folder: &Path, database: &Database) -> Result<OpenIndex, PortError> {
    refuse_ahead(seal::generation(folder, owner(database)), database)?;
    let opened = match seal::find(folder, owner(database)) {
        SealState::Nothing | SealState::Foreign => return create(folder),
        SealState::Damaged(what) => Err(PortError::new(PORT, Fault::Corrupt, what)),
        SealState::Whole(seal) => guarded(|| {
            seal::remove_leftovers(folder, &seal.segments()).map_err(|error| cannot_use(folder, error))?;
            open(folder)
        }),
        SealState::Unsealed => {
            let opened = guarded(|| open(folder));
            let generation = opened.as_ref().ok().and_then(|opened| reached(&opened.index, database));
            refuse_ahead(generation, database)?;
            opened.and_then(|opened| guarded(|| confirmed(opened, folder, database)))
        }
    };
    opened.or_else(|error| {
        tracing::warn!(%error, "the word index is damaged and is rebuilt from the catalogue");
        create(folder)
    })
}

/// Empties the folder and starts an index in it.
pub(super) fn create(folder: &Path) -> Result<OpenIndex, PortError> {
    let removed = std::fs::remove_dir_all(folder);
    if let Err(error) = removed.or_else(|error| if folder.exists() { Err(error) } else { Ok(()) }) {
        return Err(cannot_use(folder, error));
    }
    std::fs::create_dir_all(folder).map_err(|error| cannot_use(folder, error))?;
    // Until its first commit is sealed an index is unsealed, not damaged.
    seal::mark(folder).map_err(|error| cannot_use(folder, error))?;
    Index::create_in_dir(folder, schema::schema()).and_then(ready).map_err(fault)
}

/// Seals what was committed.
pub(super) fn seal(folder: &Path, index: &Index, database: &Database, generation: Generation) -> Result<(), PortError> {
    let segments = segments(index)?;
    seal::write(folder, owner(database), generation, &segments).map_err(|error| cannot_use(folder, error))
}

/// What is wrong with a folder's index, without mending it.
pub(super) fn find_damage(folder: &Path, database: &Database) -> Option<String> {
    match seal::find(folder, owner(database)) {
        SealState::Damaged(what) => Some(what),
        SealState::Nothing | SealState::Foreign | SealState::Whole(_) | SealState::Unsealed => None,
    }
}

/// The generation an index was brought to, if it is of this store.
pub(super) fn reached(index: &Index, database: &Database) -> Option<Generation> {
    let payload = index.load_metas().ok()?.payload?;
    let mut words = payload.split(' ');
    let is_ours = words.next()?.parse() == Ok(RECIPE) && words.next()? == database.store_id();
    let reached = words.next()?.parse().ok()?;
    is_ours.then_some(Generation(reached))
}

fn owner(database: &Database) -> Owner<'_> {
    Owner { recipe: RECIPE, store_id: database.store_id() }
}

fn open(folder: &Path) -> Result<OpenIndex, PortError> {
    Index::open_in_dir(folder).and_then(ready).map_err(fault)
}

fn ready(index: Index) -> Result<OpenIndex, TantivyError> {
    analysis::register(&index);
    let fields = Fields::new(&index.schema())?;
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(OpenIndex { index, reader, fields, totals: Totals::default(), shown: None })
}

/// Fails if an index has come further than the catalogue.
fn refuse_ahead(index: Option<Generation>, database: &Database) -> Result<(), PortError> {
    let catalogue = database.generation()?;
    let ahead = index.filter(|index| *index > catalogue);
    ahead.map_or(Ok(()), |index| Err(ahead_of_catalogue(PORT, index, catalogue)))
}

/// Looks a commit through that was never sealed: the library's own checksums, and passage by passage the catalogue.
fn confirmed(opened: OpenIndex, folder: &Path, database: &Database) -> Result<OpenIndex, PortError> {
    let wrong = |what: &str| Err(PortError::new(PORT, Fault::Corrupt, what.to_owned()));
    if !opened.index.validate_checksum().map_err(fault)?.is_empty() {
        return wrong("a file of an interrupted commit is damaged");
    }
    let Some(generation) = reached(&opened.index, database) else {
        return wrong("no commit was finished");
    };
    let wanted = database.read(|transaction| {
        let sql = "SELECT key FROM passages WHERE born <= ?1 AND (died IS NULL OR died > ?1) ORDER BY key";
        let mut statement = transaction.prepare(sql)?;
        statement.query_map([generation.0], |row| row.get(0))?.collect::<rusqlite::Result<Vec<u64>>>()
    })?;
    if opened.keys()? != wanted {
        return wrong("an interrupted commit is incomplete");
    }
    let segments = segments(&opened.index)?;
    seal::remove_leftovers(folder, &segments).map_err(|error| cannot_use(folder, error))?;
    Ok(opened)
}

fn segments(index: &Index) -> Result<BTreeSet<String>, PortError> {
    let files = index.load_metas().map_err(fault)?.list_segment_files();
    Ok(files.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}
