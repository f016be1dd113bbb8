//! The database that the settings name, and what is kept in it instead of the data folder.

use std::{path::Path, sync::Arc};

use vouch_adapters::{
    embedded::{EmbeddedKeys, EmbeddedStore, EmbedderCheck, KeyStore},
    postgres::PostgresDatabase,
};
use vouch_domain::{EmbedderIdentity, Fault, PortError, ports::Directory};

use super::App;
use crate::settings::LoadedSettings;

/// Opens the store in a folder, as a copy of the database where there is one.
pub(super) fn open(
    loaded: &LoadedSettings,
    folder: &Path,
    (embedder, check): (&EmbedderIdentity, EmbedderCheck),
) -> Result<(Option<PostgresDatabase>, EmbeddedStore), PortError> {
    let Some(postgres) = &loaded.settings.store.postgres else {
        return Ok((None, EmbeddedStore::open(folder, embedder, check)?));
    };
    let invalid = |error: anyhow::Error| PortError::new("database", Fault::Invalid, error.to_string());
    let database = PostgresDatabase::open_for_node(&postgres.for_adapter().map_err(invalid)?)?;
    let store = database.open_store(folder, embedder, check)?;
    Ok((Some(database), store))
}

impl App {
    /// Who knows callers by their keys.
    pub fn keys(&self) -> Result<Arc<dyn KeyStore>, PortError> {
        keys(self.database.as_ref(), &self.folder, Some(self.store.directory.clone()))
    }

    /// What the data folder is a copy of, where it is one.
    pub fn database(&self) -> Option<&PostgresDatabase> {
        self.database.as_ref()
    }
}

/// The keys of a folder that a server may hold, or of its database; those that are somebody's open nothing here.
pub fn keys_alone(loaded: &LoadedSettings, folder: &Path) -> anyhow::Result<Arc<dyn KeyStore>> {
    let database = match &loaded.settings.store.postgres {
        Some(postgres) => Some(PostgresDatabase::open(&postgres.for_adapter()?)?),
        None => None,
    };
    Ok(keys(database.as_ref(), folder, None)?)
}

fn keys(
    database: Option<&PostgresDatabase>,
    folder: &Path,
    directory: Option<Arc<dyn Directory>>,
) -> Result<Arc<dyn KeyStore>, PortError> {
    Ok(match database {
        Some(database) => Arc::new(database.keys(directory)),
        None => Arc::new(EmbeddedKeys::open(folder, directory)?),
    })
}
