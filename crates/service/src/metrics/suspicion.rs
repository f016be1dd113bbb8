//! What askers do after a reply → which refusals and which answers were probably wrong.
//!
//! Nobody is asked: who puts the same question again in other words, and then gets an answer, should have had it the first
//! time; who asks for the same again after an answer, or says that it did not help, was not helped. These are estimates. A
//! request counts once, and nothing is kept but hashes of words, for a while.

use std::{
    collections::{BTreeSet, HashMap, VecDeque, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

use vouch_domain::language::key_terms;

/// How long a question belongs to the one before it, in milliseconds.
const BELONGS_MS: u64 = 5 * 60 * 1_000;
/// How far the clocks of servers may be apart, in milliseconds.
const CLOCKS_APART_MS: u64 = 30_000;
/// How many replies are remembered.
const REPLIES_MAX: usize = 4_096;
/// The share of words that makes a question one on the same matter, or the same question.
const SAME_MATTER: f64 = 0.5;
const SAME_QUESTION: f64 = 0.8;

/// A reply that was probably wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Suspicion {
    /// A refusal of what could have been answered.
    FalseRefusal,
    /// An answer that was none.
    Overconfidence,
}

/// A question and what became of it.
#[derive(Debug, Clone)]
pub(crate) struct Asked<'a> {
    /// The request.
    pub id: &'a str,
    /// Whose it is.
    pub asker: (&'a str, &'a str),
    /// What was asked.
    pub text: &'a str,
    /// Whether it was refused; else it was answered.
    pub is_refused: bool,
    /// When, in milliseconds.
    pub at_ms: u64,
}

#[derive(Debug)]
struct Remembered {
    words: BTreeSet<u64>,
    is_refused: bool,
    is_suspected: bool,
    at_ms: u64,
}

/// The latest replies and who got them.
#[derive(Debug, Default)]
pub(super) struct Suspicions {
    replies: HashMap<String, Remembered>,
    order: VecDeque<String>,
    latest: HashMap<u64, String>,
}

impl Suspicions {
    /// Remembers a reply; answers whether it makes the one before it a suspect.
    pub(super) fn asked(&mut self, asked: &Asked<'_>) -> Option<Suspicion> {
        let (who, words) = (hash(&asked.asker), words(asked.text));
        let before = self.latest.get(&who).and_then(|id| self.replies.get_mut(id));
        let found = before.and_then(|before| suspicion(before, asked, &words));
        self.remember(who, asked, words);
        found
    }

    /// What a reader's word makes of a reply.
    pub(super) fn rated(&mut self, id: &str, is_helpful: bool) -> Option<Suspicion> {
        let reply = self.replies.get_mut(id).filter(|reply| !is_helpful && !reply.is_suspected)?;
        reply.is_suspected = true;
        Some(if reply.is_refused { Suspicion::FalseRefusal } else { Suspicion::Overconfidence })
    }

    fn remember(&mut self, who: u64, asked: &Asked<'_>, words: BTreeSet<u64>) {
        let reply = Remembered { words, is_refused: asked.is_refused, is_suspected: false, at_ms: asked.at_ms };
        if self.replies.insert(asked.id.to_owned(), reply).is_none() {
            self.order.push_back(asked.id.to_owned());
        }
        // The trail of several servers is in the order in which entries arrived: what arrives late is not the latest.
        let latest = self.latest.get(&who).and_then(|id| self.replies.get(id));
        if latest.is_none_or(|latest| !is_before(asked.at_ms, latest.at_ms)) {
            self.latest.insert(who, asked.id.to_owned());
        }
        while self.order.len() > REPLIES_MAX {
            let Some(oldest) = self.order.pop_front() else { break };
            self.replies.remove(&oldest);
        }
        if self.latest.len() > REPLIES_MAX {
            let replies = &self.replies;
            self.latest.retain(|_, id| replies.contains_key(id));
        }
    }
}

fn suspicion(before: &mut Remembered, asked: &Asked<'_>, words: &BTreeSet<u64>) -> Option<Suspicion> {
    let is_late = asked.at_ms.saturating_sub(before.at_ms) > BELONGS_MS;
    if is_late || is_before(asked.at_ms, before.at_ms) || before.is_suspected {
        return None;
    }
    let shared = share(&before.words, words);
    let found = match (before.is_refused, asked.is_refused) {
        (true, false) if shared >= SAME_MATTER => Suspicion::FalseRefusal,
        (false, _) if shared >= SAME_QUESTION => Suspicion::Overconfidence,
        (true | false, _) => return None,
    };
    before.is_suspected = true;
    Some(found)
}

/// Whether one time lies before another, also where a server's clock has told each of them.
fn is_before(one_ms: u64, other_ms: u64) -> bool {
    other_ms.saturating_sub(one_ms) > CLOCKS_APART_MS
}

/// The share of all words of two questions that both have.
#[expect(clippy::cast_precision_loss, reason = "a question has few words")]
fn share(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 0.0 } else { one.intersection(other).count() as f64 / all as f64 }
}

fn words(text: &str) -> BTreeSet<u64> {
    key_terms(text).iter().map(hash).collect()
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{Asked, REPLIES_MAX, Suspicion, Suspicions};

    fn asked<'a>(id: &'a str, text: &'a str, is_refused: bool, at_ms: u64) -> Asked<'a> {
        Asked { id, asker: ("acme", "mira"), text, is_refused, at_ms }
    }

    #[test]
    fn who_is_answered_when_asking_again_was_wrongly_refused() {
        let mut seen = Suspicions::default();
        assert_eq!(seen.asked(&asked("a", "carry over unused leave", true, 0)), None);
        let again = asked("b", "carry unused leave", false, 1_000);
        assert_eq!(seen.asked(&again), Some(Suspicion::FalseRefusal));
        assert_eq!(seen.asked(&asked("c", "price of the ferry ticket", false, 2_000)), None, "another matter");
    }

    #[test]
    fn who_asks_the_same_again_was_not_helped() {
        let mut seen = Suspicions::default();
        seen.asked(&asked("a", "How long is parental leave?", false, 0));
        let again = asked("b", "how long is parental leave", false, 1_000);
        assert_eq!(seen.asked(&again), Some(Suspicion::Overconfidence));
        assert_eq!(seen.rated("a", false), None, "a reply is suspected once");
        assert_eq!(seen.rated("b", true), None);
        assert_eq!(seen.rated("b", false), Some(Suspicion::Overconfidence));
    }

    #[test]
    fn later_or_of_somebody_else_means_nothing() {
        let mut seen = Suspicions::default();
        seen.asked(&asked("a", "unused leave", true, 0));
        assert_eq!(seen.asked(&asked("b", "unused leave", false, 400_000)), None);
        seen.asked(&asked("c", "unused pay", true, 400_000));
        let other = Asked { asker: ("acme", "tomas"), ..asked("d", "unused pay", false, 400_001) };
        assert_eq!(seen.asked(&other), None);
    }

    #[test]
    fn what_arrives_late_belongs_to_nothing_that_was_asked_after_it() {
        let mut seen = Suspicions::default();
        seen.asked(&asked("a", "unused leave", true, 900_000));
        assert_eq!(seen.asked(&asked("b", "unused leave", false, 100_000)), None, "asked a quarter of an hour before");
        let again = asked("c", "unused leave", false, 901_000);
        assert_eq!(seen.asked(&again), Some(Suspicion::FalseRefusal), "the one before it is still the first");
        // Clocks of two servers need not agree.
        seen.asked(&asked("d", "unused pay", true, 950_000));
        assert_eq!(seen.asked(&asked("e", "unused pay", false, 940_000)), Some(Suspicion::FalseRefusal));
    }

    #[test]
    fn only_the_latest_are_remembered() {
        let mut seen = Suspicions::default();
        for number in 0..REPLIES_MAX + 10 {
            let (id, who) = (format!("r{number}"), format!("p{number}"));
            seen.asked(&Asked { asker: ("acme", &who), ..asked(&id, "leave", true, 0) });
        }
        assert_eq!((seen.replies.len(), seen.order.len()), (REPLIES_MAX, REPLIES_MAX));
        assert!(seen.latest.len() <= REPLIES_MAX + 1);
        assert_eq!(seen.rated("r0", false), None);
    }
}
