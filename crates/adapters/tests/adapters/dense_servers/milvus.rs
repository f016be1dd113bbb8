//! A real Milvus.

use std::{path::Path, sync::OnceLock, time::Duration};

use vouch_adapters::{
    embedded::EmbeddedStore,
    milvus::{MilvusServer, MilvusSettings, milvus},
    remote_dense::RemoteDense,
};
use vouch_testkit::{contracts, milvus::Milvus};

use super::{FIGURES, dimensions, fresh, ports, shared};

/// The one server of all tests of this process; it takes half a minute to start.
fn server() -> Option<&'static Milvus> {
    static SERVER: OnceLock<Result<Milvus, String>> = OnceLock::new();
    let started = SERVER.get_or_init(|| Milvus::start(Path::new(env!("CARGO_TARGET_TMPDIR"))));
    started.as_ref().inspect_err(|reason| vouch_testkit::skip("vectors in Milvus", reason)).ok()
}

fn dense(url: &str, store: &EmbeddedStore) -> RemoteDense {
    let server = MilvusServer {
        url: url.to_owned(),
        ca_file: None,
        token: None,
        timeout: Duration::from_secs(30),
        write_timeout: Duration::from_secs(120),
    };
    let settings = MilvusSettings { server, figures: FIGURES, code_bits: 512 };
    milvus(store.vectors(), dimensions(), &settings).expect("settings")
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_in_milvus_are_a_dense_index() {
    let Some(server) = server() else { return };
    contracts::dense_index::check(|| {
        let store = fresh();
        let dense = dense(&server.url(), &store);
        ports(&store, dense)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_changes_nothing_that_milvus_finds() {
    let Some(server) = server() else { return };
    shared::what_is_hidden_changes_nothing(|store| dense(&server.url(), store), 300).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_in_milvus_are_found_as_the_exact_scan_finds_them() {
    let Some(server) = server() else { return };
    shared::what_is_found_is_what_the_exact_scan_finds(|store| dense(&server.url(), store), 900).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_share_the_codes_of_one_milvus() {
    let Some(server) = server() else { return };
    let Some(nodes) = super::pgvector::nodes() else { return };
    shared::nodes_share_an_index_each_at_its_own_generation(nodes, |store| dense(&server.url(), store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_in_milvus_of_a_store_that_was_put_back_are_made_again() {
    let Some(server) = server() else { return };
    shared::a_store_that_was_put_back_has_its_index_made_again(|store| dense(&server.url(), store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_beside_its_store_has_codes_of_its_own() {
    let Some(server) = server() else { return };
    let make = |store: &EmbeddedStore| dense(&server.url(), store);
    shared::a_backup_that_is_used_beside_its_store_has_an_index_of_its_own(make).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_write_codes_at_once_take_nothing_from_each_other() {
    let Some(server) = server() else { return };
    let Some(nodes) = super::pgvector::nodes() else { return };
    shared::nodes_that_write_at_once_take_nothing_from_each_other(nodes, |store| dense(&server.url(), store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_milvus_that_is_away_is_told_of() {
    let store = fresh();
    shared::a_server_that_is_away_is_told_of(&store, &dense("http://127.0.0.1:1", &store)).await;
}
