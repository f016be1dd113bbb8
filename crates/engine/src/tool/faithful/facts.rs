//! An output and how it is read → what it says, value by value, each with its field and its row.
//!
//! Invariant: every value of the output is a fact of one row or of the whole; what is too deep or too long to be read is an
//! error.

use std::collections::BTreeSet;

use vouch_domain::{
    ToolRecord, ToolValue,
    language::words::{fold_text, stem},
};

use super::{
    field_words,
    output_reading::{FieldKind, FieldReading, OutputReading},
    state_words,
};
use crate::reading::{calendar::year, tokens::tokens};

const ROWS_MAX: usize = 200;
const FACTS_MAX: usize = 4_000;

/// What an output says.
pub(super) struct Facts {
    /// Its values.
    pub values: Vec<Fact>,
    /// The fields they stand in.
    pub fields: Vec<Field>,
    /// How many rows there are; 1 where the output is no list.
    pub rows: usize,
    /// The lists of rows.
    pub groups: Vec<Group>,
}

/// One value.
pub(super) struct Fact {
    /// Its row; none where it is said of the whole output.
    pub row: Option<usize>,
    /// Its field, by place.
    pub field: usize,
    /// What it says.
    pub says: Says,
}

/// What a value says.
pub(super) enum Says {
    Money(f64),
    Date(Day),
    State(Vec<String>),
    /// Folded words.
    Text(Vec<String>),
    /// An identifier: one word with digits.
    Code(Vec<String>),
    Number(f64),
}

/// A day, or a month where it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day {
    pub year: u32,
    pub month: u32,
    pub day: Option<u32>,
}

/// A field that the output has.
pub(super) struct Field {
    path: String,
    /// The words of its name and the others it is called by, folded, and their stems.
    pub words: BTreeSet<String>,
    /// The ways its currency is written, folded; of other fields none.
    pub currency: Vec<String>,
    /// Whether a value is there at all, and not a false flag.
    pub is_there: bool,
    /// Whether it holds dates, or would.
    pub is_date: bool,
}

/// A list of rows.
pub(super) struct Group {
    /// What its rows are called, as stems.
    pub nouns: BTreeSet<String>,
    /// Its rows.
    pub rows: std::ops::Range<usize>,
}

impl Facts {
    /// What an output says, or why it cannot be read.
    pub(super) fn read(output: &ToolRecord, reading: &OutputReading<'_>) -> Result<Self, String> {
        let mut reader =
            Reader { facts: Self { values: Vec::new(), fields: Vec::new(), rows: 0, groups: Vec::new() }, reading };
        let has_lists = output.values().any(is_row_list);
        let row = (!has_lists).then_some(0);
        reader.facts.rows = usize::from(!has_lists);
        reader.record("", output, row)?;
        Ok(reader.facts)
    }

    /// The field of a fact.
    pub(super) fn field(&self, fact: &Fact) -> Option<&Field> {
        self.fields.get(fact.field)
    }

    /// Whether the output says that there is nothing.
    pub(super) fn is_nothing(&self) -> bool {
        let is_empty = self.groups.iter().any(|group| group.rows.is_empty());
        let is_said = |fact: &Fact| match &fact.says {
            Says::State(words) => words.iter().any(|word| matches!(word.as_str(), "not found" | "none" | "nothing")),
            Says::Text(_) | Says::Code(_) | Says::Money(_) | Says::Date(_) | Says::Number(_) => false,
        };
        let is_flagged = self.fields.iter().any(|field| !field.is_there && field.path.ends_with("found"));
        is_flagged || (is_empty && self.rows == 0) || self.values.iter().any(is_said)
    }
}

impl Field {
    /// Whether a word is one of its name.
    pub(super) fn is_called(&self, fold: &str) -> bool {
        self.words.contains(fold) || self.words.contains(&stem(fold))
    }
}

/// Whether a sign stands in the output or in a way to write its currency.
pub(super) fn is_written(sign: char, output: &ToolRecord, reading: &OutputReading<'_>) -> bool {
    let is_currency = reading.fields.values().any(|field| match &field.kind {
        FieldKind::Money(ways) => ways.iter().any(|way| way.contains(sign)),
        FieldKind::Text | FieldKind::Date | FieldKind::State(_) | FieldKind::Count => false,
    });
    is_currency || (!sign.is_control() && output.values().any(|value| holds(value, sign)))
}

fn holds(value: &ToolValue, sign: char) -> bool {
    match value {
        ToolValue::Text(text) => text.contains(sign),
        ToolValue::List(values) => values.iter().any(|value| holds(value, sign)),
        ToolValue::Record(record) => record.values().any(|value| holds(value, sign)),
        ToolValue::Nothing | ToolValue::Flag(_) | ToolValue::Number(_) => false,
    }
}

fn is_row_list(value: &ToolValue) -> bool {
    match value {
        ToolValue::List(values) => values.iter().all(|value| matches!(value, ToolValue::Record(_))),
        ToolValue::Record(record) => record.values().any(is_row_list),
        ToolValue::Nothing | ToolValue::Flag(_) | ToolValue::Number(_) | ToolValue::Text(_) => false,
    }
}

struct Reader<'r> {
    facts: Facts,
    reading: &'r OutputReading<'r>,
}

impl Reader<'_> {
    fn record(&mut self, path: &str, record: &ToolRecord, row: Option<usize>) -> Result<(), String> {
        for (name, value) in record {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            self.value(&path, value, row)?;
        }
        Ok(())
    }

    fn value(&mut self, path: &str, value: &ToolValue, row: Option<usize>) -> Result<(), String> {
        if self.facts.values.len() >= FACTS_MAX || path.len() > 400 {
            return Err("the output has too many values to hold a summary against".to_owned());
        }
        match value {
            ToolValue::Record(record) => self.record(path, record, row),
            ToolValue::List(values) if is_row_list(value) => self.rows(path, values, row),
            ToolValue::List(values) => values.iter().try_for_each(|value| self.value(path, value, row)),
            ToolValue::Nothing => {
                self.field(path);
                Ok(())
            }
            ToolValue::Flag(is_so) => {
                self.flag(path, *is_so, row);
                Ok(())
            }
            ToolValue::Number(number) => {
                self.number(path, *number, row);
                Ok(())
            }
            ToolValue::Text(text) => {
                self.text(path, text, row);
                Ok(())
            }
        }
    }

    fn rows(&mut self, path: &str, values: &[ToolValue], row: Option<usize>) -> Result<(), String> {
        if row.is_some() || self.facts.rows + values.len() > ROWS_MAX {
            return Err("the output has too many rows to hold a summary against".to_owned());
        }
        let field = self.field(path);
        let first = self.facts.rows;
        self.facts.rows += values.len();
        let mut nouns = self.facts.fields.get(field).map(|field| field.words.clone()).unwrap_or_default();
        nouns.extend(["entri", "item", "record", "result", "row"].map(str::to_owned));
        self.facts.groups.push(Group { nouns, rows: first..self.facts.rows });
        self.there(field);
        for (at, value) in values.iter().enumerate() {
            if let ToolValue::Record(record) = value {
                self.record(path, record, Some(first + at))?;
            }
        }
        Ok(())
    }

    fn flag(&mut self, path: &str, is_so: bool, row: Option<usize>) {
        let field = self.field(path);
        if let Some(FieldKind::State(words)) = self.kind(path) {
            let name = if is_so { "true" } else { "false" };
            let said = words.get(name).map(|words| words.iter().map(|word| folded(word)).collect()).unwrap_or_default();
            self.push(row, field, Says::State(said));
        } else if is_so {
            self.there(field);
        }
    }

    fn number(&mut self, path: &str, number: f64, row: Option<usize>) {
        let field = self.field(path);
        let says = match self.kind(path) {
            Some(FieldKind::Money(_)) => Says::Money(number),
            Some(FieldKind::Text | FieldKind::Date | FieldKind::State(_) | FieldKind::Count) | None => {
                Says::Number(number)
            }
        };
        self.push(row, field, says);
    }

    fn text(&mut self, path: &str, text: &str, row: Option<usize>) {
        let field = self.field(path);
        let plain = || {
            let words = tokens(text).into_iter().map(|token| token.fold).collect();
            let is_code = !text.trim().contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit());
            if is_code { Says::Code(words) } else { Says::Text(words) }
        };
        let state = text.to_lowercase().replace('_', " ");
        let says = match self.kind(path) {
            Some(FieldKind::Money(_)) => match crate::reading::numerals::digits(text.trim()) {
                Some(amount) => Says::Money(amount),
                None => plain(),
            },
            Some(FieldKind::State(words)) => Says::State(said_of(&state, words.get(text))),
            Some(FieldKind::Date) | None if day(text).is_some() => day(text).map_or_else(plain, Says::Date),
            None if state_words::is_state(&state) => Says::State(said_of(&state, None)),
            Some(FieldKind::Date | FieldKind::Text | FieldKind::Count) | None => plain(),
        };
        if let (Says::Date(_), Some(field)) = (&says, self.facts.fields.get_mut(field)) {
            field.is_date = true;
        }
        self.push(row, field, says);
    }

    fn push(&mut self, row: Option<usize>, field: usize, says: Says) {
        self.there(field);
        self.facts.values.push(Fact { row, field, says });
    }

    fn there(&mut self, field: usize) {
        if let Some(field) = self.facts.fields.get_mut(field) {
            field.is_there = true;
        }
    }

    fn kind(&self, path: &str) -> Option<&FieldKind> {
        self.reading_of(path).map(|reading| &reading.kind)
    }

    fn reading_of(&self, path: &str) -> Option<&FieldReading> {
        let own = path.rsplit('.').next().unwrap_or(path);
        self.reading.fields.get(path).or_else(|| self.reading.fields.get(own))
    }

    /// The place of a field.
    fn field(&mut self, path: &str) -> usize {
        if let Some(at) = self.facts.fields.iter().position(|field| field.path == path) {
            return at;
        }
        let mut words = name_words(path.rsplit('.').next().unwrap_or(path));
        let mut currency = Vec::new();
        if let Some(reading) = self.reading_of(path) {
            words.extend(reading.called.iter().flat_map(|called| name_words(called)));
            if let FieldKind::Money(ways) = &reading.kind {
                currency = ways.iter().map(|way| folded(way)).collect();
            }
        }
        let is_date = matches!(self.kind(path), Some(FieldKind::Date))
            || ["_on", "_at", "_date"].iter().any(|e| path.ends_with(e));
        self.facts.fields.push(Field { path: path.to_owned(), words, currency, is_there: false, is_date });
        self.facts.fields.len() - 1
    }
}

/// The phrases that say a state.
fn said_of(state: &str, others: Option<&Vec<String>>) -> Vec<String> {
    let others = others.into_iter().flatten().map(|word| folded(word));
    let usual = state_words::words_for(state).map(str::to_owned);
    std::iter::once(folded(state)).chain(others).chain(usual).collect()
}

/// The tokens of a phrase, folded, with single blanks between them.
pub(super) fn folded(phrase: &str) -> String {
    let words: Vec<String> = tokens(phrase).into_iter().map(|token| token.fold).collect();
    words.join(" ")
}

/// The words of a field's name, folded, and their stems; what only says its type is left out.
fn name_words(name: &str) -> BTreeSet<String> {
    let mut apart = String::new();
    for sign in name.chars() {
        if sign.is_uppercase() {
            apart.push(' ');
        }
        apart.push(if sign.is_alphanumeric() { sign } else { ' ' });
    }
    let mut words = BTreeSet::new();
    for word in apart.split_whitespace().map(fold_text) {
        if !matches!(word.as_str(), "on" | "at" | "date" | "id" | "is" | "by" | "of") {
            words.extend(field_words::others_for(&word).map(str::to_owned));
            words.insert(stem(&word));
            words.insert(word);
        }
    }
    words
}

/// `2026-10-05` and `2026-10`; a time after the day is left out.
pub(super) fn day(text: &str) -> Option<Day> {
    let text = text.split(['T', ' ']).next()?;
    let mut parts = text.split('-');
    let year = year(parts.next()?)?;
    let mut small = |most: u32| -> Option<Option<u32>> {
        let Some(part) = parts.next() else { return Some(None) };
        let value = part.parse().ok().filter(|value| part.len() == 2 && (1..=most).contains(value))?;
        Some(Some(value))
    };
    let (month, day) = (small(12)??, small(31)?);
    parts.next().is_none().then_some(Day { year, month, day })
}
