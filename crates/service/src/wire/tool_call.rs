//! Values of tools as replies and the trail write them: calls that were made, and calls that wait.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use utoipa::ToSchema;
use vouch_domain::{PendingCall, ToolCall, ToolRecord, ToolValue};
use vouch_engine::trace::ToolReport;

/// A tool that was called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ToolCall)]
pub struct ToolCallWire {
    /// Name of the tool.
    pub name: String,
    /// What it was called with.
    #[schema(value_type = Object)]
    pub args: Value,
    /// What it gave back; null if it failed, or has not ended yet.
    #[schema(value_type = Option<Object>)]
    pub output: Option<Value>,
    /// Whether it did its work, also where it found nothing; null while it runs.
    pub success: Option<bool>,
    /// Whether there was what was asked for; null if it failed, or has not ended yet.
    pub found: Option<bool>,
    /// How long it took, in milliseconds; null while it runs.
    pub elapsed_ms: Option<f64>,
}

impl ToolCallWire {
    pub(crate) fn ended(report: &ToolReport) -> Self {
        Self {
            name: report.call.tool.clone(),
            args: object(&report.call.args),
            output: report.output.as_ref().map(object),
            success: Some(report.is_success()),
            found: report.is_success().then_some(report.is_found),
            elapsed_ms: Some(report.elapsed_ms),
        }
    }

    /// A call that is about to run.
    pub(crate) fn begun(call: &ToolCall) -> Self {
        Self {
            name: call.tool.clone(),
            args: object(&call.args),
            output: None,
            success: None,
            found: None,
            elapsed_ms: None,
        }
    }
}

/// A tool that waits for a value or for a yes.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = PendingTool)]
pub struct PendingWire {
    /// Name of the tool.
    pub tool: String,
    /// What is known of its input.
    #[schema(value_type = Object)]
    pub args: Value,
    /// Names of the values that are missing; empty if it waits for a yes.
    pub missing: Vec<String>,
    /// What will be done on a yes, in words; null while something is missing.
    pub confirm: Option<String>,
    /// Send it back as `confirm` with the same `session_id` and a yes in words; null while something is missing.
    pub token: Option<String>,
}

impl PendingWire {
    pub(crate) fn new(pending: &PendingCall, words: &str) -> Self {
        let is_complete = pending.missing.is_empty();
        Self {
            tool: pending.tool.clone(),
            args: object(&pending.args),
            missing: pending.missing.clone(),
            confirm: is_complete.then(|| words.to_owned()),
            token: pending.token.clone(),
        }
    }
}

/// Values by name as an object.
#[must_use]
pub fn object(record: &ToolRecord) -> Value {
    Value::Object(record.iter().map(|(name, own)| (name.clone(), value(own))).collect::<Map<_, _>>())
}

/// An object as values by name; none if it is no object or holds a number without an end.
#[must_use]
pub fn typed_record(object: &Value) -> Option<ToolRecord> {
    object.as_object()?.iter().map(|(name, own)| Some((name.clone(), typed(own)?))).collect()
}

fn value(own: &ToolValue) -> Value {
    match own {
        ToolValue::Nothing => Value::Null,
        ToolValue::Flag(flag) => Value::Bool(*flag),
        ToolValue::Number(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
        ToolValue::Text(text) => Value::String(text.clone()),
        ToolValue::List(items) => Value::Array(items.iter().map(value).collect()),
        ToolValue::Record(record) => object(record),
    }
}

fn typed(own: &Value) -> Option<ToolValue> {
    Some(match own {
        Value::Null => ToolValue::Nothing,
        Value::Bool(flag) => ToolValue::Flag(*flag),
        Value::Number(number) => ToolValue::Number(number.as_f64().filter(|number| number.is_finite())?),
        Value::String(text) => ToolValue::Text(text.clone()),
        Value::Array(items) => ToolValue::List(items.iter().map(typed).collect::<Option<_>>()?),
        Value::Object(_) => ToolValue::Record(typed_record(own)?),
    })
}
