//! A tool's output and the profile's words → what is said of it. Every value is told as its kind is written; nothing is added.

use vouch_domain::{ToolRecord, ToolValue};

use crate::policy::{FieldKind, ToolPolicy};

/// The longest value that is told.
const VALUE_CHARS_MAX: usize = 200;
/// The place of the lines of a list, and of their number.
const ROWS: &str = "rows";
const COUNT: &str = "count";

/// Words made from values alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying(String);

impl Saying {
    /// The words.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A model's words that the output bears out.
    pub(crate) fn checked(words: String) -> Self {
        Self(words)
    }

    /// The same words after a sentence of their own.
    pub(crate) fn after(self, sentence: &str) -> Self {
        Self(format!("{sentence} {}", self.0))
    }

    /// Words of the profile, with no value in them.
    pub(crate) fn plain(words: &str) -> Self {
        Self(words.to_owned())
    }
}

/// What is said of an output.
#[must_use]
pub fn said_of_output(tool: &ToolPolicy, args: &ToolRecord, output: &ToolRecord, is_found: bool) -> Saying {
    if !is_found {
        return Saying(filled(&tool.words.not_found, |name| value_of(tool, name, args, output)));
    }
    let rows: Vec<&ToolRecord> = tool.words.each.iter().flat_map(|(list, _)| rows(output, list)).collect();
    let line = |row: &&ToolRecord| match &tool.words.each {
        Some((_, line)) => filled(line, |name| value_of(tool, name, row, output)),
        None => String::new(),
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    Saying(filled(&tool.words.found, |name| match name {
        ROWS => Some(lines.join("\n")),
        COUNT => Some(lines.len().to_string()),
        other => value_of(tool, other, output, args),
    }))
}

/// What is said of a call before it is made.
#[must_use]
pub fn said_of_call(tool: &ToolPolicy, args: &ToolRecord) -> Saying {
    Saying(filled(&tool.words.confirm, |name| value_of(tool, name, args, args)))
}

/// What is said where something stands in the way of a call.
#[must_use]
pub fn said_of_obstacle(tool: &ToolPolicy, args: &ToolRecord, obstacle: &str) -> Saying {
    let words = tool.words.obstacles.get(obstacle).unwrap_or(&tool.words.not_found);
    Saying(filled(words, |name| value_of(tool, name, args, args)))
}

/// The places of a template, by name.
#[must_use]
pub fn places(template: &str) -> Vec<String> {
    let after_brace = template.split('{').skip(1);
    after_brace.filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}

/// The records of a list.
fn rows<'a>(output: &'a ToolRecord, list: &str) -> Vec<&'a ToolRecord> {
    let Some(ToolValue::List(items)) = output.get(list) else { return Vec::new() };
    let record = |item: &'a ToolValue| match item {
        ToolValue::Record(record) => Some(record),
        ToolValue::Nothing | ToolValue::Flag(_) | ToolValue::Number(_) | ToolValue::Text(_) | ToolValue::List(_) => {
            None
        }
    };
    items.iter().filter_map(record).collect()
}

/// A template with its places filled; a place without a value is left out.
fn filled(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, later)) = after.split_once('}') else {
            rest = after;
            continue;
        };
        text.push_str(&value(name).unwrap_or_default());
        rest = later;
    }
    text.push_str(rest);
    text.trim_end().to_owned()
}

/// A value by name, as its kind is written: the record's own, else that of the record it belongs to.
fn value_of(tool: &ToolPolicy, name: &str, record: &ToolRecord, around: &ToolRecord) -> Option<String> {
    let value = record.get(name).or_else(|| around.get(name))?;
    Some(match (tool.fields.get(name), value) {
        (Some(FieldKind::Money { currency }), ToolValue::Number(amount)) => {
            format!("{} {amount:.2}", currency.first().map_or("", String::as_str))
        }
        (Some(FieldKind::State(words)), ToolValue::Text(state)) => {
            words.get(state).cloned().unwrap_or_else(|| harmless(state))
        }
        (_, ToolValue::Number(number)) => number.to_string(),
        (_, ToolValue::Text(text)) => harmless(text),
        (_, ToolValue::Flag(flag)) => (if *flag { "yes" } else { "no" }).to_owned(),
        (_, ToolValue::Nothing) => "not given".to_owned(),
        (_, ToolValue::List(_) | ToolValue::Record(_)) => return None,
    })
}

/// Text of a store with nothing in it that a reader's program would take for markup, a citation or a line of its own.
fn harmless(text: &str) -> String {
    let plain = |c: char| match c {
        '[' => '(',
        ']' => ')',
        '<' | '>' | '`' | '*' | '|' | '{' | '}' | '\\' => ' ',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().take(VALUE_CHARS_MAX).map(plain).collect()
}
