//! A sentence of a summary → its amounts, numbers and counts of rows.
//!
//! Invariant: an amount has the currency of its field, a number the value of one, and nothing is rounded.

use std::ops::Range;

use super::{
    facts::{Fact, Says},
    mention::What,
    scan::Scan,
    vocabulary::parts,
};
use crate::reading::{
    figures::{self, Figure, Firmness, Slack},
    measures, numerals,
    token::{Joint, Token},
};

/// How far behind a number the thing it counts may stand.
const COUNTED_TOKENS_MAX: usize = 4;

impl Scan<'_, '_> {
    /// Numbers in digits and in words.
    pub(super) fn figures(&mut self) -> Result<(), String> {
        self.glued_amounts()?;
        let mut taken: Vec<Range<usize>> = self.mentions.iter().map(|mention| mention.range.clone()).collect();
        taken.sort_by_key(|range| range.start);
        for figure in figures::figures(&self.tokens, &taken) {
            let is_worded =
                self.tokens.get(figure.range.start).is_some_and(|token| numerals::spelled(&token.fold).is_none());
            let is_digits = figure.range.clone().any(|at| self.tokens.get(at).is_some_and(Token::has_digit));
            if figure.firmness == Firmness::Soft && is_worded && !is_digits {
                continue;
            }
            if (figure.slack != Slack::None && !self.is_bill_over(figure.range.start))
                || !figure.range.clone().all(|at| self.is_left(at))
            {
                return Err(self.refuse(&figure.range));
            }
            match self.currency(&figure) {
                Some((currency, range)) => {
                    if let Some(over) = range.start.checked_sub(1).filter(|at| self.fold(*at) == "over") {
                        self.take(&(over..range.start));
                    }
                    self.amount(figure.value, &currency, range)?;
                }
                None => self.number(&figure)?,
            }
        }
        Ok(())
    }

    /// "Invoice INV-1 over 29.00 PLN" tells its amount; "it costs over 29.00 PLN" does not.
    fn is_bill_over(&self, start: usize) -> bool {
        let over = (1..=2).filter_map(|back| start.checked_sub(back)).find(|at| self.fold(*at) == "over");
        let Some(before) = over.and_then(|over| over.checked_sub(1)) else { return false };
        let is_code = self.mentions.iter().any(|mention| mention.what == What::Code && mention.range.end == before + 1);
        let is_noun =
            self.facts.groups.iter().any(|group| self.tokens.get(before).is_some_and(|t| group.nouns.contains(&t.key)));
        is_code || is_noun || matches!(self.fold(before), "case" | "invoice" | "bill")
    }

    /// `79.00zł`: an amount written against its currency.
    fn glued_amounts(&mut self) -> Result<(), String> {
        for at in 0..self.tokens.len() {
            let fold = self.fold(at).to_owned();
            let ways = self.facts.fields.iter().flat_map(|field| &field.currency);
            let found = ways.filter_map(|way| Some((numerals::digits(fold.strip_suffix(way.as_str())?)?, way))).next();
            if let Some((value, way)) = found.filter(|_| self.is_left(at)) {
                let way = way.clone();
                self.amount(value, &way, at..at + 1)?;
            }
        }
        Ok(())
    }

    /// Whether a token is a currency of the output.
    pub(super) fn is_currency(&self, at: usize) -> bool {
        self.facts.fields.iter().any(|field| field.currency.iter().any(|way| way == self.fold(at)))
    }

    /// The currency of a figure, and the tokens of both.
    fn currency(&self, figure: &Figure) -> Option<(String, Range<usize>)> {
        let range = &figure.range;
        let is_own = |at: usize| self.is_currency(at) && self.is_left(at);
        let last = range.end.checked_sub(1)?;
        if figure.unit.is_some_and(|unit| unit.dimension.is_money()) {
            let is_before = self.tokens.get(range.start).and_then(measures::currency_before).is_some();
            let at = if is_before { range.start } else { last };
            return Some((self.fold(at).to_owned(), range.clone()));
        }
        let is_near = |at: usize| {
            self.tokens
                .get(at)
                .is_some_and(|token| matches!(token.joint, Joint::Space | Joint::Touching | Joint::Hyphen))
        };
        if is_own(range.end) && is_near(range.end) {
            return Some((self.fold(range.end).to_owned(), range.start..range.end + 1));
        }
        let before = range.start.checked_sub(1).filter(|before| is_own(*before) && is_near(range.start))?;
        Some((self.fold(before).to_owned(), before..range.end))
    }

    fn amount(&mut self, value: f64, currency: &str, range: Range<usize>) -> Result<(), String> {
        let is_so = |fact: &Fact| {
            let is_way = self.facts.field(fact).is_some_and(|field| field.currency.iter().any(|way| way == currency));
            is_way && matches!(fact.says, Says::Money(amount) if is_same(amount, value))
        };
        let held = self.held(&is_so);
        if held.is_empty() {
            return Err(self.refuse(&range));
        }
        self.push(What::Money, range, held);
        Ok(())
    }

    fn number(&mut self, figure: &Figure) -> Result<(), String> {
        let range = figure.range.clone();
        let value = figure.value;
        let is_number = |fact: &Fact| matches!(fact.says, Says::Number(number) if is_same(number, value));
        if figure.unit.is_some() {
            let unit = range.end.checked_sub(1).map_or("", |last| self.fold(last));
            let held = self.held(&|fact| is_number(fact) && self.facts.field(fact).is_some_and(|f| f.is_called(unit)));
            return self.push_held(What::Number, range, held);
        }
        let ends_like_day = ["st", "nd", "rd", "th"].iter().any(|ending| self.fold(range.start).ends_with(ending));
        if ends_like_day && range.len() == 1 && figure.firmness == Firmness::Firm {
            let held = self.held(&|fact| {
                matches!(fact.says, Says::Date(day) if day.day.is_some_and(|day| is_same(f64::from(day), value)))
            });
            return self.push_held(What::Date { is_month: false }, range, held);
        }
        let before = |by: usize| range.start.checked_sub(by).map_or("", |before| self.fold(before));
        // "INV-1 is the one that is open" says that no other is; that is not read.
        if self.fold(range.start) == "one" && before(1) == "the" && matches!(before(2), "is" | "was") {
            return Err(self.refuse(&range));
        }
        if self.fold(range.start) == "one" && range.len() == 1 && self.is_code_next(range.end) {
            self.push(What::Only, range, Vec::new());
            return Ok(());
        }
        if !self.facts.groups.is_empty() && self.is_count(range.end) {
            self.push(What::Count(value), range, Vec::new());
            return Ok(());
        }
        let digits = self.fold(range.start).to_owned();
        let is_part = |fact: &Fact| match &fact.says {
            Says::Code(words) => digits.len() > 3 && words.contains(&digits),
            Says::Money(amount) => is_same(*amount, value) && digits.contains(|c: char| c.is_ascii_digit()),
            Says::Number(_) => is_number(fact),
            Says::Date(_) | Says::State(_) | Says::Text(_) => false,
        };
        let held = self.held(&is_part);
        self.push_held(What::Number, range, held)
    }

    /// Whether an identifier comes next, with the noun of the rows before it or without.
    pub(super) fn is_code_next(&self, at: usize) -> bool {
        let is_code = |at: usize| self.mentions.iter().any(|other| other.what == What::Code && other.range.start == at);
        let is_noun = |at: usize| {
            let token = self.tokens.get(at);
            token.is_some_and(|token| self.facts.groups.iter().any(|group| group.nouns.contains(&token.key)))
        };
        let skip = usize::from(self.fold(at) == "the");
        is_code(at + skip) || (is_noun(at + skip) && is_code(at + skip + 1))
    }

    /// Whether the number before a place counts rows.
    fn is_count(&self, from: usize) -> bool {
        let before = from.checked_sub(2).map_or("", |before| self.fold(before));
        if matches!(before, "all" | "other" | "remaining" | "last" | "latest" | "newest") {
            return true;
        }
        for at in from..from + COUNTED_TOKENS_MAX {
            let Some(token) = self.tokens.get(at).filter(|token| at == from || !parts(token)) else { return false };
            if self.facts.groups.iter().any(|group| group.nouns.contains(&token.key))
                || matches!(token.fold.as_str(), "them" | "these" | "those")
                || (at == from && token.fold == "of")
                || self.state_at(at).is_some()
            {
                return true;
            }
        }
        false
    }
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}
