//! A date or an amount in a sentence, and the words beside it → the field it is said to be of.
//!
//! Invariant: a word that names a field ties what stands beside it to that field; "until" and its like need a field that
//! ends something.

use super::{
    facts::{Fact, Facts, Field, Says},
    mention::{Mention, What},
    state_words,
    vocabulary::parts,
};
use crate::reading::{calendar::Date, token::Token};

/// How far from a value the word that names its field may stand.
const CUE_TOKENS_MAX: usize = 6;

/// The field a value is said to be of.
pub(super) struct Role {
    /// The tokens that say so.
    pub cue: Vec<usize>,
    /// The fields it may be of, by place.
    pub fields: Vec<usize>,
}

/// Whether a value is the date that is said.
pub(super) fn is_date(fact: &Fact, said: &Date) -> bool {
    let Says::Date(day) = fact.says else { return false };
    let is_year = said.years.is_none_or(|years| years == (day.year, day.year));
    is_year && said.month.is_none_or(|month| month == day.month) && said.day.is_none_or(|said| day.day == Some(said))
}

/// Whether the word at a place names a field whose date comes next.
pub(super) fn is_date_ahead(tokens: &[Token<'_>], at: usize, facts: &Facts, mentions: &[Mention]) -> bool {
    let fold = tokens.get(at).map_or("", |token| token.fold.as_str());
    let is_cue = facts.fields.iter().any(|field| field.is_date && is_cue(field, fold));
    let is_next = |mention: &Mention| {
        let between = tokens.get(at + 1..mention.range.start).unwrap_or_default();
        let is_near = (at + 1..=at + 3).contains(&mention.range.start);
        is_near && between.iter().all(|token| matches!(token.fold.as_str(), "on" | "in" | "the" | "since" | "date"))
    };
    is_cue && mentions.iter().any(|mention| matches!(mention.what, What::Date { .. }) && is_next(mention))
}

/// The role of a mention; none where nothing beside it says one.
pub(super) fn role(
    tokens: &[Token<'_>],
    mentions: &[Mention],
    at: usize,
    facts: &Facts,
) -> Result<Option<Role>, String> {
    let Some(mention) = mentions.get(at) else { return Ok(None) };
    match mention.what {
        What::Date { is_month } => Search { tokens, mentions, mention, facts }.date(is_month),
        What::Money => Ok(Search { tokens, mentions, mention, facts }.money()),
        What::Code
        | What::Text
        | What::State { .. }
        | What::Number
        | What::Count(_)
        | What::All
        | What::Others
        | What::Edge
        | What::Only => Ok(None),
    }
}

fn is_cue(field: &Field, fold: &str) -> bool {
    field.is_called(fold)
}

struct Search<'s> {
    tokens: &'s [Token<'s>],
    mentions: &'s [Mention],
    mention: &'s Mention,
    facts: &'s Facts,
}

impl Search<'_> {
    fn fold(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.fold.as_str())
    }

    fn back(&self, steps: usize) -> Option<usize> {
        self.mention.range.start.checked_sub(steps)
    }

    /// The fields that are so.
    fn fields(&self, is_one: &dyn Fn(&Field) -> bool) -> Vec<usize> {
        let fields = self.facts.fields.iter().enumerate();
        fields.filter(|(_, field)| is_one(field)).map(|(at, _)| at).collect()
    }

    fn date(&self, is_month: bool) -> Result<Option<Role>, String> {
        if let Some(role) = self.linked()? {
            return Ok(Some(role));
        }
        if let Some(cue) = self.cue(&|field| field.is_date) {
            let fold = self.fold(Some(cue)).to_owned();
            return Ok(Some(Role {
                cue: vec![cue],
                fields: self.fields(&|field| field.is_date && is_cue(field, &fold)),
            }));
        }
        // A month without a day is the period's, where there is one.
        let months = self.facts.values.iter().filter(|fact| matches!(fact.says, Says::Date(day) if day.day.is_none()));
        let months: Vec<usize> = months.map(|fact| fact.field).collect();
        Ok((is_month && !months.is_empty()).then_some(Role { cue: Vec::new(), fields: months }))
    }

    /// The role that the word right before a date gives it: since, until, by, for.
    fn linked(&self) -> Result<Option<Role>, String> {
        let skip = usize::from(self.fold(self.back(1)) == "the") + 1;
        let link = self.back(skip);
        let phrase = self.state_before(link);
        let is_own_cue = |phrase: &str| self.facts.fields.iter().any(|field| field.is_date && is_cue(field, phrase));
        let is_foreign = phrase.as_deref().is_some_and(|phrase| !is_own_cue(phrase));
        let is_lasting = phrase.as_deref().is_some_and(state_words::is_lasting);
        let is_of =
            |bases: &[&str], field: &Field| field.is_date && bases.iter().any(|base| field.words.contains(*base));
        let of = |bases: &[&str], cue: Option<usize>| {
            let named = link.and_then(|link| link.checked_sub(1)).filter(|named| is_own_cue(self.fold(Some(*named))));
            Some(Role {
                cue: cue.into_iter().chain(named).collect(),
                fields: self.fields(&|field| is_of(bases, field)),
            })
        };
        let fits = |bases: &[&str]| self.facts.fields.iter().any(|field| is_of(bases, field));
        let role = match self.fold(link) {
            "since" if phrase.as_deref() == Some("overdue") => of(&["due"], link),
            "since" if !is_foreign || is_lasting => of(&["start", "open"], link),
            "from" if fits(&["start"]) && (!is_foreign || is_lasting) => of(&["start"], None),
            "by" if matches!(phrase.as_deref(), Some("to be paid" | "yet to be paid" | "to pay")) => of(&["due"], link),
            "by" | "until" | "till" | "to" | "through" if !is_foreign => of(&["due", "end"], link),
            "for" if fits(&["period"]) => of(&["period"], None),
            "since" | "on" | "in" | "from" | "by" | "until" | "till" | "to" | "through" if is_foreign => {
                return Err("the summary says when a state came or goes, and the output does not".to_owned());
            }
            _ => None,
        };
        Ok(role)
    }

    /// The state that is said right before a place.
    fn state_before(&self, at: Option<usize>) -> Option<String> {
        let at = at?;
        let mut states = self.mentions.iter().filter(|other| matches!(other.what, What::State { .. }));
        let state = states.find(|other| other.range.end == at)?;
        let words: Vec<&str> = self.tokens.get(state.range.clone())?.iter().map(|token| token.fold.as_str()).collect();
        Some(words.join(" "))
    }

    fn money(&self) -> Option<Role> {
        let is_money = |field: &Field| !field.currency.is_empty();
        let fields = self.facts.fields.iter().filter(|field| is_money(field)).count();
        let cue = self.cue(&is_money).filter(|_| fields > 1)?;
        let fold = self.fold(Some(cue)).to_owned();
        Some(Role { cue: Vec::new(), fields: self.fields(&|field| is_money(field) && is_cue(field, &fold)) })
    }

    /// The nearest word before the value that names a field, or the nearest behind it; another value of the sort ends the search.
    fn cue(&self, is_one: &dyn Fn(&Field) -> bool) -> Option<usize> {
        let is_like = |at: usize| {
            let mut others = self.mentions.iter().filter(|other| other.range.contains(&at));
            others.any(|other| std::mem::discriminant(&other.what) == std::mem::discriminant(&self.mention.what))
        };
        let names = |at: &usize| {
            let fold = self.fold(Some(*at));
            self.facts.fields.iter().any(|field| is_one(field) && is_cue(field, fold))
        };
        let start = self.mention.range.start;
        let before = (start.saturating_sub(CUE_TOKENS_MAX)..start).rev().take_while(|at| !is_like(*at));
        let end = self.mention.range.end;
        let is_going_on = |at: &usize| !is_like(*at) && self.tokens.get(*at).is_some_and(|token| !parts(token));
        before.into_iter().find(&names).or_else(|| (end..end + 4).take_while(is_going_on).find(&names))
    }
}
