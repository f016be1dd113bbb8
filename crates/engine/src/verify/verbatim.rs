//! A sentence and the pieces it cites → where its characters stand in the document, or why they do not.
//!
//! Invariant: what is found begins where a sentence of the passage begins and ends where one ends; half a sentence can
//! say the opposite of the whole.

use vouch_domain::{CharSpan, language::sentence_ranges, ports::WrittenSentence};

use crate::judge::Piece;

/// Why a sentence does not stand in what it cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotFound {
    Empty,
    CitesNothing,
    UnknownNumber,
    OtherWords,
}

impl NotFound {
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Empty => "it is empty",
            Self::CitesNothing => "it cites nothing",
            Self::UnknownNumber => "it cites a number that was never given",
            Self::OtherWords => "its words are not in the passage it cites",
        }
    }
}

pub(super) fn find<'a>(sentence: &WrittenSentence, pieces: &'a [Piece]) -> Result<(&'a Piece, CharSpan), NotFound> {
    if sentence.text.trim().is_empty() {
        return Err(NotFound::Empty);
    }
    if sentence.markers.is_empty() {
        return Err(NotFound::CitesNothing);
    }
    let mut cited = sentence.markers.iter().filter_map(|marker| pieces.iter().find(|piece| piece.marker == *marker));
    let mut is_known = false;
    let found = cited.find_map(|piece| {
        is_known = true;
        let passage = &piece.passage.passage;
        let at = whole_sentences(&passage.text, &sentence.text)?;
        let before = passage.text.get(..at)?.chars().count();
        let start = passage.span.start + before;
        Some((piece, CharSpan { start, end: start + sentence.text.chars().count() }))
    });
    match (found, is_known) {
        (Some(found), _) => Ok(found),
        (None, true) => Err(NotFound::OtherWords),
        (None, false) => Err(NotFound::UnknownNumber),
    }
}

/// Whether the words stand in a text as one or more whole sentences.
pub(super) fn stands_in(text: &str, words: &str) -> bool {
    !words.is_empty() && whole_sentences(text, words).is_some()
}

/// The first place where the words stand as one or more whole sentences.
fn whole_sentences(passage: &str, words: &str) -> Option<usize> {
    let ranges = sentence_ranges(passage);
    let mut places = passage.match_indices(words).map(|(at, _)| at);
    places.find(|at| {
        let end = at + words.len();
        ranges.iter().any(|range| range.start == *at) && ranges.iter().any(|range| range.end == end)
    })
}
