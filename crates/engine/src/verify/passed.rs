//! What became of one sentence: it may be shown, with what it rests on, or not, with why.

use vouch_domain::CharSpan;

use crate::judge::Piece;

/// A sentence that may be shown, and what it rests on.
pub(super) struct PassedSentence<'a> {
    pub(super) places: Vec<(&'a Piece, CharSpan)>,
    pub(super) score: f32,
    /// The share of its words that stand in what it cites.
    pub(super) overlap: f32,
    pub(super) checks: Vec<&'static str>,
    /// Whether it stands there character for character.
    pub(super) is_verbatim: bool,
    /// Whether it stands in for a model's own words.
    pub(super) stands_in: bool,
    /// The sentence of the documents that it says in other words, where that is known.
    pub(super) source: Option<(u32, CharSpan)>,
}

impl<'a> PassedSentence<'a> {
    /// A heading over a piece: it cites the piece and quotes nothing of its text.
    pub(super) fn heading(piece: &'a Piece) -> Self {
        let start = piece.passage.passage.span.start;
        let places = vec![(piece, CharSpan { start, end: start })];
        Self {
            places,
            score: 1.0,
            overlap: 1.0,
            checks: vec!["heading"],
            is_verbatim: false,
            stands_in: false,
            source: None,
        }
    }

    pub(super) fn verbatim(place: (&'a Piece, CharSpan)) -> Self {
        let (places, checks) = (vec![place], vec!["verbatim"]);
        Self { places, score: 1.0, overlap: 1.0, checks, is_verbatim: true, stands_in: false, source: None }
    }
}

/// A claim in other words that did not pass.
pub(super) struct Rejected {
    pub(super) reason: String,
    /// The share of its words that stand in what it cites.
    pub(super) overlap: f32,
    pub(super) score: f32,
    pub(super) checks: Vec<&'static str>,
    /// Whether it was read, no rule objects, and the judge finds it neither supported nor contradicted.
    pub(super) may_be_appealed: bool,
}

impl Rejected {
    /// A claim that rules and judge pass, and whose words are not those of its source.
    pub(super) fn of_wording(reason: &str, passed: PassedSentence<'_>) -> Self {
        let (overlap, score, checks) = (passed.overlap, passed.score, passed.checks);
        Self { reason: reason.to_owned(), overlap, score, checks, may_be_appealed: true }
    }
}
