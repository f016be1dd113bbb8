//! Start and end scores of a window's tokens → the likeliest span of the second text, and by how much it beats none.

use super::window::Window;

/// An answer is longer than this only where it is a whole passage.
const SPAN_TOKENS_MAX: usize = 40;

/// A span of tokens, in characters of the second text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AnswerSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The span's score over that of "no answer here".
    pub(super) margin: f32,
}

/// The best span that begins at or after a character; none if no token does.
pub(super) fn best(scores: &[f32], window: &Window, from_character: usize) -> Option<AnswerSpan> {
    let pairs: Vec<(f32, f32)> =
        scores.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
    let none: f32 = pairs.first().map(|(start, end)| start + end)?;
    let tokens: Vec<((f32, f32), (usize, usize))> = pairs
        .into_iter()
        .skip(window.second_at)
        .zip(window.characters.iter().copied())
        .filter(|(_, (start, _))| *start >= from_character)
        .collect();
    let mut best: Option<AnswerSpan> = None;
    for (at, ((start_score, _), (start, _))) in tokens.iter().enumerate() {
        for ((_, end_score), (_, end)) in tokens.iter().skip(at).take(SPAN_TOKENS_MAX) {
            let margin = start_score + end_score - none;
            if best.is_none_or(|known| margin > known.margin) {
                best = Some(AnswerSpan { start: *start, end: *end, margin });
            }
        }
    }
    best.filter(|found| found.margin.is_finite() && found.start < found.end)
}
