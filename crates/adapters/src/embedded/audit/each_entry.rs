//! Every entry of a folder's trail, of all tenants together, for whoever counts them.

use rusqlite::params;
use vouch_domain::{AuditedEntry, PortError};

use super::{COLUMNS, EmbeddedTrail, SAID, feedback, placed};

/// Entries that are read at a time.
const BATCH: usize = 500;

impl EmbeddedTrail {
    /// The entries after a place in the order they were written in, a batch at a time; the last place.
    pub(super) fn after(&self, place: u64) -> Result<(Vec<AuditedEntry>, Option<u64>), PortError> {
        self.database.read(|transaction| {
            let said = format!("SELECT {SAID} FROM feedback WHERE place = ?1 ORDER BY at_ms, asker");
            let mut said = transaction.prepare_cached(&said)?;
            let sql = format!("SELECT {COLUMNS} FROM entries WHERE place > ?1 ORDER BY place LIMIT ?2");
            let mut entries = transaction.prepare_cached(&sql)?;
            let mut rows = entries.query(params![place, BATCH])?;
            let (mut found, mut last) = (Vec::new(), None);
            while let Some(row) = rows.next()? {
                let (place, entry) = placed(row)?;
                let feedback = said.query_map([place], feedback)?.collect::<rusqlite::Result<_>>()?;
                found.push(AuditedEntry { entry, feedback });
                last = Some(place);
            }
            Ok((found, last))
        })
    }
}
