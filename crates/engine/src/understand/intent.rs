//! Words → `Intent`: a term to define, a list to give, or neither.

use vouch_domain::language::fold_spaces;

use super::{
    definition::{readings, term},
    list_request::{ListRequest, bare_pair, list_request},
};

/// What a question wants, as far as its words alone tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// The meaning of a term: lower case, trimmed, without article or question mark.
    Terminology(String),
    /// Documents of a kind.
    List(ListRequest),
    /// Anything else.
    Open,
}

/// What merely ends a question.
const ENDS: &str = "?!.…";

/// Reads a question's intent from its words.
#[must_use]
pub fn intent(text: &str) -> Intent {
    let text = bare(text, ENDS);
    if let Some(request) = list_request(&text).or_else(|| bare_pair(&text)) {
        return Intent::List(request);
    }
    term(&text).map_or(Intent::Open, Intent::Terminology)
}

/// Everything a question could ask the meaning of, the likeliest first: whether it does is for the vocabulary to say.
#[must_use]
pub fn definable(text: &str) -> Vec<String> {
    let mut found = readings(&bare(text, ENDS));
    // A label may end in a dot of its own.
    for reading in readings(&bare(text, "?!")) {
        if !found.contains(&reading) {
            found.push(reading);
        }
    }
    found
}

/// Lower case, single spaces, without the marks that only end or wrap a question.
fn bare(text: &str, ends: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || ends.contains(c);
    let text = fold_spaces(&text.replace(['’', '‘'], "'"));
    let text = text.trim_end_matches(is_end);
    let text =
        text.strip_prefix(['"', '“', '«']).map_or(text, |inner| inner.strip_suffix(['"', '”', '»']).unwrap_or(text));
    let text = text.trim_end_matches(is_end);
    let text =
        ["please ", "can you ", "could you "].iter().fold(text, |text, start| text.strip_prefix(start).unwrap_or(text));
    text.trim().to_owned()
}
