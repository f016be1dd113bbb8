//! A database that holds a store, opened: the copies that follow it, and word of its changes.

use std::{path::Path, sync::Arc};

use vouch_domain::{EmbedderIdentity, PortError};

use super::{
    PostgresSettings, fault::is_away, listener::ChangeListener, migrations, server::Server, truth::PostgresTruth,
};
use crate::embedded::{CopyReport, EmbeddedStore, EmbedderCheck, copied};

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
        let server = Server::new(settings)?;
        match server.wait(migrations::migrate(&server)) {
            Err(error) if is_away(&error) => tracing::warn!(%error, "the database cannot be reached"),
            outcome => outcome?,
        }
        Ok(Self { server: Arc::new(server) })
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
        let truth = Arc::new(PostgresTruth::new(Arc::clone(&self.server)));
        EmbeddedStore::open_copy(folder, embedder, check, Some(truth))
    }

    /// Copies the store of a folder into the database, which must hold none; all of it or nothing.
    ///
    /// # Errors
    /// Fails if either cannot be used, or what was copied is not the same.
    pub fn copy_from(&self, folder: &Path) -> Result<CopyReport, PortError> {
        copied::copy_out(folder, &PostgresTruth::new(Arc::clone(&self.server)))
    }

    /// Copies the store of the database into a folder, which must hold none.
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
