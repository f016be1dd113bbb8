//! What the database itself says: which text held from which generation to which, and what became of the jobs.

use anyhow::Context;
use tokio_postgres::{Client, NoTls};

/// A passage of a document's version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PassageRow {
    pub(super) text: String,
    /// The first generation that has it.
    pub(super) born: u64,
    /// The first generation that has it no more.
    pub(super) died: Option<u64>,
}

/// A background job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobRow {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) is_over: bool,
}

/// A connection that reads beside the servers.
pub(super) struct Truth {
    client: Client,
}

impl Truth {
    pub(super) async fn connect(address: &str) -> anyhow::Result<Self> {
        let (client, connection) =
            tokio_postgres::connect(address, NoTls).await.context("the database of --database cannot be reached")?;
        tokio::spawn(connection);
        // Rows of all tenants.
        client.batch_execute("SELECT set_config('vouch.tenant', '*', false)").await?;
        Ok(Self { client })
    }

    pub(super) async fn documents(&self) -> anyhow::Result<i64> {
        Ok(self.client.query_one("SELECT count(*) FROM vouch.documents", &[]).await?.try_get(0)?)
    }

    pub(super) async fn passages(&self) -> anyhow::Result<Vec<PassageRow>> {
        let rows = self.client.query("SELECT text, born, died FROM vouch.passages ORDER BY born, key", &[]).await?;
        let number = |value: i64| u64::try_from(value).unwrap_or_default();
        rows.iter()
            .map(|row| {
                let died: Option<i64> = row.try_get(2)?;
                Ok(PassageRow { text: row.try_get(0)?, born: number(row.try_get(1)?), died: died.map(number) })
            })
            .collect()
    }

    pub(super) async fn jobs(&self) -> anyhow::Result<Vec<JobRow>> {
        let sql = "SELECT id, state, ended_ms IS NOT NULL FROM vouch.jobs ORDER BY number";
        let rows = self.client.query(sql, &[]).await?;
        rows.iter()
            .map(|row| Ok(JobRow { id: row.try_get(0)?, state: row.try_get(1)?, is_over: row.try_get(2)? }))
            .collect()
    }
}
