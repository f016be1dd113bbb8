//! Links between rows for corpora too large to scan, kept in a file of their own beside the rows.
//!
//! Invariant: a graph is used only for the rows it was built on; one that lags behind is extended, one of other
//! rows is built anew.

use std::path::{Path, PathBuf};

use vouch_domain::PortError;

use super::{
    hnsw::Graph,
    quantised::{Quantised, similarity},
    rows::Rows,
};
use crate::embedded::{cannot_use, replace_file};

const FILE: &str = "graph.bin";

/// The links, and where they are kept.
pub(super) struct GraphFile {
    path: PathBuf,
    lineage: String,
    graph: Graph,
}

impl GraphFile {
    /// The stored graph of these rows, or an empty one.
    pub(super) fn open(folder: &Path, rows: &Rows) -> Self {
        let (path, lineage) = (folder.join(FILE), rows.lineage());
        let graph = std::fs::read(&path).ok().and_then(|bytes| read(&bytes, &lineage)).unwrap_or_default();
        let graph = if graph.len() > rows.len() { Graph::default() } else { graph };
        Self { path, lineage, graph }
    }

    /// Links the rows that came since, and writes the graph down.
    pub(super) fn follow(&mut self, rows: &Rows) -> Result<(), PortError> {
        if self.lineage != rows.lineage() {
            self.lineage = rows.lineage();
            self.graph = Graph::default();
        }
        if self.graph.len() == rows.len() {
            return Ok(());
        }
        let between = |a: u32, b: u32| match (rows.row(a as usize), rows.row(b as usize)) {
            (Some(a), Some(b)) => similarity(a.codes, a.scale, b.codes, b.scale),
            (None, _) | (_, None) => -1.0,
        };
        let (from, to) = (self.graph.len(), rows.len());
        let range = u32::try_from(from).unwrap_or(u32::MAX)..u32::try_from(to).unwrap_or(u32::MAX);
        self.graph.insert_batch(range, &between);
        let graph = self.graph.to_bytes();
        let mut bytes = seal(&self.lineage, &graph).to_vec();
        bytes.extend_from_slice(&graph);
        replace_file(&self.path, &bytes).map_err(|error| cannot_use(&self.path, error))
    }

    /// The keys of the living rows nearest to a query, best first; none where the walk does not find enough.
    ///
    /// Links and the walk's budget know every row, so this is for readers who may see all of them.
    pub(super) fn nearest(&self, rows: &Rows, query: &Quantised, limit: usize, breadth: usize) -> Option<Vec<u64>> {
        let to_query = |number: u32| {
            rows.row(number as usize).map_or(-1.0, |row| similarity(row.codes, row.scale, &query.codes, query.scale))
        };
        let accept = |number: u32| rows.row(number as usize).is_some_and(|row| row.is_alive);
        let found = self.graph.search(&to_query, limit, breadth.max(limit), &accept);
        (found.len() >= limit).then(|| found.into_iter().filter_map(|(row, _)| rows.key(row as usize)).collect())
    }
}

/// The graph behind its seal, if the seal is of these rows and these bytes.
fn read(bytes: &[u8], lineage: &str) -> Option<Graph> {
    let (sealed, graph) = bytes.split_first_chunk::<32>()?;
    if *sealed != seal(lineage, graph) {
        return None;
    }
    Graph::from_bytes(graph).ok()
}

fn seal(lineage: &str, graph: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(lineage.as_bytes()).update(&[0]).update(graph);
    *hasher.finalize().as_bytes()
}
