//! Entries of this node → the trail of all nodes, in the order they were written.
//!
//! Invariant: what was sent twice is there once, and what was not sent is known from the node's own chain, so that a kill at any
//! moment loses nothing and doubles nothing.

use std::{
    sync::{
        Arc, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::sync::{Mutex, Notify};
use vouch_domain::PortError;

use super::{
    look_back::{look_back, run_of_server},
    retention::{self, LOOK_AFTER},
    rows::{self, PORT},
};
use crate::{
    embedded::{
        EmbeddedTrail, TrailLimits,
        audit::outgoing::{Outgoing, OutgoingEntry},
        blocking::blocking,
    },
    postgres::{
        fault::{fault, is_away},
        server::Server,
        tenant::{ALL, begin},
    },
};

/// How long it is until a database that was away is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// Batches that are sent in one go.
const BATCHES_MAX: usize = 10_000;

/// Sends what the trail of a folder holds.
pub(super) struct Forwarder {
    pub(super) local: EmbeddedTrail,
    pub(super) server: Arc<Server>,
    limits: TrailLimits,
    due: Notify,
    /// The run of the database server that is known to have what was sent; none where that is to be found out.
    turn: Mutex<Option<String>>,
    /// Why the last attempt failed.
    failure: std::sync::Mutex<Option<PortError>>,
    /// Entries since the limits were last looked at.
    sent_since: AtomicU64,
}

impl Forwarder {
    pub(super) fn new(local: EmbeddedTrail, server: Arc<Server>, limits: TrailLimits) -> Self {
        Self {
            local,
            server,
            limits,
            due: Notify::new(),
            turn: Mutex::new(None),
            failure: std::sync::Mutex::new(None),
            // The first entry of a process looks at the limits too.
            sent_since: AtomicU64::new(LOOK_AFTER),
        }
    }

    /// Says that there is something to be sent.
    pub(super) fn is_due(&self) {
        self.due.notify_one();
    }

    /// Why the last attempt failed, where it did.
    pub(super) fn failure(&self) -> Option<PortError> {
        self.noted_failure().as_ref().map(told_again)
    }

    /// Sends for as long as somebody holds the trail.
    pub(super) fn keep_sending(self: &Arc<Self>, holder: Weak<()>) {
        let own = Arc::clone(self);
        self.server.spawn(async move {
            while holder.strong_count() > 0 {
                let (wait, was_failing) = (own.due.notified(), own.failure().is_some());
                if was_failing {
                    tokio::time::sleep(AGAIN).await;
                } else {
                    let _ = tokio::time::timeout(AGAIN, wait).await;
                }
                match own.send_all().await {
                    Ok(()) if was_failing => tracing::info!(component = "audit", "audit entries are in the database"),
                    Err(error) if !was_failing && is_away(&error) => {
                        tracing::warn!(%error, component = "audit", "audit entries wait for the database");
                    }
                    Err(error) if !was_failing => {
                        tracing::error!(%error, component = "audit", "audit entries cannot be sent to the database");
                    }
                    Ok(()) | Err(_) => {}
                }
            }
        });
    }

    /// Sends everything that has not been sent.
    pub(super) async fn send_all(self: &Arc<Self>) -> Result<(), PortError> {
        let outcome = self.send().await;
        *self.noted_failure() = outcome.as_ref().err().map(told_again);
        outcome
    }

    async fn send(self: &Arc<Self>) -> Result<(), PortError> {
        let mut known_run = self.turn.lock().await;
        let outcome = self.send_in_turn(&mut known_run).await;
        if outcome.is_err() {
            *known_run = None;
        }
        outcome
    }

    async fn send_in_turn(self: &Arc<Self>, known_run: &mut Option<String>) -> Result<(), PortError> {
        for _ in 0..BATCHES_MAX {
            if known_run.is_none() {
                *known_run = Some(look_back(&self.local, &self.server, self.limits).await?);
            }
            let local = self.local.clone();
            let Some(outgoing) = blocking(PORT, move || local.outgoing()).await? else { return Ok(()) };
            let Outgoing { entries, after, up_to } = outgoing;
            let count = entries.len() as u64;
            if count > 0 {
                let run = self.send_batch(entries).await?;
                // What another run of the server has is not known.
                if known_run.as_ref() != Some(&run) {
                    *known_run = None;
                }
            }
            // Where the process ends before this, they are sent once more and change nothing.
            let local = self.local.clone();
            blocking(PORT, move || local.set_sent((after, up_to))).await?;
            self.keep_within_limits(count).await;
        }
        Ok(())
    }

    /// Sends entries in one transaction; answers which run of the database server has them.
    async fn send_batch(self: &Arc<Self>, entries: Vec<OutgoingEntry>) -> Result<String, PortError> {
        let (own, limit) = (Arc::clone(self), self.server.limit());
        self.server
            .run(async move {
                let mut client = own.server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                rows::upsert(&transaction, limit, (own.local.identity(), &entries)).await?;
                let run = run_of_server(&transaction).await?;
                transaction.commit().await.map_err(fault)?;
                Ok(run)
            })
            .await
    }

    async fn keep_within_limits(self: &Arc<Self>, sent: u64) {
        if self.sent_since.fetch_add(sent, Ordering::Relaxed) + sent < LOOK_AFTER {
            return;
        }
        self.sent_since.store(0, Ordering::Relaxed);
        match retention::apply(&self.server, self.limits).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, component = "audit", "old audit entries were removed"),
            Err(error) => tracing::warn!(%error, component = "audit", "old audit entries could not be removed"),
        }
    }

    fn noted_failure(&self) -> MutexGuard<'_, Option<PortError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same failure for somebody else; the cause stays with whoever met it.
fn told_again(error: &PortError) -> PortError {
    PortError::new(error.port, error.fault, error.sentence.clone())
}
