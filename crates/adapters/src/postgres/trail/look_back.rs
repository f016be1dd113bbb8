//! A database that has lost what was sent to it → a mark of what was sent that is true again.
//!
//! A database goes back where an older state of it is restored, or where a copy takes its place that had not received everything. What
//! a folder notes as sent is then not there, and nobody else has it.
//!
//! Invariant: what the database has removed by its limits is not sent again.

use std::{ops::RangeInclusive, sync::Arc};

use deadpool_postgres::Transaction;
use vouch_domain::PortError;

use super::rows::{self, PORT};
use crate::{
    embedded::{EmbeddedTrail, TrailLimits, audit::outgoing::SentEntry, blocking::blocking},
    postgres::{
        fault::fault,
        server::Server,
        tenant::{ALL, begin, unsigned},
    },
};

const DAY_MS: u64 = 86_400_000;
/// How far the clocks of servers may be apart, with something to spare.
const CLOCKS_APART_MS: u64 = 60_000;

/// Sets the mark back to before the first of the newest entries that the database does not have; answers which run of the database
/// server it was that was asked.
pub(super) async fn look_back(
    local: &EmbeddedTrail,
    server: &Arc<Server>,
    limits: TrailLimits,
) -> Result<String, PortError> {
    let (run, written_ms) = horizon(server, limits).await?;
    let mut before = None;
    loop {
        let (own, written_ms) = (local.clone(), written_ms.clone());
        let sent = blocking(PORT, move || own.sent_before(before, &written_ms)).await?;
        let Some(oldest) = sent.last().map(|entry| entry.link) else { break };
        let Some(missing) = first_missing(local, server, sent).await? else { break };
        let own = local.clone();
        blocking(PORT, move || own.set_unsent(missing)).await?;
        before = Some(oldest);
    }
    if before.is_some() {
        tracing::warn!(component = "audit", "the database has lost audit entries; they are sent to it again");
    }
    Ok(run)
}

/// Which run of the database server this is. A server that takes another's place is another run, and so is one after a crash.
pub(super) async fn run_of_server(transaction: &Transaction<'_>) -> Result<String, PortError> {
    let sql = "SELECT extract(epoch FROM pg_postmaster_start_time())::text";
    Ok(transaction.query_one(sql, &[]).await.map_err(fault)?.get(0))
}

/// The run of the database server, and when entries were written that it must have.
async fn horizon(server: &Arc<Server>, limits: TrailLimits) -> Result<(String, RangeInclusive<u64>), PortError> {
    let own = Arc::clone(server);
    server
        .run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, ALL).await?;
            let run = run_of_server(&transaction).await?;
            // Limits remove entries in the order of their numbers: what was received after the first that is left was not removed.
            // Where that is the first of all, nothing ever was.
            let sql = "SELECT (extract(epoch FROM now()) * 1000)::bigint,
                           (SELECT CASE WHEN number > 1 THEN (extract(epoch FROM received_at) * 1000)::bigint END
                            FROM vouch.trail ORDER BY number LIMIT 1)";
            let row = transaction.query_one(sql, &[]).await.map_err(fault)?;
            let (now_ms, first_ms) = (unsigned(row.get(0)), row.get::<_, Option<i64>>(1).map(unsigned));
            transaction.commit().await.map_err(fault)?;
            let kept_ms = limits.keep_days.map_or(u64::MAX, |days| u64::from(days) * DAY_MS);
            let received_ms = first_ms.map_or(0, |first_ms| first_ms + CLOCKS_APART_MS);
            let from_ms = now_ms.saturating_sub(kept_ms).max(received_ms);
            Ok((run, from_ms..=now_ms + CLOCKS_APART_MS))
        })
        .await
}

async fn first_missing(
    local: &EmbeddedTrail,
    server: &Arc<Server>,
    sent: Vec<SentEntry>,
) -> Result<Option<u64>, PortError> {
    let (own, node) = (Arc::clone(server), local.identity().to_owned());
    server
        .run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, ALL).await?;
            let missing = rows::first_missing(&transaction, (&node, &sent)).await?;
            transaction.commit().await.map_err(fault)?;
            Ok(missing)
        })
        .await
}
