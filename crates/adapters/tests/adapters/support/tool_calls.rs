//! Calls of tools in the words of either protocol.

use serde_json::{Value, json};
use vouch_domain::{ToolCall, ToolRecord, ToolValue};

use super::model_server::Protocol;

/// How many characters of arguments come at a time, where they come in pieces.
const PIECE_CHARS: usize = 5;

/// The lines that ask for calls: Ollama sends each whole, others send the arguments in pieces of their text.
pub fn tool_call_lines(protocol: Protocol, calls: &[ToolCall]) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let arguments = json_of(&call.args);
        match protocol {
            Protocol::Ollama => {
                lines.push(calling(protocol, &json!([{"function": {"name": call.tool, "arguments": arguments}}])))
            }
            Protocol::OpenAi => {
                let first = json!([{"index": at, "id": "call_1", "type": "function", "function": {"name": call.tool, "arguments": ""}}]);
                lines.push(calling(protocol, &first));
                let text: Vec<char> = arguments.to_string().chars().collect();
                for piece in text.chunks(PIECE_CHARS) {
                    let piece: String = piece.iter().collect();
                    lines.push(calling(protocol, &json!([{"index": at, "function": {"arguments": piece}}])));
                }
            }
        }
    }
    lines
}

/// A line with these calls, whatever they are.
pub fn calling(protocol: Protocol, calls: &Value) -> String {
    protocol.line(&match protocol {
        Protocol::Ollama => {
            json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": false})
        }
        Protocol::OpenAi => json!({"choices": [{"index": 0, "delta": {"content": null, "tool_calls": calls}}]}),
    })
}

fn json_of(record: &ToolRecord) -> Value {
    Value::Object(record.iter().map(|(name, value)| (name.clone(), value_of(value))).collect())
}

fn value_of(value: &ToolValue) -> Value {
    match value {
        ToolValue::Nothing => Value::Null,
        ToolValue::Flag(is_so) => json!(is_so),
        ToolValue::Number(number) => json!(number),
        ToolValue::Text(text) => json!(text),
        ToolValue::List(values) => values.iter().map(value_of).collect(),
        ToolValue::Record(record) => json_of(record),
    }
}
