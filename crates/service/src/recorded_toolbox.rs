//! Calls of tools as they were recorded → the same outputs again. Nothing is called: what asks a question again, to compare or to
//! measure, reads what tools said then.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use vouch_domain::{Effect, Fault, PortError, ToolCall, ToolOutput, ports::Toolbox};

use crate::wire::{ToolCallWire, typed_record};

/// What tools said, in the place of the tools.
pub struct RecordedToolbox {
    declared: Arc<dyn Toolbox>,
    calls: Vec<(ToolCall, Option<ToolOutput>)>,
}

impl RecordedToolbox {
    /// The declared tools with these calls; a call that cannot be read is left out.
    #[must_use]
    pub fn new(declared: Arc<dyn Toolbox>, calls: &[ToolCallWire]) -> Self {
        let read = |call: &ToolCallWire| {
            let output = call.output.as_ref().and_then(typed_record);
            let is_found = call.found.unwrap_or(true);
            let made = ToolCall { tool: call.name.clone(), args: typed_record(&call.args)? };
            Some((made, output.map(|record| ToolOutput { record, is_found })))
        };
        Self { declared, calls: calls.iter().filter_map(read).collect() }
    }
}

#[async_trait]
impl Toolbox for RecordedToolbox {
    fn names(&self) -> Vec<String> {
        self.declared.names()
    }

    fn effect(&self, tool: &str) -> Option<Effect> {
        self.declared.effect(tool)
    }

    fn input_schema(&self, tool: &str) -> Option<String> {
        self.declared.input_schema(tool)
    }

    fn check(&self, call: &ToolCall) -> Result<(), String> {
        self.declared.check(call)
    }

    async fn obstacle(&self, _: &ToolCall, _: Duration) -> Result<Option<String>, PortError> {
        // What stood in the way then was not recorded, and nothing is looked up now.
        Ok(None)
    }

    async fn call(&self, call: &ToolCall, _: Duration) -> Result<ToolOutput, PortError> {
        let said = self.calls.iter().find(|(made, _)| made == call).and_then(|(_, output)| output.clone());
        said.ok_or_else(|| PortError::new("tools", Fault::Unavailable, "no output of this call was recorded"))
    }
}
