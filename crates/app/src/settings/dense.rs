//! Where vectors are searched, if not in the data folder.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use vouch_adapters::{
    milvus::{MilvusServer, MilvusSettings},
    pgvector::PgvectorSettings,
    postgres::PostgresSettings,
    remote_dense::RemoteDenseFigures,
};

use super::PostgresStoreSettings;
use crate::exit::Usage;

/// How many rows are written at once to an index that is made.
const BATCH_ROWS: usize = 8_192;
/// Half-precision vectors hardly ever change places.
const CANDIDATES_OF_HALVES: usize = 100;
/// Codes of bits say roughly which are near, so more of them are weighed.
const CANDIDATES_OF_CODES: usize = 500;

/// Where vectors are searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DenseSettings {
    pub engine: DenseEngine,
    pub url: Option<String>,
    pub url_variable: Option<String>,
    pub ca_file: Option<PathBuf>,
    pub token_variable: Option<String>,
    pub connections_max: usize,
    pub timeout_ms: u64,
    pub write_timeout_ms: u64,
    pub candidates_min: Option<usize>,
    pub graph_rows_min: usize,
    pub ef_search: usize,
    pub build_memory_mb: usize,
    pub build_workers: usize,
    pub build_timeout_s: u64,
    pub code_bits: usize,
}

/// What searches vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenseEngine {
    /// The exact scan of the data folder.
    #[default]
    Embedded,
    Pgvector,
    Milvus,
}

impl Default for DenseSettings {
    fn default() -> Self {
        Self {
            engine: DenseEngine::Embedded,
            url: None,
            url_variable: None,
            ca_file: None,
            token_variable: None,
            connections_max: 8,
            timeout_ms: 2_000,
            write_timeout_ms: 120_000,
            candidates_min: None,
            graph_rows_min: 5_000,
            ef_search: 200,
            build_memory_mb: 1_024,
            build_workers: 1,
            build_timeout_s: 14_400,
            code_bits: 1_024,
        }
    }
}

impl DenseEngine {
    /// The engine as people call it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Pgvector => "pgvector",
            Self::Milvus => "milvus",
        }
    }
}

impl DenseSettings {
    /// What answers may depend on: which vectors are found, and not where they are.
    #[must_use]
    pub fn without_place(&self) -> Self {
        let Self { engine, candidates_min, graph_rows_min, ef_search, code_bits, .. } = self.clone();
        Self { engine, candidates_min, graph_rows_min, ef_search, code_bits, ..Self::default() }
    }

    fn figures(&self, usual: usize) -> RemoteDenseFigures {
        RemoteDenseFigures { candidates_min: self.candidates_min.unwrap_or(usual), batch_rows: BATCH_ROWS }
    }

    /// The address, which may come out of the environment.
    fn address(&self) -> anyhow::Result<Option<String>> {
        match (&self.url, &self.url_variable) {
            (Some(url), _) => Ok(Some(url.clone())),
            (None, Some(name)) => variable(name, "the server's address").map(Some),
            (None, None) => Ok(None),
        }
    }

    /// What the adapter for PostgreSQL needs; without an address of its own it is the database of the store.
    pub fn for_pgvector(&self, store: Option<&PostgresStoreSettings>) -> anyhow::Result<PgvectorSettings> {
        let timeout = Duration::from_millis(self.write_timeout_ms);
        let database = match (self.address()?, store) {
            (Some(url), _) => {
                PostgresSettings { url, ca_file: self.ca_file.clone(), connections_max: self.connections_max, timeout }
            }
            (None, Some(store)) => {
                PostgresSettings { connections_max: self.connections_max, timeout, ..store.for_adapter()? }
            }
            (None, None) => return Err(Usage("dense needs a url, or store.postgres".to_owned()).into()),
        };
        Ok(PgvectorSettings {
            database,
            search_timeout: Duration::from_millis(self.timeout_ms),
            figures: self.figures(CANDIDATES_OF_HALVES),
            graph_rows_min: self.graph_rows_min,
            ef_search: self.ef_search,
            build_memory_mb: self.build_memory_mb,
            build_workers: self.build_workers,
            build_timeout: Duration::from_secs(self.build_timeout_s),
        })
    }

    /// What the adapter for Milvus needs.
    pub fn for_milvus(&self) -> anyhow::Result<MilvusSettings> {
        let url = self.address()?.ok_or_else(|| Usage("dense needs one of url and url_variable".to_owned()))?;
        let token = self.token_variable.as_ref().map(|name| variable(name, "user:password")).transpose()?;
        let server = MilvusServer {
            url,
            ca_file: self.ca_file.clone(),
            token,
            timeout: Duration::from_millis(self.timeout_ms),
            write_timeout: Duration::from_millis(self.write_timeout_ms),
        };
        Ok(MilvusSettings { server, figures: self.figures(CANDIDATES_OF_CODES), code_bits: self.code_bits })
    }
}

fn variable(name: &str, what: &str) -> anyhow::Result<String> {
    let missing = || Usage(format!("dense: the environment variable {name} is not set; it must hold {what}"));
    Ok(std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(missing)?)
}
