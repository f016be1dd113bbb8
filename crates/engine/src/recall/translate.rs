//! An entry and a model → the same entry with its texts in another language beside those it has.
//!
//! Invariant: what a person wrote is never changed, and what a model wrote is marked as such; a translation that is not whole is none.

use std::collections::BTreeMap;

use vouch_domain::{ModelError, Wording, memory::MemoryEntry};

use crate::model_registry::{
    JobModel,
    prompt::{TRANSLATE, fill_template, system_message, user_message},
};

/// A translation may be this many times as long as its original, and a little more.
const LENGTHS_MAX: usize = 4;
const CHARS_SLACK: usize = 40;

/// Why an entry has no translation.
#[derive(Debug, thiserror::Error)]
pub enum TranslateError {
    /// There is nothing to translate from.
    #[error("entry '{0}' has no text to translate")]
    NothingWritten(String),
    /// What the model said is no translation of every line.
    #[error("the model did not translate every line of entry '{0}'")]
    NotWhole(String),
    /// With its translation it would have more phrases than an entry may.
    #[error("entry '{0}' would have too many phrases with another translation")]
    TooMany(String),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Whether an entry lacks a language, or has it from a model and is to have it anew.
#[must_use]
pub fn wants_translation(entry: &MemoryEntry, to: &str, again: bool) -> bool {
    let is_there = entry.phrases.iter().chain(&entry.note).any(|wording| wording.language.as_deref() == Some(to));
    !is_there || (again && entry.translated_by_model.contains(to))
}

/// The entry with its texts in a language beside the others, translated from those in `from` or in no language, else from the
/// first language that a person wrote.
///
/// # Errors
/// Fails if there is nothing to translate, the model fails, or what it says is not a translation of every line.
pub async fn translate(
    entry: &MemoryEntry,
    (from, to): (&str, &str),
    job_model: &JobModel,
) -> Result<MemoryEntry, TranslateError> {
    let source = source_language(entry, from, to);
    let is_source = |wording: &&Wording| match &source {
        Some(source) => wording.language.as_deref() == Some(source),
        None => wording.language.as_deref().is_none_or(|own| own == from),
    };
    let phrases: Vec<&Wording> = entry.phrases.iter().filter(is_source).collect();
    let notes: Vec<&Wording> = entry.note.iter().filter(is_source).take(1).collect();
    let lines: Vec<&str> = phrases.iter().chain(&notes).map(|wording| wording.text.as_str()).collect();
    if phrases.is_empty() {
        return Err(TranslateError::NothingWritten(entry.id.clone()));
    }
    let others = entry.phrases.iter().filter(|wording| wording.language.as_deref() != Some(to)).count();
    if others + phrases.len() > MemoryEntry::PARTS_MAX {
        return Err(TranslateError::TooMany(entry.id.clone()));
    }
    let numbered: Vec<String> =
        (1..).zip(&lines).map(|(number, line)| format!("{number}. {}", one_line(line))).collect();
    let messages =
        vec![system_message(fill_template(TRANSLATE, &[("language", to)])), user_message(numbered.join("\n"))];
    let said = job_model.complete_uncut(messages).await?;
    let whole = said.and_then(|said| read(&said, &lines));
    let translated = whole.ok_or_else(|| TranslateError::NotWhole(entry.id.clone()))?;
    let mut made = entry.clone();
    made.phrases.retain(|wording| wording.language.as_deref() != Some(to));
    made.note.retain(|wording| wording.language.as_deref() != Some(to));
    let (own_phrases, own_notes) = translated.split_at(phrases.len());
    let wording = |text: &String| Wording { text: text.clone(), language: Some(to.to_owned()) };
    made.phrases.extend(own_phrases.iter().map(wording));
    made.note.extend(own_notes.iter().map(wording));
    made.translated_by_model.insert(to.to_owned());
    Ok(made)
}

/// The language to translate from, where nothing is written in `from` or in none: the first that a person wrote.
fn source_language(entry: &MemoryEntry, from: &str, to: &str) -> Option<String> {
    let is_from = |wording: &Wording| wording.language.as_deref().is_none_or(|own| own == from);
    if entry.phrases.iter().any(is_from) {
        return None;
    }
    let mut written = entry.phrases.iter().filter_map(|wording| wording.language.clone());
    written.find(|language| language != to && !entry.translated_by_model.contains(language))
}

/// One translation per line, in order; none if one is missing, empty or out of proportion.
fn read(said: &str, lines: &[&str]) -> Option<Vec<String>> {
    let numbered = said.lines().filter_map(|line| {
        let (number, text) = line.trim().split_once(['.', ')'])?;
        Some((number.trim().parse::<usize>().ok()?, one_line(text)))
    });
    let mut by_number: BTreeMap<usize, String> = BTreeMap::new();
    for (number, text) in numbered {
        // A number said twice says that the lines were not kept apart.
        if by_number.insert(number, text).is_some() {
            return None;
        }
    }
    let chars = |text: &str| text.chars().count();
    let fits = |line: &str, text: &str| {
        chars(text) <= chars(line) * LENGTHS_MAX + CHARS_SLACK && chars(text) <= MemoryEntry::CHARS_MAX
    };
    (1..)
        .zip(lines)
        .map(|(number, line)| by_number.remove(&number).filter(|text| !text.is_empty() && fits(line, text)))
        .collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
