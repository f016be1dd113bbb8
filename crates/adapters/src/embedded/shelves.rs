//! Tenant, tags and collection → one number, the shelf, which both indexes carry beside every passage.
//!
//! A passage's row names its audience and its version names its collection; the shelf is the pair. It stands in the indexes
//! alone, so no passage is written again when a catalogue of an earlier version is opened: its shelves are numbered, and the
//! indexes, which are derived, are rebuilt.
//!
//! Invariant: every version has its shelf, written in the same transaction; the number of a shelf never changes.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};
use vouch_domain::Reader;

use super::{audiences::is_open, row_sums};

/// Every shelf of a tenant. Nothing is read through: it is asked before every search.
const VISIBLE: &str = "SELECT s.id, a.tags, s.collection FROM checked_tenants t
    JOIN checked_audiences a ON a.tenant_id = t.id JOIN checked_shelves s ON s.audience = a.id WHERE t.name = ?1";

/// Which shelves a reader sees, as a row of yes and no by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VisibleShelves {
    open: Vec<bool>,
}

impl VisibleShelves {
    pub(super) fn load(transaction: &Transaction<'_>, reader: &Reader) -> rusqlite::Result<Self> {
        let mut statement = transaction.prepare_cached(VISIBLE)?;
        let mut rows = statement.query([&reader.tenant])?;
        let mut open = Vec::new();
        while let Some(row) = rows.next()? {
            let (id, tags, collection): (u32, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            if is_open(reader, &tags) && reader.reads_collection(&collection) {
                let index = id as usize;
                if open.len() <= index {
                    open.resize(index + 1, false);
                }
                if let Some(flag) = open.get_mut(index) {
                    *flag = true;
                }
            }
        }
        Ok(Self { open })
    }

    /// One shelf and no other.
    pub(super) fn only(shelf: u32) -> Self {
        let mut open = vec![false; shelf as usize];
        open.push(true);
        Self { open }
    }

    pub(super) fn includes(&self, shelf: u32) -> bool {
        self.open.get(shelf as usize).copied().unwrap_or(false)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.open).filter(|(_, is_open)| **is_open).map(|(id, _)| id)
    }
}

/// The numbers of all shelves, for whoever brings an index up to the catalogue.
pub(super) struct ShelfNumbers {
    by_audience: BTreeMap<u32, BTreeMap<String, u32>>,
}

impl ShelfNumbers {
    pub(super) fn load(transaction: &Transaction<'_>) -> rusqlite::Result<Self> {
        let mut statement = transaction.prepare("SELECT id, audience, collection FROM checked_shelves")?;
        let mut rows = statement.query([])?;
        let mut by_audience: BTreeMap<u32, BTreeMap<String, u32>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            by_audience.entry(row.get(1)?).or_default().insert(row.get(2)?, row.get(0)?);
        }
        Ok(Self { by_audience })
    }

    /// The shelf of an audience and a collection. Each has been written with its first version, so a missing one is damage.
    pub(super) fn of(&self, audience: u32, collection: &str) -> rusqlite::Result<u32> {
        let found = self.by_audience.get(&audience).and_then(|shelves| shelves.get(collection));
        found.copied().ok_or_else(|| rusqlite::Error::UserFunctionError(format!("{}shelves", row_sums::DAMAGED).into()))
    }
}

/// Gives an audience's collection its number, if it has none yet.
pub(super) fn keep(transaction: &Transaction<'_>, audience: i64, collection: &str) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO shelves (audience, collection) VALUES (?1, ?2)")?
        .execute(params![audience, collection])
        .map(|_| ())
}

/// Gives every audience's collections their numbers, in one order for the same versions.
pub(super) fn number_all(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "INSERT OR IGNORE INTO shelves (audience, collection)
         SELECT DISTINCT audience, collection FROM versions ORDER BY audience, collection",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Reader, VisibleShelves, keep};
    use crate::embedded::{database::Database, schema};

    /// What a reader sees is looked up before every search, so it must not take longer the more documents there are.
    #[test]
    fn what_a_reader_sees_is_found_by_keys_and_never_by_reading_a_table_through() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::open(&folder.path().join("catalogue.sqlite"), schema::CATALOGUE).expect("it opens");
        let plan = database.read(|transaction| {
            let mut statement = transaction.prepare(&format!("EXPLAIN QUERY PLAN {}", super::VISIBLE))?;
            statement.query_map(["acme"], |row| row.get(3))?.collect::<rusqlite::Result<Vec<String>>>()
        });
        let plan = plan.expect("a plan");
        assert_eq!(plan.len(), 3, "{plan:?}");
        assert!(plan.iter().all(|step| step.starts_with("SEARCH ")), "{plan:?}");
    }

    #[test]
    fn a_shelf_keeps_its_number_and_other_tenants_shelves_stay_closed() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::open(&folder.path().join("catalogue.sqlite"), schema::CATALOGUE).expect("it opens");
        let (all, few, strangers) = database
            .write(|transaction| {
                transaction.execute_batch(
                    "INSERT INTO tenants (id, name) VALUES (1, 'acme'), (2, 'other');
                     INSERT INTO audiences (id, tenant_id, tags) VALUES (1, 1, '[]'), (2, 2, '[]'), (3, 1, 'broken');",
                )?;
                for (audience, collection) in [(1, "a"), (2, "a"), (3, "a"), (1, "b"), (1, "a")] {
                    keep(transaction, audience, collection)?;
                }
                let few = Reader::of_tenant("acme").within(&BTreeSet::from(["b".to_owned(), "c".to_owned()]));
                Ok((
                    VisibleShelves::load(transaction, &Reader::of_tenant("acme"))?,
                    VisibleShelves::load(transaction, &few)?,
                    VisibleShelves::load(transaction, &Reader::of_tenant("nobody"))?,
                ))
            })
            .expect("written");
        assert_eq!(all.ids().collect::<Vec<_>>(), [1, 4], "tags that cannot be read close what has them");
        assert_eq!(few.ids().collect::<Vec<_>>(), [4]);
        assert_eq!(strangers.ids().count(), 0);
    }
}
