//! The words of a clause → runs of them, each of one class.

use super::{
    proposal::{Proposal, is_typo},
    tokens::Word,
    words::{Class, PHRASES, among},
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
        self.words.len() == 1 && texts.contains(&self.text())
    }

    /// Whether it is a word of a list.
    pub(super) fn is_among(&self, list: &str) -> bool {
        self.words.len() == 1 && among(list, self.text())
    }

    /// Whether it is this phrase.
    pub(super) fn says(&self, phrase: &str) -> bool {
        self.words.iter().map(|word| word.text.as_str()).eq(phrase.split(' '))
    }

    /// Whether it ends with this word.
    pub(super) fn ends(&self, text: &str) -> bool {
        self.words.last().is_some_and(|word| word.text == text)
    }

    /// Its first word.
    pub(super) fn text(&self) -> &str {
        self.words.first().map_or("", |word| word.text.as_str())
    }
}

/// Whether some of them are of a class.
pub(super) fn holds(items: &[Item<'_>], class: Class) -> bool {
    items.iter().any(|item| item.class == class)
}

/// The words of a clause by class: what was proposed first where it may stand for itself, then the longest phrase that fits.
pub(super) fn items<'a>(words: &'a [Word], proposal: &Proposal) -> Vec<Item<'a>> {
    let (mut items, mut at) = (Vec::new(), 0);
    while let Some(first) = words.get(at) {
        let rest = words.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let (class, length, is_spelt) = listed(rest);
        // A word that is listed is itself, whatever word of the proposal it resembles.
        let is_listed = class != Class::Unknown && is_spelt;
        let (act, echo) = (proposal.act_at(rest, is_listed), proposal.echo_at(rest, before, is_listed));
        let is_weak =
            matches!(class, Class::Unknown | Class::Urgent | Class::News | Class::Change | Class::Beyond | Class::Keep);
        let is_word =
            matches!(class, Class::Refusal | Class::Recall | Class::Hold | Class::Filler | Class::Polite | Class::Ok);
        let may_echo = is_weak || (is_word && length == 1);
        let is_object = || {
            items.last().is_some_and(|item: &Item<'_>| item.class == Class::Act)
                && among("them him her", &first.text)
                && rest.get(1).is_none_or(|next| among("please pls both now", &next.text))
        };
        let is_echo = echo > 0 && may_echo && !matches!(class, Class::Filler | Class::Ok) && length <= echo;
        let (class, length) = if act > 0 && (may_echo || act > length) {
            (Class::Act, act)
        } else if is_echo {
            (Class::Echo, echo)
        } else if is_object() {
            (Class::Filler, 1)
        } else {
            (class, length)
        };
        items.push(Item { class, words: rest.get(..length).unwrap_or_default() });
        at += length;
    }
    items
}

/// The class of the longest phrase that begins here, and whether it is spelt so, which comes before one that only resembles it.
fn listed(rest: &[Word]) -> (Class, usize, bool) {
    let longest = |is_word: fn(&Word, &str, Class) -> bool| {
        let mut best: Option<(Class, usize)> = None;
        for (class, parts) in PHRASES.iter() {
            let (parts, is_last) = match parts.as_slice() {
                [parts @ .., "$"] => (parts, true),
                parts => (parts, false),
            };
            let fits = |(at, part): (usize, &&str)| rest.get(at).is_some_and(|word| is_word(word, part, *class));
            let is_longer = best.is_none_or(|(_, length)| parts.len() > length);
            if is_longer && (!is_last || rest.len() == parts.len()) && parts.iter().enumerate().all(fits) {
                best = Some((*class, parts.len()));
            }
        }
        best
    };
    let spelt = longest(|word, part, _| word.text == part).map(|(class, length)| (class, length, true));
    let resembling = || longest(resembles).map(|(class, length)| (class, length, false));
    spelt.or_else(resembling).unwrap_or((Class::Unknown, 1, true))
}

/// Whether a word is this one with letters drawn out or mistyped, where much depends on it.
fn resembles(word: &Word, part: &str, class: Class) -> bool {
    let said = word.text.as_str();
    let may_err = matches!(
        class,
        Class::Yes
            | Class::Ok
            | Class::Polite
            | Class::No
            | Class::Not
            | Class::Refusal
            | Class::Recall
            | Class::Objection
            | Class::Command
    );
    let is_plural = said.strip_suffix('s') == Some(part) || part.strip_suffix('s') == Some(said);
    let is_drawn = || said.len() > part.len() && single(said) == single(part) && single(said).len() >= 2;
    may_err && (said == part || is_drawn() || (is_typo(said, part) && !is_plural))
}

/// Without letters that repeat the one before.
fn single(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}
