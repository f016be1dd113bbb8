//! A sentence of a summary → the names, identifiers and dates of the output in it.
//!
//! Invariant: a date that the output has nowhere is refused; an identifier is whole or it is none.

use super::{facts::Says, mention::What, roles, scan::Scan};
use crate::reading::{
    calendar::{self, MONTHS},
    token::{Joint, Token},
};

impl Scan<'_, '_> {
    /// Names and identifiers of the output, the longest first.
    pub(super) fn texts(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let mut best: Option<(usize, bool)> = None;
            for fact in &self.facts.values {
                let (words, is_code) = match &fact.says {
                    Says::Text(words) => (words, false),
                    Says::Code(words) => (words, true),
                    Says::Money(_) | Says::Date(_) | Says::State(_) | Says::Number(_) => continue,
                };
                if best.is_none_or(|(length, _)| words.len() > length) && self.is_at(at, words, is_code) {
                    best = Some((words.len(), is_code));
                }
            }
            let Some((length, is_code)) = best else {
                at += 1;
                continue;
            };
            let said: Vec<String> = self.tokens.iter().skip(at).take(length).map(|token| token.fold.clone()).collect();
            let held = self.held(&|fact| match &fact.says {
                Says::Text(words) | Says::Code(words) => *words == said,
                Says::Money(_) | Says::Date(_) | Says::State(_) | Says::Number(_) => false,
            });
            self.push(if is_code { What::Code } else { What::Text }, at..at + length, held);
            at += length;
        }
    }

    fn is_at(&self, at: usize, words: &[String], is_code: bool) -> bool {
        let is_currency = |word: &String| self.facts.fields.iter().any(|field| field.currency.contains(word));
        if words.is_empty() || (words.len() == 1 && words.first().is_some_and(is_currency)) {
            return false;
        }
        let is_same = words.iter().enumerate().all(|(offset, word)| self.fold(at + offset) == word);
        let is_glued = |at: usize| {
            self.tokens.get(at).is_some_and(|token| {
                matches!(token.joint, Joint::Touching | Joint::Slash) || (is_code && token.joint == Joint::Hyphen)
            })
        };
        is_same && !is_glued(at) && !is_glued(at + words.len())
    }

    /// Dates, as precise as they are written.
    pub(super) fn dates(&mut self) -> Result<(), String> {
        let mut found = calendar::dates(&self.tokens);
        found.retain(|date| date.range.clone().all(|at| self.is_left(at)));
        for mut date in found {
            // "October 29 zł" is a month and an amount.
            if date.day.is_some() && date.years.is_none() && date.range.len() == 2 && self.is_currency(date.range.end) {
                (date.day, date.range.end) = (None, date.range.end - 1);
            }
            if date.weekday.is_some() {
                return Err(self.refuse(&date.range));
            }
            if date.month.is_none() && date.range.len() == 1 {
                self.month_beside(&mut date);
            }
            let is_month = date.day.is_none() && date.month.is_some();
            let range = date.range.clone();
            let held = self.held(&|fact| roles::is_date(fact, &date));
            if held.is_empty() {
                return Err(self.refuse(&range));
            }
            self.push(What::Date { is_month }, range, held);
        }
        for at in 0..self.tokens.len() {
            let month = self.tokens.get(at).filter(|token| self.is_left(at) && token.is_capital()).and_then(month);
            if let Some(month) = month {
                let date = calendar::Date { month: Some(month), range: at..at + 1, ..calendar::Date::default() };
                let held = self.held(&|fact| roles::is_date(fact, &date));
                if held.is_empty() {
                    return Err(self.refuse(&date.range));
                }
                self.push(What::Date { is_month: true }, at..at + 1, held);
            }
        }
        Ok(())
    }

    /// `2026-10` and `10/2026`.
    fn month_beside(&self, date: &mut calendar::Date) {
        let at = date.range.start;
        let small = |at: usize| {
            let fold = self.fold(at);
            fold.parse::<u32>().ok().filter(|month| fold.len() == 2 && (1..=12).contains(month))
        };
        let joint = |at: usize| self.tokens.get(at).map(|token| token.joint);
        if joint(at + 1) == Some(Joint::Hyphen) && joint(at + 2) != Some(Joint::Hyphen) {
            if let Some(month) = small(at + 1) {
                (date.month, date.range) = (Some(month), at..at + 2);
            }
        } else if joint(at) == Some(Joint::Slash)
            && let Some(before) = at.checked_sub(1)
            && let Some(month) = small(before).filter(|_| joint(before) != Some(Joint::Slash))
        {
            (date.month, date.range) = (Some(month), before..at + 1);
        }
    }
}

/// The month a capitalised word names by itself.
fn month(token: &Token<'_>) -> Option<u32> {
    let fold = token.fold.as_str();
    let is_short = fold.len() == 3 || fold == "sept";
    let at = MONTHS.iter().position(|month| *month == fold || (is_short && month.starts_with(fold)))?;
    u32::try_from(at + 1).ok()
}
