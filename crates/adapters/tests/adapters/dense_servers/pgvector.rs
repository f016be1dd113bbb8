//! PostgreSQL with the extension `vector`.

use std::{
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio_postgres::{NoTls, SimpleQueryMessage};
use vouch_adapters::{
    embedded::{DenseLane, EmbeddedStore, EmbedderCheck},
    pgvector::{PgvectorSettings, pgvector},
    postgres::{PostgresDatabase, PostgresSettings},
    remote_dense::RemoteDense,
};
use vouch_domain::{
    Fault,
    ports::{Catalogue, DenseIndex, Embedder},
};
use vouch_testkit::{
    contracts::{self, everyone},
    corpus::{card, kept},
    fakes::FakeEmbedder,
    postgres::Postgres,
};

use super::{FIGURES, fresh, ports, shared, store};

/// The role that nodes have: it owns its databases and is no superuser, so that row-level security holds for it.
const ROLE: &str = "node";

struct Server {
    postgres: Postgres,
    made: AtomicUsize,
}

fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
    let start = || -> Result<Server, String> {
        let postgres = Postgres::start_packaged(Path::new(env!("CARGO_TARGET_TMPDIR")), &[])?;
        let server = Server { postgres, made: AtomicUsize::new(0) };
        server.ask("postgres", &format!("CREATE ROLE {ROLE} LOGIN"));
        Ok(server)
    };
    SERVER.get_or_init(start).as_ref().inspect_err(|reason| vouch_testkit::skip("vectors in PostgreSQL", reason)).ok()
}

impl Server {
    /// Runs statements as the superuser, on a thread of its own.
    fn ask(&self, database: &str, sql: &str) -> Vec<String> {
        self.ask_as("postgres", database, sql)
    }

    fn ask_as(&self, role: &str, database: &str, sql: &str) -> Vec<String> {
        let address = self.postgres.address(database).replace("user=postgres", &format!("user={role}"));
        let run = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(&address, NoTls).await.expect("a connection");
                tokio::spawn(connection);
                let messages = client.simple_query(sql).await.expect("statements");
                let rows = messages.into_iter().filter_map(|message| {
                    let SimpleQueryMessage::Row(row) = message else { return None };
                    row.get(0).map(str::to_owned)
                });
                rows.collect()
            })
        };
        std::thread::scope(|scope| scope.spawn(run).join().expect("statements"))
    }

    /// A new database of the nodes' role.
    fn database(&self) -> String {
        let name = format!("vectors_{}", self.made.fetch_add(1, Ordering::SeqCst));
        self.ask("postgres", &format!("CREATE DATABASE {name} OWNER {ROLE}"));
        self.ask(&name, "CREATE EXTENSION vector");
        name
    }

    fn dense(&self, database: &str, store: &EmbeddedStore, graph_rows_min: usize) -> RemoteDense {
        let url = self.postgres.address(database).replace("user=postgres", &format!("user={ROLE}"));
        dense(&url, store, graph_rows_min)
    }

    /// The table of the one index of a database.
    fn table(&self, database: &str) -> String {
        let sql = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'vouch_dense' AND table_name LIKE 'rows_%'";
        self.ask(database, sql).into_iter().next().expect("a table")
    }

    fn graphs(&self, database: &str) -> Vec<String> {
        let sql = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'vouch_dense' AND indexdef LIKE '%hnsw%' ORDER BY indexname";
        self.ask(database, sql)
    }
}

fn dense(url: &str, store: &EmbeddedStore, graph_rows_min: usize) -> RemoteDense {
    let database =
        PostgresSettings { url: url.to_owned(), ca_file: None, connections_max: 2, timeout: Duration::from_secs(60) };
    let settings = PgvectorSettings {
        database,
        search_timeout: Duration::from_secs(30),
        figures: FIGURES,
        graph_rows_min,
        ef_search: 400,
        build_memory_mb: 64,
        build_workers: 0,
        build_timeout: Duration::from_secs(300),
    };
    pgvector(store.vectors(), settings).expect("settings")
}

/// Two nodes of a database of their own, whose vectors are searched elsewhere.
pub(super) fn nodes() -> Option<(EmbeddedStore, EmbeddedStore)> {
    let server = server()?;
    let url = server.postgres.address(&server.database()).replace("user=postgres", &format!("user={ROLE}"));
    let settings = PostgresSettings { url, ca_file: None, connections_max: 4, timeout: Duration::from_secs(20) };
    let database = PostgresDatabase::open(&settings).expect("the database opens");
    let node = || {
        let (folder, embedder) = (tempfile::tempdir().expect("a folder").keep(), FakeEmbedder::named("fake"));
        let fit = (embedder.identity(), EmbedderCheck::Enforce);
        database.open_store_with(&folder, fit, (DenseLane::Elsewhere, None)).expect("the node opens")
    };
    Some((node(), node()))
}

/// No shelf of a test has so many rows.
const NO_GRAPH: usize = 1_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_postgresql_are_a_dense_index_with_graphs_and_without() {
    let Some(server) = server() else { return };
    for graph_rows_min in [NO_GRAPH, 1] {
        contracts::dense_index::check(|| {
            let store = fresh();
            let dense = server.dense(&server.database(), &store, graph_rows_min);
            ports(&store, dense)
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_changes_nothing_that_rows_of_postgresql_find() {
    let Some(server) = server() else { return };
    for graph_rows_min in [NO_GRAPH, 100] {
        let make = |store: &EmbeddedStore| server.dense(&server.database(), store, graph_rows_min);
        shared::what_is_hidden_changes_nothing(make, 300).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_postgresql_are_found_as_the_exact_scan_finds_them() {
    let Some(server) = server() else { return };
    for graph_rows_min in [NO_GRAPH, 100] {
        let make = |store: &EmbeddedStore| server.dense(&server.database(), store, graph_rows_min);
        shared::what_is_found_is_what_the_exact_scan_finds(make, 900).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_share_the_rows_of_one_database() {
    let Some(server) = server() else { return };
    let database = server.database();
    let Some(nodes) = nodes() else { return };
    shared::nodes_share_an_index_each_at_its_own_generation(nodes, |store| server.dense(&database, store, 2)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_store_that_was_put_back_are_made_again() {
    let Some(server) = server() else { return };
    let database = server.database();
    shared::a_store_that_was_put_back_has_its_index_made_again(|store| server.dense(&database, store, 2)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_beside_its_store_has_rows_of_its_own() {
    let Some(server) = server() else { return };
    let database = server.database();
    let make = |store: &EmbeddedStore| server.dense(&database, store, 2);
    shared::a_backup_that_is_used_beside_its_store_has_an_index_of_its_own(make).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_write_rows_at_once_take_nothing_from_each_other() {
    let Some(server) = server() else { return };
    let database = server.database();
    let Some(nodes) = nodes() else { return };
    let make = |store: &EmbeddedStore| server.dense(&database, store, 2);
    shared::nodes_that_write_at_once_take_nothing_from_each_other(nodes, make).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_is_told_of() {
    let store = fresh();
    let dense = dense("host=127.0.0.1 port=1 user=node dbname=none", &store, 10);
    shared::a_server_that_is_away_is_told_of(&store, &dense).await;
}

/// Documents of two shelves, one of them large.
async fn fill(store: &EmbeddedStore) {
    for number in 0..6 {
        let lines: Vec<String> =
            (0..50).map(|line| format!("Mast {number} of gauge {line}, rain {}.", line * 7)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        store.catalogue.upsert(vec![kept(card(&format!("d{number}"), &[]), &lines)]).await.expect("keep");
    }
    let few = kept(card("few", &["board"]), &["Rain of the board.", "A mast of the board."]);
    store.catalogue.upsert(vec![few]).await.expect("keep");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_shelf_has_a_graph_of_its_own_and_is_searched_with_it() {
    let Some(server) = server() else { return };
    let (database, store) = (server.database(), fresh());
    fill(&store).await;
    let dense = server.dense(&database, &store, 100);
    dense.refresh().await.expect("refresh");
    let graphs = server.graphs(&database);
    assert_eq!(graphs.len(), 1, "{graphs:?}");
    let condition =
        graphs.iter().filter_map(|graph| graph.split_once(" WHERE ")).map(|(_, condition)| condition).next();
    let condition = condition.expect("a graph of a part");
    assert!(condition.starts_with("(shelf = "), "{condition}");
    // The planner may take it for the rows of that shelf, and for no others.
    let table = format!("vouch_dense.{}", server.table(&database));
    let plan = |condition: &str| {
        let sql = format!(
            "BEGIN; SET LOCAL vouch.tenant = '*'; SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off;
             SET LOCAL enable_bitmapscan = off;
             EXPLAIN SELECT passage FROM {table} WHERE {condition} AND born <= 9 AND died > 9
             ORDER BY vector <#> (SELECT vector FROM {table} LIMIT 1) LIMIT 10; COMMIT"
        );
        server.ask_as(ROLE, &database, &sql).join("\n")
    };
    assert!(plan(condition).contains("using graph_"), "{}", plan(condition));
    assert!(!plan("shelf = 4711").contains("using graph_"), "{}", plan("shelf = 4711"));
    // The search itself uses it: the server counts the uses of an index, a little later.
    let query = FakeEmbedder::vector("mast gauge rain");
    let uses = || {
        let sql = "SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'graph_%'";
        server.ask(&database, sql).iter().filter_map(|uses| uses.parse::<u64>().ok()).next().unwrap_or(0)
    };
    let before = uses();
    let hits = dense.nearest(&everyone(), &query, 40).await.expect("nearest");
    assert_eq!(hits.len(), 40);
    drop(dense);
    let begun = Instant::now();
    while uses() == before && begun.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(uses() > before, "the graph was not used");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_seen_by_none_who_does_not_say_whose_they_work_on() {
    let Some(server) = server() else { return };
    let (database, store) = (server.database(), fresh());
    fill(&store).await;
    server.dense(&database, &store, 100).refresh().await.expect("refresh");
    let table = server.table(&database);
    let count = |tenant: &str| {
        let sql = format!("BEGIN; {tenant} SELECT count(*) FROM vouch_dense.{table}; COMMIT");
        server.ask_as(ROLE, &database, &sql).into_iter().next_back()
    };
    assert_eq!(count("").as_deref(), Some("0"));
    assert_eq!(count("SET LOCAL vouch.tenant = '4711';").as_deref(), Some("0"));
    assert_eq!(count("SET LOCAL vouch.tenant = '*';").as_deref(), Some("302"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_lost_or_lacks_rows_is_made_again_and_another_stores_is_left_alone() {
    let Some(server) = server() else { return };
    let (database, folder, other) = (server.database(), tempfile::tempdir().expect("a folder"), fresh());
    fill(&other).await;
    server.dense(&database, &other, 100).refresh().await.expect("refresh");
    let foreign = server.table(&database);
    let store = store(folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["A mast.", "Rain.", "A gauge."])]).await.expect("keep");
    let query = FakeEmbedder::vector("mast");
    let found = async || {
        let dense = server.dense(&database, &store, 100);
        dense.refresh().await.expect("refresh");
        dense.nearest(&everyone(), &query, 10).await.expect("nearest").len()
    };
    assert_eq!(found().await, 3);
    let tables = format!(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'vouch_dense' AND tablename NOT IN ('heads', '{foreign}')"
    );
    let own = server.ask(&database, &tables).into_iter().next().expect("a table");
    server.ask(&database, &format!("DELETE FROM vouch_dense.{own} WHERE passage = 2"));
    assert_eq!(found().await, 3, "a row was lost");
    server.ask(&database, &format!("DROP TABLE vouch_dense.{own}"));
    assert_eq!(found().await, 3, "the table was lost");
    let rows = server.ask(&database, &format!("SELECT count(*) FROM vouch_dense.{foreign}"));
    assert_eq!(rows, ["302"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_that_was_not_made_once_is_made_later_though_nothing_is_written() {
    let Some(server) = server() else { return };
    let (database, store) = (server.database(), fresh());
    fill(&store).await;
    server.dense(&database, &store, NO_GRAPH).refresh().await.expect("refresh");
    assert!(server.graphs(&database).is_empty());
    let table = server.table(&database);
    let large = format!("SELECT shelf FROM vouch_dense.{table} GROUP BY shelf ORDER BY count(*) DESC LIMIT 1");
    let large = server.ask(&database, &large).into_iter().next().expect("a shelf");
    // Another node makes it at the moment.
    let graph = format!("graph_{}_{large}", table.trim_start_matches("rows_"));
    let (other, connection) =
        tokio_postgres::connect(&server.postgres.address(&database), NoTls).await.expect("a connection");
    tokio::spawn(connection);
    let lock = format!("SELECT pg_advisory_lock(hashtextextended('{graph}', 8247351620717))");
    other.batch_execute(&lock).await.expect("a lock");
    let dense = server.dense(&database, &store, 100);
    dense.refresh().await.expect("it is left to the other");
    assert!(server.graphs(&database).is_empty());
    other.batch_execute("SELECT pg_advisory_unlock_all()").await.expect("unlocked");
    dense.refresh().await.expect("refresh");
    assert_eq!(server.graphs(&database).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_another_node_fills_anew_is_not_searched_as_the_one_before() {
    let Some(server) = server() else { return };
    let (database, store) = (server.database(), fresh());
    fill(&store).await;
    let (dense, other) = (server.dense(&database, &store, 100), server.dense(&database, &store, 100));
    dense.refresh().await.expect("refresh");
    let table = server.table(&database);
    let query = FakeEmbedder::vector("mast gauge rain");
    for made_again in [false, true] {
        server.ask(&database, &format!("DROP TABLE vouch_dense.{table}"));
        if made_again {
            other.refresh().await.expect("refresh");
        }
        let error = dense.nearest(&everyone(), &query, 40).await.expect_err("it is another's");
        assert_eq!(error.fault, Fault::Held, "{error}");
        assert_eq!(dense.generation().await.expect_err("it is not known").fault, Fault::Held);
        dense.refresh().await.expect("refresh");
        assert_eq!(dense.nearest(&everyone(), &query, 40).await.expect("nearest").len(), 40);
    }
}
