//! What each piece of work costs, and how each figure is known.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::service_time::ServiceTime;

/// Costs of one question, one passage and one machine. Times are of one core where they are of a processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct UnitCosts {
    /// Embedding a question.
    pub(super) embed_question: ServiceTime,
    /// Searching by words, for every million passages; the whole of it is drawn once per question.
    pub(super) words_per_million: ServiceTime,
    /// Looking at one vector.
    pub(super) scan_ns_per_row: f64,
    /// The judge reading one passage of 160 tokens beside a question.
    pub(super) judge_pair: ServiceTime,
    /// How many it reads for a question.
    pub(super) judged: Count,
    /// All the rest of a question on the processor: understanding, checking, deciding, HTTP.
    pub(super) rest: ServiceTime,
    /// Writing the entry of the trail to disk, which no core does.
    pub(super) trail: ServiceTime,
    /// A round trip to PostgreSQL; every question makes one, for the keys.
    pub(super) round_trip: ServiceTime,
    /// Questions that a server answers at once (`serve.running_max`), here as many as a machine has cores.
    pub(super) running_max: usize,
    /// Embedding a passage that is taken in.
    pub(super) embed_passage_ms: f64,
    /// A change of 64 passages holds the lock of all writers this long.
    pub(super) change_of_64: ServiceTime,
    /// From a commit to a server's hearing of it.
    pub(super) notice: ServiceTime,
    /// Passages that a new server copies per second.
    pub(super) copied_per_second: f64,
    /// Memory of a server without passages, and of one more passage with its vector.
    pub(super) memory_base_mb: f64,
    pub(super) memory_bytes_per_passage: f64,
    /// Bytes of these that are the vector and go where vectors are kept elsewhere.
    pub(super) vector_bytes: f64,
    /// A server's disk, and the database's.
    pub(super) disk_bytes_per_passage: f64,
    pub(super) database_bytes_per_passage: f64,
    /// Engines that vectors can be kept in, by name.
    pub(super) engines: BTreeMap<String, EngineCosts>,
    pub(super) machine: Machine,
    pub(super) prices: Prices,
    /// Beyond which a size is called broken.
    pub(super) bounds: Bounds,
    /// How each of the above is known, where it was measured anew; the others are as docs/scale.md says.
    pub(super) sources: BTreeMap<String, String>,
}

/// How many of something: the mean and its spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Count {
    pub(super) mean: f64,
    pub(super) spread: f64,
}

/// A vector engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineCosts {
    /// Whether these were measured; where not they are assumptions, and the table says so.
    pub(super) is_measured: bool,
    /// Whether rows can lie on several machines, and the work of a query be divided over all their cores.
    pub(super) is_divisible: bool,
    /// Time of a query over a million rows as a client waits for it, counted as processor time.
    pub(super) query_at_a_million: ServiceTime,
    /// What a query takes more where there are ten times as many rows, as a share.
    pub(super) growth_per_tenfold: f64,
    pub(super) memory_bytes_per_row: f64,
    pub(super) disk_bytes_per_row: f64,
    /// Writing a million rows and making their index.
    pub(super) filled_s_per_million: f64,
}

/// The machines that all of this runs on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Machine {
    pub(super) cores: usize,
    /// The busiest that machines are planned to be.
    pub(super) busy_max: f64,
    /// What all cores together read from memory; more cores do not scan faster than that.
    pub(super) memory_gb_per_second: f64,
    /// Servers at least, so that one may be lost.
    pub(super) servers_min: usize,
}

/// Prices, in any currency: assumptions to be replaced by one's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prices {
    pub(super) core_hour: f64,
    pub(super) memory_gb_hour: f64,
    pub(super) disk_gb_month: f64,
}

/// What is still thought bearable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bounds {
    pub(super) p95_ms: f64,
    pub(super) memory_gb_per_machine: f64,
    pub(super) disk_gb_per_machine: f64,
    pub(super) machines: f64,
    pub(super) filling_days: f64,
    pub(super) copying_hours: f64,
}

impl Default for UnitCosts {
    /// The figures of docs/measurements.md; docs/scale.md says from which line each was taken and which are assumptions.
    fn default() -> Self {
        Self {
            embed_question: ServiceTime::new(2.0, 0.3),
            words_per_million: ServiceTime::new(54.0, 3.0),
            scan_ns_per_row: 78.0,
            judge_pair: ServiceTime::new(14.7, 0.2),
            judged: Count { mean: 11.0, spread: 0.57 },
            rest: ServiceTime::new(6.0, 0.5),
            trail: ServiceTime::new(2.0, 0.5),
            round_trip: ServiceTime::new(0.5, 0.5),
            running_max: 16,
            embed_passage_ms: 10.5,
            change_of_64: ServiceTime::new(40.0, 0.5),
            notice: ServiceTime::new(50.0, 0.5),
            copied_per_second: 2_900.0,
            memory_base_mb: 220.0,
            memory_bytes_per_passage: 464.0,
            vector_bytes: 384.0,
            disk_bytes_per_passage: 4_100.0,
            database_bytes_per_passage: 4_100.0,
            engines: BTreeMap::from([("pgvector".to_owned(), pgvector()), ("milvus".to_owned(), milvus())]),
            machine: Machine { cores: 16, busy_max: 0.6, memory_gb_per_second: 60.0, servers_min: 2 },
            prices: Prices { core_hour: 0.04, memory_gb_hour: 0.005, disk_gb_month: 0.1 },
            bounds: Bounds {
                p95_ms: 2_000.0,
                memory_gb_per_machine: 128.0,
                disk_gb_per_machine: 2_000.0,
                machines: 100.0,
                filling_days: 7.0,
                copying_hours: 12.0,
            },
            sources: BTreeMap::new(),
        }
    }
}

/// A walk through a graph grows with its depth; one table lies on one machine and a backend walks it alone.
fn pgvector() -> EngineCosts {
    EngineCosts {
        is_measured: true,
        is_divisible: false,
        query_at_a_million: ServiceTime::new(9.9, 0.27),
        growth_per_tenfold: 0.25,
        memory_bytes_per_row: 2_140.0,
        disk_bytes_per_row: 2_130.0,
        filled_s_per_million: 456.0,
    }
}

/// Codes that are all compared grow with their number; segments of them lie on any number of machines.
fn milvus() -> EngineCosts {
    EngineCosts {
        is_measured: true,
        is_divisible: true,
        query_at_a_million: ServiceTime::new(89.7, 1.1),
        growth_per_tenfold: 9.0,
        memory_bytes_per_row: 440.0,
        disk_bytes_per_row: 430.0,
        filled_s_per_million: 85.0,
    }
}

impl UnitCosts {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} does not hold costs", path.display()))
    }

    pub(super) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

impl EngineCosts {
    /// Processor time of a query over this many rows.
    pub(super) fn query(&self, rows: f64) -> ServiceTime {
        let tenfolds = (rows / 1e6).log10().max(0.0);
        self.query_at_a_million.times((1.0 + self.growth_per_tenfold).powf(tenfolds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_only_what_is_different() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("costs.json");
        std::fs::write(&path, r#"{ "scan_ns_per_row": 40.0 }"#).unwrap();
        let read = UnitCosts::read(&path).unwrap();
        assert_eq!(read, UnitCosts { scan_ns_per_row: 40.0, ..UnitCosts::default() });
        read.write(&path).unwrap();
        assert_eq!(UnitCosts::read(&path).unwrap(), read);
        std::fs::write(&path, r#"{ "scan_ns_per_line": 40.0 }"#).unwrap();
        assert!(UnitCosts::read(&path).is_err());
        std::fs::write(&path, r#"{ "words_per_million": { "mean_ms": 2.5 } }"#).unwrap();
        assert!(UnitCosts::read(&path).is_err(), "a time whose spread nobody named is not one that never varies");
    }

    #[test]
    fn a_query_grows_by_its_share_with_every_tenfold() {
        let engine = UnitCosts::default().engines.remove("pgvector").unwrap();
        let [one, ten, thousand] = [1e6, 1e7, 1e9].map(|rows| engine.query(rows).mean_ms);
        assert!((ten / one - 1.25).abs() < 1e-9 && (thousand / one - 1.25_f64.powi(3)).abs() < 1e-9);
    }
}
