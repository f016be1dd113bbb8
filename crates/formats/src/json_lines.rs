//! JSON Lines → one document per line; the given id is kept as it is.

use serde::Deserialize;
use serde_json::{Map, Value};
use vouch_domain::{Document, ports::ParseError};

use crate::{
    fault::whole,
    front_matter::FrontMatter,
    headings::headings,
    origin::{Origin, checked},
    outline::{self, Allowance},
    pages,
};

/// How many bad lines are told one by one; the others are counted.
const FAULTS_MAX: usize = 1_000;

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Vec<Result<Document, ParseError>> {
    if text.trim().is_empty() {
        return vec![Err(whole(vouch_domain::ports::NO_TEXT))];
    }
    let lines = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (mut parsed, mut bad) = (Vec::new(), 0usize);
    for (number, line) in lines {
        let outcome = parse_line(line, origin).map_err(|fault| at_line(number, fault));
        bad += usize::from(outcome.is_err());
        if outcome.is_ok() || bad <= FAULTS_MAX {
            parsed.push(outcome);
        }
    }
    if bad > FAULTS_MAX {
        parsed.push(Err(whole(&format!("{} more of its lines cannot be read", bad - FAULTS_MAX))));
    }
    parsed
}

fn parse_line(line: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    document(serde_json::from_str(line).map_err(|error| whole(&not_json(&error)))?, origin)
}

/// The document of these fields.
pub(super) fn document(mut fields: Map<String, Value>, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let Some(Value::String(text)) = fields.remove("text") else {
        return Err(whole("it has no text"));
    };
    fields.values_mut().for_each(as_text);
    let own = FrontMatter::deserialize(Value::Object(fields))
        .map_err(|error| whole(&format!("one of its fields is of the wrong kind: {error}")))?;
    if own.id.is_none() {
        return Err(whole("it has no id"));
    }
    let title = own.id.clone();
    let (card, states_access) = origin.card(own.into_line(), title)?;
    let (text, pages) = pages::without_breaks(&text);
    let headings = headings(&text)?;
    let sections = outline::sections(&text, &headings, &card.title, &[], &mut Allowance::new(&text))?;
    checked(Document {
        card,
        text: text.into_owned(),
        sections,
        times: Vec::new(),
        pages,
        states_access,
        warnings: Vec::new(),
    })
}

/// The error without its line, which is always the first of one; the column is worth knowing.
fn not_json(error: &serde_json::Error) -> String {
    let told = error.to_string();
    let told = told.split(" at line ").next().unwrap_or_default();
    format!("it is not a JSON document: {told} at column {}", error.column())
}

/// Numbers and truth values as they read.
fn as_text(value: &mut Value) {
    if matches!(value, Value::Number(_) | Value::Bool(_)) {
        *value = Value::String(value.to_string());
    }
}

fn at_line(number: usize, fault: ParseError) -> ParseError {
    ParseError { place: format!("line {number}"), sentence: fault.sentence }
}
