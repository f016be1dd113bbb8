//! Two files of replies → the pairs of answers to the same question, in the order of the first file.
//!
//! Invariant: both answers of a pair are to the same words, and which of them is shown first depends on the question's id alone.

use std::collections::BTreeMap;

use super::reply::{Replies, Reply};
use crate::golden::GoldenQuestion;

/// Two answers to one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The question's id, as JSON.
    pub id: String,
    /// The question.
    pub question: String,
    /// What is known of the right answer.
    pub known: Known,
    /// The answer of each version.
    pub a: Reply,
    /// The other.
    pub b: Reply,
    /// Whether the answer of `a` is shown first at first.
    pub is_a_first: bool,
}

/// What is known of the right answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    #[default]
    Nothing,
    /// Texts of which one should be in the answer.
    Answers(Vec<String>),
    /// That the documents do not answer it.
    Unanswerable,
}

/// The pairs, and what has no partner.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairing {
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// Replies of `a` without one of `b`.
    pub only_a: usize,
    /// Replies of `b` without one of `a`.
    pub only_b: usize,
}

/// Why replies cannot be paired.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// One id for two questions.
    #[error("the id {id} is used for two questions, {one:?} and {other:?}")]
    OtherQuestion {
        /// The id.
        id: String,
        /// The question at one place.
        one: String,
        /// The question at another.
        other: String,
    },
    /// An id without a question.
    #[error("no file has the question {id}; give the questions with --golden")]
    NoQuestion {
        /// The id.
        id: String,
    },
    /// No id in both files.
    #[error("no question has a reply in both files")]
    NoPair,
}

/// Pairs the replies of two files; `is_a_first` says by the question's id which answer is shown first.
///
/// # Errors
/// Fails if an id stands for two questions or for none, or no id is in both files.
pub fn pair(
    a: Replies,
    b: Replies,
    golden: &[GoldenQuestion],
    is_a_first: impl Fn(&str) -> bool,
) -> Result<Pairing, PairingError> {
    let id = |question: &GoldenQuestion| serde_json::Value::from(question.id.as_str()).to_string();
    let golden: BTreeMap<String, &GoldenQuestion> = golden.iter().map(|question| (id(question), question)).collect();
    let mut others: BTreeMap<String, Reply> = b.replies.into_iter().map(|reply| (reply.id.clone(), reply)).collect();
    let mut pairing = Pairing::default();
    for a in a.replies {
        let Some(b) = others.remove(&a.id) else {
            pairing.only_a += 1;
            continue;
        };
        let golden = golden.get(&a.id).copied();
        let question = question(&a, &b, golden)?;
        let (id, is_a_first) = (a.id.clone(), is_a_first(&a.id));
        pairing.pairs.push(Pair { id, question, known: golden.map(known).unwrap_or_default(), a, b, is_a_first });
    }
    pairing.only_b = others.len();
    if pairing.pairs.is_empty() { Err(PairingError::NoPair) } else { Ok(pairing) }
}

/// The question that all who say it say alike.
fn question(a: &Reply, b: &Reply, golden: Option<&GoldenQuestion>) -> Result<String, PairingError> {
    let mut said = [a.query.as_ref(), b.query.as_ref(), golden.map(|golden| &golden.query)].into_iter().flatten();
    let one = said.next().ok_or_else(|| PairingError::NoQuestion { id: a.id.clone() })?;
    match said.find(|other| *other != one) {
        None => Ok(one.clone()),
        Some(other) => Err(PairingError::OtherQuestion { id: a.id.clone(), one: one.clone(), other: other.clone() }),
    }
}

fn known(golden: &GoldenQuestion) -> Known {
    match (golden.answerable, golden.gold_answers.is_empty()) {
        (false, _) => Known::Unanswerable,
        (true, true) => Known::Nothing,
        (true, false) => Known::Answers(golden.gold_answers.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, PairingError, pair};
    use crate::{
        golden,
        pairwise::reply::{Replies, read},
    };

    fn replies(lines: &[(&str, &str)]) -> Replies {
        let line = |(id, query): &(&str, &str)| {
            format!(
                r#"{{"id":{id},"query":{query},"answer":"x","refused":false,"citations":[],"claims":[],"model_used":null}}"#
            ) + "\n"
        };
        read(&lines.iter().map(line).collect::<String>()).expect("replies")
    }

    #[test]
    fn replies_are_paired_by_id_in_the_order_of_the_first() {
        let a = replies(&[("2", "\"two\""), ("\"2\"", "\"text\""), ("1", "\"one\""), ("9", "\"nine\"")]);
        let b = replies(&[("1", "\"one\""), ("7", "\"x\""), ("2", "\"two\""), ("\"2\"", "null"), ("8", "\"y\"")]);
        let golden = golden::read("{\"id\":\"2\",\"query\":\"text\",\"answerable\":false}\n").expect("a set");
        let pairing = pair(a, b, &golden, |id| id == "1").expect("pairs");
        let pairs: Vec<_> =
            pairing.pairs.iter().map(|pair| (pair.id.as_str(), pair.question.as_str(), pair.is_a_first)).collect();
        assert_eq!(pairs, [("2", "two", false), ("\"2\"", "text", false), ("1", "one", true)]);
        assert_eq!((pairing.only_a, pairing.only_b), (1, 2));
        let known: Vec<&Known> = pairing.pairs.iter().map(|pair| &pair.known).collect();
        assert_eq!(known, [&Known::Nothing, &Known::Unanswerable, &Known::Nothing], "a number is no text");
    }

    #[test]
    fn an_id_stands_for_one_question() {
        let one = || replies(&[("\"q\"", "\"one\"")]);
        let silent = || replies(&[("\"q\"", "null")]);
        let golden = golden::read("{\"id\":\"q\",\"query\":\"one\",\"gold_answers\":[\"3\"]}\n").expect("a set");
        let outcome = |a, b, golden| pair(a, b, golden, |_| true);
        assert!(matches!(
            outcome(one(), replies(&[("\"q\"", "\"two\"")]), &[]),
            Err(PairingError::OtherQuestion { .. })
        ));
        assert!(matches!(
            outcome(silent(), replies(&[("\"q\"", "\"two\"")]), &golden),
            Err(PairingError::OtherQuestion { .. })
        ));
        assert!(matches!(outcome(silent(), silent(), &[]), Err(PairingError::NoQuestion { .. })));
        assert_eq!(outcome(one(), replies(&[("3", "\"one\"")]), &[]), Err(PairingError::NoPair));
        let known = outcome(silent(), silent(), &golden).expect("pairs").pairs.remove(0);
        assert_eq!((known.question.as_str(), known.known), ("one", Known::Answers(vec!["3".to_owned()])));
    }
}
