//! What was said, and who asks → a tool's input, and what of it is missing.
//!
//! Invariant: a value is who asks, the day, or stands in the asker's own words; nothing is guessed.

use std::collections::BTreeSet;

use vouch_domain::{ToolRecord, ToolValue};

use super::money::{Bare, amount};
use crate::policy::{SlotPolicy, SlotSource, ToolPolicy};

/// How much of what was said is read.
const CHARS_MAX: usize = 4_000;
/// The longest value.
const VALUE_CHARS_MAX: usize = 64;

/// What input may be taken from.
#[derive(Debug, Clone)]
pub struct Said<'a> {
    /// The question.
    pub text: &'a str,
    /// What the asker said before, the last first.
    pub earlier: Vec<&'a str>,
    /// Who asks.
    pub asker: Option<&'a str>,
    /// The day.
    pub today: String,
    /// What was asked for just now, by name.
    pub awaited: &'a [String],
}

/// A tool's input as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FilledSlots {
    /// What is known.
    pub args: ToolRecord,
    /// What is missing, in the order it is asked for.
    pub missing: Vec<String>,
    /// What the question's own words gave.
    pub new: Vec<String>,
    /// Whether it is not known who asks, where that is needed.
    pub is_stranger: bool,
    /// Whether the words name somebody else.
    pub names_another: bool,
}

/// The input of a tool: the question's words first, then what is known already, then what was said before.
#[must_use]
pub fn fill(tool: &ToolPolicy, said: &Said<'_>, known: &ToolRecord) -> FilledSlots {
    let mut filled = FilledSlots::default();
    for slot in &tool.slots {
        let value = match &slot.source {
            SlotSource::Asker(pattern) => {
                let named = pattern.as_ref().and_then(|pattern| pattern.find(cut(said.text)));
                filled.names_another |=
                    named.is_some_and(|named| said.asker.is_none_or(|own| !own.eq_ignore_ascii_case(named.as_str())));
                filled.is_stranger |= said.asker.is_none();
                said.asker.map(ToolValue::from)
            }
            SlotSource::Today => Some(ToolValue::Text(said.today.clone())),
            SlotSource::Pattern(_) | SlotSource::Amount { .. } | SlotSource::Choice(_) => {
                let own = read(slot, said.text, said.awaited.contains(&slot.name));
                if own.is_some() {
                    filled.new.push(slot.name.clone());
                }
                let before = || said.earlier.iter().find_map(|words| read(slot, words, false));
                own.or_else(|| known.get(&slot.name).cloned()).or_else(before)
            }
        };
        match value {
            Some(value) => {
                filled.args.insert(slot.name.clone(), value);
            }
            None if slot.is_optional => {}
            None => filled.missing.push(slot.name.clone()),
        }
    }
    filled
}

/// A slot's value in some words.
fn read(slot: &SlotPolicy, words: &str, is_awaited: bool) -> Option<ToolValue> {
    let words = cut(words);
    match &slot.source {
        SlotSource::Asker(_) | SlotSource::Today => None,
        SlotSource::Pattern(pattern) => {
            let alone = pattern.find_iter(words).filter(|found| stands_alone(words, found.range()));
            let found: BTreeSet<String> = alone.map(|found| found.as_str().to_uppercase()).collect();
            // Which of several is meant, nobody can tell.
            let only = found.iter().next().filter(|_| found.len() == 1)?;
            (only.chars().count() <= VALUE_CHARS_MAX).then(|| ToolValue::Text(only.clone()))
        }
        SlotSource::Amount { currency } => {
            let bare = if is_awaited { Bare::Allowed } else { Bare::Not };
            amount(words, currency, bare).map(ToolValue::Number)
        }
        SlotSource::Choice(choices) => {
            let lower = words.to_lowercase();
            let is_meant = |meant: &String| holds_words(&lower, &meant.to_lowercase());
            let chosen = choices.iter().find(|(name, meant)| is_meant(name) || meant.iter().any(is_meant));
            chosen.map(|(name, _)| ToolValue::Text(name.clone()))
        }
    }
}

/// Whether what was found is a word of its own: a longer one is another value, or no value at all.
fn stands_alone(words: &str, at: std::ops::Range<usize>) -> bool {
    let is_joint = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let before = words.get(..at.start).and_then(|head| head.chars().next_back());
    let after = words.get(at.end..).and_then(|tail| tail.chars().next());
    !before.is_some_and(is_joint) && !after.is_some_and(is_joint)
}

/// Whether the words hold these as words of their own.
fn holds_words(text: &str, wanted: &str) -> bool {
    !wanted.is_empty() && text.match_indices(wanted).any(|(at, found)| stands_alone(text, at..at + found.len()))
}

/// The beginning that is read.
fn cut(words: &str) -> &str {
    words.char_indices().nth(CHARS_MAX).map_or(words, |(at, _)| words.get(..at).unwrap_or_default())
}
