//! Where a store is kept, and how long what is no longer current.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use vouch_adapters::{embedded::SnapshotFolder, postgres::PostgresSettings};

use crate::exit::Usage;

/// The data folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    pub keep_versions_days: Option<u32>,
    // Left out where it is not set: the settings' digest in every trail is made of what is written here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postgres: Option<PostgresStoreSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<SnapshotSettings>,
}

/// What nodes with an empty data folder start from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotSettings {
    pub folder: PathBuf,
    #[serde(default = "keep")]
    pub keep: usize,
    #[serde(default)]
    pub every_hours: Option<u32>,
}

fn keep() -> usize {
    3
}

impl SnapshotSettings {
    /// What the adapter needs.
    pub fn for_adapter(&self) -> SnapshotFolder {
        SnapshotFolder { folder: self.folder.clone(), kept_max: self.keep }
    }
}

/// A database that several nodes share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PostgresStoreSettings {
    pub url: Option<String>,
    pub url_variable: Option<String>,
    pub ca_file: Option<PathBuf>,
    pub connections_max: usize,
    pub timeout_ms: u64,
}

impl Default for PostgresStoreSettings {
    fn default() -> Self {
        Self { url: None, url_variable: None, ca_file: None, connections_max: 8, timeout_ms: 30_000 }
    }
}

impl PostgresStoreSettings {
    /// What the adapter needs; the address may come out of the environment.
    pub fn for_adapter(&self) -> anyhow::Result<PostgresSettings> {
        let url = match (&self.url, &self.url_variable) {
            (Some(url), None) => url.clone(),
            (None, Some(name)) => {
                let missing = || {
                    Usage(format!(
                        "store.postgres: the environment variable {name} is not set; it must hold the database's address"
                    ))
                };
                std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(missing)?
            }
            (Some(_), Some(_)) | (None, None) => {
                return Err(Usage("store.postgres needs one of url and url_variable".to_owned()).into());
            }
        };
        Ok(PostgresSettings {
            url,
            ca_file: self.ca_file.clone(),
            connections_max: self.connections_max,
            timeout: Duration::from_millis(self.timeout_ms),
        })
    }
}
