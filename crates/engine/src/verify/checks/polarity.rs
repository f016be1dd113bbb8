//! A sentence of the claim and the one it nearly copies → whether one denies what the other affirms.
//!
//! Invariant: only near copies are compared, and two turns cancel each other: "not allowed" is "forbidden".

use std::ops::Range;

use super::{
    alignment::{Alignment, Place},
    antonyms,
    case::{Case, Outcome},
    finding::Check,
};
use crate::reading::{
    Sentence,
    token::{Joint, Token},
};

/// From here on two sentences say the same but for what is compared here.
const COMPARED_FLOOR: f32 = 0.6;
/// A word may be checked against another so many tokens before the first match.
const LEAD_TOKENS: usize = 2;

/// A negation denies a word at most so far away.
const DENIED_TOKENS_MAX: usize = 5;

/// A word that turns a sentence, and what it stands against.
struct Turn {
    claim: Option<Range<usize>>,
    evidence: Option<Range<usize>>,
}

/// Objects where a near copy is turned an odd number of times.
pub(super) fn check(case: &Case<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let Some((best, sentence)) = case.best(COMPARED_FLOOR) else { return outcome };
    let opposites = opposites(case, best, sentence);
    let is_other_matter = is_of_another(case, best) || (is_conditional(sentence) && !is_conditional(case.claim));
    let denials = if is_other_matter { Vec::new() } else { denials(case, best, sentence, &opposites) };
    outcome.is_applied = true;
    let turn = match (denials.len() % 2, opposites.len()) {
        (0, 0) => None,
        (1, 0) => denials.first(),
        (1, 1) => None,
        (_, _) => opposites.first(),
    };
    if let Some(turn) = turn {
        let words = turn.claim.as_ref().map(|range| case.words(range)).unwrap_or_default();
        let instead = turn.evidence.as_ref().map(|range| sentence.words(range)).unwrap_or_default();
        outcome.contradict(Check::Polarity, words, instead);
    }
    outcome
}

/// Whether the claim names or counts something the sentence does not: then it may well deny what that affirms.
fn is_of_another(case: &Case<'_>, best: &Alignment) -> bool {
    case.claim.tokens.iter().enumerate().skip(1).any(|(at, token)| {
        let is_named = token.is_content() && (token.is_capital() || token.has_digit());
        is_named && !best.is_matched(at)
    })
}

/// Whether the sentence says what is so only under a condition.
fn is_conditional(sentence: &Sentence<'_>) -> bool {
    let mut tokens = sentence.tokens.iter();
    tokens.any(|token| matches!(token.fold.as_str(), "if" | "unless" | "either" | "whether"))
}

/// The negations that only one of the two has, where both speak of what is denied.
fn denials(case: &Case<'_>, best: &Alignment, sentence: &Sentence<'_>, opposites: &[Turn]) -> Vec<Turn> {
    let (claim, evidence) = (&case.claim.tokens, &sentence.tokens);
    let span = best.span();
    let around = span.start.saturating_sub(LEAD_TOKENS)..span.end + 1;
    let mut left: Vec<Range<usize>> = negations(evidence).filter(|range| around.contains(&range.start)).collect();
    let mut turns: Vec<Turn> = Vec::new();
    for mine in negations(claim) {
        let place = best.place(&mine);
        if let Some(at) = left.iter().position(|theirs| is_paired(best, &mine, theirs, place.as_ref())) {
            left.remove(at);
            continue;
        }
        let denied = denied(claim, &mine);
        let is_opposite =
            |at: usize| opposites.iter().any(|turn| turn.claim.as_ref().is_some_and(|range| range.contains(&at)));
        let is_spoken_of = denied.is_some_and(|at| best.is_matched(at) || is_opposite(at));
        if is_spoken_of && !is_hedge(claim, &mine) && !is_denied_elsewhere(case, best, denied) {
            turns.push(Turn { claim: Some(mine), evidence: None });
        }
    }
    for theirs in left {
        let denied = denied(evidence, &theirs);
        let is_matched = |at: usize| best.is_matched_there(at);
        let is_opposite =
            |at: usize| opposites.iter().any(|turn| turn.evidence.as_ref().is_some_and(|range| range.contains(&at)));
        if denied.is_some_and(|at| is_matched(at) || is_opposite(at)) && !is_hedge(evidence, &theirs) {
            turns.push(Turn { claim: None, evidence: Some(theirs) });
        }
    }
    turns
}

fn is_paired(best: &Alignment, mine: &Range<usize>, theirs: &Range<usize>, place: Option<&Place>) -> bool {
    let is_matched = mine.clone().any(|at| theirs.clone().any(|other| best.is_pair(at, other)));
    is_matched || place.is_some_and(|place| place.evidence.contains(&theirs.start))
}

/// The word that a negation denies: the next that carries a subject, or the one before where none follows.
fn denied(tokens: &[Token<'_>], negation: &Range<usize>) -> Option<usize> {
    let is_content = |at: &usize| tokens.get(*at).is_some_and(Token::is_content);
    let after = (negation.end..tokens.len().min(negation.end + DENIED_TOKENS_MAX)).find(is_content);
    let is_last = tokens.len() <= negation.end + 1;
    after.or_else(|| (0..negation.start).rev().take(DENIED_TOKENS_MAX).find(|at| is_last && is_content(at)))
}

/// "I am not sure", "whether or not": what is denied is no matter of the sentence.
fn is_hedge(tokens: &[Token<'_>], negation: &Range<usize>) -> bool {
    let fold = |at: usize| tokens.get(at).map_or("", |token| token.fold.as_str());
    let before = (0..negation.start).rev().take(3).map(fold);
    let after = negation.end..negation.end + 2;
    let is_mind = after.map(fold).any(|word| matches!(word, "sure" | "certain" | "know" | "think" | "idea" | "really"));
    let is_mine = negation.start == 0 || before.clone().any(|word| matches!(word, "i" | "im" | "i'm"));
    let is_answer = fold(negation.start) == "no" && negation.start == 0 && {
        let next = tokens.get(negation.end);
        next.is_some_and(|next| !matches!(next.joint, Joint::Space) || next.fold == "but")
    };
    (is_mind && is_mine)
        || is_answer
        || before.clone().take(2).any(|word| word == "or")
        || before.take(1).any(|word| word == "but")
}

/// Whether another sentence of the evidence denies the same word.
fn is_denied_elsewhere(case: &Case<'_>, best: &Alignment, word: Option<usize>) -> bool {
    let Some(word) = word.and_then(|at| case.claim.tokens.get(at)) else { return false };
    let near = case.nearest.iter().filter(|near| near.sentence != best.sentence);
    near.filter_map(|near| case.evidence.get(near.sentence)).any(|sentence| {
        negations(&sentence.tokens).any(|negation| {
            let denied = denied(&sentence.tokens, &negation).and_then(|at| sentence.tokens.get(at));
            denied.is_some_and(|denied| denied.key == word.key)
        })
    })
}

/// Where a list of tokens denies something.
fn negations<'t>(tokens: &'t [Token<'t>]) -> impl Iterator<Item = Range<usize>> + 't {
    (0..tokens.len()).filter_map(|at| {
        let fold = |at: usize| tokens.get(at).map_or("", |token| token.fold.as_str());
        let length = match (fold(at), fold(at + 1)) {
            ("not", "only" | "just" | "merely" | "least" | "until" | "necessarily") => return None,
            ("no", "doubt" | "less" | "fewer" | "more" | "later" | "earlier" | "matter" | "sooner" | "1") => {
                // "No more" and "no longer" end something; "no more than" counts.
                return (fold(at + 1) == "more" && fold(at + 2) != "than").then_some(at..at + 2);
            }
            ("no", "i" | "you" | "he" | "she" | "it" | "we" | "they" | "that" | "there" | "but") => return None,
            ("no", "longer") => 2,
            ("not", _) if is_closed_by_until(tokens, at) => return None,
            ("not" | "never" | "none" | "neither" | "nor" | "without" | "nobody" | "nothing" | "nowhere", _) => 1,
            ("no", _) if tokens.get(at).is_some_and(|token| token.raw != "No" || at == 0) => 1,
            ("fail" | "fails" | "failed" | "failing" | "refuse" | "refuses" | "refused", "to") => 2,
            ("lack" | "lacks" | "lacked" | "lacking" | "hardly" | "barely" | "scarcely", _) => 1,
            ("unable", "to") => 2,
            _ => return None,
        };
        Some(at..at + length)
    })
}

/// "Not … until" says when, not that it is not so.
fn is_closed_by_until(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.iter().skip(at + 1).take(8).any(|token| matches!(token.fold.as_str(), "until" | "till"))
}

/// "Must not" and "may not" forbid alike.
fn is_denied_modal(tokens: &[Token<'_>], at: usize) -> bool {
    let fold = |at: usize| tokens.get(at).map_or("", |token| token.fold.as_str());
    matches!(fold(at), "must" | "may") && matches!(fold(at + 1), "not" | "never")
}

/// Words of the claim that stand where the near copy has their opposite.
fn opposites(case: &Case<'_>, best: &Alignment, sentence: &Sentence<'_>) -> Vec<Turn> {
    let mut found = Vec::new();
    for (at, token) in case.claim.tokens.iter().enumerate() {
        if best.is_matched(at) || !antonyms::has_opposite(&token.fold) || is_denied_modal(&case.claim.tokens, at) {
            continue;
        }
        let Some(place) = best.place(&(at..at + 1)) else { continue };
        let there = place.evidence.clone().find(|other| {
            sentence.tokens.get(*other).is_some_and(|other| antonyms::are_opposite(&token.fold, &other.fold))
        });
        // An opposite that the claim also says beside its word is a contrast of both.
        let is_said = |other: usize| {
            let said = sentence.tokens.get(other).map(|other| &other.key);
            place.claim.clone().any(|at| case.claim.tokens.get(at).map(|token| &token.key) == said)
        };
        if let Some(other) = there.filter(|other| !is_said(*other)) {
            found.push(Turn { claim: Some(at..at + 1), evidence: Some(other..other + 1) });
        }
    }
    found
}
