//! The key of a row ↔ a JSON array, as it is written down for rows that are gone and for copies that are not finished.

use rusqlite::types::Value;
use vouch_domain::{Fault, PortError};

const PORT: &str = "store";

/// A key as text.
pub(crate) fn key_text(key: &[Value]) -> Result<String, PortError> {
    let parts = key.iter().map(|value| match value {
        Value::Integer(number) => Ok(serde_json::Value::from(*number)),
        Value::Text(text) => Ok(serde_json::Value::from(text.as_str())),
        Value::Null | Value::Real(_) | Value::Blob(_) => {
            Err(PortError::new(PORT, Fault::Internal, "a key is neither a number nor a text"))
        }
    });
    Ok(serde_json::Value::Array(parts.collect::<Result<_, _>>()?).to_string())
}

/// The key of a text.
pub(crate) fn key_of(text: &str) -> Result<Vec<Value>, PortError> {
    let damaged = || PortError::new(PORT, Fault::Corrupt, "a key that was written down cannot be read");
    let parts: Vec<serde_json::Value> = serde_json::from_str(text).map_err(|_| damaged())?;
    let value = |part: serde_json::Value| match part {
        serde_json::Value::Number(number) => number.as_i64().map(Value::Integer).ok_or_else(damaged),
        serde_json::Value::String(text) => Ok(Value::Text(text)),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => Err(damaged()),
    };
    parts.into_iter().map(value).collect()
}
