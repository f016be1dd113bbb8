//! Vectors in memory and on disk behind the `DenseIndex` port: every vector as bytes for the scan, the best ones
//! weighed again with the exact vectors of the catalogue.
//!
//! Invariant: the head file names the store, the embedder and the generation the rows were brought to; rows that
//! belong elsewhere or cannot be read are rebuilt.

mod made;
mod quantised;
mod rows;
mod scan;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Transaction};
use vouch_domain::{
    EmbedderIdentity, Embedding, Fault, PassageKey, PortError, Reader,
    ports::{DenseIndex, Generation, LaneHit},
};

use super::{
    blocking::blocking,
    database::Database,
    facts::generation,
    generations::ahead_of_catalogue,
    shelves::{ShelfNumbers, VisibleShelves},
    sqlite_fault::damage_sentence,
};
use quantised::QuantisedVector;
use rows::{Owner, Rows};

pub use made::{MadeVectors, ScanTimes};

const PORT: &str = "dense";
/// At least this many of the scan's best are weighed again exactly.
const RESCORED_MIN: usize = 50;
/// One in this many more than asked for are weighed again, for rows that quantisation put a little too low.
const RESCORED_EXTRA: usize = 8;
/// How many rows are taken from the catalogue before they are written.
const CATCH_UP_ROWS: usize = 8_192;
/// A file with more dead rows than one in four is written again.
const DEAD_SHARE: usize = 4;
/// Where earlier versions kept links between rows, which nothing reads any more.
const GRAPH_OF_EARLIER_VERSIONS: &str = "graph.bin";

/// Search by meaning.
pub struct EmbeddedDense {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    database: Arc<Database>,
    dimensions: usize,
    rows: RwLock<Rows>,
    place: DenseLane,
}

/// Where the index of vectors is that answers questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DenseLane {
    /// In the data folder and in memory.
    Here,
    /// Behind a server of its own, so that nothing of it is kept here.
    Elsewhere,
}

impl EmbeddedDense {
    pub(super) fn open(
        folder: &Path,
        database: Arc<Database>,
        embedder: &EmbedderIdentity,
        place: DenseLane,
    ) -> Result<Self, PortError> {
        let owner = owner(&database, embedder)?;
        let rows = match place {
            DenseLane::Here => {
                std::fs::create_dir_all(folder).map_err(|error| crate::embedded::files::cannot_use(folder, error))?;
                remove_old_graph(folder);
                Rows::open(folder, owner)?
            }
            DenseLane::Elsewhere => Rows::in_memory(owner),
        };
        Ok(Self {
            inner: Arc::new(Inner {
                folder: folder.to_owned(),
                database,
                dimensions: embedder.dimensions,
                rows: RwLock::new(rows),
                place,
            }),
        })
    }

    pub(super) fn catch_up(&self) -> Result<Generation, PortError> {
        self.inner.catch_up()
    }

    /// Writes the file again without the rows of the dead, where it has any.
    pub(super) fn drop_dead(&self) -> Result<Generation, PortError> {
        if self.inner.place == DenseLane::Elsewhere {
            return self.inner.database.generation();
        }
        let mut rows = self.inner.rows.write().unwrap_or_else(PoisonError::into_inner);
        let is_clean = rows.dead() == 0;
        let outcome = if is_clean { Ok(()) } else { rows.start_anew() };
        let outcome = outcome.and_then(|()| self.inner.bring_up(&mut rows));
        if outcome.is_err() {
            *rows = Rows::open(&self.inner.folder, rows.owner().clone())?;
        }
        outcome
    }

    /// What is wrong with a folder's index, without mending it.
    pub(super) fn find_damage(folder: &Path, database: &Database, embedder: &EmbedderIdentity) -> Option<String> {
        Rows::find_damage(folder, &owner(database, embedder).ok()?)
    }

    /// Every living passage in the index, sorted; none where the index is elsewhere.
    pub(super) fn keys(&self) -> Option<Vec<u64>> {
        if self.inner.place == DenseLane::Elsewhere {
            return None;
        }
        let rows = self.inner.rows.read().unwrap_or_else(PoisonError::into_inner);
        let living = rows.range(0, rows.len()).filter(|row| row.is_alive);
        Some(living.filter_map(|row| rows.key(row.number)).collect())
    }
}

#[async_trait]
impl DenseIndex for EmbeddedDense {
    async fn refresh(&self) -> Result<Generation, PortError> {
        let inner = Arc::clone(&self.inner);
        blocking(PORT, move || inner.catch_up()).await
    }

    async fn generation(&self) -> Result<Generation, PortError> {
        let inner = Arc::clone(&self.inner);
        blocking(PORT, move || Ok(inner.rows.read().unwrap_or_else(PoisonError::into_inner).generation())).await
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let (inner, reader, vector) = (Arc::clone(&self.inner), reader.clone(), vector.clone());
        blocking(PORT, move || inner.nearest(&reader, &vector, limit)).await
    }

    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        let (inner, vector, keys) = (Arc::clone(&self.inner), vector.clone(), keys.to_vec());
        blocking(PORT, move || inner.database.read(|transaction| exact_cosines(transaction, &vector, &keys))).await
    }
}

impl Inner {
    fn catch_up(&self) -> Result<Generation, PortError> {
        if self.place == DenseLane::Elsewhere {
            return self.database.generation();
        }
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.bring_up(&mut rows);
        if outcome.is_err() {
            // Rows that were appended but not committed must not reappear in the next attempt.
            *rows = Rows::open(&self.folder, rows.owner().clone())?;
        }
        outcome
    }

    fn bring_up(&self, rows: &mut Rows) -> Result<Generation, PortError> {
        let wanted = self.database.generation()?;
        let vectors = self.database.vectors()?;
        if vectors != rows.owner().vectors {
            let owner = Owner { vectors, ..rows.owner().clone() };
            *rows = Rows::open(&self.folder, owner)?;
        }
        if rows.generation() > wanted {
            return Err(ahead_of_catalogue(PORT, rows.generation(), wanted));
        }
        // Of what died before the generation from which on all is kept, nothing is left to follow.
        let is_too_old = rows.len() > 0 && rows.generation() < self.database.kept_from()?;
        if is_too_old || rows.dead() * DEAD_SHARE > rows.len() {
            rows.start_anew()?;
        }
        if rows.generation() != wanted {
            let from = rows.generation();
            let (outcome, reached) = self.database.read(|transaction| {
                let outcome = self.write_changes(transaction, rows, from)?;
                Ok((outcome, generation(transaction)?))
            })?;
            outcome?;
            rows.commit(reached)?;
        }
        Ok(rows.generation())
    }

    fn write_changes(
        &self,
        transaction: &Transaction<'_>,
        rows: &mut Rows,
        from: Generation,
    ) -> rusqlite::Result<Result<(), PortError>> {
        let from = i64::try_from(from.0).unwrap_or(i64::MAX);
        let mut deaths = transaction.prepare("SELECT key FROM checked_passages WHERE died > ?1 AND born <= ?1")?;
        let mut dead = deaths.query([from])?;
        while let Some(row) = dead.next()? {
            rows.bury(row.get(0)?);
        }
        let shelves = ShelfNumbers::load(transaction)?;
        let mut births = transaction.prepare(
            "SELECT p.key, p.audience, e.vector, p.document, p.version FROM checked_passages p JOIN checked_embeddings e ON e.passage = p.key
             WHERE p.born > ?1 AND p.died IS NULL ORDER BY p.key",
        )?;
        let mut born = births.query([from])?;
        let (mut waiting, mut last) = (0, None);
        while let Some(row) = born.next()? {
            let bytes = row.get_ref(2)?.as_blob()?;
            let Some(vector) = decode(bytes, self.dimensions) else {
                let what = format!("the vector of passage {} has the wrong length", row.get::<_, u64>(0)?);
                return Ok(Err(PortError::new(PORT, Fault::Corrupt, damage_sentence(&what))));
            };
            let place = (row.get(3)?, row.get(4)?);
            // The passages of a document come one after another, so its row is read once.
            let shelf = match last {
                Some((known, shelf)) if known == place => shelf,
                Some(_) | None => shelves.of(row.get(1)?, &collection(transaction, place)?)?,
            };
            last = Some((place, shelf));
            rows.append(row.get(0)?, shelf, &QuantisedVector::new(&vector));
            waiting += 1;
            if waiting % CATCH_UP_ROWS == 0
                && let Err(error) = rows.flush()
            {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        self.database.read(|transaction| {
            let visible = VisibleShelves::load(transaction, reader)?;
            let query = QuantisedVector::new(vector.values());
            let fetch = limit.saturating_add(limit / RESCORED_EXTRA).max(RESCORED_MIN);
            let found = scan::nearest(&rows, &query, &visible, fetch);
            let keys: Vec<PassageKey> = found.into_iter().map(PassageKey).collect();
            let cosines = exact_cosines(transaction, vector, &keys)?;
            let mut hits: Vec<LaneHit> = keys
                .into_iter()
                .zip(cosines)
                .filter_map(|(key, cosine)| cosine.map(|lane_score| LaneHit { key, lane_score }))
                .collect();
            hits.sort_by(|a, b| b.lane_score.total_cmp(&a.lane_score).then(a.key.cmp(&b.key)));
            hits.truncate(limit);
            Ok(hits)
        })
    }
}

/// The collection of a version of a document.
pub(super) fn collection(transaction: &Transaction<'_>, (document, version): (i64, u32)) -> rusqlite::Result<String> {
    transaction
        .prepare_cached("SELECT collection FROM checked_versions WHERE document = ?1 AND number = ?2")?
        .query_row([document, i64::from(version)], |row| row.get(0))
}

/// Files of an earlier version are useless now; one that cannot be removed stays and is not read.
fn remove_old_graph(folder: &Path) {
    match std::fs::remove_file(folder.join(GRAPH_OF_EARLIER_VERSIONS)) {
        Ok(()) => tracing::info!("removed the graph an earlier version kept beside the vectors"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(%error, "the graph of an earlier version could not be removed"),
    }
}

fn owner(database: &Database, embedder: &EmbedderIdentity) -> Result<Owner, PortError> {
    Ok(Owner {
        store_id: database.store_id().to_owned(),
        embedder: embedder.digest.clone(),
        vectors: database.vectors()?,
        dimensions: embedder.dimensions,
    })
}

pub(super) fn exact_cosines(
    transaction: &Transaction<'_>,
    vector: &Embedding,
    keys: &[PassageKey],
) -> rusqlite::Result<Vec<Option<f32>>> {
    let mut statement = transaction.prepare_cached("SELECT vector FROM checked_embeddings WHERE passage = ?1")?;
    let mut cosines = Vec::with_capacity(keys.len());
    for key in keys {
        let number = i64::try_from(key.0).unwrap_or(-1);
        let cosine = statement
            .query_row([number], |row| {
                let bytes = row.get_ref(0)?.as_blob()?;
                Ok(dot(bytes, vector.values()))
            })
            .optional()?;
        cosines.push(cosine.flatten());
    }
    Ok(cosines)
}

/// The product of a stored vector and a given one; none if their widths differ.
fn dot(stored: &[u8], values: &[f32]) -> Option<f32> {
    let (stored, rest) = stored.as_chunks::<4>();
    let is_fitting = rest.is_empty() && stored.len() == values.len();
    is_fitting.then(|| stored.iter().zip(values).map(|(bytes, value)| f32::from_le_bytes(*bytes) * value).sum())
}

pub(super) fn decode(bytes: &[u8], dimensions: usize) -> Option<Vec<f32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    let is_fitting = rest.is_empty() && chunks.len() == dimensions;
    is_fitting.then(|| chunks.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}
