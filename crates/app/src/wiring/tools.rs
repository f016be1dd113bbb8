//! The tools the settings declare → a toolbox. One whose database or server cannot be used says so when it is called, so that what needs
//! no tool works without.

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use vouch_adapters::tools::{ProfileToolbox, RequirementDeclaration, ToolDeclaration, ToolsDeclaration};
use vouch_domain::{Effect, Fault, PortError, ToolCall, ToolOutput, ports::Toolbox};

use crate::settings::{RequirementSettings, ToolSettings, ToolsSettings};

/// The toolbox of the settings; none if they declare no tool.
pub(super) fn toolbox(settings: &ToolsSettings, folder: &Path) -> Option<Arc<dyn Toolbox>> {
    if settings.list.is_empty() {
        return None;
    }
    let declared = declaration(settings);
    Some(match ProfileToolbox::build(&declared, folder) {
        Ok(toolbox) => Arc::new(toolbox),
        Err(error) => {
            tracing::warn!(%error, component = "tools", "the tools cannot be used");
            Arc::new(UnusableToolbox { tools: declared.tools, sentence: error.sentence })
        }
    })
}

/// Why the tools of the settings cannot be used, if they cannot.
pub fn tools_fault(settings: &ToolsSettings, folder: &Path) -> Option<PortError> {
    ProfileToolbox::build(&declaration(settings), folder).err().filter(|_| !settings.list.is_empty())
}

fn declaration(settings: &ToolsSettings) -> ToolsDeclaration {
    let requirement =
        |one: &RequirementSettings| RequirementDeclaration { name: one.name.clone(), sql: one.sql.clone() };
    let tool = |tool: &ToolSettings| ToolDeclaration {
        name: tool.name.clone(),
        changes: tool.changes,
        input: tool.input.clone(),
        output: tool.output.clone(),
        rows_max: tool.rows_max,
        timeout_ms: tool.timeout_ms,
        not_found: tool.not_found.clone(),
        list: tool.list.clone(),
        database: tool.database.clone(),
        sql: tool.sql.clone(),
        http: tool.http.clone(),
        requires: tool.requires.iter().map(requirement).collect(),
    };
    ToolsDeclaration {
        databases: settings.databases.clone(),
        servers: settings.servers.clone(),
        tools: settings.list.iter().map(tool).collect(),
    }
}

/// Tools that are declared and cannot be used.
struct UnusableToolbox {
    tools: Vec<ToolDeclaration>,
    sentence: String,
}

#[async_trait]
impl Toolbox for UnusableToolbox {
    fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn effect(&self, tool: &str) -> Option<Effect> {
        let declared = self.tools.iter().find(|declared| declared.name == tool)?;
        Some(if declared.changes { Effect::Changes } else { Effect::Reads })
    }

    fn input_schema(&self, tool: &str) -> Option<String> {
        let declared = self.tools.iter().find(|declared| declared.name == tool)?;
        Some(declared.input.to_string())
    }

    fn check(&self, _: &ToolCall) -> Result<(), String> {
        Ok(())
    }

    async fn obstacle(&self, _: &ToolCall, _: Duration) -> Result<Option<String>, PortError> {
        Err(PortError::new("tools", Fault::Unavailable, self.sentence.clone()))
    }

    async fn call(&self, _: &ToolCall, _: Duration) -> Result<ToolOutput, PortError> {
        Err(PortError::new("tools", Fault::Unavailable, self.sentence.clone()))
    }
}
