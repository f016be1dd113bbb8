//! JSON → the documents it holds, as JSON Lines do; any other JSON is one document with a line for each of its values.

mod value;

use serde_json::Value;
use vouch_domain::{Document, ports::ParseError};

use crate::{fault::whole, front_matter::FrontMatter, json_lines, manuscript::Manuscript, origin::Origin};
use value::Json;

/// How many bad documents are told one by one; the others are counted.
const FAULTS_MAX: usize = 1_000;
/// A list of short values is one line up to this length, in bytes.
const LINE_BYTES_MAX: usize = 300;
/// How many bytes may be written per byte of the source, and of any source: every line repeats the keys above it.
const WRITTEN_PER_BYTE: usize = 16;
const WRITTEN_FLOOR: usize = 64 * 1024;
const BETWEEN_KEYS: &str = " › ";

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Vec<Result<Document, ParseError>> {
    let json = match serde_json::from_str::<Json>(text) {
        Ok(json) => json,
        Err(error) => return vec![Err(not_json(&error))],
    };
    match &json {
        Json::Object(entries) if is_document(entries) => {
            let fields = serde_json::from_str(text).map_err(|error| not_json(&error));
            vec![fields.and_then(|fields| json_lines::document(fields, origin))]
        }
        Json::List(values) if are_documents(values) => match serde_json::from_str(text) {
            Ok(documents) => each(documents, origin),
            Err(error) => vec![Err(not_json(&error))],
        },
        Json::Nothing | Json::Leaf(_) | Json::List(_) | Json::Object(_) => vec![readable(&json, text, origin)],
    }
}

/// Whether an object is a document as a line of JSON Lines is one.
fn is_document(entries: &[(String, Json)]) -> bool {
    let has = |wanted: &str| entries.iter().any(|(key, value)| key == wanted && matches!(value, Json::Leaf(_)));
    has("id") && has("text")
}

fn are_documents(values: &[Json]) -> bool {
    let is_one = |value: &Json| matches!(value, Json::Object(entries) if is_document(entries));
    values.first().is_some_and(is_one)
}

fn each(documents: Vec<Value>, origin: &Origin<'_>) -> Vec<Result<Document, ParseError>> {
    let (mut parsed, mut bad) = (Vec::new(), 0usize);
    for (number, value) in (1usize..).zip(documents) {
        let outcome = match value {
            Value::Object(fields) => json_lines::document(fields, origin),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(whole("it is not a document: it has no id and no text"))
            }
        };
        let outcome = outcome.map_err(|fault| ParseError { place: format!("document {number}"), ..fault });
        bad += usize::from(outcome.is_err());
        if outcome.is_ok() || bad <= FAULTS_MAX {
            parsed.push(outcome);
        }
    }
    if bad > FAULTS_MAX {
        parsed.push(Err(whole(&format!("{} more of its documents cannot be read", bad - FAULTS_MAX))));
    }
    parsed
}

fn not_json(error: &serde_json::Error) -> ParseError {
    let told = error.to_string();
    if told.contains("recursion limit") {
        return whole("its values are nested more than 127 levels deep");
    }
    let what = told.split(" at line ").next().unwrap_or_default();
    let place = format!("line {}", error.line());
    ParseError {
        place,
        sentence: whole(&format!("it is not valid JSON: {what} at column {}", error.column())).sentence,
    }
}

/// What is being written, and how much of it there may be.
struct Writing {
    manuscript: Manuscript,
    bytes_max: usize,
}

fn readable(json: &Json, text: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let bytes_max = text.len().saturating_mul(WRITTEN_PER_BYTE).saturating_add(WRITTEN_FLOOR);
    let mut writing = Writing { manuscript: Manuscript::default(), bytes_max };
    let mut title = None;
    match json {
        Json::Object(entries) => {
            title = entries.iter().find_map(|(key, value)| match value {
                Json::Leaf(words) if matches!(key.as_str(), "title" | "name") => Some(words.clone()),
                Json::Leaf(_) | Json::Nothing | Json::List(_) | Json::Object(_) => None,
            });
            // Single values come first: below a heading they would belong to it.
            let is_part = |value: &Json| matches!(value, Json::Object(_) | Json::List(_));
            for (key, value) in entries.iter().filter(|(_, value)| !is_part(value)) {
                writing.value(key, value)?;
            }
            for (key, value) in entries.iter().filter(|(_, value)| is_part(value)) {
                writing.manuscript.heading(2, key);
                writing.value("", value)?;
            }
        }
        Json::Nothing | Json::Leaf(_) | Json::List(_) => writing.value("", json)?,
    }
    let title = title.unwrap_or_else(|| origin.file_stem().to_owned());
    writing.manuscript.finish(origin, FrontMatter::default(), Some(title))
}

impl Writing {
    fn value(&mut self, path: &str, value: &Json) -> Result<(), ParseError> {
        match value {
            Json::Nothing => Ok(()),
            Json::Leaf(words) => self.line(path, words),
            Json::Object(entries) => entries.iter().try_for_each(|(key, value)| self.value(&below(path, key), value)),
            Json::List(values) => self.list(path, values),
        }
    }

    fn list(&mut self, path: &str, values: &[Json]) -> Result<(), ParseError> {
        if let Some(words) = short_line(values) {
            return self.line(path, &words);
        }
        let rows: Option<Vec<String>> = values.iter().map(row).collect();
        if let Some(rows) = rows {
            return rows.iter().try_for_each(|row| self.line(path, row));
        }
        let each = |(number, value): (usize, &Json)| match value {
            Json::Leaf(words) => self.line(path, words),
            Json::Nothing | Json::List(_) | Json::Object(_) => self.value(&below(path, &number.to_string()), value),
        };
        (1..).zip(values).try_for_each(each)
    }

    fn line(&mut self, path: &str, words: &str) -> Result<(), ParseError> {
        if words.trim().is_empty() {
            return Ok(());
        }
        let line = if path.is_empty() { words.to_owned() } else { format!("{path}: {words}") };
        self.manuscript.item(0, None, &line);
        if self.manuscript.len() > self.bytes_max {
            return Err(whole(&format!(
                "its keys, repeated for each of its values, are more than {} bytes; shorten the long ones",
                self.bytes_max
            )));
        }
        Ok(())
    }
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}{BETWEEN_KEYS}{key}") }
}

/// A list of single values on one line, if it is short.
fn short_line(values: &[Json]) -> Option<String> {
    let mut line = String::new();
    for value in values {
        let Json::Leaf(words) = value else { return None };
        if line.len() + words.len() > LINE_BYTES_MAX {
            return None;
        }
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(words);
    }
    Some(line)
}

/// An object of single values as one line.
fn row(value: &Json) -> Option<String> {
    let Json::Object(entries) = value else { return None };
    let mut cells = Vec::new();
    for (key, value) in entries {
        match value {
            Json::Leaf(words) => cells.push(format!("{key}: {words}")),
            Json::Nothing => {}
            Json::List(values) => cells.push(format!("{key}: {}", short_line(values)?)),
            Json::Object(_) => return None,
        }
    }
    Some(cells.join("; "))
}
