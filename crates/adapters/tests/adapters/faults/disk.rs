//! Operations → the files that a crash can leave.
//!
//! The model. Whoever reads before the crash sees every operation at once and in order; a killed process therefore
//! leaves a prefix of them, the last write perhaps cut short. When the machine stops, the following is certain: the
//! bytes and the length of a file as of its last `fsync`, and the names in a folder as of the folder's last `fsync`.
//! Of what came after:
//! - each write and each change of length of a file is there or not, independently, a write perhaps in part. Those that
//!   are there took effect in their order. A lost write leaves what stood there, or zeros beyond the old end.
//! - the names in one folder (creations, removals, renames) are those after some prefix of the folder's changes, as a
//!   journal keeps them; folders are independent of each other. A rename is atomic and counts with its target's folder.
//! - the folder the recording began with is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use super::{draw::Draw, recording::Op};

/// What a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Folder,
    File(usize),
}

type Names = BTreeMap<String, Node>;

/// A change of a file's bytes that no `fsync` has followed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

/// A change of names that no `fsync` of their folder has followed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Renaming {
    Put(String, Node),
    Take(String),
    Move(String, String),
}

#[derive(Debug, Clone, Default)]
struct File {
    seen: Vec<u8>,
    certain: Vec<u8>,
    pending: Vec<Change>,
}

/// A disk after some operations.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    files: Vec<File>,
    seen: Names,
    certain: Names,
    pending: Vec<(String, Renaming)>,
}

/// Files and folders by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Image {
    pub folders: BTreeSet<String>,
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Disk {
    /// A disk with these folders, which are certain.
    pub fn with_folders(folders: &[&str]) -> Self {
        let names: Names = folders.iter().map(|name| ((*name).to_owned(), Node::Folder)).collect();
        Self { seen: names.clone(), certain: names, ..Self::default() }
    }

    pub fn apply(&mut self, op: &Op) {
        match op {
            Op::Create(path) => {
                let file = Node::File(self.files.len());
                self.files.push(File::default());
                self.rename(path, Renaming::Put(path.clone(), file));
            }
            Op::Mkdir(path) => self.rename(path, Renaming::Put(path.clone(), Node::Folder)),
            Op::Unlink(path) | Op::Rmdir(path) => self.rename(path, Renaming::Take(path.clone())),
            Op::Rename { from, to } => self.rename(to, Renaming::Move(from.clone(), to.clone())),
            Op::Write { path, at, bytes } => self.change(path, Change::Write { at: *at, bytes: bytes.clone() }),
            Op::Truncate { path, length } => self.change(path, Change::Truncate(*length)),
            Op::Sync(path) => self.sync(path),
        }
    }

    fn rename(&mut self, path: &str, renaming: Renaming) {
        put(&mut self.seen, &renaming);
        self.pending.push((parent(path).to_owned(), renaming));
    }

    fn change(&mut self, path: &str, change: Change) {
        if let Some(Node::File(number)) = self.seen.get(path)
            && let Some(file) = self.files.get_mut(*number)
        {
            alter(&mut file.seen, &change);
            file.pending.push(change);
        }
    }

    fn sync(&mut self, path: &str) {
        if let Some(Node::File(number)) = self.seen.get(path)
            && let Some(file) = self.files.get_mut(*number)
        {
            file.pending.drain(..).for_each(|change| alter(&mut file.certain, &change));
            return;
        }
        let (synced, left): (Vec<_>, Vec<_>) = self.pending.drain(..).partition(|(folder, _)| folder == path);
        synced.iter().for_each(|(_, renaming)| put(&mut self.certain, renaming));
        self.pending = left;
    }

    /// What a killed process leaves.
    pub fn seen(&self) -> Image {
        self.image(&self.seen, |file| file.seen.clone())
    }

    /// One of the states that a machine can leave that stops here.
    pub fn after_power_loss(&self, seed: u64) -> Image {
        let mut draw = Draw::of(seed, 2);
        // Everything, nothing and a mixture are all likely, in one folder and in all.
        let mood = draw.below(4);
        let mut names = self.certain.clone();
        let folders: BTreeSet<&String> = self.pending.iter().map(|(folder, _)| folder).collect();
        let mut left: BTreeMap<&String, usize> = BTreeMap::new();
        for folder in folders {
            let count = self.pending.iter().filter(|(own, _)| own == folder).count();
            let kept = match mood {
                0 => count,
                1 => 0,
                _ => draw.below(count + 1),
            };
            left.insert(folder, kept);
        }
        for (folder, renaming) in &self.pending {
            if let Some(count @ 1..) = left.get_mut(folder) {
                *count -= 1;
                put(&mut names, renaming);
            }
        }
        let mood = draw.below(4);
        let mut parts: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for node in names.values() {
            if let Node::File(number) = node
                && let Some(file) = self.files.get(*number)
            {
                parts.insert(*number, left_of(file, mood, &mut draw));
            }
        }
        let mut image = Image::default();
        for (path, node) in whole(&names) {
            match node {
                Node::Folder => drop(image.folders.insert(path.clone())),
                Node::File(number) => drop(image.files.insert(path.clone(), parts.remove(number).unwrap_or_default())),
            }
        }
        image
    }

    fn image(&self, names: &Names, bytes: impl Fn(&File) -> Vec<u8>) -> Image {
        let mut image = Image::default();
        for (path, node) in names {
            match node {
                Node::Folder => drop(image.folders.insert(path.clone())),
                Node::File(number) => {
                    let bytes = self.files.get(*number).map(&bytes).unwrap_or_default();
                    image.files.insert(path.clone(), bytes);
                }
            }
        }
        image
    }
}

impl Image {
    /// Adds the first bytes of a write.
    pub fn tear(&mut self, op: &Op, bytes_max: usize) {
        if let Op::Write { path, at, bytes } = op
            && let Some(file) = self.files.get_mut(path)
        {
            let bytes = bytes.iter().take(bytes_max).copied().collect();
            alter(file, &Change::Write { at: *at, bytes });
        }
    }

    /// Writes everything below a prefix into a folder.
    pub fn write(&self, prefix: &str, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let below = |path: &str| path.strip_prefix(prefix)?.strip_prefix('/').map(|rest| folder.join(rest));
        // A folder comes before what is in it, as names are sorted.
        self.folders.iter().filter_map(|path| below(path)).try_for_each(fs::create_dir_all)?;
        let files = self.files.iter().filter_map(|(path, bytes)| Some((below(path)?, bytes)));
        files.into_iter().try_for_each(|(path, bytes)| fs::write(path, bytes))
    }
}

fn left_of(file: &File, mood: usize, draw: &mut Draw) -> Vec<u8> {
    let mut bytes = file.certain.clone();
    for change in &file.pending {
        let chance = match mood {
            0 => 0,
            1 => 9,
            _ => draw.below(10),
        };
        match (chance, change) {
            (0..5, _) => alter(&mut bytes, change),
            (5..7, Change::Write { at, bytes: own }) => {
                // Disks write sectors; a part of a write is a number of them.
                let part = draw.below(own.len() / 512 + 1) * 512;
                let own = own.iter().take(part).copied().collect();
                alter(&mut bytes, &Change::Write { at: *at, bytes: own });
            }
            _ => {}
        }
    }
    bytes
}

fn alter(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Truncate(length) => bytes.resize(*length, 0),
        Change::Write { bytes: own, .. } if own.is_empty() => {}
        Change::Write { at, bytes: own } => {
            let end = at + own.len();
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            if let Some(place) = bytes.get_mut(*at..end) {
                place.copy_from_slice(own);
            }
        }
    }
}

fn put(names: &mut Names, renaming: &Renaming) {
    match renaming {
        Renaming::Put(path, node) => drop(names.insert(path.clone(), *node)),
        Renaming::Take(path) => {
            names.remove(path);
            for path in below(names, path) {
                names.remove(&path);
            }
        }
        Renaming::Move(from, to) => {
            let Some(node) = names.remove(from) else { return };
            for path in below(names, from) {
                let moved = path.strip_prefix(from.as_str()).map(|rest| format!("{to}{rest}"));
                if let (Some(moved), Some(node)) = (moved, names.remove(&path)) {
                    names.insert(moved, node);
                }
            }
            names.insert(to.clone(), node);
        }
    }
}

/// The names inside a folder, at any depth.
fn below(names: &Names, folder: &str) -> Vec<String> {
    let prefix = format!("{folder}/");
    let inside = names.range(prefix.clone()..).map(|(path, _)| path);
    inside.take_while(|path| path.starts_with(&prefix)).cloned().collect()
}

/// The names whose folders are there too.
fn whole(names: &Names) -> impl Iterator<Item = (&String, &Node)> {
    let is_there = |path: &str| path.is_empty() || names.get(path) == Some(&Node::Folder);
    names
        .iter()
        .filter(move |(path, _)| path.match_indices('/').all(|(at, _)| is_there(path.get(..at).unwrap_or_default())))
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
