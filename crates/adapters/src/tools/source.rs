//! What stands behind a tool, or behind what it requires: statements over a database, or a request to a server.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use vouch_domain::{
    PortError,
    tool::{Effect, ToolOutput, ToolRecord},
};

use super::{http::HttpTool, output::OutputPlan, postgres::PostgresTool, sources::Database, sqlite::SqliteTool};

/// What stands behind a tool.
pub(super) enum Source {
    Sqlite(Arc<SqliteTool>),
    Postgres(Box<PostgresTool>),
    Http(Box<HttpTool>),
}

impl Source {
    /// Whether an input fits it besides its schema.
    pub(super) fn check(&self, args: &ToolRecord) -> Result<(), String> {
        match self {
            Self::Sqlite(_) | Self::Postgres(_) => Ok(()),
            Self::Http(tool) => tool.check(args),
        }
    }

    /// Runs it.
    pub(super) async fn call(&self, args: &ToolRecord, timeout: Duration) -> Result<ToolOutput, PortError> {
        match self {
            Self::Sqlite(tool) => tool.call(args, timeout).await,
            Self::Postgres(tool) => tool.call(args, timeout).await,
            Self::Http(tool) => tool.call(args, timeout).await,
        }
    }

    /// Statements over a database of the profile.
    pub(super) fn of_database(
        database: &Database,
        (effect, statements): (Effect, &[String]),
        inputs: &BTreeSet<String>,
        plan: &Arc<OutputPlan>,
    ) -> Result<Self, String> {
        match database {
            Database::Sqlite(path) => {
                let tool = SqliteTool::build(path, effect, statements, inputs, Arc::clone(plan))?;
                Ok(Self::Sqlite(Arc::new(tool)))
            }
            Database::Postgres(server) => {
                let tool = PostgresTool::build(Arc::clone(server), effect, statements, inputs, Arc::clone(plan))?;
                Ok(Self::Postgres(Box::new(tool)))
            }
        }
    }
}
