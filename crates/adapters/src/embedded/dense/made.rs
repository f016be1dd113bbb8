//! Vectors made by seed → how long a scan of all of them takes, for `vouch-bench scan`.
//!
//! Invariant: the same numbers make the same vectors and queries on every machine, and no file is touched.

use std::time::{Duration, Instant};

use vouch_domain::{Fault, PortError};

use super::{
    PORT,
    quantised::QuantisedVector,
    rows::{Owner, Rows},
    scan,
};
use crate::embedded::shelves::VisibleShelves;

const SHELF: u32 = 0;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Rows as an index holds them in memory, of no store.
pub struct MadeVectors {
    rows: Rows,
    dimensions: usize,
    seed: Seed,
}

/// What scans took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanTimes {
    /// Time from call to result, one per query.
    pub elapsed: Vec<Duration>,
    /// Mean processor time of a query, all threads together, if the system reports it.
    pub cpu: Option<Duration>,
}

impl MadeVectors {
    /// This many vectors, all of one shelf.
    #[must_use]
    pub fn new(count: usize, dimensions: usize) -> Self {
        let owner = Owner { store_id: String::new(), embedder: "made".to_owned(), vectors: String::new(), dimensions };
        let mut made = Self { rows: Rows::in_memory(owner), dimensions, seed: Seed(SEED) };
        made.rows.reserve(count);
        for key in (1..).take(count) {
            let vector = made.vector();
            made.rows.hold(key, SHELF, &vector);
        }
        made
    }

    /// Scans every vector for each of the next queries of the seed, on this many threads.
    ///
    /// # Errors
    /// Fails if the threads cannot be started.
    pub fn scan(&mut self, threads: usize, queries: usize, limit: usize) -> Result<ScanTimes, PortError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
            PortError::new(PORT, Fault::Internal, "the threads for scanning vectors cannot be started")
                .with_source(error)
        })?;
        let visible = VisibleShelves::only(SHELF);
        let queries: Vec<QuantisedVector> = (0..=queries).map(|_| self.vector()).collect();
        let rows = &self.rows;
        let nearest = |query: &QuantisedVector| pool.install(|| scan::nearest(rows, query, &visible, limit));
        // The first query wakes the threads and is not counted.
        let (first, counted) = queries.split_at(1);
        first.iter().for_each(|query| drop(nearest(query)));
        let used = || pool.broadcast(|_| cpu_of_thread()).into_iter().sum::<Option<Duration>>();
        let before = used();
        let mut elapsed = Vec::with_capacity(counted.len());
        for query in counted {
            let clock = Instant::now();
            std::hint::black_box(nearest(query));
            elapsed.push(clock.elapsed());
        }
        let cpu = used().zip(before).map(|(after, before)| after.saturating_sub(before));
        let each = u32::try_from(counted.len()).unwrap_or(u32::MAX).max(1);
        Ok(ScanTimes { elapsed, cpu: cpu.map(|cpu| cpu / each) })
    }

    fn vector(&mut self) -> QuantisedVector {
        let values: Vec<f32> = (0..self.dimensions).map(|_| self.seed.centred()).collect();
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        QuantisedVector::new(&values.iter().map(|value| value / length).collect::<Vec<f32>>())
    }
}

/// The processor time this thread has used.
fn cpu_of_thread() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// A small generator whose numbers are the same on every machine (xorshift64*).
struct Seed(u64);

impl Seed {
    fn centred(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = u16::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 48).unwrap_or(0);
        f32::from(high) / 32_768.0 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::dense::quantised::similarity;

    /// Enough for several parts on each of a few threads.
    const ROWS: usize = 40_000;

    #[test]
    fn a_scan_finds_the_nearest_of_all_in_one_order_on_any_number_of_threads() {
        let mut made = MadeVectors::new(ROWS, 8);
        // A row of which there are many: ties go to the older row, whichever part it is in.
        let twin = made.vector();
        for n in 0..40 {
            made.rows.hold((ROWS + 1 + n) as u64, SHELF, &twin);
        }
        for query in [twin, made.vector()] {
            let rows = made.rows.range(0, made.rows.len());
            let mut all: Vec<(f32, u64)> = rows
                .map(|row| {
                    let near = similarity(row.codes, row.scale, &query.codes, query.scale);
                    (near, made.rows.key(row.number).unwrap())
                })
                .collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let best: Vec<u64> = all.into_iter().take(30).map(|(_, key)| key).collect();
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| scan::nearest(&made.rows, &query, &VisibleShelves::only(SHELF), 30));
                assert_eq!(found, best, "{threads} threads");
            }
        }
    }

    #[test]
    fn a_scan_passes_over_what_is_hidden_and_what_is_dead() {
        let mut made = MadeVectors::new(100, 8);
        let query = made.vector();
        made.rows.hold(101, SHELF + 1, &query);
        made.rows.hold(102, SHELF, &query);
        made.rows.bury(102);
        let found = scan::nearest(&made.rows, &query, &VisibleShelves::only(SHELF), 200);
        assert_eq!(found.len(), 100);
        assert!(found.iter().all(|key| *key <= 100));
    }

    #[test]
    fn every_query_is_timed() {
        let times = MadeVectors::new(1_000, 8).scan(2, 5, 10).unwrap();
        assert_eq!(times.elapsed.len(), 5);
    }
}
