//! What must be so for a tool to do anything → whether it is, looked up and changing nothing.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::{Map, json};
use vouch_domain::{
    PortError,
    tool::{Effect, ToolRecord},
};

use super::{
    declaration::{RequirementDeclaration, ToolDeclaration},
    output::OutputPlan,
    schema::Form,
    source::Source,
    sources::Sources,
    statement::number,
};

const REQUIREMENTS_MAX: usize = 10;
/// A requirement is met by one row; more are looked at by mistake only.
const ROWS_MAX: usize = 100;

/// A statement that finds a row where a tool can do its work.
pub(super) struct Requirement {
    pub(super) name: String,
    inputs: Vec<String>,
    source: Source,
}

impl Requirement {
    /// The requirements of a tool; an error says what is wrong with one.
    pub(super) fn build_all(
        declared: &ToolDeclaration,
        sources: &Sources,
        inputs: &BTreeSet<String>,
    ) -> Result<Vec<Self>, String> {
        if declared.requires.len() > REQUIREMENTS_MAX {
            return Err(format!("there may be {REQUIREMENTS_MAX} requirements at most"));
        }
        let build = |one: &RequirementDeclaration| {
            Self::build(one, declared, sources, inputs).map_err(|what| format!("requirement `{}`: {what}", one.name))
        };
        declared.requires.iter().map(build).collect()
    }

    fn build(
        declared: &RequirementDeclaration,
        tool: &ToolDeclaration,
        sources: &Sources,
        inputs: &BTreeSet<String>,
    ) -> Result<Self, String> {
        let database = tool.database.as_ref().and_then(|name| sources.databases.get(name));
        let database = database.ok_or("only a tool with a `database` can have one")?;
        let rows = "rows".to_owned();
        let plan = OutputPlan {
            tool: tool.name.clone(),
            form: Form::read(&json!({ "type": "object" }))?,
            list: Some(rows),
            not_found: Some(Map::new()),
            rows_max: ROWS_MAX,
        };
        let statements = [declared.sql.clone()];
        let source = Source::of_database(database, (Effect::Reads, &statements), inputs, &Arc::new(plan))?;
        Ok(Self { name: declared.name.clone(), inputs: number(&declared.sql)?.inputs, source })
    }

    /// Whether all it asks about is known.
    pub(super) fn can_be_told(&self, args: &ToolRecord) -> bool {
        self.inputs.iter().all(|name| args.contains_key(name))
    }

    /// Whether there is a row.
    pub(super) async fn is_met(&self, args: &ToolRecord, timeout: Duration) -> Result<bool, PortError> {
        Ok(self.source.call(args, timeout).await?.is_found)
    }
}
