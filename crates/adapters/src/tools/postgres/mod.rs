//! Statements over a PostgreSQL server → rows.
//!
//! Invariant: inputs are sent beside a statement, never in it. A tool that only reads does so in a transaction that cannot
//! write; one that changes something has one transaction, one at a time in a database, which is committed only where its output
//! has the declared form. The server itself stops what takes too long. Each call has a connection of its own.

mod cell;
mod server;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use bytes::BytesMut;
use futures::{TryStreamExt, pin_mut};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::{
    Client,
    error::SqlState,
    types::{Format, IsNull, ToSql, Type, to_sql_checked},
};
use vouch_domain::{
    Fault, PortError,
    tool::{Effect, ToolOutput, ToolRecord},
};

use super::{
    output::{OutputPlan, Row},
    statement::{NumberedStatement, check_opening, number},
    value::{BYTES_MAX, plain_text},
};
use cell::RawCell;

pub(super) use server::PostgresServer;

/// How long the last word of a change may take. It is not broken off with the call: nobody could tell what became of it.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// What every change of Vouch in a database locks first, so that they come one after the other.
const CHANGE_LOCK: &str = "SELECT pg_advisory_xact_lock(8247351620714)";

/// The statements of one tool.
pub(super) struct PostgresTool {
    server: Arc<PostgresServer>,
    effect: Effect,
    statements: Vec<NumberedStatement>,
    plan: Arc<OutputPlan>,
}

impl PostgresTool {
    /// Reads every statement; an error says what is wrong with one. The server is not asked yet.
    pub(super) fn build(
        server: Arc<PostgresServer>,
        effect: Effect,
        statements: &[String],
        inputs: &BTreeSet<String>,
        plan: Arc<OutputPlan>,
    ) -> Result<Self, String> {
        let read = |sql: &String| {
            check_opening(sql, effect)?;
            let numbered = number(sql)?;
            match numbered.inputs.iter().find(|name| !inputs.contains(*name)) {
                Some(name) => Err(format!("`:{name}` is not a property of the input")),
                None => Ok(numbered),
            }
        };
        let numbered = (1..).zip(statements);
        let statements = numbered.map(|(at, sql)| read(sql).map_err(|what| format!("statement {at}: {what}")));
        Ok(Self { server, effect, statements: statements.collect::<Result<_, _>>()?, plan })
    }

    /// Runs the statements.
    pub(super) async fn call(&self, args: &ToolRecord, time: Duration) -> Result<ToolOutput, PortError> {
        let deadline = Instant::now() + time;
        let Ok(ran) = timeout_at(deadline, self.run(args, deadline)).await else { return Err(self.plan.late()) };
        let (client, output) = ran?;
        if self.effect == Effect::Changes && output.is_found {
            let Ok(committed) = timeout(COMMIT_TIMEOUT, client.batch_execute("COMMIT")).await else {
                let what = "the server did not say whether the change was made; the same call again tells";
                return Err(self.plan.fault(Fault::Timeout, what));
            };
            committed.map_err(|error| self.fault(error))?;
        }
        Ok(output)
    }

    /// Everything but the last word: where the client is dropped without it, nothing has changed.
    async fn run(&self, args: &ToolRecord, deadline: Instant) -> Result<(Client, ToolOutput), PortError> {
        let _turn = self.server.turn().await;
        let client = self.server.connect().await.map_err(|error| {
            self.plan.fault(Fault::Unavailable, "its database cannot be reached").with_source(error)
        })?;
        let left_ms = deadline.saturating_duration_since(Instant::now()).as_millis().max(1);
        let mode = match self.effect {
            Effect::Reads => "ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Effect::Changes => "ISOLATION LEVEL READ COMMITTED READ WRITE",
        };
        let begin = format!(
            "BEGIN {mode}; SET LOCAL statement_timeout = {left_ms}; \
             SET LOCAL idle_in_transaction_session_timeout = {}",
            left_ms.saturating_add(COMMIT_TIMEOUT.as_millis())
        );
        client.batch_execute(&begin).await.map_err(|error| self.fault(error))?;
        if self.effect == Effect::Changes {
            client.batch_execute(CHANGE_LOCK).await.map_err(|error| self.fault(error))?;
        }
        let mut rows = Vec::new();
        for statement in &self.statements {
            rows = self.rows(&client, statement, args).await?;
        }
        let output = self.plan.of_rows(rows)?;
        Ok((client, output))
    }

    async fn rows(
        &self,
        client: &Client,
        statement: &NumberedStatement,
        args: &ToolRecord,
    ) -> Result<Vec<Row>, PortError> {
        let wrong = |error| self.fault(error);
        let prepared = client.prepare(&statement.text).await.map_err(wrong)?;
        let inputs: Vec<Input> =
            statement.inputs.iter().map(|name| Input(args.get(name).and_then(plain_text))).collect();
        let found = client.query_raw(&prepared, inputs).await.map_err(wrong)?;
        pin_mut!(found);
        let (mut rows, mut bytes_left) = (Vec::new(), BYTES_MAX);
        while let Some(row) = found.try_next().await.map_err(wrong)? {
            if rows.len() >= self.plan.rows_max {
                return Err(self.plan.too_many());
            }
            let mut cells = Row::new();
            for (at, column) in row.columns().iter().enumerate() {
                let cell: Option<RawCell<'_>> = row.try_get(at).map_err(wrong)?;
                let value = cell.map_or(Ok(serde_json::Value::Null), |cell| cell.json(&mut bytes_left));
                let value = value.map_err(|what| self.plan.broken(&format!("column `{}` {what}", column.name())))?;
                if cells.insert(column.name().to_owned(), value).is_some() {
                    return Err(self.plan.broken(&format!("two columns are called `{}`", column.name())));
                }
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    fn fault(&self, error: tokio_postgres::Error) -> PortError {
        let told = match error.code() {
            Some(code) if *code == SqlState::QUERY_CANCELED => self.plan.late(),
            Some(code) if code.code().starts_with("22") => {
                self.plan.fault(Fault::Invalid, "an input is not a value its database accepts")
            }
            Some(code) if *code == SqlState::DISK_FULL => {
                self.plan.fault(Fault::Full, "its database has no room left; nothing was changed")
            }
            Some(code) if ["08", "53", "57"].iter().any(|class| code.code().starts_with(class)) => {
                self.plan.fault(Fault::Unavailable, "its database is not available")
            }
            None if error.is_closed() => self.plan.fault(Fault::Unavailable, "its database closed the connection"),
            // The cause may repeat an input, so it is for the log alone.
            Some(_) | None => self.plan.fault(Fault::Internal, "a statement failed; nothing was changed"),
        };
        told.with_source(error)
    }
}

/// An input as text; the server reads it as the type that its place has.
#[derive(Debug)]
struct Input(Option<String>);

impl ToSql for Input {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match &self.0 {
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}
