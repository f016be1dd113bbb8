//! Pieces of a question with several parts → what they answer besides the part they were found for.
//!
//! A passage is read for the part it is nearest to. One that answers two parts would leave the other without an answer, so parts
//! that are still open, and every item of an enumeration, are read for in all the pieces.
//!
//! Invariant: a part counts as answered where the question of that part alone would be, and what was not read answers nothing.

use std::sync::Arc;

use vouch_domain::ports::{PassageJudge, Reading};

use super::{FurtherReading, Piece, constraints, floors, rerank};
use crate::{
    policy::{GatePolicy, JudgePolicy},
    understand::{EnumeratedItem, Understanding},
};

/// A part of the question that has no answer yet.
struct OpenPart {
    part: usize,
    question: String,
    /// Which of the things it is that the question enumerates, if it does.
    item: Option<EnumeratedItem>,
}

/// Has the judge read every piece for the parts that are open; says whether it came to the end in time. Where it fails or is late
/// they stay open.
pub(super) async fn read(
    understanding: &Understanding,
    pieces: &mut [Piece],
    judge: &Arc<dyn PassageJudge>,
    policy: &JudgePolicy,
) -> bool {
    let Some(at_least) = super::answering_at_least(policy) else { return true };
    let mut is_whole = true;
    let wait = async {
        for open in open_parts(understanding, pieces) {
            let places: Vec<usize> = (0..pieces.len())
                .filter(|place| pieces.get(*place).is_some_and(|piece| may_hold(piece, &open)))
                .take(policy.read_max)
                .collect();
            let passages = places.iter().filter_map(|place| pieces.get(*place));
            let passages: Vec<_> = passages.map(|piece| rerank::judged(&piece.passage)).collect();
            if passages.is_empty() {
                continue;
            }
            let readings = judge.read(&open.question, passages, policy.read_timeout).await?;
            is_whole &= readings.iter().all(Option::is_some);
            for (place, reading) in places.into_iter().zip(readings) {
                let (Some(piece), Some(reading)) = (pieces.get_mut(place), reading) else { continue };
                if reading.answerable >= at_least && holds_what_is_named(piece, &open, reading, policy) {
                    piece.further.push(FurtherReading { part: open.part, reading });
                }
            }
        }
        Ok::<(), vouch_domain::PortError>(())
    };
    match tokio::time::timeout(policy.read_timeout, wait).await {
        Ok(Ok(())) => is_whole,
        Ok(Err(error)) => {
            tracing::warn!(fault = error.fault.as_str(), "the judge failed on parts of the question");
            false
        }
        Err(_) => {
            tracing::warn!("the judge did not read for all parts of the question in time");
            false
        }
    }
}

/// The parts of a question with several that no piece answers, and all items of an enumeration.
fn open_parts(understanding: &Understanding, pieces: &[Piece]) -> Vec<OpenPart> {
    let questions = understanding.questions();
    if questions.len() > 1 {
        let is_open = |(part, _): &(usize, &str)| !pieces.iter().any(|piece| piece.part == *part && piece.may_answer);
        let open = questions.into_iter().enumerate().filter(is_open);
        let open = open.map(|(part, question)| OpenPart { part, question: question.to_owned(), item: None });
        return open.collect();
    }
    let items = (1..).zip(understanding.enumeration());
    items.map(|(part, item)| OpenPart { part, question: item.question.clone(), item: Some(item) }).collect()
}

/// Whether a piece is worth reading for a part: one that the judge has not reached is not, nor one that was read for it.
fn may_hold(piece: &Piece, open: &OpenPart) -> bool {
    piece.reading.is_some() && piece.part != open.part && open.item.as_ref().is_none_or(|item| speaks_of(piece, item))
}

/// Whether a piece speaks of what is asked, and of this item unless it names none: what holds for all holds for each, and
/// what is said of the others does not.
fn speaks_of(piece: &Piece, item: &EnumeratedItem) -> bool {
    let held = floors::terms_of(piece);
    let holds = |terms: &[String]| terms.iter().any(|term| held.contains(term));
    (item.asked_terms.is_empty() || holds(&item.asked_terms)) && (holds(&item.terms) || !holds(&item.other_terms))
}

fn holds_what_is_named(piece: &Piece, open: &OpenPart, reading: Reading, policy: &JudgePolicy) -> bool {
    !policy.gates.contains(&GatePolicy::Constraints) || constraints::unmet(&open.question, piece, reading).is_none()
}
