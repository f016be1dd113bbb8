//! Whether catalogue and indexes say the same, passage by passage.

use std::collections::HashSet;

use rusqlite::{Transaction, params};
use vouch_domain::{AddressKey, PortError, ports::Generation};

use super::EmbeddedStore;

const MISSING_MAX: usize = 20;

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
    /// Passages whose version, audience or address is not their document's, and documents filed under another address
    /// than their own or without a kind or a collection.
    pub identity_disagreements: u64,
    /// Documents that name a successor nobody has, by id; the first few.
    pub missing_successors: Vec<String>,
    /// Passages in the word index that are not in the catalogue, or the other way round.
    pub lexical_disagreements: u64,
    /// The same for the vector index.
    pub dense_disagreements: u64,
}

impl StoreHealth {
    /// Whether everything agrees.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let disagreements = self.identity_disagreements + self.lexical_disagreements + self.dense_disagreements;
        self.incomplete_documents == 0 && disagreements == 0
    }
}

impl EmbeddedStore {
    /// Compares every passage of the catalogue with both indexes.
    ///
    /// # Errors
    /// Fails if a part cannot be read.
    pub fn health(&self) -> Result<StoreHealth, PortError> {
        let (documents, incomplete_documents, living) = self.database.read(|transaction| {
            let documents =
                transaction
                    .query_row("SELECT count(*) FROM documents WHERE version IS NOT NULL", [], |row| row.get(0))?;
            let incomplete = transaction.query_row(
                "SELECT count(*) FROM documents d WHERE d.version IS NOT NULL AND (
                     NOT EXISTS (SELECT 1 FROM passages p WHERE p.document = d.key AND p.version = d.version
                                 AND p.died IS NULL)
                     OR (SELECT passage_count FROM versions v WHERE v.document = d.key AND v.number = d.version) IS NOT
                        (SELECT count(*) FROM passages p WHERE p.document = d.key AND p.version = d.version)
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
            identity_disagreements: self.database.read(identity_disagreements)?,
            missing_successors: self.database.read(missing_successors)?,
            lexical_disagreements: disagreements(&living, &self.lexical.keys()?),
            dense_disagreements: self.dense.keys().map_or(0, |keys| disagreements(&living, &keys)),
        })
    }
}

/// Passages and documents whose labels do not fit together.
fn identity_disagreements(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let passages: u64 = transaction.query_row(
        "SELECT count(*) FROM passages p LEFT JOIN documents d ON d.key = p.document
         LEFT JOIN versions v ON v.document = p.document AND v.number = p.version
         WHERE p.died IS NULL AND (d.version IS NOT p.version OR v.audience IS NOT p.audience
             OR (v.address IS NOT NULL AND p.address IS NOT NULL AND substr(p.address, 1, length(v.address)) <> v.address))",
        [],
        |row| row.get(0),
    )?;
    let mut statement = transaction.prepare(
        "SELECT v.address, v.address_key, v.kind, v.collection FROM versions v
         JOIN documents d ON d.key = v.document AND d.version = v.number",
    )?;
    let mut rows = statement.query([])?;
    let mut documents = 0;
    while let Some(row) = rows.next()? {
        let (address, key): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        let (kind, collection): (String, String) = (row.get(2)?, row.get(3)?);
        let own = address.map(|address| AddressKey::new(&address).as_str().to_owned());
        documents += u64::from(own != key || kind.trim().is_empty() || collection.trim().is_empty());
    }
    Ok(passages + documents)
}

/// Documents whose successor is not there, up to a limit.
fn missing_successors(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    let mut statement = transaction.prepare(
        "SELECT d.id, v.superseded_by, d.tenant_id FROM versions v
         JOIN documents d ON d.key = v.document AND d.version = v.number
         WHERE v.superseded_by IS NOT NULL ORDER BY d.id",
    )?;
    let named = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(String, String, i64)>>>()?;
    let mut is_there = transaction.prepare(
        "SELECT EXISTS (SELECT 1 FROM versions v JOIN documents d ON d.key = v.document AND d.version = v.number
         WHERE v.address_key = ?1 AND d.tenant_id = ?2)
         OR EXISTS (SELECT 1 FROM documents WHERE id = ?3 AND tenant_id = ?2 AND version IS NOT NULL)",
    )?;
    let mut unknown = Vec::new();
    for (id, successor, tenant) in named {
        let address = AddressKey::new(&successor);
        let found: bool = is_there.query_row(params![address.as_str(), tenant, successor], |row| row.get(0))?;
        if !found {
            unknown.push((id, successor, tenant));
        }
    }
    if unknown.is_empty() {
        return Ok(Vec::new());
    }
    // No index has titles, so they are read once for all that may be one.
    let mut titles = transaction.prepare(
        "SELECT d.tenant_id, v.title FROM versions v JOIN documents d ON d.key = v.document AND d.version = v.number",
    )?;
    let titles = titles
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?.to_lowercase())))?
        .collect::<rusqlite::Result<HashSet<(i64, String)>>>()?;
    let is_missing =
        |(_, successor, tenant): &&(String, String, i64)| !titles.contains(&(*tenant, successor.to_lowercase()));
    let missing = unknown.iter().filter(is_missing).take(MISSING_MAX);
    Ok(missing.map(|(id, successor, _)| format!("{id} names {successor}")).collect())
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
