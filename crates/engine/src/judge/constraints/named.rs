//! The years, codes and names of a question → those a passage does not speak of.

use super::held::Held;
use crate::reading::{
    Sentence,
    name_forms::{self, Form},
    name_spans::{Sort, find_names},
    token::Token,
};

/// What a question names.
pub(super) struct Named<'a> {
    years: Vec<(u32, u32)>,
    codes: Vec<Code>,
    names: Vec<&'a [Token<'a>]>,
}

/// A code, without what joins its parts and as a person reads it.
struct Code {
    key: String,
    shown: String,
}

impl Code {
    fn new(tokens: &[Token<'_>]) -> Self {
        let parts: Vec<&str> = tokens.iter().map(|token| token.raw).collect();
        Self { key: tokens.iter().map(|token| token.fold.as_str()).collect(), shown: parts.join(" ") }
    }
}

impl<'a> Named<'a> {
    pub(super) fn new(question: &'a [Sentence<'a>]) -> Self {
        let mut found = Self { years: Vec::new(), codes: Vec::new(), names: Vec::new() };
        for sentence in question {
            found.years.extend(sentence.dates.iter().filter_map(|date| date.years));
            for name in find_names(sentence) {
                let tokens = sentence.tokens.get(name.range.clone()).unwrap_or_default();
                match name.sort {
                    Sort::Code => found.codes.push(Code::new(tokens)),
                    Sort::Name => found.names.push(tokens),
                    Sort::Opening | Sort::Address => {}
                }
            }
        }
        found
    }

    pub(super) fn unmet_by(&self, held: &Held<'_>) -> Option<String> {
        self.other_year(held).or_else(|| self.other_code(held)).or_else(|| self.absent_name(held))
    }

    /// Where the answer names years of its own, one of them must be asked for; else one anywhere over or beside it.
    fn other_year(&self, held: &Held<'_>) -> Option<String> {
        let (first, last) = *self.years.first()?;
        let years = |sentences: &[Sentence<'_>]| -> Vec<(u32, u32)> {
            sentences.iter().flat_map(|sentence| &sentence.dates).filter_map(|date| date.years).collect()
        };
        let is_asked = |year: &(u32, u32)| self.years.iter().any(|asked| asked.0 <= year.1 && year.0 <= asked.1);
        let own = years(&held.pointed);
        let spans_it = own.iter().map(|year| year.0).min().is_some_and(|least| least <= last)
            && own.iter().map(|year| year.1).max().is_some_and(|most| first <= most);
        if own.iter().any(is_asked) || (own.len() > 1 && spans_it) {
            return None;
        }
        let beside: Vec<(u32, u32)> = years(&held.passage).into_iter().chain(years(&held.above)).collect();
        if own.is_empty() && beside.iter().any(is_asked) {
            return None;
        }
        let asked = shown(&(first, last));
        let mut spoken: Vec<(u32, u32)> = if own.is_empty() { beside } else { own };
        spoken.sort_unstable();
        spoken.dedup();
        Some(match spoken.first() {
            Some(_) => {
                let spoken: Vec<String> = spoken.iter().take(3).map(shown).collect();
                format!("the documents found mention {}, not {asked}", spoken.join(", "))
            }
            None => format!("the documents found do not mention {asked}"),
        })
    }

    /// One of the codes must be there; where the answer itself has a sibling of it, such as another version, in the answer.
    fn other_code(&self, held: &Held<'_>) -> Option<String> {
        let code = self.codes.first()?;
        let is_in = |sentence: &Sentence<'_>| self.codes.iter().any(|code| holds_code(&sentence.tokens, &code.key));
        let siblings = held.pointed.iter().flat_map(|sentence| &sentence.tokens);
        let sibling = siblings.map(|token| token.fold.as_str()).find(|fold| is_sibling(fold, &code.key));
        // A row of its own in the same table is shown with the one that is pointed at.
        let is_code = |fold: &String| self.codes.iter().any(|code| code.key == *fold);
        let opens_row = |sentence: &Sentence<'_>| sentence.tokens.first().is_some_and(|first| is_code(&first.fold));
        let is_beside = sibling.is_none() && held.all().any(is_in);
        if is_beside || held.pointed.iter().any(is_in) || held.answer.iter().any(opens_row) {
            return None;
        }
        let asked = &code.shown;
        Some(match sibling {
            Some(sibling) => format!("the documents found mention {}, not {asked}", sibling.to_uppercase()),
            None => format!("the documents found do not mention {asked}"),
        })
    }

    /// A name of which fewer than half the words are there, in any form.
    fn absent_name(&self, held: &Held<'_>) -> Option<String> {
        let absent = self.names.iter().find(|name| {
            let there = name.iter().filter(|word| is_there(word, held)).count();
            let words_there = || held.all().flat_map(|sentence| &sentence.tokens);
            let capitals = words_there().map(|token| (token.fold.as_str(), token.is_capital()));
            there * 2 < name.len() && !name_forms::is_abbreviated(name, capitals)
        })?;
        let words: Vec<&str> = absent.iter().map(|token| token.raw).collect();
        Some(format!("the documents found do not mention {}", words.join(" ")))
    }
}

fn is_there(word: &Token<'_>, held: &Held<'_>) -> bool {
    let form = Form::new(&word.fold);
    let is_it = |token: &Token<'_>| token.key == word.key || form.is(&token.fold, token.is_capital());
    [&held.passage, &held.above].into_iter().any(|sentences| {
        sentences.iter().flat_map(|sentence| &sentence.tokens).any(is_it)
            || name_forms::is_joined(&word.fold, sentences)
            || (word.is_acronym() && name_forms::is_spelled_out(&word.fold, sentences))
    })
}

fn shown(years: &(u32, u32)) -> String {
    if years.0 == years.1 { years.0.to_string() } else { format!("{} to {}", years.0, years.1) }
}

/// Whether a code stands among tokens, in one or in several.
fn holds_code(tokens: &[Token<'_>], code: &str) -> bool {
    let form = Form::new(code);
    tokens.iter().any(|token| form.is(&token.fold, true)) || holds_joined(tokens, code)
}

fn holds_joined(tokens: &[Token<'_>], code: &str) -> bool {
    (0..tokens.len()).any(|start| {
        let mut rest = code;
        for token in tokens.get(start..).unwrap_or_default() {
            match rest.strip_prefix(token.fold.as_str()) {
                Some("") => return true,
                Some(after) if !token.fold.is_empty() => rest = after,
                Some(_) | None => return false,
            }
        }
        false
    })
}

/// Whether two codes differ by their number alone: FY25 and FY26.
fn is_sibling(one: &str, other: &str) -> bool {
    let letters = |code: &str| code.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (mine, theirs) = (letters(one), letters(other));
    one != other && mine > 0 && mine < one.len() && one.get(..mine) == other.get(..theirs)
}
