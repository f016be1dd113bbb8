//! Passages of documents that do not hold → behind those that hold and answer as well.
//!
//! What was replaced says nearly the same as what replaced it, often in words that are nearer to the question. It is not left
//! out: where nothing that holds answers, it is all there is, and the answer says what it is.
//!
//! Invariant: nothing changes its place but a passage of a document that does not hold, and it never comes before one that it
//! yields to.

use std::cell::OnceCell;

use vouch_domain::{DocumentCard, ports::Reading};

use super::{Piece, duplicates::Shingles, rerank::Ranked};
use crate::{policy::JudgePolicy, resolve::is_in_force};

/// A judge this certain has found the answer, where no gate says how certain it must be.
const ANSWERS_AT_LEAST: f32 = 0.5;
/// A reading that is lower by no more than this finds the answer as surely.
const AS_SURE_WITHIN: f32 = 0.25;

/// A passage, as far as it matters here.
struct Standing<'a> {
    card: &'a DocumentCard,
    text: &'a str,
    part: usize,
    answerable: Option<f32>,
    /// What it says, made where it is compared and only once: a pool may hold many that are.
    shingles: OnceCell<Shingles>,
}

impl<'a> Standing<'a> {
    fn of_candidate(ranked: &Ranked<'a>) -> Self {
        let passage = &ranked.candidate.passage;
        Self {
            card: &passage.document,
            text: &passage.passage.text,
            part: ranked.candidate.part,
            answerable: answerable(ranked.reading),
            shingles: OnceCell::new(),
        }
    }

    fn of_piece(piece: &'a Piece) -> Self {
        let passage = &piece.passage;
        Self {
            card: &passage.document,
            text: &passage.passage.text,
            part: piece.part,
            answerable: answerable(piece.reading),
            shingles: OnceCell::new(),
        }
    }

    /// Whether what does not hold yields to this: it answers as surely; or nobody has read them, and it takes its place or
    /// says the same in nearly the same words.
    fn is_yielded_to_by(&self, other: &Self, at_least: Option<f32>, policy: &JudgePolicy) -> bool {
        if self.part != other.part || !is_in_force(self.card) {
            return false;
        }
        let at_least = at_least.unwrap_or(ANSWERS_AT_LEAST);
        match (self.answerable, other.answerable) {
            (Some(own), Some(others)) => own >= at_least.max(others - AS_SURE_WITHIN),
            (Some(own), None) => own >= at_least,
            (None, Some(_)) => false,
            (None, None) => takes_place(self.card, other.card) || self.is_like(other, policy),
        }
    }

    fn is_like(&self, other: &Self, policy: &JudgePolicy) -> bool {
        self.shingles().overlap(other.shingles()) > policy.duplicate_similarity
    }

    fn shingles(&self) -> &Shingles {
        self.shingles.get_or_init(|| Shingles::new(self.text))
    }
}

fn answerable(reading: Option<Reading>) -> Option<f32> {
    reading.map(|reading| reading.answerable)
}

/// Candidates, best first, those that do not hold behind the last of those they yield to.
pub(super) fn holding_first<'a>(
    ranked: Vec<Ranked<'a>>,
    at_least: Option<f32>,
    policy: &JudgePolicy,
) -> Vec<Ranked<'a>> {
    let standings: Vec<Standing<'a>> = ranked.iter().map(Standing::of_candidate).collect();
    let last_yielded_to = |own: &Standing<'_>| {
        standings.iter().rposition(|other| other.is_yielded_to_by(own, at_least, policy)).unwrap_or(0)
    };
    let places = standings.iter().enumerate().map(|(at, own)| match is_in_force(own.card) {
        true => (at, false),
        false => (at.max(last_yielded_to(own)), true),
    });
    let mut placed: Vec<((usize, bool), Ranked<'a>)> = places.zip(ranked).collect();
    // A stable sort: what yields to the same passage keeps its order.
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, ranked)| ranked).collect()
}

/// Takes note of the pieces that do not hold where one that does answers as well: they are not quoted.
pub(super) fn yield_to_holding(pieces: &mut [Piece], at_least: Option<f32>, policy: &JudgePolicy) {
    let yielding = yielding(pieces, at_least, policy);
    for (piece, yields) in pieces.iter_mut().zip(yielding) {
        piece.yields = yields;
        piece.may_answer &= !yields;
    }
}

/// For each piece, whether it would be quoted and yields to one that holds.
fn yielding(pieces: &[Piece], at_least: Option<f32>, policy: &JudgePolicy) -> Vec<bool> {
    let standings: Vec<Standing<'_>> = pieces.iter().filter(|piece| piece.may_answer).map(Standing::of_piece).collect();
    let yields = |own: &Standing<'_>| {
        !is_in_force(own.card) && standings.iter().any(|other| other.is_yielded_to_by(own, at_least, policy))
    };
    pieces.iter().map(|piece| piece.may_answer && yields(&Standing::of_piece(piece))).collect()
}

/// Whether a document is the one that another names in its place: by its address, its id or its title.
fn takes_place(card: &DocumentCard, other: &DocumentCard) -> bool {
    let Some(successor) = &other.superseded_by else { return false };
    let name = successor.as_str();
    card.address.as_ref().is_some_and(|own| own.key() == successor.key())
        || card.id.as_str() == name
        || card.title.eq_ignore_ascii_case(name)
}
