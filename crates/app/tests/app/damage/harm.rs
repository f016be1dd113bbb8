//! One damage to one file of a data folder, drawn from a seed.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use crate::support::draw::Draw;

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    FlipBit,
    FlipBytes,
    Truncate,
    ZeroBlock,
    RandomBlock,
    Delete,
    Append,
    Older,
}

const WAYS: [Way; 8] = [
    Way::FlipBit,
    Way::FlipBytes,
    Way::Truncate,
    Way::ZeroBlock,
    Way::RandomBlock,
    Way::Delete,
    Way::Append,
    Way::Older,
];

/// A damage that was done.
#[derive(Debug, Clone)]
pub struct Harm {
    pub way: Way,
    /// The sort of file, without what differs from run to run.
    pub sort: String,
    pub file: String,
    pub place: String,
}

impl fmt::Display for Harm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} of {} ({})", self.way, self.file, self.place)
    }
}

/// Every file of a data folder by its sort.
fn sorts(folder: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let (mut sorts, mut open): (BTreeMap<String, Vec<PathBuf>>, Vec<PathBuf>) =
        (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(path) = open.pop() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            if entry.is_dir() {
                open.push(entry);
                continue;
            }
            let name = entry.strip_prefix(folder).unwrap_or(&entry).display().to_string();
            let sort = match name.rsplit_once('.') {
                Some((stem, ending)) if stem.len() > 30 => {
                    format!("{}/*.{ending}", stem.split('/').next().unwrap_or_default())
                }
                _ => name,
            };
            sorts.entry(sort).or_default().push(entry);
        }
    }
    sorts
}

/// Damages one file below a data folder; an older copy is taken from another one.
pub fn harm(data: &Path, older: &Path, draw: &mut Draw) -> Harm {
    let sorts = sorts(data);
    // What cannot be rebuilt is damaged most.
    let heavy = |sort: &str| usize::from(sort.ends_with(".sqlite") || sort.ends_with("-wal")) * 2 + 1;
    let choices: Vec<(&String, &Vec<PathBuf>)> =
        sorts.iter().flat_map(|(sort, files)| std::iter::repeat_n((sort, files), heavy(sort))).collect();
    let pick = |draw: &mut Draw, count: usize| usize::try_from(draw.below(count.max(1) as u64)).unwrap_or_default();
    let (sort, files) = choices.get(pick(draw, choices.len())).copied().expect("a file to damage");
    let file = files.get(pick(draw, files.len())).expect("a file of the sort");
    let name = file.strip_prefix(data).unwrap_or(file).display().to_string();
    let bytes = std::fs::read(file).expect("a file that can be read");
    let before = std::fs::read(older.join(&name)).ok().filter(|older| *older != bytes);
    let ways: Vec<Way> = WAYS
        .into_iter()
        .filter(|way| match way {
            Way::Older => before.is_some(),
            Way::Append | Way::Delete => true,
            Way::FlipBit | Way::FlipBytes | Way::Truncate | Way::ZeroBlock | Way::RandomBlock => !bytes.is_empty(),
        })
        .collect();
    let way = ways.get(pick(draw, ways.len())).copied().unwrap_or(Way::Delete);
    let (harmed, place) = harmed(way, bytes, before, draw);
    match harmed {
        Some(bytes) => std::fs::write(file, bytes).expect("a file that can be written"),
        None => std::fs::remove_file(file).expect("a file that can be removed"),
    }
    Harm { way, sort: sort.clone(), file: name, place }
}

/// The file's new bytes, none if it is gone, and where it was harmed.
fn harmed(way: Way, mut bytes: Vec<u8>, older: Option<Vec<u8>>, draw: &mut Draw) -> (Option<Vec<u8>>, String) {
    let length = bytes.len();
    let at = usize::try_from(draw.below(length.max(1) as u64)).unwrap_or_default();
    let count = match way {
        Way::FlipBytes => 1 + usize::try_from(draw.below(16)).unwrap_or_default(),
        Way::ZeroBlock | Way::RandomBlock => {
            if draw.below(2) == 0 {
                512
            } else {
                4_096
            }
        }
        Way::FlipBit | Way::Truncate | Way::Delete | Way::Append | Way::Older => 1,
    };
    let place = format!("{count} at {at} of {length}");
    let from = if count >= 512 { at / 512 * 512 } else { at };
    let noise: Vec<u8> = (0..4_096).map(|_| u8::try_from(draw.below(256)).unwrap_or_default()).collect();
    let bit = 1u8 << draw.below(8);
    for (byte, noise) in bytes.iter_mut().skip(from).take(count).zip(&noise) {
        match way {
            Way::FlipBit => *byte ^= bit,
            // Never the byte that was there.
            Way::FlipBytes => *byte ^= (*noise).max(1),
            Way::ZeroBlock => *byte = 0,
            Way::RandomBlock => *byte = *noise,
            Way::Truncate | Way::Delete | Way::Append | Way::Older => {}
        }
    }
    match way {
        Way::Truncate => bytes.truncate(at),
        Way::Append => bytes.extend(noise.iter().take(1 + at % 4_096)),
        Way::Delete => return (None, place),
        Way::Older => return (older, place),
        Way::FlipBit | Way::FlipBytes | Way::ZeroBlock | Way::RandomBlock => {}
    }
    (Some(bytes), place)
}
