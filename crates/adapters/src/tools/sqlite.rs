//! Statements over a SQLite file → rows.
//!
//! Invariant: inputs are bound, never pasted. A tool that only reads has a connection that cannot write; one that changes
//! something does so in one transaction, which is committed only where its output has the declared form. No statement outlives
//! its time, none sees another file, and none changes tables themselves. Each call has a connection of its own, so a call that
//! is broken off leaves nothing behind.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, Statement,
    hooks::{AuthAction, AuthContext, Authorization},
    limits::Limit,
    types::{ToSqlOutput, Value as Cell, ValueRef},
};
use serde_json::Value;
use vouch_domain::{
    Fault, PortError,
    tool::{Effect, ToolOutput, ToolRecord, ToolValue},
};

use super::{
    output::{OutputPlan, Row},
    statement::check_opening,
    value::{BYTES_MAX, exact, whole},
};
use crate::embedded::blocking::blocking;

/// After so many steps of a statement its time is looked at.
const STEPS_BETWEEN_LOOKS: i32 = 1_000;
/// The longest text that may occur on the way to an output.
const CELL_BYTES_MAX: i32 = 1 << 20;
/// The longest pattern: matching one takes as many steps as it has characters, for each character of the text.
const PATTERN_BYTES_MAX: i32 = 1_000;
/// How long another process is waited for when a tool is built.
const BUILD_TIMEOUT: Duration = Duration::from_secs(5);

/// The statements of one tool.
pub(super) struct SqliteTool {
    path: PathBuf,
    effect: Effect,
    statements: Vec<String>,
    plan: Arc<OutputPlan>,
}

impl SqliteTool {
    /// Prepares every statement once; an error says what is wrong with one.
    pub(super) fn build(
        path: &Path,
        effect: Effect,
        statements: &[String],
        inputs: &BTreeSet<String>,
        plan: Arc<OutputPlan>,
    ) -> Result<Self, String> {
        let tool = Self { path: path.to_owned(), effect, statements: statements.to_vec(), plan };
        let deadline = Instant::now() + BUILD_TIMEOUT;
        let mut connection = tool.connect(deadline).map_err(|error| error.to_string())?;
        guard(&mut connection, effect).map_err(|error| error.to_string())?;
        for (number, sql) in (1..).zip(statements) {
            check_opening(sql, effect).map_err(|what| format!("statement {number}: {what}"))?;
            let statement = connection.prepare(sql).map_err(|error| refusal(number, &error))?;
            tool.examine(&statement, inputs).map_err(|what| format!("statement {number}: {what}"))?;
        }
        Ok(tool)
    }

    fn examine(&self, statement: &Statement<'_>, inputs: &BTreeSet<String>) -> Result<(), String> {
        if self.effect == Effect::Reads && !statement.readonly() {
            return Err("it writes, but the tool does not say `changes: true`".to_owned());
        }
        for number in 1..=statement.parameter_count() {
            let name = statement.parameter_name(number).and_then(|name| name.strip_prefix(':'));
            let name = name.ok_or("inputs are written `:name`, not `?`, `@name` or `$name`")?;
            if !inputs.contains(name) {
                return Err(format!("`:{name}` is not a property of the input"));
            }
        }
        let mut seen = BTreeSet::new();
        match statement.column_names().find(|name| !seen.insert(*name)) {
            Some(twice) => Err(format!("two columns are called `{twice}`")),
            None => Ok(()),
        }
    }

    /// Runs the statements.
    pub(super) async fn call(self: &Arc<Self>, args: &ToolRecord, timeout: Duration) -> Result<ToolOutput, PortError> {
        let (tool, args, deadline) = (Arc::clone(self), args.clone(), Instant::now() + timeout);
        blocking(super::port_name::PORT, move || tool.run(&args, deadline)).await
    }

    fn run(&self, args: &ToolRecord, deadline: Instant) -> Result<ToolOutput, PortError> {
        let wrong = |error| self.fault(error);
        let mut connection = self.connect(deadline).map_err(wrong)?;
        let is_late = move || Instant::now() >= deadline;
        if is_late() {
            return Err(self.plan.late());
        }
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(is_late)).map_err(wrong)?;
        match self.effect {
            Effect::Reads => connection.execute_batch("BEGIN").map_err(wrong)?,
            Effect::Changes => connection.execute_batch("BEGIN IMMEDIATE").map_err(wrong)?,
        }
        guard(&mut connection, self.effect).map_err(wrong)?;
        let output = self.plan.of_rows(self.rows(&connection, args)?)?;
        connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).map_err(wrong)?;
        if is_late() {
            return Err(self.plan.late());
        }
        // From here on the change is whole or not there at all; being late does not stop it halfway.
        connection.progress_handler(0, None::<fn() -> bool>).map_err(wrong)?;
        if self.effect == Effect::Changes && output.is_found {
            connection.execute_batch("COMMIT").map_err(wrong)?;
        }
        Ok(output)
    }

    /// Runs all statements; the rows of the last one.
    fn rows(&self, connection: &Connection, args: &ToolRecord) -> Result<Vec<Row>, PortError> {
        let mut rows = Vec::new();
        for sql in &self.statements {
            rows.clear();
            let mut bytes_left = BYTES_MAX;
            let mut statement = connection.prepare(sql).map_err(|error| self.fault(error))?;
            bind(&mut statement, args).map_err(|error| self.fault(error))?;
            let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let mut found = statement.raw_query();
            while let Some(row) = found.next().map_err(|error| self.fault(error))? {
                if rows.len() >= self.plan.rows_max {
                    return Err(self.plan.too_many());
                }
                let mut cells = Row::new();
                for (number, name) in names.iter().enumerate() {
                    let cell = row.get_ref(number).map_err(|error| self.fault(error))?;
                    let value = json(cell, &mut bytes_left);
                    let value = value.map_err(|what| self.plan.broken(&format!("column `{name}` {what}")))?;
                    cells.insert(name.clone(), value);
                }
                rows.push(cells);
            }
        }
        Ok(rows)
    }

    fn connect(&self, deadline: Instant) -> rusqlite::Result<Connection> {
        roll_back_what_was_left(&self.path);
        let access = match self.effect {
            Effect::Reads => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Effect::Changes => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let connection = Connection::open_with_flags(&self.path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(deadline.saturating_duration_since(Instant::now()))?;
        connection.pragma_update(None, "trusted_schema", false)?;
        match self.effect {
            Effect::Reads => connection.pragma_update(None, "query_only", true)?,
            Effect::Changes => connection.pragma_update(None, "foreign_keys", true)?,
        }
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, CELL_BYTES_MAX)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES_MAX)?;
        Ok(connection)
    }

    fn fault(&self, error: rusqlite::Error) -> PortError {
        let told = match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => self.plan.late(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                self.plan.fault(Fault::Timeout, "another process held the database for too long")
            }
            Some(ErrorCode::DiskFull) => self.plan.fault(Fault::Full, "no room left on the disk; nothing was changed"),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                self.plan.fault(Fault::Unavailable, "the database cannot be opened or written")
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => self.plan.broken("the database is damaged"),
            // The cause may repeat an input, so it is for the log alone.
            _ => self.plan.fault(Fault::Internal, "a statement failed; nothing was changed"),
        };
        told.with_source(error)
    }
}

fn refusal(number: usize, error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        _ if matches!(error, rusqlite::Error::MultipleStatement) => {
            format!("statement {number}: several statements in one text; write each as one of the list")
        }
        Some(ErrorCode::AuthorizationForStatementDenied) => {
            format!(
                "statement {number}: it does more than look rows up, or change rows where the tool says `changes: true`"
            )
        }
        _ => format!("statement {number}: {error}"),
    }
}

/// Allows looking up, and changing rows where that is the point; nothing else: no other file, no setting, no table changed, no
/// end of the transaction.
fn guard(connection: &mut Connection, effect: Effect) -> rusqlite::Result<()> {
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum: what is not named is not allowed")]
        let is_read = match context.action {
            AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
            AuthAction::Function { function_name } => !function_name.eq_ignore_ascii_case("load_extension"),
            _ => false,
        };
        let is_change =
            matches!(context.action, AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. });
        let is_allowed = is_read || (is_change && effect == Effect::Changes);
        if is_allowed { Authorization::Allow } else { Authorization::Deny }
    }))
}

fn bind(statement: &mut Statement<'_>, args: &ToolRecord) -> rusqlite::Result<()> {
    for number in 1..=statement.parameter_count() {
        let name = statement.parameter_name(number).and_then(|name| name.strip_prefix(':')).unwrap_or_default();
        let cell = match args.get(name) {
            Some(ToolValue::Text(text)) => Cell::Text(text.clone()),
            Some(ToolValue::Number(number)) => whole(*number).map_or(Cell::Real(*number), Cell::Integer),
            Some(ToolValue::Flag(flag)) => Cell::Integer(i64::from(*flag)),
            // Lists and records are refused before anything runs.
            Some(ToolValue::Nothing | ToolValue::List(_) | ToolValue::Record(_)) | None => Cell::Null,
        };
        statement.raw_bind_parameter(number, ToSqlOutput::Owned(cell))?;
    }
    Ok(())
}

fn json(cell: ValueRef<'_>, bytes_left: &mut usize) -> Result<Value, String> {
    let too_much = || format!("makes the output larger than {BYTES_MAX} bytes");
    match cell {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => {
            exact(number).map(|_| Value::from(number)).ok_or_else(|| "has a number that is too large".to_owned())
        }
        ValueRef::Real(number) => {
            let number = serde_json::Number::from_f64(number);
            number.map(Value::Number).ok_or_else(|| "has a number that is not finite".to_owned())
        }
        ValueRef::Text(bytes) => {
            *bytes_left = bytes_left.checked_sub(bytes.len()).ok_or_else(too_much)?;
            let text = std::str::from_utf8(bytes).map_err(|_| "has text that is not UTF-8".to_owned())?;
            Ok(Value::from(text))
        }
        ValueRef::Blob(_) => Err("has bytes, which a tool cannot return".to_owned()),
    }
}

/// Undoes what a change left that was killed halfway. Who only reads cannot, and could not read the file either; a change that is
/// under way is left alone by its lock.
fn roll_back_what_was_left(path: &Path) {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    if !Path::new(&journal).exists() {
        return;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let looked = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0))
    });
    if let Err(error) = looked {
        tracing::warn!(%error, component = "tools", "what a killed change left could not be undone");
    }
}
