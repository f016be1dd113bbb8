//! The graphs of large shelves: which there are, which are missing, and how one is made.

use std::{collections::BTreeSet, time::Duration};

use deadpool_postgres::{Object, Transaction};
use tokio_postgres::error::SqlState;
use vouch_domain::PortError;

use super::{
    PgvectorSettings,
    place::{NEVER, begin_all, graphs, table},
};
use crate::{embedded::IndexIdentity, postgres::fault::fault};

/// Whoever makes the graph of a shelf locks its name; others leave it to that one.
const LOCK: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 8247351620717))";
/// After so many written rows the planner is told how many there are.
const ANALYZED_ROWS: usize = 1_000;
/// Ends a statement soon after its connection is gone. A server that cannot find that out on its system keeps to the statement's limit.
const ENDS_WITH_THE_CONNECTION: &str =
    "DO $$ BEGIN PERFORM set_config('client_connection_check_interval', '10s', true);
     EXCEPTION WHEN OTHERS THEN NULL; END $$";

/// Which shelves are looked at for whether they need a graph.
pub(super) struct Wanted {
    /// None where that is all of them.
    pub(super) shelves: Option<BTreeSet<u32>>,
    /// How many rows were written to them.
    pub(super) written: usize,
}

/// The shelves that have a graph, and those that need one.
pub(super) struct Graphs {
    pub(super) there: BTreeSet<u32>,
    pub(super) missing: Vec<u32>,
}

fn name(identity: &IndexIdentity, shelf: u32) -> String {
    format!("graph_{}_{shelf}", identity.name)
}

/// Looks which shelves have come to enough rows for a graph and have none.
pub(super) async fn look(
    client: &mut Object,
    identity: &IndexIdentity,
    settings: &PgvectorSettings,
    wanted: &Wanted,
) -> Result<Graphs, PortError> {
    let there = graphs(client, identity).await?;
    let bare = wanted.shelves.as_ref().map(|shelves| shelves.difference(&there).copied().collect::<Vec<u32>>());
    if wanted.written < ANALYZED_ROWS && bare.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Graphs { there, missing: Vec::new() });
    }
    let table = table(identity);
    if wanted.written >= ANALYZED_ROWS {
        let transaction = begin_limited(client, settings.build_timeout).await?;
        // Nobody can do this while a graph is made, which takes hours, and nobody waits for it.
        transaction.batch_execute(&format!("ANALYZE (SKIP_LOCKED) {table}")).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
    }
    let transaction = begin_limited(client, settings.build_timeout).await?;
    let signed = |shelf: &u32| i32::try_from(*shelf).ok();
    let bare: Option<Vec<i32>> = bare.map(|shelves| shelves.iter().filter_map(signed).collect());
    let known: Vec<i32> = there.iter().filter_map(signed).collect();
    let rows_min = i64::try_from(settings.graph_rows_min).unwrap_or(i64::MAX);
    let sql = format!(
        "SELECT shelf FROM {table} WHERE ($1::int4[] IS NULL OR shelf = ANY($1::int4[])) AND shelf <> ALL($2::int4[])
         AND died = {NEVER} GROUP BY shelf HAVING count(*) >= $3::int8 ORDER BY shelf"
    );
    let rows = transaction.query(&sql, &[&bare, &known, &rows_min]).await.map_err(fault)?;
    transaction.commit().await.map_err(fault)?;
    let missing = rows.iter().filter_map(|row| u32::try_from(row.get::<_, i32>(0)).ok()).collect();
    Ok(Graphs { there, missing })
}

/// Makes the graph of a shelf; answers whether it is there, and not another node's that makes it.
pub(super) async fn make(
    client: &mut Object,
    identity: &IndexIdentity,
    settings: &PgvectorSettings,
    (shelf, workers): (u32, usize),
) -> Result<bool, PortError> {
    let (name, table, memory) = (name(identity, shelf), table(identity), settings.build_memory_mb);
    let transaction = begin_limited(client, settings.build_timeout).await?;
    let figures = format!(
        "SET LOCAL maintenance_work_mem = '{memory}MB'; SET LOCAL max_parallel_maintenance_workers = {workers};
         {ENDS_WITH_THE_CONNECTION}"
    );
    transaction.batch_execute(&figures).await.map_err(fault)?;
    let is_own: bool = transaction.query_one(LOCK, &[&name]).await.map_err(fault)?.get(0);
    if is_own {
        tracing::info!(component = "dense", shelf, workers, "making the graph of a shelf");
        let make = format!(
            "CREATE INDEX IF NOT EXISTS {name} ON {table} USING hnsw (vector halfvec_ip_ops) WHERE shelf = {shelf}"
        );
        transaction.batch_execute(&make).await.map_err(fault)?;
    }
    transaction.commit().await.map_err(fault)?;
    Ok(is_own)
}

/// Whether a statement failed for want of memory or of room, as one does whose processes share memory in a container that has little
/// of it (64 MB of `/dev/shm`).
pub(super) fn is_short_of_room(error: &PortError) -> bool {
    let source = error.source.as_ref().and_then(|source| source.downcast_ref::<tokio_postgres::Error>());
    let code = source.and_then(tokio_postgres::Error::code);
    code.is_some_and(|code| [SqlState::DISK_FULL, SqlState::OUT_OF_MEMORY].contains(code))
}

/// A transaction that works on the rows of all, each of whose statements has this limit.
pub(super) async fn begin_limited(client: &mut Object, limit: Duration) -> Result<Transaction<'_>, PortError> {
    let transaction = begin_all(client).await?;
    let limit = format!("SET LOCAL statement_timeout = {}", limit.as_millis());
    transaction.batch_execute(&limit).await.map_err(fault)?;
    Ok(transaction)
}
