//! A sentence → the names, codes and addresses in it.
//!
//! Invariant: a word is a name only by its capital inside a sentence, by its digits, or by being an address; a sentence
//! in small letters has no names.

use std::ops::Range;

use super::{
    Sentence,
    calendar::is_calendar_word,
    measures, numerals,
    token::{Joint, Token},
};

/// From so many capitals in a hundred words on, capitals say nothing.
const HEADLINE_PERCENT: usize = 75;
const HEADLINE_WORDS_MIN: usize = 6;

/// Words before a name, and words that are written with a capital for respect.
const TITLES: &[&str] = &[
    "mr",
    "mrs",
    "ms",
    "miss",
    "dr",
    "sir",
    "dame",
    "lord",
    "lady",
    "prof",
    "professor",
    "president",
    "king",
    "queen",
    "prince",
    "princess",
    "senator",
    "sen",
    "rep",
    "gov",
    "governor",
    "minister",
    "chancellor",
    "general",
    "captain",
    "judge",
    "justice",
    "pope",
    "saint",
    "st",
    "jr",
    "sr",
    "god",
    "internet",
    "web",
    "earth",
    "moon",
    "sun",
    "ceo",
    "i",
    "im",
    "ive",
    "ill",
    "id",
    "ok",
    "yes",
    "no",
    "well",
    "oh",
    "chapter",
    "section",
    "figure",
    "table",
    "article",
    "act",
    "season",
    "episode",
    "volume",
    "part",
    "ad",
    "bc",
    "ce",
    "bce",
];

/// What sort of name it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Capitals in a row.
    Name,
    /// The same at the start of a sentence, where a capital alone proves nothing.
    Opening,
    /// Letters and digits: `X-200`, `v2.1`.
    Code,
    /// An e-mail address or a URL.
    Address,
}

/// A name in a sentence.
pub(crate) struct NameSpan {
    /// Its sort.
    pub sort: Sort,
    /// Its tokens.
    pub range: Range<usize>,
}

/// The names of a sentence, in order.
pub(crate) fn find_names(sentence: &Sentence<'_>) -> Vec<NameSpan> {
    let tokens = &sentence.tokens;
    let is_headline = is_headline(tokens);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_taken = sentence.is_dated(at);
        let code = if is_taken { None } else { code_end(tokens, at) };
        let end = if token.is_address {
            found.push(NameSpan { sort: Sort::Address, range: at..at + 1 });
            at + 1
        } else if let Some(end) = code {
            found.push(NameSpan { sort: Sort::Code, range: at..end });
            end
        } else if !is_taken && !is_headline && is_name_word(token) {
            let end = run_end(sentence, at);
            push_run(tokens, at..end, &mut found);
            end
        } else {
            at + 1
        };
        at = end.max(at + 1);
    }
    found
}

/// A run of capitals; its first word proves nothing if a sentence opens with it.
fn push_run(tokens: &[Token<'_>], range: Range<usize>, found: &mut Vec<NameSpan>) {
    let opens = tokens
        .get(range.start)
        .is_some_and(|first| matches!(first.joint, Joint::Start | Joint::Mark) && !first.is_acronym());
    let is_aside = tokens.get(range.start + 1).is_some_and(|next| matches!(next.joint, Joint::Comma | Joint::Mark));
    if opens && is_aside {
        return;
    }
    if !opens {
        found.push(NameSpan { sort: Sort::Name, range });
        return;
    }
    found.push(NameSpan { sort: Sort::Opening, range: range.start..range.start + 1 });
    if range.len() > 1 {
        found.push(NameSpan { sort: Sort::Name, range: range.start + 1..range.end });
    }
}

fn run_end(sentence: &Sentence<'_>, at: usize) -> usize {
    let mut end = at + 1;
    while let Some(next) = sentence.tokens.get(end) {
        let is_joined = matches!(next.joint, Joint::Space | Joint::Hyphen | Joint::Touching);
        if !is_joined || !is_name_word(next) || sentence.is_dated(end) || code_end(&sentence.tokens, end).is_some() {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a token may be a word of a name.
pub(crate) fn is_name_word(token: &Token<'_>) -> bool {
    let letters = token.raw.chars().filter(|c| c.is_alphabetic()).count();
    let is_small_word = !token.is_content() && (!token.is_acronym() || token.joint == Joint::Start);
    token.is_capital()
        && letters > 1
        && !token.has_digit()
        && !is_small_word
        && !is_calendar_word(&token.fold)
        && !TITLES.contains(&token.fold.as_str())
        && numerals::spelled(&token.fold).is_none()
        && numerals::ordinal(&token.fold).is_none()
        && !measures::is_unit_word(&token.fold)
        && !token.raw.contains(['\'', '’'])
}

/// Where a code that starts here ends: `X-200`, `AES-256-GCM`, `v2.1`, `B2B`, `1.2.3`.
fn code_end(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let first = tokens.get(at).filter(|token| !token.is_address)?;
    let mut end = at + 1;
    while tokens.get(end).is_some_and(|next| next.joint == Joint::Hyphen) && end - at < 5 {
        end += 1;
    }
    let group = tokens.get(at..end)?;
    let has_number = group.iter().skip(1).any(Token::has_digit);
    if first.is_capital() && !first.has_digit() && has_number {
        return Some(end);
    }
    let is_mixed = first.has_digit() && first.fold.chars().any(char::is_alphabetic);
    let is_version = first.fold.matches('.').count() > 1;
    let is_figure =
        numerals::digits(&first.fold).is_some() || first.fold.strip_suffix('s').and_then(numerals::digits).is_some();
    ((is_mixed || is_version) && !is_figure).then_some(at + 1)
}

fn is_headline(tokens: &[Token<'_>]) -> bool {
    let words: Vec<&Token<'_>> = tokens.iter().filter(|token| token.raw.chars().any(char::is_alphabetic)).collect();
    let capitals = words.iter().filter(|token| token.is_capital()).count();
    let shouted = words.iter().filter(|token| token.raw.chars().all(|c| !c.is_lowercase())).count();
    (words.len() >= HEADLINE_WORDS_MIN && capitals * 100 > words.len() * HEADLINE_PERCENT)
        || (words.len() > 2 && shouted * 2 > words.len())
}
