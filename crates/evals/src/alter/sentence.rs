//! The text of one sentence → its tokens, each with what stands around it.
//!
//! Invariant: a token's range holds its core, and only a plain token (no code, link, template or citation) may be
//! changed.

use std::ops::Range;

const LEADS: &[char] =
    &['(', '[', '"', '\'', '“', '‘', '«', '*', '_', '$', '€', '£', '~', '≈', '<', '>', '±', '`', '{'];
const TRAILS: &[char] =
    &[')', ']', '"', '\'', '”', '’', '»', '*', '_', '.', ',', ';', ':', '!', '?', '…', '%', '`', '}', '>'];
/// Signs of code, paths, addresses, links, citations and formulas.
const MARKS: &[char] =
    &['/', '\\', '@', '#', '=', '<', '>', '{', '}', '[', ']', '`', '|', '^', '+', '~', '≈', '±', '&', '*', '_', '×'];

/// A word or figure between white space.
pub(super) struct Token<'t> {
    /// Where the core stands.
    pub(super) range: Range<usize>,
    /// The token without the signs around it.
    pub(super) core: &'t str,
    /// Signs before the core.
    pub(super) lead: &'t str,
    /// Signs after the core, also those that stand alone before the next token.
    pub(super) trail: &'t str,
    /// The core in lower case.
    pub(super) lower: String,
    /// Whether it is prose.
    pub(super) is_plain: bool,
}

impl Token<'_> {
    /// Whether it starts with a capital letter.
    pub(super) fn is_capital(&self) -> bool {
        self.core.starts_with(char::is_uppercase)
    }
}

/// A sentence cut into tokens.
pub(super) struct Sentence<'t> {
    /// The words as they stand.
    pub(super) text: &'t str,
    /// Its tokens that hold a letter or a digit.
    pub(super) tokens: Vec<Token<'t>>,
}

impl<'t> Sentence<'t> {
    /// Cuts a sentence.
    pub(super) fn new(text: &'t str) -> Self {
        let mut tokens: Vec<Token<'t>> = Vec::new();
        let (mut is_code, mut depth) = (false, 0usize);
        let mut at = 0;
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            let opened = word.matches(['[', '{', '<']).count();
            let closed = word.matches([']', '}', '>']).count();
            let ticks = word.matches('`').count();
            let is_inside = is_code || ticks > 0 || depth > 0;
            depth = (depth + opened).saturating_sub(closed);
            is_code ^= ticks % 2 == 1;
            match token(word, at, is_inside) {
                Some(token) => tokens.push(token),
                None => extend_trail(text, &mut tokens, at + word.len()),
            }
            at += piece.len();
        }
        Self { text, tokens }
    }

    /// The token before, if no sign parts the two.
    pub(super) fn before(&self, at: usize) -> Option<&Token<'t>> {
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let here = self.tokens.get(at)?;
        let is_joined = before.trail.is_empty() && here.lead.chars().all(|sign| matches!(sign, '$' | '€' | '£'));
        is_joined.then_some(before)
    }

    /// The token after, if no sign parts the two.
    pub(super) fn after(&self, at: usize) -> Option<&Token<'t>> {
        let here = self.tokens.get(at)?;
        let after = self.tokens.get(at + 1)?;
        let is_joined = here.trail.chars().all(|sign| sign == '%' || sign.is_whitespace()) && after.lead.is_empty();
        is_joined.then_some(after)
    }

    /// Whether a sign beside the token makes it part of a formula or a label.
    pub(super) fn is_in_formula(&self, at: usize) -> bool {
        let is_marked = |at: usize| self.tokens.get(at).is_some_and(|token| token.trail.contains(MARKS));
        is_marked(at) || at.checked_sub(1).is_some_and(is_marked)
    }

    /// The lower-case words before a token, back to the start of its clause, nearest first.
    pub(super) fn clause_before(&self, at: usize) -> impl Iterator<Item = &str> {
        let before = self.tokens.iter().take(at).rev();
        before.take_while(|token| !token.trail.contains([',', ';', ':'])).map(|token| token.lower.as_str())
    }

    /// Whether one of the words is in the sentence.
    pub(super) fn has_any(&self, words: &str) -> bool {
        self.tokens.iter().any(|token| is_listed(words, &token.lower))
    }

    /// The sentence with other words in one place.
    pub(super) fn with(&self, range: Range<usize>, words: &str) -> Option<String> {
        let (head, tail) = (self.text.get(..range.start)?, self.text.get(range.end..)?);
        Some(format!("{head}{words}{tail}"))
    }
}

/// Whether a word is one of those a list names, with blanks between.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Adds signs that stand alone to the token before them.
fn extend_trail<'t>(text: &'t str, tokens: &mut [Token<'t>], end: usize) {
    let Some(last) = tokens.last_mut() else { return };
    if let Some(trail) = text.get(last.range.end..end) {
        last.trail = trail.trim_end();
    }
}

fn token(word: &str, at: usize, is_inside: bool) -> Option<Token<'_>> {
    let unled = word.trim_start_matches(LEADS);
    let core = unled.trim_end_matches(TRAILS);
    if !core.contains(char::is_alphanumeric) {
        return None;
    }
    let start = word.len() - unled.len();
    let (lead, trail) = (word.get(..start)?, unled.get(core.len()..)?);
    let is_citation = lead.ends_with('(') && trail.starts_with(')');
    Some(Token {
        range: at + start..at + start + core.len(),
        core,
        lead,
        trail,
        lower: core.to_lowercase().replace('’', "'"),
        is_plain: !is_inside && !is_citation && !word.contains(MARKS),
    })
}
