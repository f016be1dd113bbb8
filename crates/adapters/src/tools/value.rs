//! JSON ↔ values of tools.
//!
//! Invariant: nothing is rounded, cut or guessed: a value that the other side cannot hold exactly is an error. Depth and size
//! have limits, so what is made of outside values stays small.

use serde_json::{Map, Number, Value};
use vouch_domain::tool::{ToolRecord, ToolValue};

/// How deep values may be nested.
const DEPTH_MAX: usize = 16;
/// How many bytes all texts and names of a record may have together.
pub(crate) const BYTES_MAX: usize = 64 * 1024;
/// Below this a floating-point number holds every whole number.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Values as JSON.
///
/// # Errors
/// Says what cannot be told in JSON; the sentence repeats no value.
pub(crate) fn json_of(record: &ToolRecord) -> Result<Map<String, Value>, String> {
    let mut budget = Budget::default();
    json_map(record, &mut budget, 0)
}

/// JSON as values.
///
/// # Errors
/// Says what cannot be held exactly, or is too much; the sentence repeats no value.
pub(crate) fn record_of(map: &Map<String, Value>) -> Result<ToolRecord, String> {
    let mut budget = Budget::default();
    tool_record(map, &mut budget, 0)
}

/// A number as a whole one, where it is one and nothing is lost.
pub(crate) fn whole(number: f64) -> Option<i64> {
    let is_whole = number.fract() == 0.0 && number.abs() < WHOLE_MAX;
    is_whole.then_some(number as i64)
}

/// A whole number, where nothing of it is lost.
pub(crate) fn exact(number: i64) -> Option<f64> {
    let rounded = number as f64;
    (rounded.abs() < WHOLE_MAX).then_some(rounded)
}

/// A value as plain text, for places that hold nothing else; none for nothing, lists and records.
pub(crate) fn plain_text(value: &ToolValue) -> Option<String> {
    match value {
        ToolValue::Text(text) => Some(text.clone()),
        ToolValue::Number(number) => Some(whole(*number).map_or_else(|| number.to_string(), |whole| whole.to_string())),
        ToolValue::Flag(flag) => Some(flag.to_string()),
        ToolValue::Nothing | ToolValue::List(_) | ToolValue::Record(_) => None,
    }
}

/// What is left of the bytes.
struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(BYTES_MAX)
    }
}

impl Budget {
    /// Takes the bytes of a text or a name, and a few for the value itself.
    fn take(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.0.checked_sub(bytes.saturating_add(1));
        self.0 = left.ok_or_else(|| format!("the values have more than {BYTES_MAX} bytes"))?;
        Ok(())
    }
}

fn deeper(depth: usize) -> Result<usize, String> {
    if depth >= DEPTH_MAX { Err(format!("values are nested more than {DEPTH_MAX} deep")) } else { Ok(depth + 1) }
}

fn json_map(record: &ToolRecord, budget: &mut Budget, depth: usize) -> Result<Map<String, Value>, String> {
    let mut map = Map::new();
    for (name, value) in record {
        budget.take(name.len())?;
        map.insert(name.clone(), json_value(value, budget, depth)?);
    }
    Ok(map)
}

fn json_value(value: &ToolValue, budget: &mut Budget, depth: usize) -> Result<Value, String> {
    budget.take(0)?;
    Ok(match value {
        ToolValue::Nothing => Value::Null,
        ToolValue::Flag(flag) => Value::Bool(*flag),
        ToolValue::Number(number) => match whole(*number) {
            Some(whole) => Value::from(whole),
            None => Value::Number(Number::from_f64(*number).ok_or("a number is not finite")?),
        },
        ToolValue::Text(text) => {
            budget.take(text.len())?;
            Value::String(text.clone())
        }
        ToolValue::List(values) => {
            let depth = deeper(depth)?;
            let values = values.iter().map(|value| json_value(value, budget, depth));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        ToolValue::Record(record) => Value::Object(json_map(record, budget, deeper(depth)?)?),
    })
}

fn tool_record(map: &Map<String, Value>, budget: &mut Budget, depth: usize) -> Result<ToolRecord, String> {
    let mut record = ToolRecord::new();
    for (name, value) in map {
        budget.take(name.len())?;
        record.insert(name.clone(), tool_value(value, budget, depth)?);
    }
    Ok(record)
}

fn tool_value(value: &Value, budget: &mut Budget, depth: usize) -> Result<ToolValue, String> {
    budget.take(0)?;
    Ok(match value {
        Value::Null => ToolValue::Nothing,
        Value::Bool(flag) => ToolValue::Flag(*flag),
        Value::Number(number) => ToolValue::Number(tool_number(number).ok_or("a number is too large to be exact")?),
        Value::String(text) => {
            budget.take(text.len())?;
            ToolValue::Text(text.clone())
        }
        Value::Array(values) => {
            let depth = deeper(depth)?;
            let values = values.iter().map(|value| tool_value(value, budget, depth));
            ToolValue::List(values.collect::<Result<_, _>>()?)
        }
        Value::Object(map) => ToolValue::Record(tool_record(map, budget, deeper(depth)?)?),
    })
}

fn tool_number(number: &Number) -> Option<f64> {
    if number.is_f64() {
        return number.as_f64().filter(|number| number.is_finite());
    }
    number.as_i64().and_then(exact)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};
    use vouch_domain::tool::{ToolRecord, ToolValue};

    use super::{json_of, plain_text, record_of};

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn values_go_there_and_back() {
        let there = map(json!({"a": null, "b": true, "c": 3, "d": 49.99, "e": "ü", "f": [1, {"g": []}]}));
        let record = record_of(&there).expect("values");
        assert_eq!(record.get("c"), Some(&ToolValue::Number(3.0)));
        assert_eq!(json_of(&record).expect("JSON"), there);
    }

    #[test]
    fn what_cannot_be_held_exactly_is_an_error() {
        for value in [json!({"a": 9_007_199_254_740_993_i64}), json!({"a": u64::MAX}), json!({"a": "x".repeat(70_000)})]
        {
            record_of(&map(value)).expect_err("too much");
        }
        let mut deep = ToolValue::Nothing;
        for _ in 0..40 {
            deep = ToolValue::List(vec![deep]);
        }
        for value in [ToolValue::Number(f64::NAN), ToolValue::Number(f64::INFINITY), deep] {
            json_of(&ToolRecord::from([("a".to_owned(), value)])).expect_err("not JSON");
        }
    }

    #[test]
    fn numbers_are_written_plainly() {
        for (number, text) in [(5.0, "5"), (-0.5, "-0.5"), (49.99, "49.99"), (1e-7, "0.0000001")] {
            assert_eq!(plain_text(&ToolValue::Number(number)).as_deref(), Some(text));
        }
    }
}
