//! Field names, values and templates → the words a summary may use.
//!
//! Invariant: a word that turns a sentence is allowed by a template alone, between the words it has there.

use std::collections::BTreeSet;

use super::{
    facts::{Facts, Says, folded},
    output_reading::{FieldKind, OutputReading},
    state_words,
};
use crate::{
    reading::{
        numerals,
        token::{Joint, Token},
        tokens::tokens,
    },
    tool::neutral_words::{is_neutral, is_turning},
};

/// The words a summary may use.
pub(super) struct Vocabulary {
    words: BTreeSet<String>,
    /// Words of the values that are text, which make no name of their own.
    of_values: BTreeSet<String>,
    /// Each word of a template between its neighbours; an edge or a place is empty.
    between: BTreeSet<[String; 3]>,
    /// Every phrase that claims a state, longest first, as folds.
    pub states: Vec<Vec<String>>,
}

impl Vocabulary {
    /// The words for an output.
    pub(super) fn new(facts: &Facts, reading: &OutputReading<'_>) -> Self {
        let mut own = Self {
            words: BTreeSet::new(),
            of_values: BTreeSet::new(),
            between: BTreeSet::new(),
            states: state_phrases(facts, reading),
        };
        for field in facts.fields.iter().filter(|field| field.is_there) {
            own.words.extend(field.words.iter().cloned());
        }
        for fact in &facts.values {
            // A word out of "calls that were not made" says the contrary: such a value counts whole.
            if let Says::Text(words) = &fact.says
                && !words.iter().any(|word| is_turning(word))
            {
                let plain = words.iter().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
                own.of_values.extend(plain.cloned());
            }
        }
        for piece in reading.templates.iter().flat_map(|template| template.split(['{', '}']).step_by(2)) {
            own.learn(&tokens(piece));
        }
        own
    }

    fn learn(&mut self, tokens: &[Token<'_>]) {
        for (at, token) in tokens.iter().enumerate() {
            self.between.insert(around(tokens, at, &|_| true));
            if token.has_digit() || numerals::simple(&token.fold).is_some() {
                continue;
            }
            self.words.insert(token.fold.clone());
        }
    }

    /// Whether the word at a place may stand there; `is_left` says which tokens nothing else accounts for.
    pub(super) fn allows(&self, tokens: &[Token<'_>], at: usize, is_left: &dyn Fn(usize) -> bool) -> bool {
        let Some(token) = tokens.get(at).filter(|token| !token.is_address) else { return false };
        if self.is_of_a_template(tokens, at, is_left) {
            return true;
        }
        let is_lone_letter = at > 0 && token.is_capital() && token.raw.chars().count() == 1;
        if is_turning(&token.fold) || token.has_digit() || is_lone_letter {
            return false;
        }
        if is_neutral(&token.fold) || self.is_own_word(token) {
            return true;
        }
        let is_run = |at: Option<usize>| {
            at.is_some_and(|at| at > 0 && is_left(at) && tokens.get(at).is_some_and(Token::is_capital))
        };
        let makes_name = at > 0 && token.is_capital() && (is_run(Some(at + 1)) || is_run(at.checked_sub(1)));
        self.of_values.contains(&token.fold) && !makes_name
    }

    /// Whether a template has the word between the same neighbours.
    pub(super) fn is_of_a_template(&self, tokens: &[Token<'_>], at: usize, is_left: &dyn Fn(usize) -> bool) -> bool {
        self.between.contains(&around(tokens, at, is_left))
    }

    /// Whether a word stands in a template or in the name of a field, in the singular or the plural. Other forms of it may say
    /// more: what is to be answered is not answered.
    pub(super) fn is_own_word(&self, token: &Token<'_>) -> bool {
        let fold = token.fold.as_str();
        let single = fold.strip_suffix('s').is_some_and(|single| self.words.contains(single));
        single || self.words.contains(fold) || self.words.contains(&format!("{fold}s"))
    }
}

fn around(tokens: &[Token<'_>], at: usize, is_left: &dyn Fn(usize) -> bool) -> [String; 3] {
    let word = |at: Option<usize>| {
        let token = at.filter(|at| is_left(*at)).and_then(|at| tokens.get(at));
        token.map_or_else(String::new, |token| token.fold.clone())
    };
    [word(at.checked_sub(1)), tokens.get(at).map_or_else(String::new, |token| token.fold.clone()), word(Some(at + 1))]
}

fn state_phrases(facts: &Facts, reading: &OutputReading<'_>) -> Vec<Vec<String>> {
    let mut phrases: BTreeSet<String> = state_words::all().map(folded).collect();
    for fact in &facts.values {
        if let Says::State(words) = &fact.says {
            phrases.extend(words.iter().cloned());
        }
    }
    for field in reading.fields.values() {
        if let FieldKind::State(words) = &field.kind {
            phrases.extend(words.iter().flat_map(|(name, words)| words.iter().chain([name])).map(|word| folded(word)));
        }
    }
    let is_flag = |phrase: &String| matches!(phrase.as_str(), "true" | "false" | "");
    let mut phrases: Vec<Vec<String>> = phrases
        .into_iter()
        .filter(|phrase| !is_flag(phrase))
        .map(|phrase| phrase.split(' ').map(str::to_owned).collect())
        .collect();
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    phrases
}

/// Whether a clause ends before a token.
pub(super) fn parts(token: &Token<'_>) -> bool {
    matches!(token.joint, Joint::Comma | Joint::Mark) || matches!(token.fold.as_str(), "and" | "while")
}
