//! What a profile declares of one tool → a tool that can be checked and called.
//!
//! Invariant: input is held against its schema before anything runs, and an input that the schema does not name is refused.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::Value;
use vouch_domain::{
    PortError,
    tool::{Effect, ToolOutput, ToolRecord, ToolValue},
};

use super::{
    declaration::ToolDeclaration,
    http::HttpTool,
    output::OutputPlan,
    requirement::Requirement,
    schema::Form,
    source::Source,
    sources::Sources,
    value::{json_of, record_of},
};

const NAME_CHARS_MAX: usize = 64;
const ROWS_MAX: usize = 1_000;
const TIMEOUT_MS_MAX: u64 = 60_000;
const STATEMENTS_MAX: usize = 10;

/// A tool.
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) effect: Effect,
    pub(super) input_schema: String,
    input: Form,
    inputs: BTreeSet<String>,
    timeout: Duration,
    plan: Arc<OutputPlan>,
    source: Source,
    requirements: Vec<Requirement>,
}

impl Tool {
    /// Builds a tool; an error says what is wrong with its declaration.
    pub(super) fn build(declared: &ToolDeclaration, sources: &Sources) -> Result<Self, String> {
        check_bounds(declared)?;
        let input = Form::read(&declared.input).map_err(|what| format!("input: {what}"))?;
        let inputs: BTreeSet<String> = properties(&declared.input);
        let form = Form::read(&declared.output).map_err(|what| format!("output: {what}"))?;
        if let Some(not_found) = &declared.not_found {
            record_of(not_found).map_err(|what| format!("not_found: {what}"))?;
        }
        let plan = Arc::new(OutputPlan {
            tool: declared.name.clone(),
            form,
            list: declared.list.clone(),
            not_found: declared.not_found.clone(),
            rows_max: declared.rows_max,
        });
        let effect = if declared.changes { Effect::Changes } else { Effect::Reads };
        let source = build_source(declared, sources, &inputs, &plan)?;
        let requirements = Requirement::build_all(declared, sources, &inputs)?;
        Ok(Self {
            name: declared.name.clone(),
            effect,
            input_schema: declared.input.to_string(),
            input,
            inputs,
            timeout: Duration::from_millis(declared.timeout_ms),
            plan,
            source,
            requirements,
        })
    }

    /// Whether an input fits.
    pub(super) fn check(&self, args: &ToolRecord) -> Result<(), String> {
        if args.keys().any(|name| !self.inputs.contains(name)) {
            let known: Vec<&str> = self.inputs.iter().map(String::as_str).collect();
            return Err(format!("it only takes {}", known.join(", ")));
        }
        for (name, value) in args {
            check_value(value).map_err(|what| format!("{name}: {what}"))?;
        }
        self.input.check(&Value::Object(json_of(args)?))?;
        self.source.check(args)
    }

    /// Runs the tool on an input that was checked.
    pub(super) async fn call(&self, args: &ToolRecord, timeout: Duration) -> Result<ToolOutput, PortError> {
        let timeout = timeout.min(self.timeout);
        if timeout.is_zero() {
            return Err(self.plan.late());
        }
        self.source.call(args, timeout).await
    }

    /// The first requirement that is not met, of those whose inputs are all there.
    pub(super) async fn obstacle(&self, args: &ToolRecord, timeout: Duration) -> Result<Option<String>, PortError> {
        let timeout = timeout.min(self.timeout);
        if timeout.is_zero() {
            return Err(self.plan.late());
        }
        for requirement in self.requirements.iter().filter(|one| one.can_be_told(args)) {
            if !requirement.is_met(args, timeout).await? {
                return Ok(Some(requirement.name.clone()));
            }
        }
        Ok(None)
    }
}

/// Lists and records have no place in a statement or an address, and no database takes the character that ends a text in C.
fn check_value(value: &ToolValue) -> Result<(), String> {
    match value {
        ToolValue::Text(text) if text.contains('\0') => Err("it contains a character that is not text".to_owned()),
        ToolValue::Nothing | ToolValue::Flag(_) | ToolValue::Number(_) | ToolValue::Text(_) => Ok(()),
        ToolValue::List(_) | ToolValue::Record(_) => Err("it must be a single value".to_owned()),
    }
}

fn properties(schema: &Value) -> BTreeSet<String> {
    let named = schema.get("properties").and_then(Value::as_object);
    named.map(|named| named.keys().cloned().collect()).unwrap_or_default()
}

fn check_bounds(declared: &ToolDeclaration) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let name = &declared.name;
    if !(1..=NAME_CHARS_MAX).contains(&name.len()) || !name.bytes().all(is_plain) {
        return Err(format!("a name has 1 to {NAME_CHARS_MAX} letters, digits and `_`"));
    }
    if !(1..=ROWS_MAX).contains(&declared.rows_max) {
        return Err(format!("rows_max must be 1 to {ROWS_MAX}"));
    }
    if !(1..=TIMEOUT_MS_MAX).contains(&declared.timeout_ms) {
        return Err(format!("timeout_ms must be 1 to {TIMEOUT_MS_MAX}"));
    }
    if declared.list.as_ref().is_some_and(String::is_empty) {
        return Err("the name of the list is empty".to_owned());
    }
    if declared.sql.len() > STATEMENTS_MAX {
        return Err(format!("there may be {STATEMENTS_MAX} statements at most"));
    }
    Ok(())
}

fn build_source(
    declared: &ToolDeclaration,
    sources: &Sources,
    inputs: &BTreeSet<String>,
    plan: &Arc<OutputPlan>,
) -> Result<Source, String> {
    let effect = if declared.changes { Effect::Changes } else { Effect::Reads };
    match (&declared.database, declared.sql.as_slice(), &declared.http) {
        (Some(name), [_, ..], None) => {
            let database = sources.databases.get(name).ok_or_else(|| format!("there is no database `{name}`"))?;
            Source::of_database(database, (effect, &declared.sql), inputs, plan)
        }
        (None, [], Some(http)) => {
            let found = sources.servers.get(&http.server);
            let server = found.ok_or_else(|| format!("there is no server `{}`", http.server))?;
            let tool = HttpTool::build(http, Arc::clone(server), effect, inputs, Arc::clone(plan))?;
            Ok(Source::Http(Box::new(tool)))
        }
        _ => Err("it needs either `database` and `sql`, or `http`".to_owned()),
    }
}
