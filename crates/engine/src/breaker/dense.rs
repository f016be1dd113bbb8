//! An index of vectors behind a breaker.
//!
//! Invariant: what a lane searches at once is one request. Half open a breaker lets one through, so of several all but the first
//! would be turned away, and the lane that fails with them would give up the first before it says how the server is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use vouch_domain::{
    Embedding, PassageKey, PortError, Reader,
    ports::{DenseIndex, Generation, LaneHit},
};

use super::{Breaker, Permit};

tokio::task_local! {
    /// The leave that the searches of the lane at hand share.
    static SHARED: Arc<SharedPermit>;
}

/// Leave to search, asked for by the first of several searches.
#[derive(Default)]
struct SharedPermit(Mutex<Option<Permit>>);

impl SharedPermit {
    fn acquire(&self, breaker: &Arc<Breaker>) -> Result<(), PortError> {
        let mut permit = self.permit();
        if permit.is_none() {
            *permit = Some(breaker.acquire()?);
        }
        Ok(())
    }

    fn settle<T>(&self, outcome: &Result<T, PortError>) {
        let permit = self.permit().take();
        if let Some(permit) = permit {
            permit.settle(outcome);
        }
    }

    fn permit(&self) -> MutexGuard<'_, Option<Permit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Searches that are made at once, with the time they have → one request to a guarded index: it counts as what comes of all of them,
/// and as nothing where whoever asked has left. An index that is not guarded knows nothing of it.
///
/// # Errors
/// Fails if the searches do.
pub(crate) async fn as_one_request<T>(searches: impl Future<Output = Result<T, PortError>>) -> Result<T, PortError> {
    let shared = Arc::<SharedPermit>::default();
    let outcome = SHARED.scope(Arc::clone(&shared), searches).await;
    shared.settle(&outcome);
    outcome
}

/// An index of vectors that is not searched while its breaker is open. Searches alone count.
pub struct GuardedDense {
    index: Arc<dyn DenseIndex>,
    breaker: Arc<Breaker>,
}

impl GuardedDense {
    /// An index behind a breaker.
    #[must_use]
    pub fn new(index: Arc<dyn DenseIndex>, breaker: Arc<Breaker>) -> Self {
        Self { index, breaker }
    }
}

#[async_trait]
impl DenseIndex for GuardedDense {
    async fn refresh(&self) -> Result<Generation, PortError> {
        // Writing takes long and fails for reasons of its own, none of which keeps the index from being searched.
        self.index.refresh().await
    }

    async fn catch_up(&self) -> Result<Generation, PortError> {
        // It counts no more than a refresh; but a question does not wait for a server that is not asked.
        self.breaker.check_closed()?;
        self.index.catch_up().await
    }

    async fn generation(&self) -> Result<Generation, PortError> {
        self.index.generation().await
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let search = self.index.nearest(reader, vector, limit);
        match SHARED.try_with(Arc::clone) {
            Ok(shared) => {
                shared.acquire(&self.breaker)?;
                search.await
            }
            Err(_) => self.breaker.guard(search).await,
        }
    }

    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        // The exact vectors are the catalogue's.
        self.index.cosines(vector, keys).await
    }
}
