//! A passage and the question → what its relevance gains for a product that both name, and for a section title whose words
//! the question has.
//!
//! Invariant: a boost moves the relevance that gates read, never the measured cosine nor the floors; it is never negative, and
//! relevance stays within 1.

use std::collections::BTreeSet;

use vouch_domain::{
    StoredPassage,
    language::{find_words, key_terms, terms},
};

use crate::{policy::BoostPolicy, retrieve::Similarity};

/// What the passages of one question gain.
pub(super) struct Boosts<'a> {
    policy: &'a BoostPolicy,
    /// The products that the question names, folded.
    named: Vec<String>,
    /// The question's terms.
    asked: BTreeSet<String>,
}

impl<'a> Boosts<'a> {
    pub(super) fn new(question: &str, policy: &'a BoostPolicy) -> Self {
        let mut boosts = Self { policy, named: Vec::new(), asked: BTreeSet::new() };
        if policy.name > 0.0 && !policy.names.is_empty() {
            let question = folded(question);
            let names = policy.names.iter().map(|name| folded(name));
            boosts.named = names.filter(|name| find_words(&question, name).is_some()).collect();
        }
        if policy.section > 0.0 {
            boosts.asked = terms(question).into_iter().collect();
        }
        boosts
    }

    /// What a passage gains.
    pub(super) fn of(&self, stored: &StoredPassage) -> f32 {
        let name = if self.is_named_in(stored) { self.policy.name } else { 0.0 };
        let section = if self.is_under_asked_title(stored) { self.policy.section } else { 0.0 };
        name + section
    }

    /// Whether a product that the question names stands in the passage or in a heading above it.
    fn is_named_in(&self, stored: &StoredPassage) -> bool {
        if self.named.is_empty() {
            return false;
        }
        let texts = stored.passage.section.iter().chain([&stored.passage.text]);
        texts.map(|text| folded(text)).any(|text| self.named.iter().any(|name| find_words(&text, name).is_some()))
    }

    /// Whether the question has every word that carries the meaning of the passage's section title.
    fn is_under_asked_title(&self, stored: &StoredPassage) -> bool {
        if self.asked.is_empty() {
            return false;
        }
        let title = stored.passage.section.last().map(|title| key_terms(title)).unwrap_or_default();
        !title.is_empty() && title.iter().all(|term| self.asked.contains(term))
    }
}

/// A similarity with a boost: the cosine stays as it was measured.
pub(super) fn boosted(similarity: Similarity, boost: f32) -> Similarity {
    Similarity { relevance: (similarity.relevance + boost).min(1.0).max(similarity.relevance), ..similarity }
}

/// A text in lower case, with single spaces.
fn folded(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{find_words, folded};

    #[test]
    fn a_name_stands_as_whole_words_in_any_case() {
        for (text, name, is_held) in [
            ("Does Tarn Mail keep drafts?", "tarn mail", true),
            ("does TARN\n  MAIL keep drafts", "Tarn Mail", true),
            ("Tarn Mailbox", "Tarn Mail", false),
            ("A Starn Mail", "Tarn Mail", false),
            ("(Tarn Mail)", "Tarn Mail", true),
            ("Tarn Mailbox and Tarn Mail", "Tarn Mail", true),
            ("C++ and C", "C++", true),
            ("anything", "", false),
        ] {
            assert_eq!(find_words(&folded(text), &folded(name)).is_some(), is_held, "{text:?}, {name:?}");
        }
    }
}
