//! A tool's name and typed input → its typed output. Both are held against a declared form, whatever stands behind the tool.

use std::time::Duration;

use async_trait::async_trait;

use crate::{
    error::PortError,
    tool::{Effect, ToolCall, ToolOutput},
};

/// Tools by name. A tool is deterministic in what it is given and what it looks at; it never sees the asker's words.
#[async_trait]
pub trait Toolbox: Send + Sync {
    /// The tools there are, in order.
    fn names(&self) -> Vec<String>;

    /// Whether a tool changes anything; none if there is no such tool.
    fn effect(&self, tool: &str) -> Option<Effect>;

    /// The form of a tool's input as a JSON schema, for whoever writes calls; none if there is no such tool.
    fn input_schema(&self, tool: &str) -> Option<String>;

    /// Whether a call would be accepted, without running anything: a sentence that names what is wrong if not.
    ///
    /// # Errors
    /// The sentence.
    fn check(&self, call: &ToolCall) -> Result<(), String>;

    /// What stands in the way of a call as things are, by the name that its declaration gives it; none where nothing does. It looks
    /// things up and changes nothing, and leaves out what the input given does not yet allow to tell.
    ///
    /// # Errors
    /// As `call`.
    async fn obstacle(&self, call: &ToolCall, timeout: Duration) -> Result<Option<String>, PortError>;

    /// Runs a call. Input that `check` rejects is `Fault::Invalid` and runs nothing; output that breaks its form is
    /// `Fault::Corrupt`, what takes too long is `Fault::Timeout` and is stopped. A call that changes something either did so
    /// whole or not at all, and one that is made again with the same input gives what the first one gave.
    ///
    /// # Errors
    /// As said above, or what stands behind the tool is not there.
    async fn call(&self, call: &ToolCall, timeout: Duration) -> Result<ToolOutput, PortError>;
}
