//! What the index's folder held after its last commit, file by file, so that damage is noticed before anything is read.
//!
//! The index library trusts its files: a damaged one makes it fail, panic, or answer something else. So every commit is
//! followed by a seal with a hash of each file, and a folder that does not fit its seal is not opened. Between commit and
//! seal a marker says that the difference is no damage but a commit that a kill left unsealed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    path::Path,
};

use serde::{Deserialize, Serialize};
use vouch_domain::ports::Generation;

use crate::embedded::files::replace_file;

const SEAL: &str = "seal.json";
const MARKER: &str = "unsealed";
const META: &str = "meta.json";
/// The library's own files beside those of segments.
const OWN: &[&str] = &[META, SEAL, MARKER, ".managed.json", ".tantivy-writer.lock", ".tantivy-meta.lock"];

/// A folder's files as of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seal {
    pub(super) recipe: u32,
    pub(super) store_id: String,
    pub(super) generation: u64,
    files: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    seal: Seal,
    sum: String,
}

/// What is found in a folder.
#[derive(Debug)]
pub(super) enum SealState {
    /// No index.
    Nothing,
    /// An index of another store, or made by another recipe.
    Foreign,
    /// Exactly what was sealed.
    Whole(Seal),
    /// A commit was not sealed any more; what is there has to be looked through.
    Unsealed,
    /// Different from what was sealed.
    Damaged(String),
}

/// Whose index is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) recipe: u32,
    pub(super) store_id: &'a str,
}

pub(super) fn find(folder: &Path, owner: Owner<'_>) -> SealState {
    if !folder.join(META).exists() && !folder.join(SEAL).exists() {
        return SealState::Nothing;
    }
    let is_marked = folder.join(MARKER).exists();
    match read(folder) {
        Ok(Some(seal)) if seal.recipe != owner.recipe || seal.store_id != owner.store_id => SealState::Foreign,
        Ok(Some(seal)) => match compare(folder, &seal) {
            Ok(None) => SealState::Whole(seal),
            Ok(Some(_)) | Err(_) if is_marked => SealState::Unsealed,
            Ok(Some(what)) => SealState::Damaged(what),
            Err(error) => SealState::Damaged(error.to_string()),
        },
        Ok(None) | Err(_) if is_marked => SealState::Unsealed,
        // An index from before there were seals has none.
        Ok(None) => SealState::Foreign,
        Err(error) => SealState::Damaged(error.to_string()),
    }
}

/// The generation that a folder's seal tells, if it is of this owner and can be read.
pub(super) fn generation(folder: &Path, owner: Owner<'_>) -> Option<Generation> {
    let seal = read(folder).ok().flatten()?;
    (seal.recipe == owner.recipe && seal.store_id == owner.store_id).then_some(Generation(seal.generation))
}

/// Says that a commit is about to change the folder.
pub(super) fn mark(folder: &Path) -> io::Result<()> {
    File::create(folder.join(MARKER)).map(|_| ())
}

/// Seals the folder as it is now. Files that were sealed before never change and are not read again.
pub(super) fn write(
    folder: &Path,
    owner: Owner<'_>,
    generation: Generation,
    segments: &BTreeSet<String>,
) -> io::Result<()> {
    remove_leftovers(folder, segments)?;
    let known = read(folder).ok().flatten().map(|seal| seal.files).unwrap_or_default();
    let mut files = BTreeMap::new();
    for name in segments.iter().filter(|name| folder.join(name).exists()) {
        let hash = match known.get(name) {
            Some(hash) => hash.clone(),
            None => hash(&folder.join(name))?,
        };
        files.insert(name.clone(), hash);
    }
    files.insert(META.to_owned(), hash(&folder.join(META))?);
    let seal = Seal { recipe: owner.recipe, store_id: owner.store_id.to_owned(), generation: generation.0, files };
    let sealed = Sealed { sum: sum(&seal), seal };
    replace_file(&folder.join(SEAL), &serde_json::to_vec(&sealed)?)?;
    std::fs::remove_file(folder.join(MARKER)).or_else(absent_is_fine)
}

/// Removes whatever is neither the library's own nor of a segment in use: what a broken-off write left behind is in the
/// way of the next one, which wants to create the same files.
pub(super) fn remove_leftovers(folder: &Path, segments: &BTreeSet<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !segments.contains(&name) && !OWN.contains(&name.as_str()) && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path()).or_else(absent_is_fine)?;
        }
    }
    Ok(())
}

impl Seal {
    /// The files of segments that were sealed.
    pub(super) fn segments(&self) -> BTreeSet<String> {
        self.files.keys().filter(|name| *name != META).cloned().collect()
    }
}

fn read(folder: &Path) -> io::Result<Option<Seal>> {
    let bytes = match std::fs::read(folder.join(SEAL)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        outcome => outcome?,
    };
    let sealed: Sealed = serde_json::from_slice(&bytes).map_err(|_| damaged("its seal cannot be read"))?;
    if sealed.sum == sum(&sealed.seal) { Ok(Some(sealed.seal)) } else { Err(damaged("its seal is damaged")) }
}

/// The first file that is not as it was sealed.
fn compare(folder: &Path, seal: &Seal) -> io::Result<Option<String>> {
    for (name, sealed) in &seal.files {
        match hash(&folder.join(name)) {
            Ok(found) if found == *sealed => {}
            Ok(_) => return Ok(Some(format!("{name} has changed"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(format!("{name} is missing"))),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

fn sum(seal: &Seal) -> String {
    blake3::hash(&serde_json::to_vec(seal).unwrap_or_default()).to_hex().to_string()
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn absent_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
