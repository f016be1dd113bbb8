//! A database that holds a store, opened: the copies that follow it, and word of its changes.

use std::{path::Path, sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};
use vouch_domain::{EmbedderIdentity, PortError};

use super::{
    PostgresSettings,
    copying::PostgresTarget,
    fault::{is_away, late},
    listener::ChangeListener,
    migrations,
    server::Server,
    truth::PostgresTruth,
};
use crate::embedded::{
    CopyOrigin, CopyReport, DenseLane, EmbeddedStore, EmbedderCheck, SnapshotFolder, Unfinished, copied,
};

/// How long it is until a server that was away is asked for its tables again.
const AGAIN: Duration = Duration::from_secs(2);

/// A database, and a pool of connections to it.
#[derive(Clone)]
pub struct PostgresDatabase {
    pub(super) server: Arc<Server>,
}

impl PostgresDatabase {
    /// Connects, and brings the tables to this version's form.
    ///
    /// # Errors
    /// Fails if the address makes no sense, the server cannot be reached, or its tables are of a later version.
    pub fn open(settings: &PostgresSettings) -> Result<Self, PortError> {
        let server = Server::new(settings)?;
        server.wait(migrations::migrate(&server))?;
        Ok(Self { server: Arc::new(server) })
    }

    /// The same where the server may be away: its tables are looked at when it is there.
    ///
    /// # Errors
    /// Fails if the address makes no sense or the tables are of a later version.
    pub fn open_for_node(settings: &PostgresSettings) -> Result<Self, PortError> {
        let server = Arc::new(Server::new(settings)?);
        match server.wait(migrations::migrate(&server)) {
            Err(error) if is_away(&error) => {
                tracing::warn!(%error, "the database cannot be reached");
                migrate_later(&server);
            }
            outcome => outcome?,
        }
        Ok(Self { server })
    }

    /// Opens a folder as a copy of the database.
    ///
    /// # Errors
    /// Fails as `EmbeddedStore::open` does, or if the folder holds a store of its own.
    pub fn open_store(
        &self,
        folder: &Path,
        embedder: &EmbedderIdentity,
        check: EmbedderCheck,
    ) -> Result<EmbeddedStore, PortError> {
        self.open_store_with(folder, (embedder, check), (DenseLane::Here, None))
    }

    /// The same where vectors may be searched elsewhere, for a node that may start from a snapshot where its folder is empty.
    ///
    /// # Errors
    /// Fails as `open_store` does; a snapshot that cannot be used is no error.
    pub fn open_store_with(
        &self,
        folder: &Path,
        embedder: (&EmbedderIdentity, EmbedderCheck),
        (dense, snapshots): (DenseLane, Option<SnapshotFolder>),
    ) -> Result<EmbeddedStore, PortError> {
        let truth = Arc::new(PostgresTruth::new(Arc::clone(&self.server)));
        EmbeddedStore::open_copy(folder, embedder, dense, Some(CopyOrigin { truth, snapshots }))
    }

    /// Copies the store of a folder into the database, which must hold none. Nobody can use it before all of it is there; one
    /// that is broken off goes on where it stopped when it is asked for again.
    ///
    /// # Errors
    /// Fails if either cannot be used, or what was copied is not the same.
    pub fn copy_from(&self, folder: &Path, unfinished: Unfinished) -> Result<CopyReport, PortError> {
        copied::copy_out(folder, &PostgresTarget::new(Arc::clone(&self.server)), unfinished)
    }

    /// Copies the store of the database into a folder, which must hold none, in the same way.
    ///
    /// # Errors
    /// Fails if either cannot be used, or what was copied is not the same.
    pub fn copy_to(&self, folder: &Path) -> Result<CopyReport, PortError> {
        copied::copy_in(folder, Arc::new(PostgresTruth::new(Arc::clone(&self.server))))
    }

    /// Tells when something has changed.
    #[must_use]
    pub fn listen(&self) -> ChangeListener {
        ChangeListener::start(&self.server)
    }
}

/// Brings the tables to this version's form as soon as the server is there, for as long as somebody uses it.
fn migrate_later(server: &Arc<Server>) {
    let weak = Arc::downgrade(server);
    server.spawn(async move {
        let mut told = String::new();
        loop {
            sleep(AGAIN).await;
            let Some(server) = weak.upgrade() else { return };
            let outcome = timeout(server.limit(), migrations::migrate(&server)).await;
            drop(server);
            match outcome.unwrap_or_else(|_| Err(late())) {
                Ok(()) => return,
                Err(error) if is_away(&error) => {}
                // What does not go away by itself is said once.
                Err(error) if error.sentence == told => {}
                Err(error) => {
                    tracing::error!(%error, "the database's tables cannot be brought to this version's form");
                    told = error.sentence;
                }
            }
        }
    });
}
