//! A sentence of the claim and the evidence's sentences that say the same of something → whether it is said of the same.
//!
//! Invariant: only what is said nearly word for word is compared, and only where the claim's subject is known from another
//! place of the evidence. Another word for the same thing is left to the judge: a pronoun, a name beside a description with
//! "the", or subjects that share their head or a number.

use std::{collections::BTreeSet, ops::Range};

use super::{
    case::{Case, Outcome},
    finding::Check,
};
use crate::reading::{
    Sentence,
    token::{Joint, Token},
};

/// Verbs a subject stands before.
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "can", "could", "may", "might", "must", "will", "would", "shall",
    "should", "does", "do", "did",
];
/// Words after which a subject is only described.
const DESCRIBING: &[&str] = &[
    "of", "in", "on", "at", "for", "from", "with", "without", "during", "by", "to", "between", "under", "over", "after",
];
/// Words a sentence opens with before it comes to its subject.
const OPENING: &[&str] = &[
    "in",
    "on",
    "at",
    "after",
    "before",
    "during",
    "for",
    "from",
    "by",
    "with",
    "without",
    "since",
    "when",
    "if",
    "while",
    "although",
    "though",
    "as",
    "to",
    "under",
    "until",
    "because",
    "however",
    "also",
    "then",
    "therefore",
    "moreover",
];
/// Words that stand for something else, or for nothing; whatever they are part of is no subject to compare.
const STAND_INS: &[&str] = &[
    "it", "he", "she", "they", "this", "that", "these", "those", "there", "who", "which", "what", "one", "we", "you",
    "i", "its", "their", "his", "her", "our",
];
/// Words that join what stands before them to another verb.
const JOINING: &[&str] = &["and", "but", "or", "also", "then"];
/// The share of what is said that must be the same.
const SAID_SHARE_MIN: f32 = 0.8;
const SAID_WORDS_MIN: usize = 2;
/// A longer part before the verb is no subject.
const SUBJECT_TOKENS_MAX: usize = 14;

/// A sentence's subject and where what is said of it begins.
struct Subject<'a> {
    words: Range<usize>,
    keys: Vec<&'a str>,
    head: &'a str,
    said_from: usize,
    sort: Sort,
}

/// How a subject is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// With "the": something that may be named elsewhere.
    Definite,
    /// By what looks like a name.
    Name,
    /// In any other way.
    Plain,
}

impl Subject<'_> {
    /// Whether the two may be the same thing in other words.
    fn may_be(&self, other: &Self) -> bool {
        let is_number = |key: &&&str| key.starts_with(|sign: char| sign.is_ascii_digit());
        let is_named = matches!((self.sort, other.sort), (Sort::Definite, Sort::Name) | (Sort::Name, Sort::Definite));
        is_named
            || self.keys.contains(&other.head)
            || other.keys.contains(&self.head)
            || self.keys.iter().filter(is_number).any(|key| other.keys.contains(key))
    }
}

/// Objects where the evidence says it of another subject, and of this one something else.
pub(super) fn check(case: &Case<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let Some(mine) = subject(case.claim) else { return outcome };
    if !mine.keys.iter().all(|key| case.holders.holds(key)) {
        return outcome;
    }
    let mut other: Option<String> = None;
    for alignment in &case.nearest {
        let Some(sentence) = case.evidence.get(alignment.sentence) else { continue };
        if !says_the_same(case.claim, &mine, sentence) {
            continue;
        }
        outcome.is_applied = true;
        // Of a pronoun nobody knows from one sentence what it stands for.
        let Some(theirs) = subject(sentence) else { return outcome };
        if mine.may_be(&theirs) || is_done_by(sentence, mine.head) {
            return outcome;
        }
        other.get_or_insert_with(|| sentence.words(&theirs.words));
    }
    if let Some(instead) = other {
        outcome.contradict(Check::Subjects, case.words(&mine.words), instead);
    }
    outcome
}

fn subject<'a>(sentence: &'a Sentence<'_>) -> Option<Subject<'a>> {
    let tokens = &sentence.tokens;
    let verb = tokens.iter().position(|token| VERBS.contains(&token.fold.as_str()))?;
    let before = tokens.get(..verb)?;
    // "In 1731, the channel was dug": what stands before the comma is no subject.
    let opens = before.first().is_some_and(|token| OPENING.contains(&token.fold.as_str()));
    let comma = before.iter().position(|token| token.joint == Joint::Comma).filter(|_| opens);
    let start = comma.unwrap_or(0);
    let named = before.get(start..)?;
    let stands_in = |token: &Token<'_>| STAND_INS.contains(&token.fold.as_str());
    // "Marsh fever spreads through water, and was": the verb is not the subject's first.
    let is_joined = named.last().is_some_and(|token| JOINING.contains(&token.fold.as_str()));
    if named.len() > SUBJECT_TOKENS_MAX || named.iter().any(stands_in) || is_joined {
        return None;
    }
    let is_end = |(at, token): (usize, &Token<'_>)| {
        at > 0 && (token.joint == Joint::Mark || DESCRIBING.contains(&token.fold.as_str()))
    };
    let end = named.iter().enumerate().position(is_end).unwrap_or(named.len());
    let head = named.get(..end)?.iter().rev().find(|token| token.is_content())?;
    let keys = named.iter().filter(|token| token.is_content()).map(|token| token.key.as_str()).collect();
    let sort = match named.first().map(|token| token.fold.as_str()) {
        Some("the") => Sort::Definite,
        _ if head.is_capital() => Sort::Name,
        _ => Sort::Plain,
    };
    Some(Subject { words: start..verb, keys, head: head.key.as_str(), said_from: verb + 1, sort })
}

/// Whether nearly every word of what the claim says stands in the sentence after its own verb.
fn says_the_same(claim: &Sentence<'_>, mine: &Subject<'_>, sentence: &Sentence<'_>) -> bool {
    let verb = sentence.tokens.iter().position(|token| VERBS.contains(&token.fold.as_str()));
    let Some(rest) = verb.and_then(|verb| sentence.tokens.get(verb + 1..)) else { return false };
    let said: Vec<&Token<'_>> = claim.tokens.iter().skip(mine.said_from).filter(|token| token.is_content()).collect();
    let rest: BTreeSet<&str> = rest.iter().map(|token| token.key.as_str()).collect();
    let held = said.iter().filter(|token| rest.contains(token.key.as_str())).count();
    #[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
    let share = held as f32 / said.len().max(1) as f32;
    held >= SAID_WORDS_MIN && share >= SAID_SHARE_MIN
}

/// Whether the sentence has it done by this one: "signed by the manager".
fn is_done_by(sentence: &Sentence<'_>, head: &str) -> bool {
    let by = sentence.tokens.iter().position(|token| token.fold == "by");
    by.and_then(|by| sentence.tokens.get(by..)).is_some_and(|after| after.iter().any(|token| token.key == head))
}
