//! Every visible, living row against a query → the keys of the best, best first.

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use rayon::prelude::*;

use super::{
    quantised::{QuantisedVector, similarity},
    rows::Rows,
};
use crate::embedded::shelves::VisibleShelves;

/// No thread is given fewer rows than this.
const CHUNK_ROWS_MIN: usize = 4_096;
/// Parts a thread's share is cut into, so that a late thread does not hold up the rest.
const PARTS_A_THREAD: usize = 2;

/// A row's similarity with ties going to the older row.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scored {
    similarity: f32,
    row: usize,
}

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.similarity.total_cmp(&other.similarity).then(other.row.cmp(&self.row))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) fn nearest(rows: &Rows, query: &QuantisedVector, visible: &VisibleShelves, limit: usize) -> Vec<u64> {
    // Few large parts: every part fills a list of its own before it can turn rows away.
    let chunk_rows = rows.len().div_ceil(rayon::current_num_threads() * PARTS_A_THREAD).max(CHUNK_ROWS_MIN);
    let best = (0..rows.len().div_ceil(chunk_rows))
        .into_par_iter()
        .map(|chunk| scan_chunk(rows, query, visible, limit, chunk * chunk_rows..(chunk + 1) * chunk_rows))
        .reduce(BinaryHeap::new, |left, right| merge(left, right, limit));
    let mut best: Vec<Scored> = best.into_iter().map(|Reverse(scored)| scored).collect();
    best.sort_by(|a, b| b.cmp(a));
    best.into_iter().filter_map(|scored| rows.key(scored.row)).collect()
}

type Best = BinaryHeap<Reverse<Scored>>;

fn scan_chunk(
    rows: &Rows,
    query: &QuantisedVector,
    visible: &VisibleShelves,
    limit: usize,
    part: Range<usize>,
) -> Best {
    let mut best = BinaryHeap::with_capacity(limit + 1);
    for row in rows.range(part.start, part.len()) {
        if row.is_alive && visible.includes(row.shelf) {
            let similarity = similarity(row.codes, row.scale, &query.codes, query.scale);
            offer(&mut best, Scored { similarity, row: row.number }, limit);
        }
    }
    best
}

fn merge(mut left: Best, right: Best, limit: usize) -> Best {
    for Reverse(scored) in right {
        offer(&mut left, scored, limit);
    }
    left
}

fn offer(best: &mut Best, scored: Scored, limit: usize) {
    if best.len() < limit {
        best.push(Reverse(scored));
    } else if best.peek().is_some_and(|Reverse(worst)| scored > *worst) {
        best.pop();
        best.push(Reverse(scored));
    }
}
