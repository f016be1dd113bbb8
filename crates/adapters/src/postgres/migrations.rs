//! The tables, as migrations: each runs once, in order, in a transaction of its own, while no other node migrates.

use deadpool_postgres::Object;
use vouch_domain::{Fault, PortError};

use super::{
    fault::{PORT, fault},
    server::Server,
    truth::Client,
};

const MIGRATIONS: &[&str] = &[
    include_str!("schema/001_store.sql"),
    include_str!("schema/002_walls.sql"),
    include_str!("schema/003_shared.sql"),
    include_str!("schema/004_nodes.sql"),
    include_str!("schema/005_copying.sql"),
    include_str!("schema/006_first_change.sql"),
    include_str!("schema/007_access.sql"),
];
/// What every node locks that migrates.
const LOCK: &str = "SELECT pg_advisory_xact_lock(8247351620715)";
/// The oldest server whose features are used.
const OLDEST: i32 = 140_000;

/// Brings the tables to this version's form.
pub(super) async fn migrate(server: &Server) -> Result<(), PortError> {
    // Where nobody waits any longer in the middle of a transaction, it does not go back to the pool.
    let mut connection = Client::take(server).await?;
    let client = connection.get()?;
    let version: i32 =
        client.query_one("SELECT current_setting('server_version_num')::int", &[]).await.map_err(fault)?.get(0);
    if version < OLDEST {
        let sentence = format!("the server is PostgreSQL {}; 14 or newer is needed", version / 10_000);
        return Err(PortError::new(PORT, Fault::Invalid, sentence));
    }
    let reached = reached(client).await?;
    if reached > MIGRATIONS.len() {
        let sentence = "the database's tables were made by a newer version of vouch";
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    for (number, sql) in (1usize..).zip(MIGRATIONS).skip(reached) {
        run(client, number, sql).await?;
    }
    connection.is_fit = true;
    Ok(())
}

/// How many migrations have run.
async fn reached(client: &Object) -> Result<usize, PortError> {
    let sql = "SELECT to_regclass('vouch.migrations') IS NOT NULL";
    let is_there: bool = client.query_one(sql, &[]).await.map_err(fault)?.get(0);
    if !is_there {
        return Ok(0);
    }
    let row = client.query_one("SELECT coalesce(max(number), 0) FROM vouch.migrations", &[]).await.map_err(fault)?;
    Ok(usize::try_from(row.get::<_, i32>(0)).unwrap_or(usize::MAX))
}

async fn run(client: &Object, number: usize, sql: &str) -> Result<(), PortError> {
    let begin = format!(
        "BEGIN; {LOCK}; CREATE SCHEMA IF NOT EXISTS vouch; SET LOCAL search_path = vouch; \
         CREATE TABLE IF NOT EXISTS migrations (number int PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())"
    );
    let outcome = async {
        client.batch_execute(&begin).await.map_err(fault)?;
        // Another node may have been first.
        if reached(client).await? < number {
            client.batch_execute(sql).await.map_err(fault)?;
            let insert = format!("INSERT INTO vouch.migrations (number) VALUES ({number})");
            client.batch_execute(&insert).await.map_err(fault)?;
        }
        client.batch_execute("COMMIT").await.map_err(fault)
    };
    let outcome = outcome.await;
    if outcome.is_err() {
        let _ = client.batch_execute("ROLLBACK").await;
    }
    outcome
}
