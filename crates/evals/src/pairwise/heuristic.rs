//! Two answers → a verdict without a model, to check the machinery by.
//!
//! Invariant: each answer is scored by itself, so that the order changes nothing. It reads no meaning and measures no quality.

use std::collections::BTreeSet;

use super::{
    pairing::{Known, Pair},
    reply::Reply,
    verdict::{Better, Scores, Verdict},
};
use crate::containment::containment;

/// What it is called.
pub const NAME: &str = "built-in heuristic";
/// An answer with more characters than this in one piece is hard to follow.
const PIECE_CHARS_MAX: usize = 600;
/// One with more than this is long.
const ANSWER_CHARS_MAX: usize = 2_400;

/// The verdict on a pair, with the answer of `a` first or second.
#[must_use]
pub fn verdict(pair: &Pair, is_a_first: bool) -> Verdict {
    let (a, b) = (scores(&pair.a, pair), scores(&pair.b, pair));
    let (first, second) = if is_a_first { (a, b) } else { (b, a) };
    let sum = |scores: &Scores| scores.each().iter().map(|score| u32::from(*score)).sum::<u32>();
    let better = match sum(&first).cmp(&sum(&second)) {
        std::cmp::Ordering::Greater => Better::First,
        std::cmp::Ordering::Less => Better::Second,
        std::cmp::Ordering::Equal => Better::Tie,
    };
    Verdict { first, second, better }
}

fn scores(reply: &Reply, pair: &Pair) -> Scores {
    Scores {
        faithfulness: faithfulness(reply),
        completeness: completeness(reply, pair),
        structure: structure(reply),
        balance: balance(reply),
    }
}

/// The share of its sentences that cite something that is quoted; who claims nothing claims nothing wrong.
fn faithfulness(reply: &Reply) -> u8 {
    if reply.refused {
        return 5;
    }
    let quoted: BTreeSet<u32> = reply.quotes.iter().map(|(marker, _)| *marker).collect();
    let is_cited = |markers: &&Vec<u32>| markers.iter().any(|marker| quoted.contains(marker));
    let cited = reply.claims.iter().filter(is_cited).count();
    if reply.claims.is_empty() { 1 } else { score(cited as f32 / reply.claims.len() as f32) }
}

/// The share of a known answer's words that it has; without one, of the question's.
fn completeness(reply: &Reply, pair: &Pair) -> u8 {
    match (&pair.known, reply.refused) {
        (Known::Unanswerable, true) => 5,
        (Known::Unanswerable, false) | (Known::Answers(_) | Known::Nothing, true) => 1,
        (Known::Answers(answers), false) => {
            let best = answers.iter().map(|gold| containment(gold, &reply.answer)).fold(0.0, f32::max);
            score(best)
        }
        (Known::Nothing, false) => score(containment(&pair.question, &reply.answer)),
    }
}

/// Neither empty, nor long, nor all in one piece.
fn structure(reply: &Reply) -> u8 {
    let longest = reply.answer.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let is_long = reply.answer.chars().count() > ANSWER_CHARS_MAX;
    match (longest, is_long) {
        (0, _) => 1,
        (1..=PIECE_CHARS_MAX, false) => 5,
        (1..=PIECE_CHARS_MAX, true) => 4,
        (_, false) => 3,
        (_, true) => 2,
    }
}

/// How many places it rests on.
fn balance(reply: &Reply) -> u8 {
    match reply.quotes.len() {
        0 => 2,
        1 => 3,
        2 => 4,
        _ => 5,
    }
}

/// A share as a score.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 5")]
fn score(share: f32) -> u8 {
    1 + (share.clamp(0.0, 1.0) * 4.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::verdict;
    use crate::pairwise::{
        pairing::{Known, Pair},
        reply::Reply,
        verdict::{Better, Verdict},
    };

    fn reply(answer: &str, claims: Vec<Vec<u32>>, refused: bool) -> Reply {
        let quotes = if refused { Vec::new() } else { vec![(1, "x".to_owned())] };
        Reply { id: "1".to_owned(), query: None, answer: answer.to_owned(), refused, quotes, claims, model: None }
    }

    fn judged(known: Known, a: Reply, b: Reply) -> Better {
        let pair = Pair { id: "1".to_owned(), question: "How tall is it?".to_owned(), known, a, b, is_a_first: true };
        let (one, other) = (verdict(&pair, true), verdict(&pair, false));
        assert_eq!((one.first, one.second), (other.second, other.first), "the order changes nothing");
        one.better
    }

    #[test]
    fn cited_sentences_known_answers_and_right_refusals_are_preferred() {
        let cited = || reply("It is tall.", vec![vec![1]], false);
        let uncited = || reply("It is tall.", vec![vec![1], vec![7]], false);
        let right = || reply("It is 3 m tall.", vec![vec![1]], false);
        let refusal = || reply("Nobody knows.", Vec::new(), true);
        assert_eq!(judged(Known::Nothing, cited(), uncited()), Better::First);
        assert_eq!(judged(Known::Answers(vec!["3 m".to_owned()]), cited(), right()), Better::Second);
        assert_eq!(judged(Known::Unanswerable, right(), refusal()), Better::Second);
        assert_eq!(judged(Known::Answers(vec!["3 m".to_owned()]), right(), refusal()), Better::First);
        assert_eq!(judged(Known::Nothing, cited(), cited()), Better::Tie);
    }

    #[test]
    fn scores_lie_between_one_and_five() {
        for answer in ["", "x", &"long ".repeat(1_000), &"line\n".repeat(1_000)] {
            for claims in [Vec::new(), vec![Vec::new()], vec![vec![1]; 9]] {
                let one = reply(answer, claims, false);
                let pair = Pair {
                    id: "1".to_owned(),
                    question: String::new(),
                    known: Known::Nothing,
                    a: one.clone(),
                    b: one,
                    is_a_first: true,
                };
                let Verdict { first, .. } = verdict(&pair, true);
                assert!(first.each().iter().all(|score| (1..=5).contains(score)), "{first:?}");
            }
        }
    }
}
