//! An engine, with the real server it needs: started here, and gone with this value.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::anyhow;
use vouch_adapters::{
    embedded::{DenseLane, EmbeddedStore},
    milvus::milvus,
    pgvector::pgvector,
};
use vouch_app::settings::{DenseEngine, DenseSettings};
use vouch_domain::ports::DenseIndex;
use vouch_testkit::{milvus::Milvus, postgres::Postgres};

use super::place::{disk_mb, memory_of_tree_mb};

/// As on a machine that is the database's own: what is searched stays in memory, and what is a copy need not reach the disk.
const POSTGRES: [&str; 4] =
    ["shared_buffers=4GB", "max_wal_size=8GB", "maintenance_work_mem=2GB", "synchronous_commit=off"];
/// A search may take as long as it takes.
const TIMEOUT: Duration = Duration::from_secs(60);
/// What graphs are made with; by the settings as they come it is less.
const BUILD_MEMORY_MB: usize = 4_096;
const BUILD_WORKERS: usize = 2;

pub(super) enum Engine {
    Embedded,
    Pgvector(Postgres),
    Milvus(Milvus),
}

impl Engine {
    pub(super) fn start(engine: DenseEngine, below: &Path) -> anyhow::Result<Self> {
        let failed = |reason: String| anyhow!(reason);
        std::fs::create_dir_all(below)?;
        let below = below.canonicalize()?;
        Ok(match engine {
            DenseEngine::Embedded => Self::Embedded,
            DenseEngine::Pgvector => Self::Pgvector(Postgres::start_packaged(&below, &POSTGRES).map_err(failed)?),
            DenseEngine::Milvus => Self::Milvus(Milvus::start(&below).map_err(failed)?),
        })
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Pgvector(_) => "pgvector",
            Self::Milvus(_) => "milvus",
        }
    }

    /// What differs from the settings as they come, for whoever compares figures with those of another machine.
    pub(super) fn settings(&self) -> Option<String> {
        match self {
            Self::Embedded | Self::Milvus(_) => None,
            Self::Pgvector(_) => Some(format!(
                "dense: build_memory_mb {BUILD_MEMORY_MB}, build_workers {BUILD_WORKERS}; PostgreSQL: {}",
                POSTGRES.join(", ")
            )),
        }
    }

    pub(super) fn place(&self) -> DenseLane {
        match self {
            Self::Embedded => DenseLane::Here,
            Self::Pgvector(_) | Self::Milvus(_) => DenseLane::Elsewhere,
        }
    }

    /// Removes what an earlier run made; servers begin empty.
    pub(super) fn forget(&self, folder: &Path) -> anyhow::Result<()> {
        match (self, std::fs::remove_dir_all(folder.join("dense"))) {
            (Self::Embedded, Err(error)) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            (Self::Embedded | Self::Pgvector(_) | Self::Milvus(_), _) => Ok(()),
        }
    }

    pub(super) fn index(&self, store: &EmbeddedStore, dimensions: usize) -> anyhow::Result<Arc<dyn DenseIndex>> {
        let settings = DenseSettings {
            timeout_ms: u64::try_from(TIMEOUT.as_millis())?,
            write_timeout_ms: 600_000,
            build_memory_mb: BUILD_MEMORY_MB,
            build_workers: BUILD_WORKERS,
            ..DenseSettings::default()
        };
        Ok(match self {
            Self::Embedded => store.dense.clone(),
            Self::Pgvector(server) => {
                let url = Some(server.address("postgres"));
                Arc::new(pgvector(store.vectors(), DenseSettings { url, ..settings }.for_pgvector(None)?)?)
            }
            Self::Milvus(server) => {
                let url = Some(server.url());
                Arc::new(milvus(store.vectors(), dimensions, &DenseSettings { url, ..settings }.for_milvus()?)?)
            }
        })
    }

    pub(super) fn memory_mb(&self) -> f64 {
        memory_of_tree_mb(match self {
            Self::Embedded => std::process::id(),
            Self::Pgvector(server) => server.pid(),
            Self::Milvus(server) => server.pid(),
        })
    }

    pub(super) fn disk_mb(&self, folder: &Path) -> f64 {
        match self {
            Self::Embedded => disk_mb(&folder.join("dense")),
            Self::Pgvector(server) => disk_mb(&server.folder().join("base")),
            Self::Milvus(server) => disk_mb(&server.folder()),
        }
    }
}
