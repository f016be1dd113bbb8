//! Tools that a model may call → the list of them, as servers of either protocol want it.

use serde_json::{Value, json};
use vouch_domain::ports::OfferedTool;

/// The tools as JSON; one whose schema is none is not offered.
pub(crate) fn tools(offered: &[OfferedTool]) -> Vec<Value> {
    let tool = |tool: &OfferedTool| {
        let Ok(parameters) = serde_json::from_str::<Value>(&tool.input_schema) else {
            tracing::warn!(tool = tool.name, "a tool without a schema that can be read is not offered");
            return None;
        };
        let function = json!({"name": tool.name, "description": tool.description, "parameters": parameters});
        Some(json!({"type": "function", "function": function}))
    };
    offered.iter().filter_map(tool).collect()
}
