//! Vectors behind real servers: PostgreSQL with the extension `vector`, and Milvus.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

mod milvus;
mod pgvector;
mod shared;

use std::{path::Path, sync::Arc};

use vouch_adapters::{
    embedded::{DenseLane, EmbeddedStore, EmbedderCheck},
    remote_dense::{RemoteDense, RemoteDenseFigures},
};
use vouch_domain::ports::Embedder;
use vouch_testkit::{contracts::StorePorts, fakes::FakeEmbedder};

/// So few that every batch and every cut is met.
const FIGURES: RemoteDenseFigures = RemoteDenseFigures { candidates_min: 100, batch_rows: 64 };

/// A store whose vectors are searched elsewhere.
fn store(folder: &Path) -> EmbeddedStore {
    let embedder = FakeEmbedder::named("fake");
    EmbeddedStore::open_with(folder, (embedder.identity(), EmbedderCheck::Enforce), DenseLane::Elsewhere)
        .expect("the store opens")
}

/// A store in a folder of its own that outlives the ports.
fn fresh() -> EmbeddedStore {
    store(&tempfile::tempdir().expect("a folder").keep())
}

fn ports(store: &EmbeddedStore, dense: RemoteDense) -> StorePorts {
    StorePorts {
        catalogue: store.catalogue.clone(),
        register: store.register.clone(),
        lexical: store.lexical.clone(),
        dense: Arc::new(dense),
    }
}

fn dimensions() -> usize {
    FakeEmbedder::named("fake").identity().dimensions
}
