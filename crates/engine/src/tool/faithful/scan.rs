//! A sentence of a summary, token by token, while it is read.
//!
//! Invariant: a token is accounted for once and for good.

use std::ops::Range;

use super::{
    facts::{Fact, Facts},
    mention::{Held, Mention, What, words},
    vocabulary::Vocabulary,
};
use crate::reading::token::Token;

/// A sentence on its way to being read: its tokens, and which of them are accounted for.
pub(super) struct Scan<'a, 'f> {
    /// As written.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: Vec<Token<'a>>,
    /// Which tokens are accounted for.
    pub is_taken: Vec<bool>,
    /// What it mentions so far.
    pub mentions: Vec<Mention>,
    /// What the output says.
    pub facts: &'f Facts,
    /// The words it may use.
    pub vocabulary: &'f Vocabulary,
}

impl Scan<'_, '_> {
    /// Whether nothing accounts for a token yet.
    pub(super) fn is_left(&self, at: usize) -> bool {
        self.is_taken.get(at) == Some(&false)
    }

    /// A token, folded; empty where there is none.
    pub(super) fn fold(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.fold.as_str())
    }

    /// Accounts for tokens.
    pub(super) fn take(&mut self, range: &Range<usize>) {
        range.clone().for_each(|at| self.is_taken.get_mut(at).into_iter().for_each(|is_taken| *is_taken = true));
    }

    /// Adds a mention.
    pub(super) fn push(&mut self, what: What, range: Range<usize>, held: Vec<Held>) {
        self.take(&range);
        self.mentions.push(Mention { what, range, held });
    }

    /// That the output does not say this.
    pub(super) fn refuse(&self, range: &Range<usize>) -> String {
        format!("the output does not say \"{}\"", words(self.text, &self.tokens, range))
    }

    /// Where the output says what is asked for.
    pub(super) fn held(&self, is_so: &dyn Fn(&Fact) -> bool) -> Vec<Held> {
        let own = self.facts.values.iter().filter(|fact| is_so(fact));
        own.map(|fact| Held { row: fact.row, field: Some(fact.field) }).collect()
    }

    /// Adds a mention that the output bears out, or refuses it.
    pub(super) fn push_held(&mut self, what: What, range: Range<usize>, held: Vec<Held>) -> Result<(), String> {
        if held.is_empty() {
            return Err(self.refuse(&range));
        }
        self.push(what, range, held);
        Ok(())
    }

    /// The length of the phrase that claims a state here.
    pub(super) fn state_at(&self, at: usize) -> Option<usize> {
        let is_here = |phrase: &&Vec<String>| {
            phrase.iter().enumerate().all(|(offset, word)| self.is_left(at + offset) && self.fold(at + offset) == word)
        };
        self.vocabulary.states.iter().find(is_here).map(Vec::len)
    }
}
