//! Vectors in memory and on disk behind the `DenseIndex` port: every vector as bytes for the scan, the best ones
//! weighed again with the exact vectors of the catalogue.
//!
//! Invariant: the head file names the store, the embedder and the generation the rows were brought to; rows that
//! belong elsewhere or cannot be read are made anew.

mod graph_file;
mod hnsw;
mod quantised;
mod rows;
mod scan;

use std::{
    collections::BTreeSet,
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
    audiences::Visible,
    blocking,
    database::{Database, generation},
    generations::ahead_of_catalogue,
    integrity::damage_sentence,
};
use graph_file::GraphFile;
use quantised::Quantised;
use rows::{Owner, Rows};

const PORT: &str = "dense";
/// At least this many of the scan's best are weighed again exactly.
const RESCORED_MIN: usize = 50;
/// One in so many more than asked for is weighed again, for those the bytes put a little too low.
const RESCORED_EXTRA: usize = 8;
/// How many rows are taken from the catalogue before they are written.
const CATCH_UP_ROWS: usize = 8_192;
/// A file with more dead rows than one in four is written anew.
const DEAD_SHARE: usize = 4;

/// When the search stops being exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnnSettings {
    /// Up to this many vectors every one is looked at.
    pub exact_up_to: usize,
    /// Beyond it, how many neighbours a search keeps in sight.
    pub search_breadth: usize,
}

impl Default for AnnSettings {
    fn default() -> Self {
        Self { exact_up_to: 200_000, search_breadth: 256 }
    }
}

/// Search by meaning.
pub struct EmbeddedDense {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    database: Arc<Database>,
    dimensions: usize,
    ann: AnnSettings,
    state: RwLock<State>,
}

struct State {
    rows: Rows,
    graph: Option<GraphFile>,
    /// Every audience that has a living row.
    audiences: BTreeSet<u32>,
}

impl EmbeddedDense {
    pub(super) fn open(
        folder: &Path,
        database: Arc<Database>,
        embedder: &EmbedderIdentity,
        ann: AnnSettings,
    ) -> Result<Self, PortError> {
        std::fs::create_dir_all(folder).map_err(|error| super::cannot_use(folder, error))?;
        let rows = Rows::open(folder, owner(&database, embedder)?)?;
        Ok(Self {
            inner: Arc::new(Inner {
                folder: folder.to_owned(),
                database,
                dimensions: embedder.dimensions,
                ann,
                state: RwLock::new(State { rows, graph: None, audiences: BTreeSet::new() }),
            }),
        })
    }

    pub(super) fn catch_up(&self) -> Result<Generation, PortError> {
        self.inner.catch_up()
    }

    /// What is wrong with a folder's index, without mending it.
    pub(super) fn find_damage(folder: &Path, database: &Database, embedder: &EmbedderIdentity) -> Option<String> {
        Rows::find_damage(folder, &owner(database, embedder).ok()?)
    }

    /// Every living passage in the index, sorted.
    pub(super) fn keys(&self) -> Vec<u64> {
        let state = self.inner.state.read().unwrap_or_else(PoisonError::into_inner);
        let rows = &state.rows;
        rows.range(0, rows.len()).filter(|row| row.is_alive).filter_map(|row| rows.key(row.number)).collect()
    }
}

#[async_trait]
impl DenseIndex for EmbeddedDense {
    async fn refresh(&self) -> Result<Generation, PortError> {
        let inner = Arc::clone(&self.inner);
        blocking(PORT, move || inner.catch_up()).await
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
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.bring_up(&mut state);
        if outcome.is_err() {
            // Rows that were appended and not committed must not be met again by the next attempt.
            state.rows = Rows::open(&self.folder, state.rows.owner().clone())?;
            state.graph = None;
        }
        outcome
    }

    fn bring_up(&self, state: &mut State) -> Result<Generation, PortError> {
        let wanted = self.database.generation()?;
        let vectors = self.database.vectors()?;
        if vectors != state.rows.owner().vectors {
            let owner = Owner { vectors, ..state.rows.owner().clone() };
            state.rows = Rows::open(&self.folder, owner)?;
            state.graph = None;
        }
        if state.rows.generation() > wanted {
            return Err(ahead_of_catalogue(PORT, state.rows.generation(), wanted));
        }
        if state.rows.dead() * DEAD_SHARE > state.rows.len() {
            state.rows.start_anew()?;
            state.graph = None;
        }
        if state.rows.generation() != wanted {
            let from = state.rows.generation();
            let (outcome, reached) = self.database.read(|transaction| {
                let outcome = self.write_changes(transaction, &mut state.rows, from)?;
                Ok((outcome, generation(transaction)?))
            })?;
            outcome?;
            state.rows.commit(reached)?;
        }
        state.audiences = state.rows.audiences();
        self.follow_with_graph(state)?;
        Ok(state.rows.generation())
    }

    /// Past the exact limit, links for every row; below it, none.
    fn follow_with_graph(&self, state: &mut State) -> Result<(), PortError> {
        if state.rows.len() <= self.ann.exact_up_to {
            state.graph = None;
            return Ok(());
        }
        let mut graph = match state.graph.take() {
            Some(graph) => graph,
            None => GraphFile::open(&self.folder, &state.rows),
        };
        graph.follow(&state.rows)?;
        state.graph = Some(graph);
        Ok(())
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
        let mut births = transaction.prepare(
            "SELECT p.key, p.audience, e.vector FROM checked_passages p JOIN checked_embeddings e ON e.passage = p.key
             WHERE p.born > ?1 AND p.died IS NULL ORDER BY p.key",
        )?;
        let mut born = births.query([from])?;
        let mut waiting = 0;
        while let Some(row) = born.next()? {
            let bytes = row.get_ref(2)?.as_blob()?;
            let Some(vector) = decode(bytes, self.dimensions) else {
                let what = format!("the vector of passage {} has the wrong length", row.get::<_, u64>(0)?);
                return Ok(Err(PortError::of(PORT, Fault::Corrupt, damage_sentence(&what))));
            };
            rows.append(row.get(0)?, row.get(1)?, &Quantised::of(&vector));
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
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        self.database.read(|transaction| {
            let visible = Visible::load(transaction, reader)?;
            let query = Quantised::of(vector.values());
            let fetch = limit.saturating_add(limit / RESCORED_EXTRA).max(RESCORED_MIN);
            // A reader who may not see every row gets the exact scan: links between hidden rows would show.
            let sees_all = state.audiences.iter().all(|audience| visible.includes(*audience));
            let walked = state
                .graph
                .as_ref()
                .filter(|_| sees_all)
                .and_then(|graph| graph.nearest(&state.rows, &query, fetch, self.ann.search_breadth));
            let found = walked.unwrap_or_else(|| scan::nearest(&state.rows, &query, &visible, fetch));
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

fn owner(database: &Database, embedder: &EmbedderIdentity) -> Result<Owner, PortError> {
    Ok(Owner {
        store_id: database.store_id().to_owned(),
        embedder: embedder.digest.clone(),
        vectors: database.vectors()?,
        dimensions: embedder.dimensions,
    })
}

fn exact_cosines(
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

/// The product of a stored vector and a given one; none where their widths differ.
fn dot(stored: &[u8], values: &[f32]) -> Option<f32> {
    let (stored, rest) = stored.as_chunks::<4>();
    let is_fitting = rest.is_empty() && stored.len() == values.len();
    is_fitting.then(|| stored.iter().zip(values).map(|(bytes, value)| f32::from_le_bytes(*bytes) * value).sum())
}

fn decode(bytes: &[u8], dimensions: usize) -> Option<Vec<f32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    let is_fitting = rest.is_empty() && chunks.len() == dimensions;
    is_fitting.then(|| chunks.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}
