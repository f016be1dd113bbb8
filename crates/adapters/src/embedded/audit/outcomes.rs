//! The trail of a folder → how often each outcome stands in it, of all tenants together.

use std::path::Path;

use vouch_domain::{Fault, PortError};

use super::{EmbeddedTrail, PORT};

/// Outcomes of requests, with reason and count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeCount {
    /// The outcome, as one word.
    pub outcome: String,
    /// Why they were refused or failed, if they were.
    pub reason: Option<String>,
    /// How many.
    pub requests: u64,
}

impl EmbeddedTrail {
    /// Counts a folder's trail by outcome and reason, without making one where there is none.
    ///
    /// # Errors
    /// Fails if there is no trail or it cannot be read.
    pub fn outcomes(folder: &Path) -> Result<Vec<OutcomeCount>, PortError> {
        let Some(trail) = Self::open_to_read(folder)? else {
            let sentence = format!("{} has no audit trail", folder.display());
            return Err(PortError::new(PORT, Fault::Unavailable, sentence));
        };
        trail.database.read(|transaction| {
            let sql = "SELECT outcome, reason, COUNT(*) FROM entries GROUP BY outcome, reason ORDER BY outcome, reason";
            let mut statement = transaction.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(OutcomeCount { outcome: row.get(0)?, reason: row.get(1)?, requests: row.get(2)? })
            })?;
            rows.collect()
        })
    }
}
