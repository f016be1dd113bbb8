//! How long the trail of all nodes is kept and how large it may get, by the same limits as a folder's.
//!
//! An entry is as old as the database has had it, by the database's own clock: a node whose clock is wrong makes nothing old. One look
//! removes a tenth of the entries for their age at the most, so that a database whose clock has jumped leaves time to notice.

use std::sync::Arc;

use vouch_domain::PortError;

use crate::{
    embedded::TrailLimits,
    postgres::{
        fault::fault,
        server::Server,
        tenant::{ALL, begin, signed, unsigned},
    },
};

/// After this many entries the limits are looked at again.
pub(super) const LOOK_AFTER: u64 = 64;
/// One look removes at most one in this many of the entries, or this number, for their age.
const OUTLIVED_SHARE: i64 = 10;
const OUTLIVED_MIN: i64 = 512;

/// Removes what is over the limits; answers how many entries that were.
pub(super) async fn apply(server: &Arc<Server>, limits: TrailLimits) -> Result<u64, PortError> {
    let own = Arc::clone(server);
    server
        .run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, ALL).await?;
            // One node at a time; the others have nothing to do then.
            let lock = "SELECT pg_try_advisory_xact_lock(8247351620716)";
            if !transaction.query_one(lock, &[]).await.map_err(fault)?.get::<_, bool>(0) {
                return Ok(0);
            }
            let mut removed = 0;
            if let Some(days) = limits.keep_days {
                let sql = "DELETE FROM vouch.trail WHERE number IN (
                               SELECT number FROM vouch.trail WHERE received_at < now() - make_interval(days => $1)
                               ORDER BY number LIMIT greatest($2, (SELECT count(*) FROM vouch.trail) / $3))";
                let days = i32::try_from(days).unwrap_or(i32::MAX / 1_000);
                let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&days, &OUTLIVED_MIN, &OUTLIVED_SHARE];
                removed += transaction.execute(sql, &values).await.map_err(fault)?;
            }
            // Whatever is older than the newest that have room together; never the newest of all.
            let sql = "DELETE FROM vouch.trail WHERE number < (
                           SELECT min(number) FROM (
                               SELECT number, sum(octet_length(record) + 256) OVER (ORDER BY number DESC) AS bytes,
                                      row_number() OVER (ORDER BY number DESC) AS place FROM vouch.trail
                           ) AS newest WHERE bytes <= $1 OR place = 1)";
            let total = "SELECT coalesce(sum(octet_length(record) + 256), 0)::bigint FROM vouch.trail";
            let total: i64 = transaction.query_one(total, &[]).await.map_err(fault)?.get(0);
            if unsigned(total) > limits.bytes_max {
                removed += transaction.execute(sql, &[&signed(limits.bytes_max)]).await.map_err(fault)?;
            }
            transaction.commit().await.map_err(fault)?;
            Ok(removed)
        })
        .await
}
