//! PostgreSQL as the truth: what a store keeps, for any number of nodes.
//!
//! A node answers from its own copy of the catalogue (`embedded::following`), and everything it changes goes through here. What
//! must be the same for all nodes at once, jobs, conversations, keys and the trail, is asked for here every time.

mod changes;
mod fault;
mod jobs;
mod keys;
mod listener;
mod migrations;
mod server;
mod sessions;
mod tenant;
mod truth;
mod values;

use std::{path::PathBuf, sync::Arc, time::Duration};

use vouch_domain::{EmbedderIdentity, PortError};

use crate::embedded::{CopyReport, EmbeddedStore, EmbedderCheck, copied};

pub use jobs::PostgresJobs;
pub use keys::PostgresKeys;
pub use listener::ChangeListener;
pub use sessions::PostgresSessions;

use server::Server;
use truth::PostgresTruth;

/// The name of the port in errors.
const PORT: &str = "database";

/// Where a database is, and how it is spoken to.
#[derive(Debug, Clone)]
pub struct PostgresSettings {
    /// Its address, `postgresql://user:password@host/database`. It may hold a password and is never repeated.
    pub url: String,
    /// A file of certificates that sign the server's, in place of those this machine trusts.
    pub ca_file: Option<PathBuf>,
    /// How many connections a node has at most.
    pub connections_max: usize,
    /// How long a statement may take.
    pub timeout: Duration,
}

/// A database, and a pool of connections to it.
#[derive(Clone)]
pub struct PostgresDatabase {
    server: Arc<Server>,
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
            Err(error) if fault::is_away(&error) => tracing::warn!(%error, "the database cannot be reached"),
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
        folder: &std::path::Path,
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
    pub fn copy_from(&self, folder: &std::path::Path) -> Result<CopyReport, PortError> {
        copied::copy_out(folder, &PostgresTruth::new(Arc::clone(&self.server)))
    }

    /// Copies the store of the database into a folder, which must hold none.
    ///
    /// # Errors
    /// Fails if either cannot be used, or what was copied is not the same.
    pub fn copy_to(&self, folder: &std::path::Path) -> Result<CopyReport, PortError> {
        copied::copy_in(folder, Arc::new(PostgresTruth::new(Arc::clone(&self.server))))
    }

    /// Tells when something has changed.
    #[must_use]
    pub fn listen(&self) -> ChangeListener {
        ChangeListener::start(&self.server)
    }
}
