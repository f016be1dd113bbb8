//! A server's data folder, kept up to the database it is a copy of, and an index of vectors elsewhere, kept up to the folder.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    sync::Notify,
    task::JoinHandle,
    time::{sleep, timeout},
};
use vouch_adapters::{embedded::Follower, postgres::ChangeListener};
use vouch_domain::{
    Fault,
    ports::{Catalogue, DenseIndex},
};

use crate::wiring::App;

/// How often the database is asked though it has not said that anything changed.
const ASKED_EVERY: Duration = Duration::from_secs(2);

/// Follows until it is dropped.
pub(super) struct Following {
    tasks: Vec<JoinHandle<()>>,
}

impl Following {
    /// Begins to follow, where the folder is a copy of a database, and to bring vectors up, where they are searched elsewhere.
    pub(super) fn start(app: &App) -> Self {
        let mut tasks = Vec::new();
        let is_changed = Arc::<Notify>::default();
        if app.dense_server().is_some() {
            let indexing = Indexing {
                catalogue: app.store.catalogue.clone(),
                dense: Arc::clone(&app.engine.retrieve.dense),
                is_changed: Arc::clone(&is_changed),
                pace: PACE,
            };
            // Apart from the folder, which does not wait for what may take hours.
            tasks.push(tokio::spawn(indexing.run()));
        }
        if let (Some(follower), Some(database)) = (app.store.follower(), app.database()) {
            let (listener, due) = (database.listen(), Arc::<Notify>::default());
            // What is heard while the folder is brought up is noted at once, so that it can be said how far behind it is.
            tasks.push(tokio::spawn(hear(follower.clone(), listener, Arc::clone(&due))));
            tasks.push(tokio::spawn(follow(follower, due, is_changed)));
        }
        Self { tasks }
    }
}

async fn hear(follower: Follower, listener: ChangeListener, due: Arc<Notify>) {
    loop {
        listener.wait(ASKED_EVERY).await;
        follower.hear_of(listener.latest());
        due.notify_one();
    }
}

async fn follow(own: Follower, due: Arc<Notify>, is_changed: Arc<Notify>) {
    let mut failing_since: Option<Instant> = None;
    loop {
        due.notified().await;
        let follower = own.clone();
        match tokio::task::spawn_blocking(move || follower.follow()).await {
            Ok(Ok(has_changed)) => {
                if has_changed {
                    // An index of the data folder has come along already.
                    is_changed.notify_one();
                }
                if let Some(since) = failing_since.take() {
                    let away_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
                    tracing::info!(away_ms, component = "database", "the database is there again");
                }
            }
            Ok(Err(error)) if failing_since.is_none() => {
                failing_since = Some(Instant::now());
                tracing::warn!(%error, component = "database", "the store cannot be brought up to the database");
            }
            Ok(Err(_)) => {}
            // The runtime is ending.
            Err(_) => return,
        }
    }
}

/// How often an index elsewhere is looked at.
#[derive(Clone, Copy)]
struct Pace {
    /// Whether it is behind the catalogue, which asks nobody else.
    looked_every: Duration,
    /// Whether the server has it still, and whether something was left undone.
    refreshed_every: Duration,
    /// How long the first wait after a failure is; each further one is twice as long.
    retry_first: Duration,
    retry_longest: Duration,
}

const PACE: Pace = Pace {
    looked_every: Duration::from_secs(2),
    refreshed_every: Duration::from_secs(60),
    retry_first: Duration::from_secs(2),
    retry_longest: Duration::from_secs(300),
};

/// Brings an index elsewhere up to the catalogue for as long as the server runs.
struct Indexing {
    catalogue: Arc<dyn Catalogue>,
    dense: Arc<dyn DenseIndex>,
    /// Told when the folder has come to another change of the database.
    is_changed: Arc<Notify>,
    pace: Pace,
}

impl Indexing {
    async fn run(self) {
        let mut retry = self.pace.retry_first;
        // Until it was refreshed once, nobody has compared it with the catalogue.
        let mut refreshed: Option<Instant> = None;
        loop {
            let is_old = refreshed.is_none_or(|at| at.elapsed() >= self.pace.refreshed_every);
            if !is_old && !self.is_behind().await {
                // Without a database nobody tells that something has changed.
                let _ = timeout(self.pace.looked_every, self.is_changed.notified()).await;
                continue;
            }
            match self.dense.refresh().await {
                Ok(_) => {
                    if retry > self.pace.retry_first {
                        tracing::info!(component = "dense", "the vector index is brought up to the store again");
                    }
                    (refreshed, retry) = (Some(Instant::now()), self.pace.retry_first);
                }
                // Somebody else brings it up, or another node changes it.
                Err(error) if error.fault == Fault::Held => {
                    tracing::debug!(%error, component = "dense", "the vector index is brought up to the store later");
                    sleep(self.pace.retry_first).await;
                }
                Err(error) => {
                    let retry_ms = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
                    tracing::warn!(
                        %error,
                        retry_ms,
                        component = "dense",
                        "the vector index cannot be brought up to the store"
                    );
                    sleep(retry).await;
                    retry = retry.saturating_mul(2).min(self.pace.retry_longest);
                }
            }
        }
    }

    async fn is_behind(&self) -> bool {
        match (self.dense.generation().await, self.catalogue.generation().await) {
            (Ok(reached), Ok(own)) => reached != own,
            (Err(_), _) => true,
            // The catalogue itself is asked by everybody, and what is wrong with it is said elsewhere.
            (Ok(_), Err(_)) => false,
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use async_trait::async_trait;
    use vouch_domain::{
        Embedding, PassageKey, PortError, Reader,
        ports::{Generation, LaneHit},
    };
    use vouch_testkit::{
        corpus::{card, kept},
        fakes::MemoryStore,
    };

    use super::{Arc, Catalogue, DenseIndex, Duration, Fault, Indexing, Notify, Pace};

    /// An index that fails a few times, once for each fault, before it can be brought up.
    struct SlowIndex {
        store: Arc<MemoryStore>,
        faults: &'static [Fault],
        asked: AtomicUsize,
        reached: AtomicU64,
        is_up: Notify,
    }

    #[async_trait]
    impl DenseIndex for SlowIndex {
        async fn refresh(&self) -> Result<Generation, PortError> {
            let asked = self.asked.fetch_add(1, Ordering::SeqCst);
            if let Some(fault) = self.faults.get(asked) {
                return Err(PortError::new("dense", *fault, "not yet"));
            }
            let own = Catalogue::generation(self.store.as_ref()).await?;
            self.reached.store(own.0, Ordering::SeqCst);
            self.is_up.notify_one();
            Ok(own)
        }

        async fn generation(&self) -> Result<Generation, PortError> {
            Ok(Generation(self.reached.load(Ordering::SeqCst)))
        }

        async fn nearest(&self, _: &Reader, _: &Embedding, _: usize) -> Result<Vec<LaneHit>, PortError> {
            Ok(Vec::new())
        }

        async fn cosines(&self, _: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
            Ok(vec![None; keys.len()])
        }
    }

    #[tokio::test]
    async fn an_index_elsewhere_is_tried_until_it_is_up_and_follows_what_nobody_tells_of() {
        let store = Arc::new(MemoryStore::default());
        let faults = &[Fault::Unavailable, Fault::Held, Fault::Timeout];
        let dense = Arc::new(SlowIndex {
            store: Arc::clone(&store),
            faults,
            asked: AtomicUsize::new(0),
            reached: AtomicU64::new(0),
            is_up: Notify::new(),
        });
        let soon = Duration::from_millis(1);
        let day = Duration::from_secs(86_400);
        let pace = Pace { looked_every: soon, refreshed_every: day, retry_first: soon, retry_longest: soon };
        let indexing =
            Indexing { catalogue: store.clone(), dense: dense.clone(), is_changed: Arc::<Notify>::default(), pace };
        let running = tokio::spawn(indexing.run());
        dense.is_up.notified().await;
        assert_eq!(dense.asked.load(Ordering::SeqCst), 4);
        store.upsert(vec![kept(card("a", &[]), &["A mast."])]).await.expect("keep");
        dense.is_up.notified().await;
        assert_eq!(dense.reached.load(Ordering::SeqCst), 1);
        running.abort();
    }
}
