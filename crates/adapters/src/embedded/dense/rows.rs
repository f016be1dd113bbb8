//! The file of vectors: rows are only ever appended, and count once the head file says so.
//!
//! Invariant: keys rise from row to row; what lies beyond the head's count is scrap of a broken-off write and is
//! overwritten. The head carries a hash of itself and of every row that counts, so that damage is noticed when the file
//! is opened.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use vouch_domain::{PortError, ports::Generation};

use super::quantised::QuantisedVector;
use crate::embedded::files::{cannot_use, io_fault, replace_file};

const HEAD: &str = "head.json";
const FORMAT: u32 = 3;
/// Key, shelf and scale stand before the codes of a row.
const PREFIX_BYTES: usize = 8 + 4 + 4;

/// Whose rows these are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    pub(super) store_id: String,
    pub(super) embedder: String,
    pub(super) vectors: String,
    pub(super) dimensions: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    format: u32,
    owner: Owner,
    file: String,
    generation: u64,
    rows: usize,
    /// The hash of all rows that count.
    hash: String,
    dead: Vec<usize>,
}

impl Head {
    fn new(owner: Owner) -> Self {
        let (file, hash, dead) = (String::new(), String::new(), Vec::new());
        Self { format: FORMAT, owner, file, generation: 0, rows: 0, hash, dead }
    }
}

/// A head as it lies in its file.
#[derive(Serialize, Deserialize)]
struct SealedHead {
    head: Head,
    seal: String,
}

/// All rows, in memory, with their file.
pub(super) struct Rows {
    folder: PathBuf,
    head: Head,
    keys: Vec<u64>,
    shelves: Vec<u32>,
    scales: Vec<f32>,
    codes: Vec<i8>,
    alive: Vec<bool>,
    unwritten: Vec<u8>,
    written: usize,
    /// Over every row that is in the file.
    hasher: blake3::Hasher,
}

/// One row as the scan sees it.
pub(super) struct Row<'a> {
    pub(super) number: usize,
    pub(super) shelf: u32,
    pub(super) scale: f32,
    pub(super) codes: &'a [i8],
    pub(super) is_alive: bool,
}

impl Rows {
    pub(super) fn open(folder: &Path, owner: Owner) -> Result<Self, PortError> {
        match Self::load(folder, &owner) {
            Ok(Some(rows)) => Ok(rows),
            Ok(None) => Self::create(folder, owner),
            Err(error) => {
                tracing::warn!(%error, "the vector index is damaged and is rebuilt from the catalogue");
                Self::create(folder, owner)
            }
        }
    }

    /// What is wrong with the files of a folder, without mending it; nothing if they are whole or not there.
    pub(super) fn find_damage(folder: &Path, owner: &Owner) -> Option<String> {
        Self::load(folder, owner).err().map(|error| error.to_string())
    }

    fn create(folder: &Path, owner: Owner) -> Result<Self, PortError> {
        let mut rows = Self::empty(folder, Head::new(owner));
        rows.start_anew()?;
        Ok(rows)
    }

    /// Rows without a file, for those who `hold` and never `commit`.
    pub(super) fn in_memory(owner: Owner) -> Self {
        Self::empty(Path::new(""), Head::new(owner))
    }

    fn empty(folder: &Path, head: Head) -> Self {
        Self {
            folder: folder.to_owned(),
            head,
            keys: Vec::new(),
            shelves: Vec::new(),
            scales: Vec::new(),
            codes: Vec::new(),
            alive: Vec::new(),
            unwritten: Vec::new(),
            written: 0,
            hasher: blake3::Hasher::new(),
        }
    }

    /// Forgets every row; the old file stays until the next commit names the new one.
    pub(super) fn start_anew(&mut self) -> Result<(), PortError> {
        let mut head = self.head.clone();
        head.file = unused_file(&self.folder);
        head.generation = 0;
        head.rows = 0;
        head.dead.clear();
        *self = Self::empty(&self.folder.clone(), head);
        File::create(self.path()).map(|_| ()).map_err(|error| cannot_use(&self.path(), error))
    }

    fn load(folder: &Path, owner: &Owner) -> io::Result<Option<Self>> {
        let head = match std::fs::read(folder.join(HEAD)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            outcome => outcome?,
        };
        // A head of an earlier format has no seal and says nothing that can be relied on.
        let Ok(SealedHead { head, seal }) = serde_json::from_slice(&head) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its head cannot be read"));
        };
        if seal != seal_of(&head) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its head does not fit its checksum"));
        }
        if head.format != FORMAT || head.owner != *owner || !head.file.starts_with("rows-") || head.file.contains('/') {
            return Ok(None);
        }
        let width = PREFIX_BYTES + owner.dimensions;
        let wanted = head.rows.checked_mul(width).ok_or(io::ErrorKind::InvalidData)?;
        let file = File::open(folder.join(&head.file))?;
        if file.metadata()?.len() < wanted as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut file = file.take(wanted as u64);
        let mut rows = Self::empty(folder, head);
        rows.reserve(rows.head.rows);
        let mut buffer = vec![0; width * 4_096];
        let mut left = wanted;
        while left > 0 {
            let part = buffer.get_mut(..left.min(width * 4_096)).ok_or(io::ErrorKind::InvalidData)?;
            file.read_exact(part)?;
            left -= part.len();
            rows.hasher.update(part);
            part.chunks_exact(width).for_each(|record| rows.push_record(record));
        }
        if rows.hasher.finalize().to_hex().as_str() != rows.head.hash {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its rows do not fit their checksum"));
        }
        rows.written = rows.head.rows;
        for row in rows.head.dead.clone() {
            *rows.alive.get_mut(row).ok_or(io::ErrorKind::InvalidData)? = false;
        }
        let is_rising = rows.keys.iter().zip(rows.keys.iter().skip(1)).all(|(a, b)| a < b);
        if is_rising { Ok(Some(rows)) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    pub(super) fn reserve(&mut self, rows: usize) {
        self.keys.reserve_exact(rows);
        self.shelves.reserve_exact(rows);
        self.scales.reserve_exact(rows);
        self.codes.reserve_exact(rows * self.head.owner.dimensions);
        self.alive.reserve_exact(rows);
    }

    fn push_record(&mut self, record: &[u8]) {
        let Some((key, rest)) = record.split_first_chunk::<8>() else { return };
        let Some((shelf, rest)) = rest.split_first_chunk::<4>() else { return };
        let Some((scale, codes)) = rest.split_first_chunk::<4>() else { return };
        self.keys.push(u64::from_le_bytes(*key));
        self.shelves.push(u32::from_le_bytes(*shelf));
        self.scales.push(f32::from_le_bytes(*scale));
        self.codes.extend(codes.iter().map(|byte| byte.cast_signed()));
        self.alive.push(true);
    }

    pub(super) fn append(&mut self, key: u64, shelf: u32, vector: &QuantisedVector) {
        self.unwritten.extend_from_slice(&key.to_le_bytes());
        self.unwritten.extend_from_slice(&shelf.to_le_bytes());
        self.unwritten.extend_from_slice(&vector.scale.to_le_bytes());
        self.unwritten.extend(vector.codes.iter().map(|code| code.cast_unsigned()));
        self.hold(key, shelf, vector);
    }

    /// Takes a row into memory alone.
    pub(super) fn hold(&mut self, key: u64, shelf: u32, vector: &QuantisedVector) {
        self.keys.push(key);
        self.shelves.push(shelf);
        self.scales.push(vector.scale);
        self.codes.extend_from_slice(&vector.codes);
        self.alive.push(true);
    }

    /// A passage that is no longer there; unknown keys are already gone.
    pub(super) fn bury(&mut self, key: u64) {
        if let Ok(row) = self.keys.binary_search(&key)
            && let Some(alive) = self.alive.get_mut(row)
            && *alive
        {
            *alive = false;
            self.head.dead.push(row);
        }
    }

    /// Writes appended rows to the file; they count only after `commit`.
    pub(super) fn flush(&mut self) -> Result<(), PortError> {
        let width = (PREFIX_BYTES + self.head.owner.dimensions) as u64;
        let written = || -> io::Result<()> {
            let mut file = OpenOptions::new().write(true).open(self.path())?;
            file.seek(SeekFrom::Start(self.written as u64 * width))?;
            file.write_all(&self.unwritten)?;
            file.sync_data()
        };
        written().map_err(|error| self.cannot_write(error))?;
        self.written = self.keys.len();
        self.hasher.update(&self.unwritten);
        self.unwritten.clear();
        Ok(())
    }

    /// Makes everything appended and buried count, as of a generation.
    pub(super) fn commit(&mut self, generation: Generation) -> Result<(), PortError> {
        self.flush()?;
        let mut head = self.head.clone();
        head.generation = generation.0;
        head.rows = self.keys.len();
        head.hash = self.hasher.finalize().to_hex().to_string();
        let sealed = SealedHead { seal: seal_of(&head), head };
        replace_file(&self.folder.join(HEAD), &serde_json::to_vec(&sealed).unwrap_or_default())
            .map_err(|error| self.cannot_write(error))?;
        self.head = sealed.head;
        self.remove_old_files();
        Ok(())
    }

    fn remove_old_files(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_old = (name.starts_with("rows-") && name != self.head.file.as_str()) || name.ends_with(".new");
            if is_old && let Err(error) = std::fs::remove_file(entry.path()) {
                tracing::warn!(%error, "an old vector file could not be removed");
            }
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(&self.head.file)
    }

    fn cannot_write(&self, error: io::Error) -> PortError {
        let sentence = format!("cannot write the file of vectors {}: {error}", self.path().display());
        PortError::new("dense", io_fault(&error), sentence).with_source(error)
    }

    pub(super) fn owner(&self) -> &Owner {
        &self.head.owner
    }

    pub(super) fn generation(&self) -> Generation {
        Generation(self.head.generation)
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn dead(&self) -> usize {
        self.head.dead.len()
    }

    pub(super) fn key(&self, row: usize) -> Option<u64> {
        self.keys.get(row).copied()
    }

    /// Up to `count` rows from `from` on.
    pub(super) fn range(&self, from: usize, count: usize) -> impl Iterator<Item = Row<'_>> {
        let (from, to) = (from.min(self.len()), from.saturating_add(count).min(self.len()));
        let width = self.head.owner.dimensions;
        let codes = self.codes.get(from * width..to * width).unwrap_or_default().chunks_exact(width.max(1));
        let shelves = self.shelves.get(from..to).unwrap_or_default();
        let scales = self.scales.get(from..to).unwrap_or_default();
        let alive = self.alive.get(from..to).unwrap_or_default();
        (from..).zip(codes).zip(shelves).zip(scales).zip(alive).map(|((((number, codes), shelf), scale), is_alive)| {
            Row { number, shelf: *shelf, scale: *scale, codes, is_alive: *is_alive }
        })
    }
}

fn seal_of(head: &Head) -> String {
    blake3::hash(&serde_json::to_vec(head).unwrap_or_default()).to_hex().to_string()
}

/// A name no file of rows has yet: the head on disk may still count the rows of an older one.
fn unused_file(folder: &Path) -> String {
    let number = |name: &str| name.strip_prefix("rows-")?.strip_suffix(".bin")?.parse::<u64>().ok();
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let last = names.filter_map(|entry| number(&entry.file_name().to_string_lossy())).max();
    format!("rows-{}.bin", last.map_or(1, |last| last + 1))
}
