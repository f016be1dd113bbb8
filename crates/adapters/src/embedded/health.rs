//! Whether catalogue and indexes say the same, passage by passage.

use vouch_domain::{PortError, ports::Generation};

use super::EmbeddedStore;

/// What each part of the store holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// The catalogue's age.
    pub generation: Generation,
    /// Documents in the catalogue.
    pub documents: u64,
    /// Living passages in the catalogue.
    pub passages: u64,
    /// Documents whose current version has no passage, or a passage without a vector.
    pub incomplete_documents: u64,
    /// Passages in the index of words that are not in the catalogue, or the other way round.
    pub lexical_disagreements: u64,
    /// The same of the index of vectors.
    pub dense_disagreements: u64,
}

impl StoreHealth {
    /// Whether nothing is amiss.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.incomplete_documents == 0 && self.lexical_disagreements == 0 && self.dense_disagreements == 0
    }
}

impl EmbeddedStore {
    /// Compares every passage of the catalogue with both indexes.
    ///
    /// # Errors
    /// Fails where a part cannot be read.
    pub fn health(&self) -> Result<StoreHealth, PortError> {
        let (documents, incomplete_documents, living) = self.database.read(|transaction| {
            let documents =
                transaction
                    .query_row("SELECT count(*) FROM documents WHERE version IS NOT NULL", [], |row| row.get(0))?;
            let incomplete = transaction.query_row(
                "SELECT count(*) FROM documents d WHERE d.version IS NOT NULL AND (
                     NOT EXISTS (SELECT 1 FROM passages p WHERE p.document = d.key AND p.version = d.version
                                 AND p.died IS NULL)
                     OR EXISTS (SELECT 1 FROM passages p WHERE p.document = d.key AND p.died IS NULL AND (
                                p.version <> d.version
                                OR NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.passage = p.key))))",
                [],
                |row| row.get(0),
            )?;
            let mut statement = transaction.prepare("SELECT key FROM passages WHERE died IS NULL ORDER BY key")?;
            let living = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<u64>>>()?;
            Ok((documents, incomplete, living))
        })?;
        Ok(StoreHealth {
            generation: self.database.generation()?,
            documents,
            passages: living.len() as u64,
            incomplete_documents,
            lexical_disagreements: disagreements(&living, &self.lexical.keys()?),
            dense_disagreements: disagreements(&living, &self.dense.keys()),
        })
    }
}

/// How many keys are in one of two sorted lists only, or twice in one.
fn disagreements(left: &[u64], right: &[u64]) -> u64 {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut found = 0;
    loop {
        match (left.peek(), right.peek()) {
            (None, None) => return found,
            (Some(a), Some(b)) if a == b => {
                left.next();
                right.next();
            }
            (Some(a), Some(b)) if a < b => {
                left.next();
                found += 1;
            }
            (Some(_), None) => {
                left.next();
                found += 1;
            }
            (_, Some(_)) => {
                right.next();
                found += 1;
            }
        }
    }
}
