//! A summary of a tool's output, the output, how its fields are read → what in the summary the output does not bear out.
//!
//! Invariant: every token of a summary is accounted for: by a value of the output, by the name of a field, by a template of
//! the tool or by a word that says nothing of its own. Whatever is said of a row stands in that row. What cannot be
//! read is not borne out.

mod courtesy;
mod facts;
mod field_words;
mod leftovers;
mod mention;
mod output_reading;
mod quantities;
mod roles;
mod row_words;
mod scan;
mod sentence;
mod state_words;
mod ties;
mod values;
mod vocabulary;

use vouch_domain::{ToolRecord, language::sentence_ranges};

use facts::Facts;
use vocabulary::Vocabulary;

pub use output_reading::{FieldKind, FieldReading, OutputReading};

/// Longer summaries are not read.
const SUMMARY_CHARS_MAX: usize = 2_000;

/// A summary of an output without its courtesies, where the output bears out every part of it.
///
/// # Errors
/// Says what the output does not bear out.
pub fn borne_out(summary: &str, output: &ToolRecord, reading: &OutputReading<'_>) -> Result<String, String> {
    if summary.chars().count() > SUMMARY_CHARS_MAX {
        return Err(format!("the summary is longer than {SUMMARY_CHARS_MAX} characters"));
    }
    let summary = courtesy::without_courtesies(summary);
    match unfaithful(&summary, output, reading) {
        None => Ok(summary),
        Some(why) => Err(why),
    }
}

/// What the output does not bear out in a summary of it; none where it bears out every part.
fn unfaithful(summary: &str, output: &ToolRecord, reading: &OutputReading<'_>) -> Option<String> {
    if !summary.contains(char::is_alphanumeric) {
        return Some("the summary says nothing".to_owned());
    }
    if let Some(sign) = summary.chars().find(|sign| !is_plain(*sign) && !facts::is_written(*sign, output, reading)) {
        return Some(format!("the summary holds the sign {sign:?}, which the output does not"));
    }
    let facts = match Facts::read(output, reading) {
        Ok(facts) => facts,
        Err(why) => return Some(why),
    };
    let vocabulary = Vocabulary::new(&facts, reading);
    let mut walk = ties::Walk::new(&facts);
    for text in sentences(summary) {
        let sentence = match sentence::read(text, &facts, &vocabulary) {
            Ok(sentence) => sentence,
            Err(why) => return Some(why),
        };
        if let Err(why) = walk.hold(&sentence) {
            return Some(why);
        }
    }
    None
}

/// A sign of plain prose; others may stand for a currency, a comparison or a hidden word.
fn is_plain(sign: char) -> bool {
    sign.is_alphanumeric()
        || matches!(sign, ' ' | '\n' | '\u{a0}' | '\u{202f}')
        || ".,;:!()'\"’‘“”-–—/*#".contains(sign)
}

/// The sentences of a summary, without the marks of lists. Every other sign of it is in one of them.
fn sentences(summary: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut items = 0;
    for line in summary.lines() {
        let line = line.trim_start().trim_start_matches(['-', '*', '–', '#']).trim_start();
        let mark = format!("{}", items + 1);
        let item = line.strip_prefix(&mark).and_then(|rest| rest.strip_prefix([')', '.'])?.strip_prefix(' '));
        items += usize::from(item.is_some());
        let line = item.unwrap_or(line);
        let mut cuts: Vec<usize> = sentence_ranges(line).into_iter().map(|range| range.start).skip(1).collect();
        cuts.push(line.len());
        let mut from = 0;
        for cut in cuts {
            found.extend(line.get(from..cut).filter(|text| text.contains(char::is_alphanumeric)));
            from = cut;
        }
    }
    found
}
