//! A JSON schema from a profile → a form that values are held against.
//!
//! Invariant: a schema that makes no sense is found when it is read; nothing is fetched for one; patterns are matched in linear
//! time; what is wrong with a value is told without the value.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// The longest sentence about a value that does not fit: names in it may come from outside.
const SENTENCE_CHARS_MAX: usize = 300;

/// The form of an input or an output.
pub(super) struct Form {
    validator: Validator,
}

impl Form {
    /// Reads a schema; an error says what is wrong with it.
    pub(super) fn read(schema: &Value) -> Result<Self, String> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("the schema must have `type: object`".to_owned());
        }
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let built = options.should_validate_formats(true).should_ignore_unknown_formats(false).build(schema);
        let validator = built.map_err(|error| short(&format!("the schema is broken: {error}")))?;
        Ok(Self { validator })
    }

    /// Holds a value against the form; an error says where it does not fit and why.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        let Some(error) = self.validator.iter_errors(value).next() else { return Ok(()) };
        let (place, what) = (error.instance_path().to_string(), error.masked().to_string());
        Err(short(&if place.is_empty() { what } else { format!("{}: {what}", place.trim_start_matches('/')) }))
    }
}

fn short(sentence: &str) -> String {
    let plain = sentence.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    plain.take(SENTENCE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Form;

    #[test]
    fn a_broken_schema_is_found_when_it_is_read() {
        for broken in [
            json!({}),
            json!("object"),
            json!({"type": "array"}),
            json!({"type": "object", "properties": []}),
            json!({"type": "object", "properties": {"a": {"type": "strin"}}}),
            json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
            json!({"type": "object", "properties": {"a": {"format": "no-such-format"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/schema"}}}),
        ] {
            assert!(Form::read(&broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told_without_the_value() {
        let schema = json!({"type": "object", "properties": {"day": {"type": "string", "format": "date"}}});
        let form = Form::read(&schema).expect("a form");
        form.check(&json!({"day": "2026-11-17"})).expect("a day");
        let told = form.check(&json!({"day": "sesame"})).expect_err("no day");
        assert!(told.contains("day") && !told.contains("sesame"), "{told}");
    }
}
