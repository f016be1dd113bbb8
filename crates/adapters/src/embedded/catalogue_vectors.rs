//! The catalogue as an index of vectors elsewhere needs it: what was born and died, what a reader sees, exact cosines.
//!
//! Invariant: no passage is told as a hit unless the catalogue itself says that the reader may see it and that it lives,
//! whatever the index found.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Transaction};
use vouch_domain::{
    EmbedderIdentity, Embedding, Fault, PassageKey, PortError, Reader,
    ports::{Generation, LaneHit},
};

use super::{
    blocking::blocking,
    database::Database,
    dense::{collection, decode, exact_cosines},
    facts::generation,
    shelves::{ShelfNumbers, VisibleShelves},
    sqlite_fault::damage_sentence,
};

const PORT: &str = "dense";
/// As many digits of a hash as tell two indexes apart.
const NAME_CHARS: usize = 20;

/// Which vectors an index is made of; another store, embedder or set of vectors needs another index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexIdentity {
    /// A name that no other store's index has.
    pub(crate) name: String,
    /// The store alone, as one of its copies.
    pub(crate) store: String,
    pub(crate) dimensions: usize,
}

/// A passage's vector, and from which generation on until which it is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VectorRow {
    pub(crate) key: u64,
    pub(crate) tenant: i64,
    pub(crate) shelf: u32,
    pub(crate) born: u64,
    pub(crate) died: Option<u64>,
    pub(crate) vector: Vec<f32>,
}

/// A place in a list of changes, ordered by generation and key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    generation: u64,
    key: i64,
}

impl Cursor {
    /// After everything of a generation.
    pub(crate) fn after(generation: Generation) -> Self {
        Self { generation: generation.0, key: i64::MAX }
    }
}

/// Which changes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// Passages that came, living or not.
    Births,
    /// Passages that came and are still there.
    Living,
    /// Passages that went and had come by this generation.
    Deaths(Generation),
}

/// What a reader sees at one generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) generation: Generation,
    /// None where the reader's tenant has no number, and so nothing to see.
    pub(crate) tenant: Option<i64>,
    pub(crate) shelves: Vec<u32>,
}

/// The vectors of a catalogue.
#[derive(Clone)]
pub struct CatalogueVectors {
    database: Arc<Database>,
    embedder: EmbedderIdentity,
}

impl CatalogueVectors {
    pub(super) fn new(database: Arc<Database>, embedder: EmbedderIdentity) -> Self {
        Self { database, embedder }
    }

    pub(crate) fn identity(&self) -> Result<IndexIdentity, PortError> {
        let lineage = self.database.lineage()?;
        let store = [self.database.store_id(), &lineage].join(if lineage.is_empty() { "" } else { " " });
        let vectors = self.database.vectors()?;
        let EmbedderIdentity { digest, dimensions, .. } = &self.embedder;
        let hash = blake3::hash(format!("{store}\n{digest}\n{vectors}\n{dimensions}").as_bytes()).to_hex();
        let name = hash.chars().take(NAME_CHARS).collect();
        Ok(IndexIdentity { name, store, dimensions: *dimensions })
    }

    pub(crate) fn generation(&self) -> Result<Generation, PortError> {
        self.database.generation()
    }

    /// The generation from which on the rows of the dead are kept.
    pub(crate) fn kept_from(&self) -> Result<Generation, PortError> {
        self.database.kept_from()
    }

    /// Whether the catalogue is the truth itself, and no copy of a database that others change as well.
    pub(crate) fn is_truth(&self) -> bool {
        self.database.follow_state().is_none()
    }

    /// How many passages with a vector there are at a generation, counted over indexes alone.
    pub(crate) async fn count(&self, at: Generation) -> Result<u64, PortError> {
        let (database, at) = (Arc::clone(&self.database), i64::try_from(at.0).unwrap_or(i64::MAX));
        let count = "SELECT (SELECT count(*) FROM passages p WHERE born <= ?1 AND
                                EXISTS (SELECT 1 FROM embeddings WHERE passage = p.key)) -
                            (SELECT count(*) FROM passages p WHERE died IS NOT NULL AND died <= ?1 AND
                                EXISTS (SELECT 1 FROM embeddings WHERE passage = p.key))";
        blocking(PORT, move || database.read(|transaction| transaction.query_row(count, [at], |row| row.get(0)))).await
    }

    /// The changes after a place, up to a limit, and the place of the last; none where there is no more.
    pub(crate) async fn changes(
        &self,
        change: Change,
        after: Cursor,
        limit: usize,
    ) -> Result<Option<(Vec<VectorRow>, Cursor)>, PortError> {
        let (database, dimensions) = (Arc::clone(&self.database), self.embedder.dimensions);
        let read = move || {
            database.read_if_fit(|transaction| {
                let keys = keys(transaction, change, after, limit).map_err(super::sqlite_fault::fault)?;
                let Some((generation, key)) = keys.last().copied() else { return Ok(None) };
                let rows = rows(transaction, change, &keys, dimensions)?;
                Ok(Some((rows, Cursor { generation, key })))
            })
        };
        blocking(PORT, read).await
    }

    pub(crate) async fn view(&self, reader: &Reader) -> Result<View, PortError> {
        let (database, reader) = (Arc::clone(&self.database), reader.clone());
        let read = move || {
            database.read(|transaction| {
                let tenant = transaction
                    .prepare_cached("SELECT id FROM checked_tenants WHERE name = ?1")?
                    .query_row([&reader.tenant], |row| row.get(0))
                    .optional()?;
                let shelves = VisibleShelves::load(transaction, &reader)?.ids().collect();
                Ok(View { generation: generation(transaction)?, tenant, shelves })
            })
        };
        blocking(PORT, read).await
    }

    /// Weighs what an index found with the exact vectors: the best of it that the reader sees, best first, ties to the older.
    pub(crate) async fn weigh(
        &self,
        reader: &Reader,
        vector: &Embedding,
        keys: Vec<PassageKey>,
        limit: usize,
    ) -> Result<Vec<LaneHit>, PortError> {
        let (database, reader, vector) = (Arc::clone(&self.database), reader.clone(), vector.clone());
        let weigh = move || {
            database.read(|transaction| {
                let cosines = exact_cosines(transaction, &vector, &keys)?;
                let known = keys.iter().zip(cosines).filter_map(|(key, cosine)| Some((*key, cosine?)));
                let mut hits: Vec<LaneHit> = known.map(|(key, lane_score)| LaneHit { key, lane_score }).collect();
                hits.sort_by(|a, b| b.lane_score.total_cmp(&a.lane_score).then(a.key.cmp(&b.key)));
                hits.dedup_by_key(|hit| hit.key);
                let (visible, numbers) =
                    (VisibleShelves::load(transaction, &reader)?, ShelfNumbers::load(transaction)?);
                let mut shown = Vec::with_capacity(limit.min(hits.len()));
                for hit in hits {
                    if shown.len() == limit {
                        break;
                    }
                    if living_shelf(transaction, &numbers, hit.key)?.is_some_and(|shelf| visible.includes(shelf)) {
                        shown.push(hit);
                    }
                }
                Ok(shown)
            })
        };
        blocking(PORT, weigh).await
    }

    pub(crate) async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        let (database, vector, keys) = (Arc::clone(&self.database), vector.clone(), keys.to_vec());
        blocking(PORT, move || database.read(|transaction| exact_cosines(transaction, &vector, &keys))).await
    }
}

/// The shelf of a passage that lives; none of one that does not.
fn living_shelf(
    transaction: &Transaction<'_>,
    numbers: &ShelfNumbers,
    key: PassageKey,
) -> rusqlite::Result<Option<u32>> {
    let found = transaction
        .prepare_cached("SELECT audience, document, version FROM checked_passages WHERE key = ?1 AND died IS NULL")?
        .query_row([i64::try_from(key.0).unwrap_or(-1)], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))
        .optional()?;
    let Some((audience, place)) = found else { return Ok(None) };
    numbers.of(audience, &collection(transaction, place)?).map(Some)
}

fn keys(
    transaction: &Transaction<'_>,
    change: Change,
    after: Cursor,
    limit: usize,
) -> rusqlite::Result<Vec<(u64, i64)>> {
    let (sql, born_by) = match change {
        Change::Births | Change::Living => (
            "SELECT born, key FROM passages WHERE (born, key) > (?1, ?2) AND born <= ?4 ORDER BY born, key LIMIT ?3",
            i64::MAX,
        ),
        Change::Deaths(by) => (
            "SELECT died, key FROM passages WHERE died IS NOT NULL AND (died, key) > (?1, ?2) AND born <= ?4
             ORDER BY died, key LIMIT ?3",
            i64::try_from(by.0).unwrap_or(i64::MAX),
        ),
    };
    let after_generation = i64::try_from(after.generation).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = transaction.prepare_cached(sql)?;
    let keys =
        statement.query_map([after_generation, after.key, limit, born_by], |row| Ok((row.get(0)?, row.get(1)?)))?;
    keys.collect()
}

fn rows(
    transaction: &Transaction<'_>,
    change: Change,
    keys: &[(u64, i64)],
    dimensions: usize,
) -> Result<Vec<VectorRow>, PortError> {
    let numbers = ShelfNumbers::load(transaction).map_err(super::sqlite_fault::fault)?;
    let mut rows = Vec::with_capacity(keys.len());
    for (_, key) in keys {
        let row = row(transaction, &numbers, *key, dimensions).map_err(super::sqlite_fault::fault)?;
        match row {
            // What is dead may have lost its vector, and nothing needs it.
            None => {}
            Some(row) if change == Change::Living && row.died.is_some() => {}
            Some(row) if row.vector.is_empty() => {
                let what = format!("the vector of passage {key} has the wrong length");
                return Err(PortError::new(PORT, Fault::Corrupt, damage_sentence(&what)));
            }
            Some(row) => rows.push(row),
        }
    }
    Ok(rows)
}

/// A passage's row; its vector is empty where what is stored has another width.
fn row(
    transaction: &Transaction<'_>,
    numbers: &ShelfNumbers,
    key: i64,
    dimensions: usize,
) -> rusqlite::Result<Option<VectorRow>> {
    let read = transaction
        .prepare_cached(
            "SELECT a.tenant_id, p.audience, p.born, p.died, e.vector, p.document, p.version
             FROM checked_passages p JOIN checked_embeddings e ON e.passage = p.key
             JOIN checked_audiences a ON a.id = p.audience WHERE p.key = ?1",
        )?
        .query_row([key], |row| {
            let vector = decode(row.get_ref(4)?.as_blob()?, dimensions).unwrap_or_default();
            let kept = VectorRow {
                key: u64::try_from(key).unwrap_or(0),
                tenant: row.get(0)?,
                shelf: 0,
                born: row.get(2)?,
                died: row.get(3)?,
                vector,
            };
            Ok((kept, row.get::<_, u32>(1)?, (row.get(5)?, row.get(6)?)))
        })
        .optional()?;
    let Some((kept, audience, place)) = read else { return Ok(None) };
    let shelf = numbers.of(audience, &collection(transaction, place)?)?;
    Ok(Some(VectorRow { shelf, ..kept }))
}

#[cfg(test)]
mod tests {
    use vouch_domain::ports::{Catalogue, Embedder, Generation};
    use vouch_testkit::{
        corpus::{card, kept},
        fakes::FakeEmbedder,
    };

    use super::{Change, Cursor};
    use crate::embedded::{DenseLane, EmbeddedStore, EmbedderCheck};

    #[tokio::test]
    async fn passages_without_a_vector_are_neither_told_nor_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let embedder = FakeEmbedder::named("fake");
        let fit = (embedder.identity(), EmbedderCheck::Enforce);
        let store = EmbeddedStore::open_with(folder.path(), fit, DenseLane::Elsewhere).expect("the store opens");
        let documents = [kept(card("a", &[]), &["A mast.", "Rain."]), kept(card("b", &[]), &["A gauge.", "A heron."])];
        for document in documents {
            store.catalogue.upsert(vec![document]).await.expect("keep");
        }
        let vectors = store.vectors();
        // One that lives, and one that is dead afterwards.
        vectors
            .database
            .write(|transaction| transaction.execute("DELETE FROM embeddings WHERE passage IN (1, 3)", []))
            .expect("written");
        store.catalogue.upsert(vec![kept(card("b", &[]), &["A stork."])]).await.expect("keep");
        let told = vectors.changes(Change::Living, Cursor::after(Generation(0)), 100).await.expect("changes");
        assert_eq!(told.expect("some").0.iter().map(|row| row.key).collect::<Vec<_>>(), [2, 5]);
        let count = async |at| vectors.count(Generation(at)).await.expect("a count");
        assert_eq!((count(1).await, count(2).await, count(3).await), (1, 2, 2));
    }
}
