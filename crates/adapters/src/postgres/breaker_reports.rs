//! Services that nodes have found to fail, told from node to node.
//!
//! A report is a warning and no order: whoever hears of it decides by what happens to its own requests, so that a node whose network
//! is broken cannot keep the others from a service that works for them.

use std::{sync::Arc, time::Duration};

use vouch_domain::PortError;

use super::{PostgresDatabase, fault::fault, server::Server};
use crate::embedded::jobs::stored::new_id;

/// Reports that are heard at a time.
const REPORTS_MAX: i64 = 200;

/// What one node tells the others, and hears of them.
pub struct BreakerReports {
    server: Arc<Server>,
    /// What this process is called among the nodes.
    node: String,
}

/// A service that another node asks no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakerReport {
    /// The service, as the settings call it.
    pub service: String,
    /// How long ago its breaker opened there.
    pub opened_ago: Duration,
}

impl PostgresDatabase {
    /// Reports under a name that no other process has.
    ///
    /// # Errors
    /// Fails if this machine gives no random numbers.
    pub fn breaker_reports(&self) -> Result<BreakerReports, PortError> {
        Ok(BreakerReports { server: Arc::clone(&self.server), node: new_id()? })
    }
}

impl BreakerReports {
    /// Tells of services whose breakers have opened here, and answers what the other nodes have told within a while.
    ///
    /// # Errors
    /// Fails if the database cannot be reached.
    pub async fn exchange(&self, opened: Vec<String>, within: Duration) -> Result<Vec<BreakerReport>, PortError> {
        let (server, node) = (Arc::clone(&self.server), self.node.clone());
        self.server
            .run(async move {
                let client = server.connection().await?;
                let seconds = within.as_secs_f64();
                if !opened.is_empty() {
                    let sql = "INSERT INTO vouch.open_breakers (service, node, opened_at)
                               SELECT service, $2, clock_timestamp() FROM unnest($1::text[]) AS service
                               ON CONFLICT (service, node) DO UPDATE SET opened_at = excluded.opened_at";
                    client.execute(sql, &[&opened, &node]).await.map_err(fault)?;
                    let sql = "DELETE FROM vouch.open_breakers
                               WHERE opened_at < clock_timestamp() - interval '1 day'";
                    client.execute(sql, &[]).await.map_err(fault)?;
                }
                let sql = "SELECT service, min(extract(epoch FROM clock_timestamp() - opened_at))::float8
                           FROM vouch.open_breakers
                           WHERE node <> $1 AND opened_at > clock_timestamp() - make_interval(secs => $2)
                           GROUP BY service ORDER BY service LIMIT $3";
                let statement = client.prepare_cached(sql).await.map_err(fault)?;
                let rows = client.query(&statement, &[&node, &seconds, &REPORTS_MAX]).await.map_err(fault)?;
                let report = |row: &tokio_postgres::Row| BreakerReport {
                    service: row.get(0),
                    opened_ago: Duration::from_secs_f64(row.get::<_, f64>(1).max(0.0)),
                };
                Ok(rows.iter().map(report).collect())
            })
            .await
    }
}
