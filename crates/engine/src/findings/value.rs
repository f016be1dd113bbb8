//! A sentence → the values it gives: figures with what they count, dates, versions, names in their places.

use std::ops::Range;

use crate::reading::{
    Sentence,
    calendar::Date,
    figures::{Figure, Firmness, Slack},
    measures::Unit,
    name_spans::{Sort, find_names},
    token::{Joint, Token},
};

/// What a figure counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Counted {
    /// So much of a unit.
    Of(Unit),
    /// So many of what this stem names.
    Things(String),
}

/// A figure that something is said to have.
#[derive(Debug, Clone)]
pub(super) struct Amount {
    pub(super) value: f64,
    pub(super) counted: Counted,
    pub(super) slack: Slack,
    pub(super) range: Range<usize>,
}

impl Amount {
    /// Whether the two count the same sort of thing.
    pub(super) fn meets(&self, other: &Self) -> bool {
        match (&self.counted, &other.counted) {
            (Counted::Of(one), Counted::Of(other)) => one.dimension == other.dimension,
            (Counted::Things(one), Counted::Things(other)) => one == other,
            (Counted::Of(_), Counted::Things(_)) | (Counted::Things(_), Counted::Of(_)) => false,
        }
    }

    /// Whether the two are as much.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        match (&self.counted, &other.counted) {
            (Counted::Of(unit), Counted::Of(others)) => unit.is_as_much(self.value, others, other.value),
            (Counted::Things(_), Counted::Things(_)) => (self.value - other.value).abs() < f64::EPSILON,
            (Counted::Of(_), Counted::Things(_)) | (Counted::Things(_), Counted::Of(_)) => false,
        }
    }

    /// Whether one is a least and the other a most: two bounds of one thing, not two figures for it.
    pub(super) fn bounds_otherwise(&self, other: &Self) -> bool {
        matches!((self.slack, other.slack), (Slack::AtLeast, Slack::AtMost) | (Slack::AtMost, Slack::AtLeast))
    }
}

/// A version such as `v1.26` or `Prometheus 3.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) numbers: Vec<u32>,
    pub(super) range: Range<usize>,
}

/// A name, and what leads to it.
#[derive(Debug, Clone)]
pub(super) struct Name {
    /// Its words, as they are compared.
    pub(super) keys: Vec<String>,
    /// The words just before it, as they are compared; none at the start of a sentence.
    pub(super) led_by: Vec<String>,
    pub(super) range: Range<usize>,
}

impl Name {
    /// The word before it; nothing at the start of a sentence.
    pub(super) fn lead(&self) -> &str {
        self.led_by.first().map(String::as_str).unwrap_or_default()
    }

    /// The word before that.
    pub(super) fn verb(&self) -> Option<&str> {
        self.led_by.get(1).map(String::as_str)
    }
}

/// Everything a sentence gives a value for.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) amounts: Vec<Amount>,
    pub(super) versions: Vec<Version>,
    pub(super) dates: Vec<Date>,
    pub(super) names: Vec<Name>,
}

/// Words that make the number after them, or before them, a version.
const VERSION_WORDS: &[&str] = &["version", "versions", "release", "releases", "v", "since", "starting", "prior"];
/// Words that stand between a name and what leads to it and say nothing.
const DETERMINERS: &[&str] = &["the", "a", "an", "our", "your", "their", "its", "this", "only", "either", "both"];

/// The values of a sentence.
pub(super) fn values(sentence: &Sentence<'_>) -> Values {
    let versions = versions(sentence);
    let is_version = |at: usize| versions.iter().any(|version| version.range.contains(&at));
    let figures: Vec<&Figure> =
        sentence.figures.iter().filter(|figure| !figure.range.clone().any(is_version)).collect();
    let mut amounts: Vec<Amount> = Vec::new();
    for (figure, next) in figures.iter().zip(figures.iter().skip(1).map(Some).chain([None])) {
        let counted = counted(sentence, figure).or_else(|| {
            next.filter(|next| is_range(sentence, figure, next)).and_then(|next| self::counted(sentence, next))
        });
        let is_ordinal = |token: &Token<'_>| ["st", "nd", "rd", "th"].iter().any(|ending| token.fold.ends_with(ending));
        let is_first =
            sentence.tokens.get(figure.range.start).is_some_and(|token| token.has_digit() && is_ordinal(token));
        let is_firm = matches!(figure.firmness, Firmness::Firm | Firmness::Counted) && !is_first;
        if let Some(counted) = counted.filter(|_| is_firm) {
            amounts.push(Amount { value: figure.value, counted, slack: figure.slack, range: figure.range.clone() });
        }
    }
    Values { amounts, names: names(sentence, &versions), versions, dates: sentence.dates.clone() }
}

fn counted(sentence: &Sentence<'_>, figure: &Figure) -> Option<Counted> {
    if let Some(unit) = figure.unit {
        return Some(Counted::Of(unit));
    }
    let next = sentence.tokens.get(figure.range.end)?;
    let is_word = next.joint == Joint::Space && next.is_content() && next.fold.chars().all(char::is_alphabetic);
    (is_word && !next.is_capital() && next.fold.len() > 2).then(|| Counted::Things(next.key.clone()))
}

/// Whether a figure goes on to the next one: "3-10 times", "4 to 6 weeks".
fn is_range(sentence: &Sentence<'_>, figure: &Figure, next: &Figure) -> bool {
    let Some(first) = sentence.tokens.get(figure.range.end) else { return false };
    let is_to = matches!(first.fold.as_str(), "to" | "and" | "or") && next.range.start == figure.range.end + 1;
    is_to || (next.range.start == figure.range.end && first.joint == Joint::Hyphen)
}

fn versions(sentence: &Sentence<'_>) -> Vec<Version> {
    let tokens = &sentence.tokens;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(at, _)| !sentence.is_dated(*at)) {
        let bare = token.fold.strip_prefix('v').unwrap_or(&token.fold);
        let numbers: Option<Vec<u32>> = bare.split('.').map(|part| part.parse().ok()).collect();
        let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1) else { continue };
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).filter(|_| token.joint != Joint::Hyphen);
        let is_named = |token: &Token<'_>| token.is_capital() || VERSION_WORDS.contains(&token.fold.as_str());
        let after = tokens.get(at + 1).is_some_and(|next| VERSION_WORDS.contains(&next.fold.as_str()))
            || tokens.get(at + 2).is_some_and(|next| matches!(next.fold.as_str(), "later" | "newer" | "higher"));
        if bare.len() < token.fold.len() || after || before.is_some_and(is_named) {
            let last = numbers.iter().rposition(|number| *number > 0).unwrap_or(0);
            let numbers = numbers.into_iter().take(last + 1).collect();
            found.push(Version { numbers, range: at..at + 1 });
        }
    }
    found
}

/// Names, those joined by "of" as one. Of addresses only those of people.
fn names(sentence: &Sentence<'_>, versions: &[Version]) -> Vec<Name> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for span in find_names(sentence) {
        let is_version = versions.iter().any(|version| span.range.contains(&version.range.start));
        let is_alone =
            span.sort == Sort::Opening && sentence.tokens.get(span.range.end).is_none_or(|next| !next.is_capital());
        let is_url = span.sort == Sort::Address
            && sentence.tokens.get(span.range.start).is_none_or(|token| !token.raw.contains('@'));
        if is_url || is_version || (is_alone && !is_rare_word(sentence.tokens.get(span.range.start))) {
            continue;
        }
        let joins = |last: &Range<usize>| {
            let between = sentence.tokens.get(last.end..span.range.start).unwrap_or_default();
            between.iter().all(|token| matches!(token.fold.as_str(), "of" | "&")) && between.len() < 2
        };
        match ranges.last_mut().filter(|last| joins(last)) {
            Some(last) => last.end = span.range.end,
            None => ranges.push(span.range),
        }
    }
    let is_code = |token: &Token<'_>| !token.is_capital() && is_camel_case(token);
    for (at, _) in sentence.tokens.iter().enumerate().filter(|(_, token)| is_code(token)) {
        if !ranges.iter().any(|range| range.contains(&at)) {
            ranges.push(at..at + 1);
        }
    }
    ranges.into_iter().map(|range| name(sentence, &range)).collect()
}

/// Whether the first word of a sentence is a name although it stands alone: letters that stand for words, or a capital inside.
fn is_rare_word(token: Option<&Token<'_>>) -> bool {
    token.is_some_and(is_camel_case)
}

fn is_camel_case(token: &Token<'_>) -> bool {
    !token.is_address && token.raw.chars().skip(1).any(char::is_uppercase)
}

fn name(sentence: &Sentence<'_>, range: &Range<usize>) -> Name {
    let words = sentence.tokens.get(range.clone()).unwrap_or_default();
    let before = sentence.tokens.get(..range.start).unwrap_or_default().iter().rev();
    let led_by = before.filter(|token| !DETERMINERS.contains(&token.fold.as_str())).take(2);
    Name {
        range: range.clone(),
        led_by: led_by.map(|token| token.key.clone()).collect(),
        keys: words.iter().filter(|token| token.is_content()).map(|token| token.key.clone()).collect(),
    }
}
