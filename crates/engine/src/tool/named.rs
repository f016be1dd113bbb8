//! A question → the names and values in it, and whether a record that is told to answer it is of these.
//!
//! Invariant: a name in a question is never passed over. It is one of the record's values, or it is said that it is none.

use std::collections::BTreeSet;

use vouch_domain::{ToolRecord, ToolValue, language::words::stem};

use crate::{
    policy::{FieldKind, ToolPolicy},
    reading::calendar::{MONTHS, WEEKDAYS},
};

/// The longest name that is told back, and how many of them.
const NAME_CHARS_MAX: usize = 60;
const NAMES_MAX: usize = 4;
/// Words that are written with a capital, or are a letter, and name nothing.
const NO_NAMES: &[&str] = &["i", "i'm", "i'd", "i've", "i'll", "a", "ok", "please", "hi", "hello", "mr", "mrs", "ms"];
/// How a question says that it is about the asker's own.
const OWN: &[&str] = &["my", "mine", "our", "ours", "i'm", "we're", "i've", "we've"];
/// The same in two words, either way round.
const STATES: &[&str] = &["am", "are", "have", "do", "did"];

/// Whether a question says that it is about the asker's own.
#[must_use]
pub fn is_of_asker(question: &str) -> bool {
    let lower = |word: Word<'_>| word.text.to_lowercase().replace('’', "'");
    let words: Vec<String> = words(question).into_iter().map(lower).collect();
    let is_state = |one: &str, other: &str| ["i", "we"].contains(&one) && STATES.contains(&other);
    let pairs = words.iter().zip(words.iter().skip(1));
    words.iter().any(|word| OWN.contains(&word.as_str()))
        || pairs.into_iter().any(|(one, other)| is_state(one, other) || is_state(other, one))
}

/// A name or a value in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As it is written.
    pub text: String,
    /// Whether it is a month.
    pub is_month: bool,
}

impl Named {
    /// Whether a record, or what it was looked up with, holds it.
    #[must_use]
    pub fn is_in(&self, tool: &ToolPolicy, records: [&ToolRecord; 2]) -> bool {
        let mut held = Held::default();
        records.into_iter().flat_map(ToolRecord::values).for_each(|value| held.add(value));
        let said =
            [&tool.words.found, &tool.words.not_found].into_iter().chain(tool.words.each.iter().map(|(_, line)| line));
        let said: BTreeSet<String> =
            said.flat_map(|said| words(said)).map(|word| stem(&word.text.to_lowercase())).collect();
        let mut parts = words(&self.text).into_iter().map(|word| word.text.to_lowercase());
        parts.all(|part| held.has(&part) || (part.chars().count() > 1 && said.contains(&stem(&part))))
    }
}

/// The values of a record, as words may name them.
#[derive(Default)]
struct Held {
    words: BTreeSet<String>,
    numbers: Vec<f64>,
    months: BTreeSet<usize>,
}

impl Held {
    fn add(&mut self, value: &ToolValue) {
        match value {
            ToolValue::Nothing | ToolValue::Flag(_) => {}
            ToolValue::Number(number) => self.numbers.push(*number),
            ToolValue::Text(text) => {
                self.words.extend(words(text).into_iter().map(|word| word.text.to_lowercase()));
                let parts: Vec<&str> = text.split('-').collect();
                if let [year, month, ..] = parts.as_slice()
                    && year.len() == 4
                {
                    self.months.extend(month.parse::<usize>().ok());
                }
                self.numbers.extend(parts.iter().filter_map(|part| part.parse::<f64>().ok()));
            }
            ToolValue::List(items) => items.iter().for_each(|item| self.add(item)),
            ToolValue::Record(record) => record.values().for_each(|value| self.add(value)),
        }
    }

    fn has(&self, word: &str) -> bool {
        let number = word.replace(',', ".").parse::<f64>().ok();
        let is_number = || number.is_some_and(|number| self.numbers.iter().any(|own| (own - number).abs() < 5e-3));
        let is_month = || month(word).is_some_and(|month| self.months.contains(&month));
        self.words.contains(word) || is_number() || is_month()
    }
}

/// The names and values in a question: what has figures or a capital within it, and a letter by itself.
#[must_use]
pub fn names(question: &str, tool: &ToolPolicy) -> Vec<Named> {
    let words = words(question);
    let is_shouted = !question.chars().any(char::is_lowercase);
    // What a record's fields are called, so that "plan l" is a name, too.
    let fields = tool.words.found.split(['{', '}']).skip(1).step_by(2).chain(tool.fields.keys().map(String::as_str));
    let kinds: BTreeSet<String> = fields.flat_map(|field| field.split('_')).map(stem).collect();
    let currencies = tool.fields.values().filter_map(|kind| match kind {
        FieldKind::Money { currency } => Some(currency),
        FieldKind::Text | FieldKind::Date | FieldKind::State(_) | FieldKind::Count => None,
    });
    let currencies: BTreeSet<String> = currencies.flatten().map(|word| word.to_lowercase()).collect();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (at, Word { text: word, is_first }) in words.iter().copied().enumerate() {
        let lower = word.to_lowercase().replace('’', "'");
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|word| stem(&word.text.to_lowercase()));
        let has_figure = word.contains(|c: char| c.is_ascii_digit());
        let is_letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
        let is_upper = word.starts_with(char::is_uppercase);
        let is_lone = is_letter && (is_upper || before.is_some_and(|before| kinds.contains(&before)));
        let is_capital = is_upper && !is_first && !is_shouted && !is_letter;
        let is_none =
            NO_NAMES.contains(&lower.as_str()) || WEEKDAYS.contains(&lower.as_str()) || currencies.contains(&lower);
        if !is_none && (has_figure || is_lone || is_capital) {
            found.push((at, word));
        }
    }
    joined(&found)
}

/// Names in neighbouring words are one name.
fn joined(found: &[(usize, &str)]) -> Vec<Named> {
    let mut names: Vec<(usize, Named)> = Vec::new();
    for (at, word) in found {
        let is_month = month(&word.to_lowercase()).is_some();
        match names.last_mut() {
            Some((last, name)) if *last + 1 == *at && !is_month && !name.is_month && word.chars().count() > 1 => {
                name.text.push(' ');
                name.text.push_str(word);
                *last = *at;
            }
            Some(_) | None => names.push((*at, Named { text: (*word).to_owned(), is_month })),
        }
    }
    let cut = |name: Named| Named { text: name.text.chars().take(NAME_CHARS_MAX).collect(), ..name };
    names.into_iter().map(|(_, name)| cut(name)).take(NAMES_MAX).collect()
}

/// The month a word names, from 1.
fn month(word: &str) -> Option<usize> {
    let is_short = word.len() == 3 || word == "sept";
    let at = MONTHS.iter().position(|month| *month == word || (is_short && month.starts_with(word)))?;
    Some(at + 1)
}

/// A word as it stands in a text.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// Whether a sentence begins with it.
    is_first: bool,
}

/// Words without what stands around them. A point or a comma divides them, but not figures.
fn words(text: &str) -> Vec<Word<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '.' | ',');
    let mut found: Vec<Word<'_>> = Vec::new();
    let mut is_first = true;
    for piece in text.split_whitespace() {
        for part in piece.split(|c: char| !is_part(c)) {
            let bare = part.trim_matches(|c: char| !c.is_alphanumeric());
            let is_figure = bare.starts_with(|c: char| c.is_ascii_digit());
            let inner: Vec<&str> = if is_figure { vec![bare] } else { bare.split(['.', ',']).collect() };
            for word in inner {
                let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
                if !word.is_empty() {
                    found.push(Word { text: word, is_first });
                    is_first = false;
                }
            }
        }
        is_first |= piece.ends_with(['.', '!', '?', ':']);
    }
    found
}
