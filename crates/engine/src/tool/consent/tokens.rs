//! A text → clauses of words in lower case.
//!
//! Invariant: a sign that is neither a letter nor plain punctuation is a word of its own, so that nothing is read past it.

/// How long an answer may be, in characters.
pub(super) const ANSWER_CHARS_MAX: usize = 600;
/// How long what is proposed may be.
pub(super) const PROPOSAL_CHARS_MAX: usize = 4_000;

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case, with plain apostrophes.
    pub(super) text: String,
    /// Whether it was written with a capital.
    pub(super) is_capital: bool,
}

/// Words up to the next stop.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) words: Vec<Word>,
    /// Whether a question mark ends it.
    pub(super) is_asked: bool,
}

/// The clauses of a text; none where it is longer than it may be.
pub(super) fn clauses(text: &str, chars_max: usize) -> Option<Vec<Clause>> {
    let chars: Vec<char> = text.chars().take(chars_max + 1).map(|c| if c == '’' { '\'' } else { c }).collect();
    if chars.len() > chars_max {
        return None;
    }
    let (mut clauses, mut clause, mut at) = (Vec::new(), Clause::default(), 0);
    while let Some(c) = chars.get(at).copied() {
        if c.is_alphanumeric() {
            let length = word_length(chars.get(at..).unwrap_or_default());
            let own: String = chars.iter().skip(at).take(length).collect();
            clause.words.push(Word { is_capital: c.is_uppercase(), text: own.to_lowercase() });
            at += length;
            continue;
        }
        let is_stop = matches!(c, '.' | ',' | ';' | ':' | '!' | '…' | '–' | '—' | '\n' | '(' | ')' | '?');
        let is_glued = c == '!' && chars.get(at + 1).is_some_and(|next| next.is_alphanumeric());
        if is_stop && !is_glued {
            clause.is_asked |= c == '?';
            if clause.is_asked && clause.words.is_empty() {
                clauses.last_mut().into_iter().for_each(|last: &mut Clause| last.is_asked = true);
            }
            if !clause.words.is_empty() {
                clauses.push(std::mem::take(&mut clause));
            }
            clause.is_asked = false;
        } else if !c.is_whitespace() && !matches!(c, '\'' | '"' | '-' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}') {
            clause.words.push(Word { text: c.to_string(), is_capital: false });
        }
        at += 1;
    }
    if !clause.words.is_empty() {
        clauses.push(clause);
    }
    Some(clauses)
}

/// How many characters belong to a word: an apostrophe, a hyphen and what divides figures join what stands on both sides.
fn word_length(chars: &[char]) -> usize {
    let mut length = 0;
    while let Some(c) = chars.get(length) {
        let next = chars.get(length + 1);
        let before = length.checked_sub(1).and_then(|at| chars.get(at));
        let joins = match c {
            '\'' | '-' | '_' | '@' => next.is_some_and(|next| next.is_alphanumeric()),
            '.' | ',' | ':' | '/' => {
                let is_figure = |c: Option<&char>| c.is_some_and(char::is_ascii_digit);
                is_figure(before) && is_figure(next)
            }
            c => c.is_alphanumeric(),
        };
        if !joins {
            break;
        }
        length += 1;
    }
    length
}
