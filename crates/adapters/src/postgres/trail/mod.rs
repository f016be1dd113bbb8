//! The trail of all nodes, behind the `AuditTrail` port.
//!
//! A node writes its own entries where a single server does, on its own disk before a reply leaves, and sends them to the database
//! beside requests. What is read is the database's trail, once everything of this node's own is in it.
//!
//! Invariant: a reply never waits for the database, and never leaves without its entry on this node's disk. While the database is away
//! the node's own entries are read, and what is read is told to be partial. Feedback is kept in the database alone. Who reads waits
//! only a moment for entries that are still being sent.

mod forwarder;
mod look_back;
mod read;
mod retention;
mod rows;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    AuditEntry, AuditScope, AuditedEntry, Fault, Feedback, FeedbackOutcome, PortError,
    ports::{AuditPlace, AuditTrail},
};

use super::{PostgresDatabase, fault::is_away};
use crate::embedded::{EmbeddedTrail, TrailLimits, blocking::blocking};
use forwarder::Forwarder;
use rows::PORT;

/// How long the end of a process waits for its last entries to be sent.
const LAST_ENTRIES: Duration = Duration::from_secs(2);
/// How long a request that reads waits for this node's entries to be sent.
const READERS_WAIT: Duration = Duration::from_secs(2);
/// Places of this node's own entries, which are read where the database is away, begin here.
const OWN_PLACES: u64 = 1 << 52;

/// What can be read of the trail of all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All of it.
    Whole,
    /// Entries of this node's own are not in it yet.
    Sending,
    /// Nothing.
    Away,
}

/// The trail of all nodes, and this node's own on its way there.
pub struct PostgresTrail {
    forwarder: Arc<Forwarder>,
    is_partial: AtomicBool,
    is_sending: AtomicBool,
    /// Sending ends when this is gone.
    holder: Arc<()>,
}

impl PostgresDatabase {
    /// The trail of all nodes. What this node writes is kept in the trail of its folder and sent from there.
    #[must_use]
    pub fn trail(&self, local: EmbeddedTrail, limits: TrailLimits) -> PostgresTrail {
        let forwarder = Arc::new(Forwarder::new(local, Arc::clone(&self.server), limits));
        let holder = Arc::new(());
        forwarder.keep_sending(Arc::downgrade(&holder));
        // What an earlier process left unsent.
        forwarder.is_due();
        let (is_partial, is_sending) = (AtomicBool::new(false), AtomicBool::new(false));
        PostgresTrail { forwarder, is_partial, is_sending, holder }
    }
}

impl PostgresTrail {
    /// Sends everything that this node has not sent yet.
    ///
    /// # Errors
    /// Fails if the database cannot be reached; it is tried again anyway.
    pub async fn send_all(&self) -> Result<(), PortError> {
        self.forwarder.send_all().await
    }

    /// What of the database's trail can be read, after everything of this node's own is in it if that is not long.
    async fn extent(&self, wait: Duration) -> Result<Extent, PortError> {
        let outcome = match self.forwarder.failure() {
            // It is tried again every second, so that nobody who reads need wait for that.
            Some(failure) => Ok(Err(failure)),
            None => tokio::time::timeout(wait, self.forwarder.send_all()).await,
        };
        let extent = match outcome {
            Ok(Ok(())) => Extent::Whole,
            Ok(Err(error)) if is_away(&error) => Extent::Away,
            Ok(Err(error)) => return Err(error),
            Err(_) => {
                self.forwarder.is_due();
                Extent::Sending
            }
        };
        self.note(extent);
        Ok(extent)
    }

    /// Keeps what can be told of what is read.
    fn note(&self, extent: Extent) {
        self.is_partial.store(extent != Extent::Whole, Ordering::Relaxed);
        self.is_sending.store(extent == Extent::Sending, Ordering::Relaxed);
    }

    /// Whether a place, from which somebody reads on, is one of the database's trail. Whoever reads page by page goes on in the trail
    /// they began with, since the entries of each before a place stay what they are.
    fn is_of_database(&self, place: AuditPlace) -> Result<bool, PortError> {
        if place.0 >= OWN_PLACES {
            self.is_partial.store(true, Ordering::Relaxed);
            return Ok(false);
        }
        match self.forwarder.failure() {
            Some(error) if is_away(&error) => {
                let sentence = "the database went away while the trail was read; begin again with the newest";
                Err(PortError::new(PORT, Fault::Unavailable, sentence))
            }
            Some(error) => Err(error),
            None => {
                self.note(Extent::Whole);
                Ok(true)
            }
        }
    }
}

impl Drop for PostgresTrail {
    fn drop(&mut self) {
        self.holder = Arc::new(());
        if self.forwarder.failure().is_some() {
            return;
        }
        let last = async {
            // What is not sent by then is sent at the next start.
            let _ = tokio::time::timeout(LAST_ENTRIES, self.forwarder.send_all()).await;
            Ok(())
        };
        let _ = self.forwarder.server.wait(last);
    }
}

#[async_trait]
impl AuditTrail for PostgresTrail {
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError> {
        let place = self.forwarder.local.write(entry).await?;
        self.forwarder.is_due();
        Ok(place)
    }

    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError> {
        self.forwarder.local.rewrite(place, entry).await?;
        self.forwarder.is_due();
        Ok(())
    }

    async fn entry(&self, scope: &AuditScope, id: &str) -> Result<Option<AuditedEntry>, PortError> {
        let extent = self.extent(READERS_WAIT).await?;
        if extent != Extent::Whole {
            let own = self.forwarder.local.entry(scope, id).await?;
            if own.is_some() || extent == Extent::Away {
                return Ok(own);
            }
        }
        read::entry(&self.forwarder.server, scope.clone(), id.to_owned()).await
    }

    async fn before(
        &self,
        scope: &AuditScope,
        place: Option<AuditPlace>,
        limit: usize,
    ) -> Result<Vec<(AuditPlace, AuditEntry)>, PortError> {
        let is_of_database = match place {
            Some(place) => self.is_of_database(place)?,
            None => self.extent(READERS_WAIT).await? == Extent::Whole,
        };
        if is_of_database {
            return read::before(&self.forwarder.server, scope.clone(), place, limit).await;
        }
        let place = place.map(|place| AuditPlace(place.0.saturating_sub(OWN_PLACES)));
        let own = self.forwarder.local.before(scope, place, limit).await?;
        Ok(own.into_iter().map(|(place, entry)| (AuditPlace(OWN_PLACES + place.0), entry)).collect())
    }

    async fn commented(&self, scope: &AuditScope, limit: usize) -> Result<Vec<AuditedEntry>, PortError> {
        if self.extent(READERS_WAIT).await? != Extent::Whole {
            return self.forwarder.local.commented(scope, limit).await;
        }
        read::commented(&self.forwarder.server, scope.clone(), limit).await
    }

    async fn comment(&self, scope: &AuditScope, id: &str, feedback: Feedback) -> Result<FeedbackOutcome, PortError> {
        if let Some(fault) = feedback.fault() {
            return Err(PortError::new(PORT, Fault::Invalid, fault));
        }
        let sentence = match self.extent(READERS_WAIT).await? {
            Extent::Whole => None,
            Extent::Sending => {
                Some("feedback is stored in the database, to which entries are still being sent; nothing was stored")
            }
            Extent::Away => Some("feedback is stored in the database, which cannot be reached; nothing was stored"),
        };
        if let Some(sentence) = sentence {
            return Err(PortError::new(PORT, Fault::Unavailable, sentence));
        }
        read::comment(&self.forwarder.server, scope.clone(), (id.to_owned(), feedback)).await
    }

    async fn check(&self) -> Result<(), PortError> {
        let forwarder = Arc::clone(&self.forwarder);
        blocking(PORT, move || forwarder.local.check_writable()).await
    }

    fn is_partial(&self) -> bool {
        self.is_partial.load(Ordering::Relaxed)
    }

    fn is_sending(&self) -> bool {
        self.is_sending.load(Ordering::Relaxed)
    }

    async fn each(&self, visit: &mut (dyn FnMut(AuditedEntry) + Send)) -> Result<(), PortError> {
        // It is a command that counts all of them, and nothing waits behind it.
        if self.extent(Duration::MAX).await? != Extent::Whole {
            return self.forwarder.local.each(visit).await;
        }
        read::each(&self.forwarder.server, visit).await
    }
}
