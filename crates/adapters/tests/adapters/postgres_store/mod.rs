//! PostgreSQL as the truth: the contracts of the ports over a real server, and what several nodes make of one database.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::indexing_slicing, reason = "what is missing is a broken test")]

mod between;
mod contracts;
mod copied_again;
mod copies;
mod dumps;
mod jobs;
mod keys;
mod lagging;
mod listening;
mod nodes;
mod overtaken;
mod patient;
mod snapshots;
mod together;
mod trail;
mod trail_losses;
mod walls;

use std::{
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio_postgres::{Client, NoTls};
use vouch_adapters::{
    embedded::{EmbeddedStore, EmbedderCheck},
    postgres::{PostgresDatabase, PostgresSettings},
};
use vouch_domain::ports::Embedder;
use vouch_testkit::{fakes::FakeEmbedder, postgres::Postgres};

/// The role that nodes have: it owns its databases and is no superuser, so that row-level security holds for it.
const ROLE: &str = "node";

/// A server with room for any number of databases.
struct Server {
    postgres: Postgres,
    made: AtomicUsize,
}

impl Server {
    /// Starts one, or says why this machine can have none.
    fn start() -> Result<Self, String> {
        let postgres = Postgres::start(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
        let server = Self { postgres, made: AtomicUsize::new(0) };
        server.execute("postgres", &format!("CREATE ROLE {ROLE} LOGIN"));
        Ok(server)
    }

    /// Runs statements as the superuser, on a thread of its own.
    fn execute(&self, database: &str, sql: &str) -> Vec<Vec<Option<String>>> {
        let address = self.postgres.address(database);
        std::thread::scope(|scope| {
            let run = || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    let (client, connection) = tokio_postgres::connect(&address, NoTls).await.expect("a connection");
                    tokio::spawn(connection);
                    let messages = client.simple_query(sql).await.expect("statements");
                    let mut rows = Vec::new();
                    for message in messages {
                        if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
                            rows.push((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect());
                        }
                    }
                    rows
                })
            };
            scope.spawn(run).join().expect("statements")
        })
    }

    /// Somebody else's transaction with what these statements lock, which is let go at the end of it.
    async fn hold(&self, database: &str, sql: &str) -> Client {
        let (client, connection) =
            tokio_postgres::connect(&self.postgres.address(database), NoTls).await.expect("a connection");
        tokio::spawn(connection);
        client.batch_execute(&format!("BEGIN; {sql}")).await.expect("a lock");
        client
    }

    /// A new database, and how a node addresses it.
    fn database(&self) -> PostgresSettings {
        let name = format!("store_{}", self.made.fetch_add(1, Ordering::SeqCst));
        self.execute("postgres", &format!("CREATE DATABASE {name} OWNER {ROLE}"));
        self.settings(&name, ROLE)
    }

    fn settings(&self, database: &str, role: &str) -> PostgresSettings {
        let url = self.postgres.address(database).replace("user=postgres", &format!("user={role}"));
        PostgresSettings { url, ca_file: None, connections_max: 4, timeout: Duration::from_secs(20) }
    }
}

fn name_of(settings: &PostgresSettings) -> String {
    settings.url.rsplit("dbname=").next().expect("a name").to_owned()
}

fn database(settings: &PostgresSettings) -> PostgresDatabase {
    PostgresDatabase::open(settings).expect("the database opens")
}

/// A node with a folder of its own.
fn node(settings: &PostgresSettings, folder: &Path) -> EmbeddedStore {
    let embedder = FakeEmbedder::named("fake");
    database(settings).open_store(folder, embedder.identity(), EmbedderCheck::Enforce).expect("the node opens")
}

/// The one server of all tests of this process. Where there can be none, each of them says so, and none tries again.
fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
    let started = SERVER.get_or_init(Server::start);
    started.as_ref().inspect_err(|reason| vouch_testkit::skip("PostgreSQL as the store", reason)).ok()
}
