//! The words of a clause → runs of them, each of one class.

use super::{
    proposal::{Proposal, is_typo},
    tokens::Word,
    words::{Class, PHRASES},
};

/// Some words of a clause, of one class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) class: Class,
    pub(super) words: &'a [Word],
}

impl Item<'_> {
    /// Whether it is one of these words.
    pub(super) fn is(&self, texts: &[&str]) -> bool {
        self.words.first().is_some_and(|word| self.words.len() == 1 && texts.contains(&word.text.as_str()))
    }
}

/// The words of a clause by class: what was proposed first where it may stand for itself, then the longest phrase that fits.
pub(super) fn items<'a>(words: &'a [Word], proposal: &Proposal) -> Vec<Item<'a>> {
    let (mut items, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let (class, length) = listed(rest);
        let (act, echo) = (proposal.act_at(rest), proposal.echo_at(rest, before));
        let may_echo = match class {
            Class::Unknown | Class::Urgent | Class::News | Class::Change | Class::Beyond | Class::Wish => true,
            Class::Refusal | Class::Recall | Class::Hold | Class::Filler | Class::Polite | Class::Ok => length == 1,
            Class::Condition
            | Class::Yes
            | Class::Command
            | Class::No
            | Class::Not
            | Class::But
            | Class::Doubt
            | Class::Ask
            | Class::Echo
            | Class::Act => false,
        };
        let is_echo = echo > 0 && may_echo && !matches!(class, Class::Filler | Class::Ok) && length <= echo;
        let (class, length) = if act > 0 && (may_echo || act > length) {
            (Class::Act, act)
        } else if is_echo {
            (Class::Echo, echo)
        } else {
            (class, length)
        };
        items.push(Item { class, words: rest.get(..length).unwrap_or_default() });
        at += length;
    }
    items
}

/// The class of the longest phrase that begins here; one that is spelt so comes before one that only resembles it.
fn listed(rest: &[Word]) -> (Class, usize) {
    let longest = |is_word: fn(&Word, &str, Class) -> bool| {
        let mut best: Option<(Class, usize)> = None;
        for (class, parts) in PHRASES.iter() {
            let fits = |(at, part): (usize, &&str)| rest.get(at).is_some_and(|word| is_word(word, part, *class));
            let is_longer = best.is_none_or(|(_, length)| parts.len() > length);
            if is_longer && parts.iter().enumerate().all(fits) {
                best = Some((*class, parts.len()));
            }
        }
        best
    };
    longest(|word, part, _| word.text == part).or_else(|| longest(resembles)).unwrap_or((Class::Unknown, 1))
}

/// Whether a word is this one with letters drawn out or two of them exchanged, where much depends on it.
fn resembles(word: &Word, part: &str, class: Class) -> bool {
    let said = word.text.as_str();
    match class {
        Class::Yes
        | Class::Ok
        | Class::Polite
        | Class::No
        | Class::Not
        | Class::Refusal
        | Class::Recall
        | Class::Command => {
            let is_drawn = said.len() > part.len() && single(said) == single(part) && single(said).len() >= 2;
            said == part || is_drawn || (said.len() >= 3 && said.len() == part.len() && is_typo(said, part))
        }
        Class::Filler
        | Class::Urgent
        | Class::Hold
        | Class::Condition
        | Class::But
        | Class::Change
        | Class::Beyond
        | Class::Doubt
        | Class::Ask
        | Class::Wish
        | Class::News
        | Class::Echo
        | Class::Act
        | Class::Unknown => false,
    }
}

/// Without letters that repeat the one before.
fn single(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}
