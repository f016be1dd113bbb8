//! A server's data folder, kept up to the database it is a copy of.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;
use vouch_domain::{Fault, PortError};

use crate::wiring::App;

/// How often the database is asked though it has not said that anything changed.
const ASKED_EVERY: Duration = Duration::from_secs(2);
/// A copy that was not known to be whole for so long is told to be behind.
const BEHIND_AFTER: Duration = Duration::from_secs(15);

/// Finds out whether something works.
pub(super) type Probe = dyn Fn() -> Result<(), PortError> + Send + Sync;

/// Follows until it is dropped.
pub(super) struct Following {
    task: JoinHandle<()>,
}

impl Following {
    /// Begins to follow, where the folder is a copy of a database.
    pub(super) fn start(app: &App) -> Option<Self> {
        let (own, listener) = (app.store.follower()?, app.database()?.listen());
        let task = tokio::spawn(async move {
            let mut failing_since: Option<Instant> = None;
            loop {
                listener.wait(ASKED_EVERY).await;
                let follower = own.clone();
                match tokio::task::spawn_blocking(move || follower.follow()).await {
                    Ok(Ok(_)) => {
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
        });
        Some(Self { task })
    }
}

/// Finds out whether the copy is what the database holds, as far as is known; nothing to find out where the folder is no copy.
pub(super) fn probe(app: &App) -> Option<Arc<Probe>> {
    let follower = app.store.follower()?;
    Some(Arc::new(move || {
        let state = follower.state();
        if state.is_reached && state.age < BEHIND_AFTER {
            return Ok(());
        }
        Err(PortError::new("database", Fault::Unavailable, "the database cannot be reached"))
    }))
}

impl Drop for Following {
    fn drop(&mut self) {
        self.task.abort();
    }
}
