//! A sentence of a summary → what it mentions of the output, each with the rows that bear it out.
//!
//! Invariant: no token is left over: each belongs to a mention, to the role of one, or to the vocabulary.

use super::{
    facts::{Facts, Says},
    mention::{Spoken, What},
    roles,
    scan::Scan,
    state_words,
    vocabulary::Vocabulary,
};
use crate::reading::{token::Token, tokens::tokens};

/// Reads a sentence, or says what in it the output does not bear out.
pub(super) fn read<'a>(text: &'a str, facts: &Facts, vocabulary: &Vocabulary) -> Result<Spoken<'a>, String> {
    let tokens = tokens(text);
    let is_taken = vec![false; tokens.len()];
    let mut scan = Scan { text, tokens, is_taken, mentions: Vec::new(), facts, vocabulary };
    scan.texts();
    scan.dates()?;
    scan.figures()?;
    scan.quantifiers();
    scan.states()?;
    scan.mentions.sort_by_key(|mention| mention.range.start);
    scan.roles()?;
    scan.denials();
    scan.leftovers()?;
    let nouns = |token: &Token<'_>| {
        let is_noun = facts.groups.iter().any(|group| group.nouns.contains(&token.key));
        (is_noun && token.fold.ends_with('s')) || matches!(token.fold.as_str(), "they" | "them" | "these" | "those")
    };
    let is_plural = scan.tokens.iter().any(nouns);
    Ok(Spoken { text, tokens: scan.tokens, mentions: scan.mentions, is_plural })
}

impl Scan<'_, '_> {
    fn states(&mut self) -> Result<(), String> {
        let mut at = 0;
        while at < self.tokens.len() {
            let Some(length) = self.state_at(at) else {
                at += 1;
                continue;
            };
            let range = at..at + length;
            let phrase = (at..at + length).map(|at| self.fold(at)).collect::<Vec<_>>().join(" ");
            let held = self.held(&|fact| matches!(&fact.says, Says::State(words) if words.contains(&phrase)));
            let before = at.checked_sub(1).map_or("", |before| self.fold(before));
            let is_past = matches!(before, "was" | "were") && state_words::is_of_the_moment(&phrase);
            let is_role = length == 1 && roles::is_date_ahead(&self.tokens, at, self.facts, &self.mentions);
            let is_own = self.vocabulary.is_of_a_template(&self.tokens, at, &|at| self.is_left(at));
            if is_role && held.is_empty() {
                self.take(&range);
            } else if held.is_empty() && is_own {
            } else if held.is_empty() || is_past || self.fold(at + length) == "to" {
                return Err(self.refuse(&range));
            } else {
                let is_some = matches!(before, "a" | "an");
                self.push(What::State { is_some }, range, held);
            }
            at += length;
        }
        Ok(())
    }

    /// Which field each date and amount is said to be of.
    fn roles(&mut self) -> Result<(), String> {
        let mut used = Vec::new();
        let mut kept = Vec::new();
        for at in 0..self.mentions.len() {
            let role = roles::role(&self.tokens, &self.mentions, at, self.facts)?;
            let Some(role) = role else { continue };
            used.extend(role.cue);
            kept.push((at, role.fields));
        }
        for (at, fields) in kept {
            if let Some(mention) = self.mentions.get_mut(at) {
                mention.held.retain(|held| held.field.is_some_and(|field| fields.contains(&field)));
                if mention.held.is_empty() {
                    let range = mention.range.clone();
                    return Err(format!("{} in that place", self.refuse(&range)));
                }
            }
        }
        used.into_iter().for_each(|at| self.take(&(at..at + 1)));
        Ok(())
    }
}
