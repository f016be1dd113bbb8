//! A sentence of a summary → whether its leftover words may stand where they do.
//!
//! Invariant: a denial is of what the output has not; every other leftover is of the vocabulary, or harmless in its place.

use super::{facts::Says, mention::What, scan::Scan};
use crate::reading::token::Joint;

impl Scan<'_, '_> {
    /// "No end date" where there is none, "no invoices" where there are none.
    pub(super) fn denials(&mut self) {
        for at in (0..self.tokens.len()).filter(|at| self.is_left(*at)).collect::<Vec<_>>() {
            if !matches!(self.fold(at), "no" | "not" | "without" | "nothing" | "none") {
                continue;
            }
            let thing = if matches!(self.fold(at + 1), "a" | "an" | "any") { at + 2 } else { at + 1 };
            let absent: Vec<_> = self.facts.fields.iter().filter(|field| !field.is_there).collect();
            let mut end = thing;
            while absent.iter().any(|field| self.is_left(end) && field.is_called(self.fold(end))) {
                end += 1;
            }
            if end > thing {
                self.take(&(at..end));
            } else if self.facts.is_nothing() {
                let is_lone = matches!(self.fold(at), "nothing" | "none") || self.fold(thing) == "found";
                let is_noun = self.tokens.get(thing).is_some_and(|token| {
                    let is_row = self.facts.groups.iter().any(|group| group.nouns.contains(&token.key));
                    is_row || self.vocabulary.is_own_word(token)
                });
                if is_lone || is_noun {
                    self.take(&(at..at + 1));
                    self.take(&(thing.saturating_sub(1)..thing));
                }
            }
        }
    }

    /// Words that say something of their own but not where they stand: "we have opened", "have had", "about invoice …",
    /// "every month", "no. INV-1", "an answer within 5 days", "asked for 8.30 back", the total of one bill.
    fn is_harmless(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |before| self.fold(before));
        let starts = |is_one: &dyn Fn(&What) -> bool, start: usize| {
            self.mentions.iter().any(|other| other.range.start == start && is_one(&other.what))
        };
        match self.fold(at) {
            "we" | "i" => {
                let skip = usize::from(matches!(self.fold(at + 1), "have" | "has" | "can"));
                is_done_by_us(self.fold(at + 1 + skip))
                    || matches!(self.fold(at + 1 + skip), "found" | "looked" | "pulled" | "see" | "show")
            }
            "can" => matches!(before, "we" | "i") && self.fold(at + 1) == "see",
            // "All but one" is another thing than ", but one".
            "but" => self.tokens.get(at).is_some_and(|token| matches!(token.joint, Joint::Comma | Joint::Mark)),
            "right" => self.fold(at + 1) == "now",
            "falls" => self.fold(at + 1) == "due",
            "payment" => matches!(self.fold(at + 1), "date" | "deadline" | "due"),
            "pulled" | "looked" => matches!(before, "i" | "we" | "i've" | "we've") && self.fold(at + 1) == "up",
            "up" => matches!(before, "pulled" | "looked"),
            "i've" | "we've" => {
                is_done_by_us(self.fold(at + 1)) || matches!(self.fold(at + 1), "pulled" | "looked" | "found")
            }
            "time" => before == "this" && at.checked_sub(2).is_some_and(|at| self.fold(at) == "at"),
            "had" => matches!(before, "have" | "has" | "you've"),
            "about" => {
                let is_thing = self.tokens.get(at + 1).is_some_and(|next| self.vocabulary.is_own_word(next));
                is_thing || self.fold(at + 1) == "your" || starts(&|what| *what == What::Code, at + 1)
            }
            "each" | "every" => {
                self.fold(at + 1) == "month" && self.vocabulary.allows(&self.tokens, at + 1, &|at| self.is_left(at))
            }
            "no" => starts(&|what| *what == What::Code, at + 1),
            "within" => {
                let is_answer = matches!(before, "answer" | "reply" | "response" | "decision");
                is_answer && starts(&|what| *what == What::Number, at + 1)
            }
            "answer" | "reply" | "response" | "decision" => self.fold(at + 1) == "within",
            "month" => self.fold(at + 1) == "of" && starts(&|what| matches!(what, What::Date { .. }), at + 2),
            "only" | "just" => starts(&|what| matches!(what, What::Count(_)), at + 1),
            "already" => {
                let skip = usize::from(self.fold(at + 1) == "been");
                starts(&|what| matches!(what, What::State { .. }), at + 1 + skip)
            }
            "altogether" => self.counts_alone(),
            "back" => (0..at).any(|at| matches!(self.fold(at), "asked" | "claimed" | "requested")),
            "total" if self.counts_alone() => true,
            "total" | "totals" => {
                self.facts.rows == 1 && self.facts.values.iter().any(|fact| matches!(fact.says, Says::Money(_)))
            }
            _ => false,
        }
    }

    /// Whether the sentence counts rows and tells no amount.
    fn counts_alone(&self) -> bool {
        let is_count = self.mentions.iter().any(|other| matches!(other.what, What::Count(_)));
        is_count && self.mentions.iter().all(|other| other.what != What::Money)
    }

    /// Refuses the first token that nothing accounts for.
    pub(super) fn leftovers(&self) -> Result<(), String> {
        for at in (0..self.tokens.len()).filter(|at| self.is_left(*at)) {
            let is_as_is = self.fold(at) == "as" && matches!(self.fold(at + 1), "is" | "are" | "was" | "were" | "well");
            if is_as_is || !self.is_harmless(at) && !self.vocabulary.allows(&self.tokens, at, &|at| self.is_left(at)) {
                return Err(self.refuse(&(at..at + 1)));
            }
        }
        Ok(())
    }
}

/// What is done on this side of the desk; a bill is paid on the other.
fn is_done_by_us(state: &str) -> bool {
    matches!(
        state,
        "opened" | "created" | "filed" | "logged" | "registered" | "submitted" | "approved" | "declined" | "rejected"
    )
}
