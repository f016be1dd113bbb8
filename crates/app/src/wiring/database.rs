//! The database that the settings name, and what is kept in it instead of the data folder.

use std::{path::Path, sync::Arc};

use vouch_adapters::{
    embedded::{EmbeddedKeys, EmbeddedStore, EmbeddedTrail, EmbedderCheck, FollowState, KeyStore, TrailLimits},
    postgres::PostgresDatabase,
};
use vouch_domain::{
    EmbedderIdentity, Fault, PortError,
    ports::{AuditTrail, Directory, RateCounter},
};
use vouch_service::copy_state::{CopyProbe, CopyState};

use super::{App, BreakerBoard, dense};
use crate::settings::{LoadedSettings, SnapshotSettings};

/// Opens the store in a folder, as a copy of the database where there is one.
pub(super) fn open(
    loaded: &LoadedSettings,
    folder: &Path,
    (embedder, check): (&EmbedderIdentity, EmbedderCheck),
) -> Result<(Option<PostgresDatabase>, EmbeddedStore), PortError> {
    let place = dense::place(&loaded.settings);
    let Some(postgres) = &loaded.settings.store.postgres else {
        return Ok((None, EmbeddedStore::open_with(folder, (embedder, check), place)?));
    };
    let invalid = |error: anyhow::Error| PortError::new("database", Fault::Invalid, error.to_string());
    let database = PostgresDatabase::open_for_node(&postgres.for_adapter().map_err(invalid)?)?;
    let snapshots = loaded.settings.store.snapshots.as_ref().map(SnapshotSettings::for_adapter);
    let store = database.open_store_with(folder, (embedder, check), (place, snapshots))?;
    Ok((Some(database), store))
}

impl App {
    /// Who knows callers by their keys.
    pub fn keys(&self) -> Result<Arc<dyn KeyStore>, PortError> {
        keys(self.database.as_ref(), &self.folder, Some(self.store.directory.clone()))
    }

    /// The trail of requests: the folder's own, or that of all nodes.
    pub(super) fn trail(&self) -> Result<Arc<dyn AuditTrail>, PortError> {
        let local = EmbeddedTrail::open(&self.folder, self.trail_limits)?;
        Ok(match &self.database {
            Some(database) => Arc::new(database.trail(local, self.trail_limits)),
            None => Arc::new(local),
        })
    }

    /// How the data folder stands to what it is a copy of; nothing to find out where it is no copy.
    pub(super) fn copy_probe(&self) -> Option<Arc<CopyProbe>> {
        let follower = self.store.follower()?;
        Some(Arc::new(move || {
            let FollowState { change, head, is_reached, age } = follower.state();
            CopyState { change, changes_behind: head.saturating_sub(change), is_reached, heard_ago: age }
        }))
    }

    /// The breakers of this process, which other servers are told of and warn.
    pub fn breakers(&self) -> BreakerBoard {
        self.breakers.clone()
    }

    /// Who counts requests together with other servers, where there may be others.
    pub fn rates(&self) -> Option<Arc<dyn RateCounter>> {
        Some(Arc::new(self.database.as_ref()?.rates()))
    }

    /// What the data folder is a copy of, where it is one.
    pub fn database(&self) -> Option<&PostgresDatabase> {
        self.database.as_ref()
    }
}

/// The trail of a folder that a server may hold, or of its database; none where there is none yet. It is read, and nothing of it is
/// removed.
pub fn trail_to_read(loaded: &LoadedSettings, folder: &Path) -> anyhow::Result<Option<Arc<dyn AuditTrail>>> {
    let Some(postgres) = &loaded.settings.store.postgres else {
        return Ok(EmbeddedTrail::open_to_read(folder)?.map(|trail| Arc::new(trail) as Arc<dyn AuditTrail>));
    };
    let limits = TrailLimits { keep_days: None, bytes_max: u64::MAX };
    let database = PostgresDatabase::open_for_node(&postgres.for_adapter()?)?;
    Ok(Some(Arc::new(database.trail(EmbeddedTrail::open(folder, limits)?, limits))))
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
