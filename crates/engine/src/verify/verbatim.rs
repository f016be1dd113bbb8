//! A sentence and the pieces it cites → where its characters stand in the document, or why they do not.
//!
//! Invariant: what is found begins where a sentence of the passage begins and ends where one ends; half a sentence can
//! say the opposite of the whole.

use std::ops::Range;

use vouch_domain::{
    CharSpan,
    language::{sentence_ranges, sentences::SENTENCE_BYTES_MAX},
    ports::{SentenceRole, WrittenSentence},
};

use crate::judge::Piece;

/// What a sentence ends with, or what closes it.
const ENDS: &[char] = &['.', '!', '?', ':', ';', '"', '\'', ')', ']', '”', '’', '»', '*', '_', '`', '|', '。'];

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

/// The cited piece that a heading of these very words stands over, for what is shown as context alone.
pub(super) fn find_heading<'a>(sentence: &WrittenSentence, pieces: &'a [Piece]) -> Option<&'a Piece> {
    let mut cited = pieces.iter().filter(|piece| sentence.markers.contains(&piece.marker));
    let is_over = |piece: &&Piece| piece.passage.passage.section.contains(&sentence.text);
    cited.find(is_over).filter(|_| sentence.role == SentenceRole::Context)
}

/// Whether the words stand in a text as one or more whole sentences.
pub(super) fn stands_in(text: &str, words: &str) -> bool {
    !words.is_empty() && whole_sentences(text, words).is_some()
}

/// The first place where the words stand as one or more whole sentences.
fn whole_sentences(passage: &str, words: &str) -> Option<usize> {
    let ranges = uncut(passage, sentence_ranges(passage));
    // The ranges are in order and apart, so their starts and ends are sorted.
    let mut places = passage.match_indices(words).map(|(at, _)| at);
    places.find(|at| {
        let end = at + words.len();
        let starts = ranges.binary_search_by_key(at, |range| range.start).is_ok();
        starts && ranges.binary_search_by_key(&end, |range| range.end).is_ok()
    })
}

/// The same ranges with the parts of a very long sentence, which is cut for its length alone, put together again.
fn uncut(passage: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut whole: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match whole.last_mut() {
            Some(last) if is_cut(passage, last, &range) => last.end = range.end,
            Some(_) | None => whole.push(range),
        }
    }
    whole
}

fn is_cut(passage: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    let is_long = first.len() > SENTENCE_BYTES_MAX / 2;
    let ends = passage.get(first.clone()).is_some_and(|text| text.ends_with(ENDS));
    let between = passage.get(first.end..second.start).unwrap_or_default();
    is_long && !ends && !between.contains('\n')
}
