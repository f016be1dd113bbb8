//! The tools that a profile declares over its databases and servers, behind the `Toolbox` port.
//!
//! Invariant: nothing runs that does not fit its declared form, and nothing comes out that does not. What is wrong with a
//! declaration is found when the toolbox is built. No sentence repeats an input, an output, a key or a password.

mod declaration;
mod http;
mod output;
mod port_name;
mod postgres;
mod requirement;
mod sample;
mod schema;
mod source;
mod sources;
mod sqlite;
mod statement;
mod tool;
pub(crate) mod value;

use std::{path::Path, time::Duration};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError,
    ports::Toolbox,
    tool::{Effect, ToolCall, ToolOutput},
};

pub use declaration::{
    DatabaseDeclaration, HttpDeclaration, HttpMethod, RequirementDeclaration, ServerDeclaration, ToolDeclaration,
    ToolsDeclaration,
};
pub use sample::sample_database;

use port_name::PORT;
use sources::Sources;
use tool::Tool;

const TOOLS_MAX: usize = 100;

/// The tools of a profile.
pub struct ProfileToolbox {
    tools: Vec<Tool>,
}

impl ProfileToolbox {
    /// Builds the tools; relative paths are relative to the folder, addresses and keys come from the environment.
    ///
    /// # Errors
    /// Names the tool, database or server whose declaration makes no sense, and says why.
    pub fn build(declared: &ToolsDeclaration, base_folder: &Path) -> Result<Self, PortError> {
        Self::build_with(declared, base_folder, &|name| std::env::var(name).ok())
    }

    /// The same with environment variables from elsewhere.
    ///
    /// # Errors
    /// As `build` does.
    pub fn build_with(
        declared: &ToolsDeclaration,
        base_folder: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, PortError> {
        let invalid = |sentence: String| PortError::new(PORT, Fault::Invalid, sentence);
        if declared.tools.len() > TOOLS_MAX {
            return Err(invalid(format!("there are {} tools, the limit is {TOOLS_MAX}", declared.tools.len())));
        }
        let sources = Sources::open(declared, base_folder, variable)?;
        let mut tools: Vec<Tool> = Vec::new();
        for one in &declared.tools {
            if tools.iter().any(|tool| tool.name == one.name) {
                return Err(invalid(format!("two tools are called `{}`", one.name)));
            }
            let built = Tool::build(one, &sources);
            tools.push(built.map_err(|what| invalid(format!("tool `{}`: {what}", one.name)))?);
        }
        Ok(Self { tools })
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

#[async_trait]
impl Toolbox for ProfileToolbox {
    fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn effect(&self, tool: &str) -> Option<Effect> {
        self.tool(tool).map(|tool| tool.effect)
    }

    fn input_schema(&self, tool: &str) -> Option<String> {
        self.tool(tool).map(|tool| tool.input_schema.clone())
    }

    fn check(&self, call: &ToolCall) -> Result<(), String> {
        let tool = self.tool(&call.tool).ok_or("there is no such tool")?;
        tool.check(&call.args).map_err(|what| format!("tool `{}`: {what}", tool.name))
    }

    async fn obstacle(&self, call: &ToolCall, timeout: Duration) -> Result<Option<String>, PortError> {
        let missing = || PortError::new(PORT, Fault::Invalid, "there is no such tool");
        let tool = self.tool(&call.tool).ok_or_else(missing)?;
        tool.obstacle(&call.args, timeout).await
    }

    async fn call(&self, call: &ToolCall, timeout: Duration) -> Result<ToolOutput, PortError> {
        let invalid = |sentence: String| PortError::new(PORT, Fault::Invalid, sentence);
        self.check(call).map_err(invalid)?;
        let tool = self.tool(&call.tool).ok_or_else(|| invalid("there is no such tool".to_owned()))?;
        tool.call(&call.args, timeout).await
    }
}
