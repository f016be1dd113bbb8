//! An open index, and the totals of what lives in it.

use tantivy::{Index, IndexReader};
use vouch_domain::{PortError, ports::Generation};

use super::{
    fault::fault,
    schema::{self, Fields},
    statistics::Totals,
};

/// An open index and the totals of what lives in it.
pub(super) struct OpenIndex {
    pub(super) index: Index,
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    pub(super) totals: Totals,
    /// The generation the reader and the totals show; none until they were brought there.
    pub(super) shown: Option<Generation>,
}

impl OpenIndex {
    /// Every living passage, sorted.
    pub(super) fn keys(&self) -> Result<Vec<u64>, PortError> {
        let mut keys = Vec::new();
        for segment in self.reader.searcher().segment_readers() {
            let column = segment.fast_fields().u64(schema::KEY).map_err(fault)?;
            keys.extend(segment.doc_ids_alive().filter_map(|document| column.first(document)));
        }
        keys.sort_unstable();
        Ok(keys)
    }

    /// Brings reader and totals to a generation that is already committed.
    pub(super) fn show(&mut self, generation: Generation) -> Result<(), PortError> {
        if self.shown != Some(generation) {
            self.reader.reload().map_err(fault)?;
            self.shown = None;
            self.totals = Totals::count(&self.reader.searcher()).map_err(fault)?;
            self.shown = Some(generation);
        }
        Ok(())
    }
}
