//! Vectors behind a server of their own, as `DenseIndex`: the server proposes passages, the catalogue of this node weighs them
//! with the exact vectors and says who may see them.
//!
//! What the server holds is derived. It names the store and the embedder it was made of and the generation it has come to; it is
//! made again where it is missing, of another store, or does not hold what the catalogue holds. Any number of nodes share it: each
//! asks for what was there at its own generation, and writing the same change twice changes nothing.
//!
//! Whoever waits for it to be brought up may give up waiting: what was begun goes on. A question has only what is soon done done.
//!
//! Invariant: what the server proposes for a reader depends on the rows of that reader's shelves alone (see `VectorServer`).

mod refresh;
mod turn;
mod vector_server;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use tracing::Instrument;
use vouch_domain::{
    Embedding, Fault, PassageKey, PortError, Reader,
    ports::{DenseIndex, Generation, LaneHit},
};

use crate::embedded::{CatalogueVectors, IndexIdentity};

pub(crate) use vector_server::{IndexContent, IndexHead, NewIndex, ServerQuery, Shelves, VectorServer};

use turn::{Care, Turns};

const PORT: &str = "dense";

/// Search by meaning behind a server.
pub struct RemoteDense {
    inner: Arc<Inner>,
}

struct Inner {
    vectors: CatalogueVectors,
    server: Arc<dyn VectorServer>,
    figures: RemoteDenseFigures,
    turns: Turns,
    /// What is searched, once it is known to be there.
    reached: Mutex<Option<Reached>>,
}

/// How much is asked of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteDenseFigures {
    /// At least so many passages are proposed by the server and weighed here.
    pub candidates_min: usize,
    /// How many rows are written at once to an index that is made.
    pub batch_rows: usize,
}

#[derive(Clone)]
struct Reached {
    identity: IndexIdentity,
    /// Its floor says from which generation on the dead are kept; a node that is further behind cannot be answered.
    head: IndexHead,
}

impl RemoteDense {
    pub(crate) fn new(vectors: CatalogueVectors, server: Arc<dyn VectorServer>, figures: RemoteDenseFigures) -> Self {
        let inner = Inner { vectors, server, figures, turns: Turns::default(), reached: Mutex::new(None) };
        Self { inner: Arc::new(inner) }
    }

    /// `catch_up` from a thread that may block, whatever that thread is.
    ///
    /// # Errors
    /// Fails if the server cannot be reached or written, and with `Fault::Held` where the index has to be made first.
    pub fn catch_up_and_wait(&self) -> Result<Generation, PortError> {
        // A thread of its own: one that serves a runtime must not wait for another.
        std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.map_err(|error| stopped().with_source(error))?.block_on(self.catch_up())
            });
            work.join().unwrap_or_else(|_| Err(stopped()))
        })
    }

    /// Brings the index up on a task of its own: one that ended with whoever waits for it would be begun anew for ever, and leave
    /// statements behind that nobody waits for.
    async fn bring_up(&self, care: Care) -> Result<Generation, PortError> {
        let turn = self.inner.turns.take(care).await?;
        let inner = Arc::clone(&self.inner);
        let work = async move { inner.bring_up(turn, care).await };
        tokio::spawn(work.in_current_span()).await.unwrap_or_else(|error| Err(stopped().with_source(error)))
    }
}

impl Inner {
    fn reached(&self, identity: &IndexIdentity) -> Option<Reached> {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner).clone();
        reached.filter(|reached| reached.identity == *identity)
    }

    /// What is searched: as it was last found, or as the server has it now.
    async fn searched(&self) -> Result<Reached, PortError> {
        let identity = self.vectors.identity()?;
        if let Some(reached) = self.reached(&identity) {
            return Ok(reached);
        }
        let head = self.server.head(&identity).await?.ok_or_else(not_made)?;
        Ok(self.reach(&identity, head))
    }

    fn reach(&self, identity: &IndexIdentity, head: IndexHead) -> Reached {
        let reached = Reached { identity: identity.clone(), head };
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(reached.clone());
        reached
    }

    fn forget(&self) {
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The generation that searches are of, without asking the server.
    fn generation(&self) -> Result<Generation, PortError> {
        let reached = self.reached(&self.vectors.identity()?).ok_or_else(not_made)?.head.generation;
        // The catalogue is asked after what the index has come to, which is never ahead of a store that nobody else changes.
        let own = self.vectors.generation()?;
        if reached > own && self.vectors.is_truth() {
            return Err(held("the vector index is ahead of the catalogue"));
        }
        Ok(reached.min(own))
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let view = self.vectors.view(reader).await?;
        let tenant = match view.tenant {
            Some(tenant) if !view.shelves.is_empty() && limit > 0 => tenant,
            // Whoever sees nothing learns nothing, and a server that is away is told of all the same.
            Some(_) | None => return self.server.check(&self.vectors.identity()?).await.map(|()| Vec::new()),
        };
        let Reached { identity, head } = self.searched().await?;
        if view.generation < head.floor {
            return Err(held("this node is too far behind the vector index to be answered from it"));
        }
        let query = ServerQuery {
            incarnation: head.incarnation,
            tenant,
            shelves: &view.shelves,
            generation: view.generation,
            vector: vector.values(),
            limit: limit.saturating_mul(2).max(self.figures.candidates_min),
        };
        let found = self.server.nearest(&identity, &query).await;
        let found = found.inspect_err(|error| self.forget_if_gone(error))?;
        self.vectors.weigh(reader, vector, found, limit).await
    }
}

#[async_trait]
impl DenseIndex for RemoteDense {
    async fn refresh(&self) -> Result<Generation, PortError> {
        self.bring_up(Care::Thorough).await
    }

    async fn catch_up(&self) -> Result<Generation, PortError> {
        self.bring_up(Care::Quick).await
    }

    async fn generation(&self) -> Result<Generation, PortError> {
        self.inner.generation()
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        self.inner.nearest(reader, vector, limit).await
    }

    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        self.inner.vectors.cosines(vector, keys).await
    }
}

impl fmt::Debug for RemoteDense {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("RemoteDense")
    }
}

/// What another time will do, or another node. A server that says so is in order.
fn held(sentence: &str) -> PortError {
    PortError::new(PORT, Fault::Held, sentence)
}

fn not_made() -> PortError {
    held("the vector index has not been made yet")
}

fn stopped() -> PortError {
    PortError::new(PORT, Fault::Internal, "the bringing up of the vector index was stopped")
}
