//! Every entry of a folder's trail, of all tenants together, for whoever counts them.

use std::path::Path;

use vouch_domain::{AuditedEntry, Fault, PortError};

use super::{COLUMNS, EmbeddedTrail, PORT, SAID, feedback, placed};

impl EmbeddedTrail {
    /// Visits the entries of a folder's trail in the order they were written in, one at a time, without making a trail where there
    /// is none.
    ///
    /// # Errors
    /// Fails if there is no trail or it cannot be read.
    pub fn each(folder: &Path, mut visit: impl FnMut(AuditedEntry)) -> Result<(), PortError> {
        let Some(trail) = Self::open_to_read(folder)? else {
            let sentence = format!("{} has no audit trail", folder.display());
            return Err(PortError::new(PORT, Fault::Unavailable, sentence));
        };
        trail.database.read(|transaction| {
            let said = format!("SELECT {SAID} FROM feedback WHERE place = ?1 ORDER BY at_ms, asker");
            let mut said = transaction.prepare_cached(&said)?;
            let mut entries = transaction.prepare_cached(&format!("SELECT {COLUMNS} FROM entries ORDER BY place"))?;
            let mut rows = entries.query([])?;
            while let Some(row) = rows.next()? {
                let (place, entry) = placed(row)?;
                let feedback = said.query_map([place], feedback)?.collect::<rusqlite::Result<_>>()?;
                visit(AuditedEntry { entry, feedback });
            }
            Ok(())
        })
    }
}
