//! Pieces → the parts of a question, and the things it asks the same of, that the judge found no answer for.

use super::Piece;
use crate::understand::{EnumeratedItem, Understanding};

/// The parts of a question with several for which no passage reaches the gate's figure.
pub(super) fn parts(understanding: &Understanding, pieces: &[Piece], at_least: Option<f32>) -> Vec<String> {
    let parts = understanding.questions();
    let (Some(at_least), true) = (at_least, parts.len() > 1) else { return Vec::new() };
    let answers = |piece: &Piece| piece.may_answer && piece.reading.is_some_and(|one| one.answerable >= at_least);
    let is_answered =
        |part: usize| pieces.iter().any(|piece| (piece.part == part && answers(piece)) || piece.answers_further(part));
    let open = parts.iter().enumerate().filter(|(part, _)| !is_answered(*part));
    open.map(|(_, question)| (*question).to_owned()).collect()
}

/// The items of an enumeration for which the judge found no answer, where it found one for others.
pub(super) fn items(understanding: &Understanding, pieces: &[Piece]) -> Vec<EnumeratedItem> {
    let items = understanding.enumeration();
    let is_open = |part: usize| !pieces.iter().any(|piece| piece.answers_further(part));
    let open: Vec<EnumeratedItem> =
        (1..).zip(items.iter()).filter(|(part, _)| is_open(*part)).map(|(_, item)| item.clone()).collect();
    if open.len() < items.len() { open } else { Vec::new() }
}
