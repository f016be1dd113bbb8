//! Reader → the documents open to them, told by the audience and the collection of each.

use std::collections::BTreeSet;

use rusqlite::Transaction;
use vouch_domain::Reader;

/// Which audiences a reader belongs to, as a row of yes and no by their numbers, and which collections they read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VisibleAudiences {
    open: Vec<bool>,
    reader: Reader,
}

impl VisibleAudiences {
    pub(super) fn load(transaction: &Transaction<'_>, reader: &Reader) -> rusqlite::Result<Self> {
        let mut statement = transaction.prepare_cached(
            "SELECT a.id, a.tags FROM checked_audiences a JOIN checked_tenants t ON t.id = a.tenant_id WHERE t.name = ?1",
        )?;
        let rows =
            statement.query_map([&reader.tenant], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?)))?;
        let mut open = Vec::new();
        for row in rows {
            let (id, tags) = row?;
            if is_open(reader, &tags) {
                let index = id as usize;
                if open.len() <= index {
                    open.resize(index + 1, false);
                }
                if let Some(flag) = open.get_mut(index) {
                    *flag = true;
                }
            }
        }
        Ok(Self { open, reader: reader.clone() })
    }

    /// Whether the reader belongs to an audience, so that what it has of their collections is open to them.
    pub(super) fn has(&self, audience: u32) -> bool {
        self.open.get(audience as usize).copied().unwrap_or(false)
    }

    /// Whether the reader sees what an audience has of a collection.
    pub(super) fn includes(&self, audience: u32, collection: &str) -> bool {
        self.has(audience) && self.reader.reads_collection(collection)
    }
}

/// Whether stored tags of the reader's own tenant are open to them. Tags that cannot be read close what has them: an
/// unreadable set would otherwise look like an empty one.
pub(super) fn is_open(reader: &Reader, tags: &str) -> bool {
    serde_json::from_str::<BTreeSet<String>>(tags).is_ok_and(|tags| reader.may_read(&reader.tenant, &tags))
}
