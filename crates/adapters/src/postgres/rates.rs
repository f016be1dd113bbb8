//! Requests per minute over all nodes, behind the `RateCounter` port: one statement per request.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use deadpool_postgres::Object;
use vouch_domain::{
    PortError,
    ports::{RateCounter, RateOutcome},
};

use super::{PostgresDatabase, fault::fault, server::Server};

/// How long a count may take; whoever asks for it counts alone by then.
const TIMEOUT: Duration = Duration::from_millis(500);
/// After so many requests buckets that are full are forgotten.
const REQUESTS_BETWEEN: u32 = 1_000;
/// What a bucket holds now. The clock is the database's, so that the nodes' own need not agree. Where that was set back, a bucket that
/// was filled at a time that has not come yet counts as full: it would gain nothing until then.
const FILLED: &str = "(CASE WHEN b.filled_at > clock_timestamp() THEN $2::float8 ELSE least($2::float8, b.left_over + extract(epoch FROM clock_timestamp() - b.filled_at)::float8 * $2::float8 / 60) END)";

/// The buckets of all callers, in the database.
pub struct PostgresRates {
    server: Arc<Server>,
    requests: AtomicU32,
}

impl PostgresDatabase {
    /// Counts requests together with every other node.
    #[must_use]
    pub fn rates(&self) -> PostgresRates {
        PostgresRates { server: Arc::clone(&self.server), requests: AtomicU32::new(0) }
    }
}

#[async_trait]
impl RateCounter for PostgresRates {
    async fn take(&self, caller: &str, per_minute: u32) -> Result<RateOutcome, PortError> {
        // A hash is nobody's row and says nothing of who asked.
        let bucket = blake3::hash(format!("{per_minute}\n{caller}").as_bytes()).as_bytes().to_vec();
        let is_cleaned = self.requests.fetch_add(1, Ordering::Relaxed) % REQUESTS_BETWEEN == REQUESTS_BETWEEN - 1;
        let server = Arc::clone(&self.server);
        self.server
            .run_within(TIMEOUT, async move {
                let client = server.connection().await?;
                if is_cleaned {
                    forget_full(&client).await?;
                }
                let full = f64::from(per_minute);
                let sql = format!(
                    "INSERT INTO vouch.rate_buckets AS b (bucket, left_over, filled_at)
                     SELECT $1::bytea, $2::float8 - 1, clock_timestamp() WHERE $2::float8 >= 1
                     ON CONFLICT (bucket) DO UPDATE SET left_over = {FILLED} - 1, filled_at = clock_timestamp()
                     WHERE {FILLED} >= 1 RETURNING 1"
                );
                let statement = client.prepare_cached(&sql).await.map_err(fault)?;
                if client.query_opt(&statement, &[&bucket, &full]).await.map_err(fault)?.is_some() {
                    return Ok(RateOutcome::Granted);
                }
                let sql = format!("SELECT 1 - {FILLED} FROM vouch.rate_buckets AS b WHERE bucket = $1");
                let row = client.query_opt(&sql, &[&bucket, &full]).await.map_err(fault)?;
                let missing = row.map_or(1.0, |row| row.get::<_, f64>(0)).clamp(0.0, 1.0);
                let seconds = missing * 60.0 / full.max(1.0);
                Ok(RateOutcome::Exceeded(Duration::from_secs_f64(seconds)))
            })
            .await
    }
}

/// After a minute without a request a bucket is full, as it is where it is not there. So is one of a time that has not come yet.
async fn forget_full(client: &Object) -> Result<(), PortError> {
    let sql = "DELETE FROM vouch.rate_buckets WHERE filled_at NOT BETWEEN clock_timestamp() - interval '2 minutes' AND clock_timestamp()";
    client.execute(sql, &[]).await.map(drop).map_err(fault)
}
