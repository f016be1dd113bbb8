//! One call of a tool: caller and arguments → the parsed arguments, and results in the format clients expect.
//!
//! Invariant: a problem carries the code and the sentence it has over HTTP.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use vouch_domain::{Caller, PortError};
use vouch_engine::ask::AskError;

use crate::problem::{Code, Problem};

/// The caller and the request id.
#[derive(Debug, Clone)]
pub(super) struct CallContext {
    pub(super) caller: Caller,
    pub(super) request_id: String,
}

/// One call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) call_context: CallContext,
    pub(super) arguments: JsonObject,
}

impl Call {
    /// The parsed arguments, or what is wrong with them.
    pub(super) fn read<T: DeserializeOwned>(&mut self) -> Result<T, Problem> {
        let arguments = Value::Object(std::mem::take(&mut self.arguments));
        serde_json::from_value(arguments).map_err(|error| self.wrong(error.to_string()))
    }

    /// A call with invalid arguments.
    pub(super) fn wrong(&self, detail: impl Into<String>) -> Problem {
        Problem::new(Code::InvalidRequest, detail, &self.call_context.request_id)
    }

    /// The store failed. Its details stay in the log.
    pub(super) fn down(&self, error: PortError) -> Problem {
        Problem::from_ask_error(&AskError::Port(error), &self.call_context.request_id)
    }
}

/// A result for programs, the same as text for clients that read no other.
pub(super) fn structured(value: &impl Serialize) -> CallToolResult {
    CallToolResult::structured(plain(value))
}

/// A result for programs beside a text for people and models.
pub(super) fn told(text: String, value: &impl Serialize) -> CallToolResult {
    let mut result = CallToolResult::structured(plain(value));
    result.content = vec![ContentBlock::text(text)];
    result
}

/// A failure. It is text alone: structured content would have to fit the schema of the tool's results.
pub(super) fn failed(problem: &Problem) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(plain(problem).to_string())])
}

/// A value as it stands on every other surface: figures of single precision keep the digits they are written with.
fn plain(value: &impl Serialize) -> Value {
    let written = serde_json::to_string(value).and_then(|text| serde_json::from_str(&text));
    written.unwrap_or_default()
}
