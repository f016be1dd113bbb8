//! reStructuredText → the text a person would read, with its titles as sections.
//!
//! Nothing outside of the file is read: what it includes or refers to is left out, as are comments and the options of
//! directives.

mod body;
mod directives;
mod inline;
mod line_marks;
mod tables;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use vouch_domain::{Document, ports::ParseError};

use crate::{
    front_matter::{self, FrontMatter},
    manuscript::Manuscript,
    nested::Nested,
    origin::Origin,
};
use body::Body;
use inline::{Names, plain};
use line_marks::{adornment, is_blank};

/// The longest text a substitution may stand for.
const SUBSTITUTION_BYTES_MAX: usize = 200;
/// How many bytes the substitutions in any text may stand for, and how many more for each of its bytes.
const NAMED_FLOOR: usize = 64 * 1024;
const NAMED_PER_BYTE: usize = 4;

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let (front_matter, text) = match begins_with_title(text) {
        true => (FrontMatter::default(), text),
        false => front_matter::split(text, origin.access_from)?,
    };
    let lines: Vec<Cow<'_, str>> = text.lines().map(|line| expanded(line.trim_end())).collect();
    let lines: Vec<&str> = lines.iter().map(AsRef::as_ref).collect();
    let names = names(&lines);
    names.left.set(NAMED_FLOOR + text.len().saturating_mul(NAMED_PER_BYTE));
    let mut manuscript = Manuscript::default();
    let mut body = Body::new(Nested::new(&mut manuscript), names);
    body.read(&lines, 0);
    let (own, title) = body.finish();
    let stated = FrontMatter { date: own.date, version: own.version, ..FrontMatter::default() };
    manuscript.finish(origin, front_matter.or(stated), title)
}

/// Whether the dashes that a text begins with are the rule above a title, which has as many of them below it.
fn begins_with_title(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    let (above, title, below) = (lines.next(), lines.next().unwrap_or_default(), lines.next());
    above == below && above.is_some_and(|rule| title.trim().chars().count() <= rule.len() + 1)
}

/// A line with blanks in place of its tabs.
fn expanded(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return Cow::Borrowed(line);
    }
    let (mut wide, mut column) = (String::with_capacity(line.len() + 8), 0);
    for c in line.chars() {
        let width = if c == '\t' { 8 - column % 8 } else { 1 };
        if c == '\t' {
            wide.extend(std::iter::repeat_n(' ', width));
        } else {
            wide.push(c);
        }
        column += width;
    }
    Cow::Owned(wide)
}

/// What the text may refer to by name; it may do so before it says what the name stands for.
fn names(lines: &[&str]) -> Names {
    let (mut names, mut labels) = (Names::default(), Vec::new());
    names.titles = titles(lines);
    for line in lines {
        let Some(explicit) = line.trim_start().strip_prefix(".. ") else { continue };
        let explicit = explicit.trim_start();
        if let Some((name, directive)) = explicit.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
            let (kind, words) = directive.trim().split_once("::").unwrap_or_default();
            let shown = match kind.trim() {
                "replace" => plain(words.trim(), &Names::default()),
                "unicode" => characters(words),
                _ => String::new(),
            };
            if shown.len() <= SUBSTITUTION_BYTES_MAX {
                names.substitutions.insert(Names::key(name), shown);
            }
        } else if let Some((label, _)) = explicit.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            labels.push(label);
        }
    }
    number(&labels, &mut names);
    names
}

/// The titles that stand right below labels such as `.. _masts:`, for what refers to them by that label alone.
fn titles(lines: &[&str]) -> BTreeMap<String, String> {
    let (mut titles, mut waiting) = (BTreeMap::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        if let Some(label) = line.strip_prefix(".. _").and_then(|rest| rest.strip_suffix(':')) {
            waiting.push(Names::key(label.trim_matches('`')));
        } else if !(waiting.is_empty() || is_blank(line)) {
            // A rule may stand above a title as well as below it.
            let is_rule = |at: usize| lines.get(at).is_some_and(|line| adornment(line).is_some());
            let title = if adornment(line).is_some() { lines.get(at + 1).copied() } else { Some(*line) };
            let is_title = is_rule(at + 1 + usize::from(adornment(line).is_some()));
            for label in waiting.drain(..) {
                if let Some(title) = title.filter(|title| is_title && title.len() <= SUBSTITUTION_BYTES_MAX) {
                    titles.insert(label, plain(title.trim(), &Names::default()));
                }
            }
        }
    }
    titles
}

/// Footnotes that are to be counted get the numbers that no other footnote has.
fn number(labels: &[&str], names: &mut Names) {
    let taken: BTreeSet<usize> = labels.iter().filter_map(|label| label.parse().ok()).collect();
    let mut free = (1..).filter(|number| !taken.contains(number));
    for label in labels.iter().filter(|label| label.starts_with('#')) {
        let Some(number) = free.next() else { return };
        if *label == "#" {
            names.nameless.push(number);
        } else {
            names.footnotes.entry((*label).to_owned()).or_insert(number);
        }
    }
}

/// `0xA9 text` → the characters it stands for.
fn characters(words: &str) -> String {
    let shown = words.split(" .. ").next().unwrap_or_default().split_whitespace().map(|word| {
        let code = ["0x", "U+", "\\u", "x", "u"].iter().find_map(|prefix| word.strip_prefix(prefix));
        let c = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        c.map_or_else(|| word.to_owned(), |c| c.to_string())
    });
    shown.collect()
}
