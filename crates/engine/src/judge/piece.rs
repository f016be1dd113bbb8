//! One passage of the evidence: what it is, how near it is and what the judge made of it.

use vouch_domain::{StoredPassage, ports::Reading};

use crate::retrieve::Similarity;

/// One passage to answer from, under the number minted for it in this turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// Its number.
    pub marker: u32,
    /// The passage.
    pub passage: StoredPassage,
    /// How near it is in meaning.
    pub similarity: Similarity,
    /// What the judge made of it, if one has read it.
    pub reading: Option<Reading>,
    /// Which part of the question it was read for.
    pub part: usize,
    /// Whether only its kind's reserve let it in.
    pub is_reserve: bool,
    /// Whether it may be quoted as an answer: not if the judge has read it and found none in it, nor if it lacks what the
    /// question names.
    pub may_answer: bool,
    /// Whether it is of a document that does not hold, and a piece of one that does answers as well.
    pub yields: bool,
    /// What the question names and it does not hold, if it would answer otherwise.
    pub unmet: Option<String>,
    /// Parts of the question it answers beside the one it was read for.
    pub further: Vec<FurtherReading>,
}

/// A part of the question that a piece answers beside its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FurtherReading {
    /// Which part.
    pub part: usize,
    /// What the judge made of the piece for that part.
    pub reading: Reading,
}

impl Piece {
    /// A passage that was looked up by name: it needs no search and no reading.
    pub(super) fn looked_up(marker: u32, passage: StoredPassage) -> Self {
        let similarity = Similarity { cosine: None, relevance: 1.0 };
        Self {
            marker,
            passage,
            similarity,
            reading: None,
            part: 0,
            is_reserve: false,
            may_answer: true,
            yields: false,
            unmet: None,
            further: Vec::new(),
        }
    }

    /// What the judge made of it for every part it was read for with success, its own first.
    pub(super) fn readings(&self) -> impl Iterator<Item = Reading> {
        self.reading.into_iter().chain(self.further.iter().map(|further| further.reading))
    }

    /// Whether it answers a part of the question beside its own.
    pub(super) fn answers_further(&self, part: usize) -> bool {
        self.further.iter().any(|further| further.part == part)
    }
}
