//! The links of an approximate-nearest-neighbour graph (HNSW, Malkov and Yashunin 2018); vectors live elsewhere.
//!
//! In: dense row numbers, and a similarity between two rows that behaves as an inner product (more is nearer).
//! Out: the rows nearest to a query among those a filter accepts; flat little-endian bytes, and back.
//!
//! Must stay true:
//! - The same calls in the same order give the same bytes, on any machine and any number of threads: levels come
//!   from a hash of the row, ties go to the lower row, and parallel phases read a graph that nobody is changing.
//! - A row equal to an earlier one (a twin) has no links. It hangs on the first such row in a chain (`twins`), so
//!   that neither a thousand copies of a text nor their tombstones can fill a neighbour list and cut the graph.
//! - Bytes are not trusted: sizes, ids and levels are checked on load, and a bad file is an error, never a panic.

use std::{cmp::Reverse, collections::BinaryHeap, fmt, iter, ops::Range};

use rayon::prelude::*;

/// Links of a row on a level above the lowest, where there is one row for 16 on the level below; and on the lowest.
const LINKS: usize = 16;
const BASE_LINKS: usize = 2 * LINKS;
/// Width of the search that looks for the neighbours of a new row.
const BUILD_WIDTH: usize = 128;
/// Rows that look for neighbours at the same time, each seeing the graph before all of them and its mates before it.
const BATCH: u32 = 256;
const MAX_LEVEL: usize = 7;
/// A search gives up after this many similarities for each row it should find; only a selective filter takes so many.
const VISITS_PER_EF: usize = 1024;
const NONE: u32 = u32::MAX;
const MAGIC: [u8; 8] = *b"VHNSW\0\0\x01";

/// Why bytes are not a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphError(&'static str);
const BAD_HEADER: GraphError = GraphError("not a neighbour graph of this version");
const BAD_SIZE: GraphError = GraphError("the neighbour graph has the wrong size");
const BAD_LINK: GraphError = GraphError("the neighbour graph leads to a row that is not there");

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for GraphError {}

/// Rows and how similar they are.
pub type Found = Vec<(u32, f32)>;

/// The links between rows `0..len`. Lists have a fixed number of places; `NONE` ends one that is not full.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    base: Vec<u32>,
    upper: Vec<u32>,
    /// For each row, the first of its lists in `upper`, counted in lists.
    upper_at: Vec<u32>,
    /// A twin holds the next older twin or, last, the row they all equal: always a lower row. A row that is no twin
    /// holds its newest twin, a higher row, or `NONE`.
    twins: Vec<u32>,
    entry: Option<u32>,
}

impl Graph {
    /// How many rows it covers, twins included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.twins.len()
    }

    /// Makes the graph cover every row below `rows.end`; those it has already are left alone. Uses rayon's threads;
    /// their number has no effect on the graph, the division of the rows into calls has.
    pub fn insert_batch(&mut self, rows: Range<u32>, similarity: &(impl Fn(u32, u32) -> f32 + Sync)) {
        let mut from = u32::try_from(self.len()).unwrap_or(NONE);
        while from < rows.end {
            let to = rows.end.min(from.saturating_add(BATCH));
            self.link_batch(from..to, similarity);
            from = to;
        }
    }

    /// The `k` accepted rows most similar to the query, best first, with their similarities; ties by row, except that
    /// of many equal rows the newest are preferred. `ef` (at least `k`) is how many accepted rows to find before
    /// settling. Fewer than `k` come back when fewer are within reach of the visit budget: then scan instead.
    pub fn search(&self, score: &impl Fn(u32) -> f32, k: usize, ef: usize, accept: &impl Fn(u32) -> bool) -> Found {
        let Some(entry) = self.entry else { return Vec::new() };
        let start = self.descend(key(score(entry), entry), level_of(entry), 0, score);
        let beam = Beam::new(0, ef.max(k).max(1), self.len());
        let mut found = self.walk(beam, &[start], score, |beam, key| self.offer_twins(beam, key, accept));
        found.truncate(k);
        found.into_iter().map(|key| (row_of(key), similarity_of(key))).collect()
    }

    /// Offers a row and its twins, newest first, as far as the filter accepts them and the beam can hold them.
    fn offer_twins(&self, beam: &mut Beam, first: u64, accept: &impl Fn(u32) -> bool) {
        let (row, width) = (row_of(first), beam.width);
        let newest = Some(self.twin(row)).filter(|&twin| twin > row && twin != NONE);
        let older = |&twin: &u32| Some(self.twin(twin)).filter(|&older| older > row && older < twin);
        let equal = iter::once(row).chain(iter::successors(newest, older));
        for row in equal.filter(|&row| accept(row)).take(width) {
            beam.offer(key(similarity_of(first), row));
        }
    }

    /// Moves to the best neighbour until none is better, on each level from `top` down to the one above `bottom`.
    fn descend(&self, mut best: u64, top: usize, bottom: usize, score: &impl Fn(u32) -> f32) -> u64 {
        for level in (bottom + 1..=top).rev() {
            let next = |from| self.neighbours(row_of(from), level).map(|row| key(score(row), row)).max();
            while let Some(better) = next(best).filter(|&next| next > best) {
                best = better;
            }
        }
        best
    }

    /// Searches one level best first from some rows; what `offer` puts in the beam comes back, best first. Ends when
    /// the beam is full and nothing open could improve it, or when the budget of similarities is spent.
    fn walk(&self, mut beam: Beam, from: &[u64], score: &impl Fn(u32) -> f32, offer: impl Fn(&mut Beam, u64)) -> Keys {
        let (mut open, mut fresh, mut keys, mut visits) = (BinaryHeap::new(), Vec::new(), Vec::new(), 0);
        for &start in from {
            beam.meet(row_of(start));
            open.push(start);
            offer(&mut beam, start);
        }
        while let Some(nearest) = open.pop() {
            if beam.worst().is_some_and(|worst| nearest < worst) || visits / VISITS_PER_EF >= beam.width {
                break;
            }
            fresh.clear();
            fresh.extend(self.neighbours(row_of(nearest), beam.level).filter(|&row| beam.meet(row)));
            visits += fresh.len();
            // All similarities first, without branches between them, so that the reads of memory overlap.
            keys.clear();
            keys.extend(fresh.iter().map(|&row| key(score(row), row)));
            for &key in &keys {
                if beam.worst().is_none_or(|worst| key > worst) {
                    open.push(key);
                    offer(&mut beam, key);
                }
            }
        }
        beam.best.into_sorted_vec().into_iter().map(|Reverse(key)| key).collect()
    }

    /// Adds the next rows. Searching, choosing and pruning run in parallel on a graph at rest; writing in row order.
    fn link_batch(&mut self, batch: Range<u32>, similarity: &(impl Fn(u32, u32) -> f32 + Sync)) {
        for row in batch.clone() {
            self.upper_at.push(u32::try_from(self.upper.len() / LINKS).unwrap_or(NONE));
            self.upper.resize(self.upper.len() + level_of(row) * LINKS, NONE);
            self.base.resize(self.base.len() + BASE_LINKS, NONE);
            self.twins.push(NONE);
        }
        let look = |row| self.candidates(row, batch.start, similarity);
        let ranked: Vec<Vec<Keys>> = batch.clone().into_par_iter().map(look).collect();
        for (row, levels) in batch.clone().zip(&ranked) {
            self.join_twins(row, levels, similarity);
        }
        let choose = |(row, levels): (u32, &Vec<Keys>)| -> Vec<Links> {
            let levels = if self.is_twin(row) { &[][..] } else { levels };
            let choice = |(level, keys): (usize, &Keys)| (level, row, self.choose(keys, LINKS, similarity));
            levels.iter().enumerate().map(choice).collect()
        };
        let own: Vec<_> = batch.into_par_iter().zip(&ranked).flat_map_iter(choose).collect();
        let mut back = Vec::new();
        for (level, row, links) in &own {
            self.set(*row, *level, links);
            if self.entry.is_none_or(|entry| *level > level_of(entry)) {
                self.entry = Some(*row);
            }
            back.extend(links.iter().map(|&to| (*level, to, *row)));
        }
        back.sort_unstable();
        let groups: Vec<_> = back.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
        let pruned: Vec<_> = groups.par_iter().filter_map(|group| self.merge(group, similarity)).collect();
        for (level, row, links) in &pruned {
            self.set(*row, *level, links);
        }
    }

    /// For each level of a new row, the nearest rows found, best first: by search, and by trying all earlier mates.
    fn candidates(&self, row: u32, first_mate: u32, similarity: &impl Fn(u32, u32) -> f32) -> Vec<Keys> {
        let to_row = |other: u32| similarity(row, other);
        let mut levels = vec![Vec::new(); level_of(row) + 1];
        if let Some(entry) = self.entry {
            let mut starts = vec![self.descend(key(to_row(entry), entry), level_of(entry), level_of(row), &to_row)];
            for (level, keys) in levels.iter_mut().enumerate().take(level_of(entry) + 1).rev() {
                let beam = Beam::new(level, BUILD_WIDTH, self.len());
                starts = self.walk(beam, &starts, &to_row, Beam::offer);
                keys.clone_from(&starts);
            }
        }
        let mates: Keys = (first_mate..row).map(|mate| key(to_row(mate), mate)).collect();
        for (level, keys) in levels.iter_mut().enumerate() {
            keys.extend(mates.iter().filter(|&&mate| level_of(row_of(mate)) >= level));
            keys.sort_unstable_by_key(|&key| Reverse(key));
            keys.truncate(BUILD_WIDTH);
        }
        levels
    }

    /// Hangs the row on the first row that equals it, if the search met one: `|a - b|` is 0 when `aa = ab = bb`.
    fn join_twins(&mut self, row: u32, levels: &[Vec<u64>], similarity: &impl Fn(u32, u32) -> f32) {
        let own = key(similarity(row, row), 0) >> 32;
        let mut equal = levels.iter().take(1).flatten().filter(|&&near| near >> 32 == own).map(|&near| row_of(near));
        let first = equal.find(|&other| !self.is_twin(other) && key(similarity(other, other), 0) >> 32 == own);
        let Some(first) = first else { return };
        let newest = self.twin(first);
        for (at, twin) in [(row, if newest == NONE { first } else { newest }), (first, row)] {
            if let Some(place) = self.twins.get_mut(at as usize) {
                *place = twin;
            }
        }
    }

    /// Picks up to `room` of the ranked rows, passing over any that is nearer to one already picked than to the centre.
    fn choose(&self, ranked: &[u64], room: usize, similarity: &impl Fn(u32, u32) -> f32) -> Vec<u32> {
        let mut kept = Vec::with_capacity(room);
        for &key in ranked {
            let row = row_of(key);
            let apart = |&other: &u32| similarity(other, row) <= similarity_of(key);
            if kept.len() < room && !self.is_twin(row) && kept.iter().all(apart) {
                kept.push(row);
            }
        }
        kept
    }

    /// The list of one row with new links (level, row, new) added, pruned if that is more than it has room for.
    fn merge(&self, group: &[(usize, u32, u32)], similarity: &impl Fn(u32, u32) -> f32) -> Option<Links> {
        let &(level, row, _) = group.first()?;
        let room = if level == 0 { BASE_LINKS } else { LINKS };
        let mut links: Vec<u32> = self.neighbours(row, level).collect();
        links.extend(group.iter().map(|&(_, _, new)| new));
        if links.len() > room {
            let mut ranked: Vec<u64> = links.iter().map(|&other| key(similarity(row, other), other)).collect();
            ranked.sort_unstable_by_key(|&key| Reverse(key));
            links = self.choose(&ranked, room, similarity);
        }
        Some((level, row, links))
    }

    fn twin(&self, row: u32) -> u32 {
        self.twins.get(row as usize).copied().unwrap_or(NONE)
    }

    fn is_twin(&self, row: u32) -> bool {
        self.twin(row) < row
    }

    fn place(&self, row: u32, level: usize) -> Range<usize> {
        let (at, size) = match self.upper_at.get(row as usize) {
            _ if level == 0 => (row as usize, BASE_LINKS),
            Some(&at) if level <= level_of(row) => (at as usize + level - 1, LINKS),
            _ => (0, 0),
        };
        at * size..(at + 1) * size
    }

    fn neighbours(&self, row: u32, level: usize) -> impl Iterator<Item = u32> + '_ {
        let lists = if level == 0 { &self.base } else { &self.upper };
        let list = lists.get(self.place(row, level)).unwrap_or_default();
        list.iter().copied().take_while(|&row| row != NONE)
    }

    fn set(&mut self, row: u32, level: usize, links: &[u32]) {
        let place = self.place(row, level);
        let lists = if level == 0 { &mut self.base } else { &mut self.upper };
        let links = links.iter().copied().chain(iter::repeat(NONE));
        for (slot, link) in lists.get_mut(place).unwrap_or_default().iter_mut().zip(links) {
            *slot = link;
        }
    }

    /// Header (magic, rows, entry), then `twins`, `base` and `upper` as they are, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 + 4 * (self.twins.len() + self.base.len() + self.upper.len()));
        bytes.extend(MAGIC);
        bytes.extend(u32::try_from(self.len()).unwrap_or(NONE).to_le_bytes());
        bytes.extend(self.entry.unwrap_or(NONE).to_le_bytes());
        for numbers in [&self.twins, &self.base, &self.upper] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes
    }

    /// # Errors
    /// When the bytes do not begin as those of [`Self::to_bytes`], have another size or lead out of the graph.
    pub fn from_bytes<'a>(bytes: &'a [u8]) -> Result<Self, GraphError> {
        let (magic, rest) = bytes.split_first_chunk().ok_or(BAD_HEADER)?;
        let (rows, rest) = rest.split_first_chunk().ok_or(BAD_HEADER)?;
        let (entry, rest) = rest.split_first_chunk().ok_or(BAD_HEADER)?;
        let (rows, entry) = (u32::from_le_bytes(*rows), u32::from_le_bytes(*entry));
        if *magic != MAGIC || (entry >= rows && (rows, entry) != (0, NONE)) {
            return Err(BAD_HEADER);
        }
        // The number of rows is believed only once the bytes to hold them are there.
        let split = |bytes: &'a [u8], each: usize| bytes.split_at_checked((rows as usize).checked_mul(4 * each)?);
        let (twins, rest) = split(rest, 1).ok_or(BAD_SIZE)?;
        let (base, upper) = split(rest, BASE_LINKS).ok_or(BAD_SIZE)?;
        let (mut upper_at, mut lists) = (Vec::with_capacity(rows as usize), 0);
        for row in 0..rows {
            upper_at.push(u32::try_from(lists).map_err(|_| BAD_SIZE)?);
            lists += level_of(row);
        }
        if upper.len() != lists * LINKS * 4 {
            return Err(BAD_SIZE);
        }
        let (base, upper, twins) = (numbers(base), numbers(upper), numbers(twins));
        let graph = Self { base, upper, upper_at, twins, entry: (rows > 0).then_some(entry) };
        let twins_hold = (0..rows).zip(&graph.twins).all(|(row, &twin)| twin == NONE || (twin < rows && twin != row));
        let base_holds = graph.base.iter().all(|&to| to == NONE || to < rows);
        let on_level = |row, level| graph.neighbours(row, level).all(|to| to < rows && level_of(to) >= level);
        let upper_holds = (0..rows).all(|row| (1..=level_of(row)).all(|level| on_level(row, level)));
        if twins_hold && base_holds && upper_holds { Ok(graph) } else { Err(BAD_LINK) }
    }
}

/// Rows as keys, best first.
type Keys = Vec<u64>;
/// A level, a row on it, and its neighbours.
type Links = (usize, u32, Vec<u32>);

/// The best rows of one walk so far, at most `width`, the worst on top; `seen` has a bit for each row, set once met.
struct Beam {
    level: usize,
    width: usize,
    best: BinaryHeap<Reverse<u64>>,
    seen: Vec<u64>,
}

impl Beam {
    fn new(level: usize, width: usize, rows: usize) -> Self {
        Self { level, width, best: BinaryHeap::new(), seen: vec![0; rows.div_ceil(64)] }
    }

    /// What a row has to beat; nothing while there is room.
    fn worst(&self) -> Option<u64> {
        if self.best.len() < self.width { None } else { self.best.peek().map(|worst| worst.0) }
    }

    fn offer(&mut self, key: u64) {
        self.best.push(Reverse(key));
        if self.best.len() > self.width {
            self.best.pop();
        }
    }

    /// Whether the row is there and had not been met.
    fn meet(&mut self, row: u32) -> bool {
        let Some(word) = self.seen.get_mut(row as usize / 64) else { return false };
        let before = std::mem::replace(word, *word | 1 << (row % 64));
        *word != before
    }
}

/// The highest level a row is on: a hash (splitmix64) with four zero bits more for each.
fn level_of(row: u32) -> usize {
    let hash = (u64::from(row) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((hash ^ (hash >> 31)).trailing_zeros() as usize / 4).min(MAX_LEVEL)
}

/// One number that orders by similarity (not a number comes last), then by lower row.
fn key(similarity: f32, row: u32) -> u64 {
    let bits = if similarity.is_nan() { NONE } else { (similarity + 0.0).to_bits() };
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    (u64::from(ordered) << 32) | u64::from(!row)
}

fn row_of(key: u64) -> u32 {
    !((key & 0xFFFF_FFFF) as u32)
}

fn similarity_of(key: u64) -> f32 {
    let ordered = u32::try_from(key >> 32).unwrap_or(0);
    f32::from_bits(if ordered >> 31 == 1 { ordered & !(1 << 31) } else { !ordered })
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number)).collect()
}

#[cfg(test)]
#[path = "hnsw_tests.rs"]
mod tests;
