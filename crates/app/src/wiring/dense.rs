//! The index of vectors that the settings name.

use std::sync::Arc;

use vouch_adapters::{
    embedded::{DenseLane, EmbeddedStore},
    milvus::milvus,
    pgvector::pgvector,
    remote_dense::RemoteDense,
};
use vouch_domain::{EmbedderIdentity, Fault, PortError, ports::DenseIndex};
use vouch_engine::breaker::GuardedDense;

use super::{App, breakers::Breakers};
use crate::settings::{DenseEngine, DenseSettings, Settings};

/// Whether the data folder keeps the index.
pub(super) fn place(settings: &Settings) -> DenseLane {
    match engine(settings) {
        DenseEngine::Embedded => DenseLane::Here,
        DenseEngine::Pgvector | DenseEngine::Milvus => DenseLane::Elsewhere,
    }
}

fn engine(settings: &Settings) -> DenseEngine {
    settings.dense.as_ref().map_or(DenseEngine::Embedded, |dense| dense.engine)
}

/// The index, brought up to the store as far as that is soon done; the rest is done later, as it is where its server is away.
pub(super) fn open(
    settings: &Settings,
    store: &EmbeddedStore,
    embedder: &EmbedderIdentity,
    breakers: &mut Breakers<'_>,
) -> Result<Arc<dyn DenseIndex>, PortError> {
    let Some(index) = remote(settings, store, embedder)? else { return Ok(store.dense.clone()) };
    match index.catch_up_and_wait() {
        Ok(_) => {}
        // As before the first documents are taken in.
        Err(error) if error.fault == Fault::Held => {
            tracing::info!(%error, component = "dense", "the vector index is brought up to the store later");
        }
        Err(error) => {
            tracing::warn!(%error, component = "dense", "the vector index cannot be brought up to the store");
        }
    }
    Ok(Arc::new(GuardedDense::new(Arc::new(index), breakers.dense())))
}

fn remote(
    settings: &Settings,
    store: &EmbeddedStore,
    embedder: &EmbedderIdentity,
) -> Result<Option<RemoteDense>, PortError> {
    let Some(dense) = &settings.dense else { return Ok(None) };
    let invalid = |error: anyhow::Error| PortError::new("dense", Fault::Invalid, error.to_string());
    Ok(match dense.engine {
        DenseEngine::Embedded => None,
        DenseEngine::Pgvector => {
            let settings = dense.for_pgvector(settings.store.postgres.as_ref()).map_err(invalid)?;
            Some(pgvector(store.vectors(), settings)?)
        }
        DenseEngine::Milvus => {
            let settings = dense.for_milvus().map_err(invalid)?;
            Some(milvus(store.vectors(), embedder.dimensions, &settings)?)
        }
    })
}

impl App {
    /// What searches vectors, where that is a server of its own.
    #[must_use]
    pub fn dense_server(&self) -> Option<&'static str> {
        let settings = &self.loaded.settings;
        (place(settings) == DenseLane::Elsewhere).then(|| engine(settings).as_str())
    }
}

/// What answers depend on of where vectors are searched.
pub(super) fn of_answers(settings: &Settings) -> Option<DenseSettings> {
    settings.dense.as_ref().map(DenseSettings::without_place)
}
