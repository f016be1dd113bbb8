//! A model's sentence that may not be shown → the sentence of the documents that it rests on, in its place.
//!
//! Invariant: what is shown here is a slice of a passage, whole sentences of it, and nothing is shown twice.

use std::{collections::BTreeSet, ops::Range, time::Duration};

use vouch_domain::{
    CharSpan,
    language::unit::least_unit,
    ports::{ClaimPair, SentenceRole, WrittenSentence},
};

use super::{
    PassedSentence, SAME_LINE, Verifier,
    checks::UnreadReason,
    line_lead,
    own_words::{self, Difference, OwnWords, SourceSentence, SourceText},
    verbatim,
};
use crate::{judge::Piece, reading::budget::Budget};

/// A sentence that holds this share of what a model wrote is what it wrote about.
const COVERED_AT_LEAST: f32 = 0.6;
/// Where words do not tell, a sentence that says it by the judge is.
const JUDGED_AT_LEAST: f32 = 0.5;
/// The sentence in which the judge sees the answer needs to hold only so much of it.
const ANSWER_COVERED_AT_LEAST: f32 = 0.2;

impl<'a> Verifier<'a> {
    /// What a sentence rests on in these passages, and whether its own words may stand for it. Late is the same as unread.
    pub(super) async fn own_words(&self, sentence: &str, pieces: &[&'a Piece]) -> OwnWords {
        let budget = Budget::default();
        let _cancels = budget.cancel_on_drop();
        let texts: Vec<(String, String)> =
            pieces.iter().map(|piece| (piece.passage.passage.text.clone(), heading(piece))).collect();
        let (claim, question, spent) = (sentence.to_owned(), self.question.to_owned(), budget.clone());
        let work = tokio::task::spawn_blocking(move || {
            let texts: Vec<SourceText<'_>> = texts.iter().map(|(text, heading)| SourceText { text, heading }).collect();
            own_words::read(&claim, &question, &texts, &spent)
        });
        let unread = || OwnWords {
            objection: Some(Difference::of_matter(UnreadReason::Late.sentence())),
            ..OwnWords::default()
        };
        tokio::time::timeout(self.policy.support_timeout, work).await.ok().and_then(Result::ok).unwrap_or_else(unread)
    }

    /// Shows what the sentence rests on, of the passages it cites or else of any; answers whether there is such a sentence.
    pub(super) async fn quote_source(&mut self, sentence: &str, cites: &[&'a Piece], begins_line: bool) -> bool {
        let all: Vec<&'a Piece> = self.evidence.pieces().iter().collect();
        let others: Vec<&'a Piece> =
            all.into_iter().filter(|piece| cites.iter().all(|cited| cited.marker != piece.marker)).collect();
        for pieces in [cites.to_vec(), others] {
            if pieces.is_empty() {
                continue;
            }
            let found = self.pointed_at(sentence, &pieces).await;
            let mut is_shown = false;
            for source in found {
                let Some(piece) = pieces.get(source.text) else { continue };
                is_shown = self.quote_at(piece, source.range.start, begins_line) || is_shown;
            }
            if is_shown {
                return true;
            }
        }
        false
    }

    /// By its words, else by the judge's reading of single sentences.
    async fn pointed_at(&self, sentence: &str, pieces: &[&'a Piece]) -> Vec<SourceSentence> {
        let own = self.own_words(sentence, pieces).await;
        if own.sources.first().is_some_and(|source| source.covered >= COVERED_AT_LEAST) {
            return own.sources;
        }
        if let Some(source) = self.judged_source(sentence, pieces, own.nearest).await {
            return vec![source];
        }
        // Freely put, it may still be about the sentence in which the judge sees the answer.
        self.answer_source(sentence, pieces).into_iter().collect()
    }

    fn answer_source(&self, sentence: &str, pieces: &[&'a Piece]) -> Option<SourceSentence> {
        let (piece, range) = self.answer_sentence(pieces)?;
        let text = pieces.iter().position(|known| known.marker == piece.marker)?;
        let words = piece.passage.passage.text.get(range.clone())?;
        let covered = own_words::share_held(sentence, words);
        (covered >= ANSWER_COVERED_AT_LEAST).then_some(SourceSentence { text, range, covered })
    }

    async fn judged_source(
        &self,
        sentence: &str,
        pieces: &[&'a Piece],
        nearest: Vec<SourceSentence>,
    ) -> Option<SourceSentence> {
        let judge = self.judge?;
        let words = |source: &SourceSentence| {
            pieces.get(source.text).and_then(|piece| piece.passage.passage.text.get(source.range.clone()))
        };
        let pairs: Vec<ClaimPair> = nearest
            .iter()
            .map(|source| ClaimPair {
                claim: sentence.to_owned(),
                evidence: words(source).unwrap_or_default().to_owned(),
            })
            .collect();
        let timeout: Duration = self.policy.support_timeout;
        let read = tokio::time::timeout(timeout * 2, judge.weigh(pairs, timeout)).await.ok()?.ok()?;
        let supported = read.into_iter().map(|support| support.map_or(0.0, |support| support.supported));
        let best = supported.zip(nearest).max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        (best.0 >= JUDGED_AT_LEAST).then_some(best.1)
    }

    /// Shows the sentence of a passage that begins at so many bytes, with what it takes to read it; answers whether there is one.
    pub(super) fn quote_at(&mut self, piece: &'a Piece, start: usize, begins_line: bool) -> bool {
        let text = &piece.passage.passage.text;
        let Some(unit) = least_unit(text, start) else { return false };
        let span = char_span(piece, &unit.answer);
        if self.is_shown(piece.marker, span) || self.show_answer_around(piece, span, begins_line) {
            return true;
        }
        let mut is_first = true;
        for (part, is_answer) in unit.parts() {
            let (Some(words), span) = (text.get(part.clone()), char_span(piece, part)) else { continue };
            if self.is_shown(piece.marker, span) {
                continue;
            }
            let role = if is_answer { SentenceRole::Answer } else { SentenceRole::Context };
            let sentence = WrittenSentence { text: words.to_owned(), markers: vec![piece.marker], role };
            let passed = PassedSentence { stands_in: true, ..PassedSentence::verbatim((piece, span)) };
            let opens_line = begins_line || words.starts_with('|');
            self.take(&sentence, Ok(passed), |verifier, place| match (is_first, opens_line) {
                (true, false) => SAME_LINE.to_owned(),
                (true, true) => line_lead(place),
                (false, _) => verifier.lead_in_document(place),
            });
            is_first = false;
        }
        true
    }

    fn is_shown(&self, marker: u32, span: CharSpan) -> bool {
        self.quoted.iter().any(|(piece, known)| *piece == marker && holds(*known, span))
    }

    /// Where a sentence that a model copied is of what the documents answer without it, that is shown; answers whether it is.
    pub(super) fn shows_answer_of(&mut self, passed: &PassedSentence<'a>, begins_line: bool) -> bool {
        let Some((piece, span)) = passed.places.first().copied() else { return false };
        self.is_shown(piece.marker, span) || self.show_answer_around(piece, span, begins_line)
    }

    /// Shows what the documents answer without a model of this passage, where the span is part of it; answers whether it is.
    fn show_answer_around(&mut self, piece: &'a Piece, span: CharSpan, begins_line: bool) -> bool {
        let own: Vec<WrittenSentence> =
            self.answer.iter().filter(|sentence| sentence.markers.contains(&piece.marker)).cloned().collect();
        let pieces = self.evidence.pieces();
        let is_around = |sentence: &WrittenSentence| {
            verbatim::find(sentence, pieces)
                .is_ok_and(|(found, whole)| found.marker == piece.marker && holds(whole, span))
        };
        if !own.iter().any(is_around) {
            return false;
        }
        self.show_answer(&own, begins_line);
        true
    }

    /// Shows sentences of what the documents answer without a model, those that are not shown yet.
    fn show_answer(&mut self, sentences: &[WrittenSentence], begins_line: bool) {
        let pieces = self.evidence.pieces();
        for (at, sentence) in sentences.iter().enumerate() {
            let found = match verbatim::find_heading(sentence, pieces) {
                Some(piece) => Ok(PassedSentence::heading(piece)),
                None => verbatim::find(sentence, pieces).map(PassedSentence::verbatim),
            };
            let Ok(passed) = found else { continue };
            let is_known = |(piece, span): &(&Piece, CharSpan)| self.is_shown(piece.marker, *span);
            if passed.is_verbatim && passed.places.iter().all(is_known) {
                continue;
            }
            let opens_line = begins_line || sentence.text.starts_with('|') || !passed.is_verbatim;
            let passed = PassedSentence { stands_in: true, ..passed };
            self.take(sentence, Ok(passed), |verifier, place| match (at, opens_line) {
                (0, false) => SAME_LINE.to_owned(),
                (0, true) => line_lead(place),
                (_, _) => verifier.lead_in_document(place),
            });
        }
    }

    /// Shows what the documents answer without a model before anything else.
    pub(crate) fn open_with_answer(&mut self) {
        let sentences = self.answer.clone();
        self.show_answer(&sentences, true);
    }

    /// Shows what the documents answer without a model, as far as neither it nor a model's own words for it are shown.
    pub(crate) fn complete(&mut self) {
        let answers: Vec<(u32, CharSpan)> = self
            .answer
            .iter()
            .filter(|sentence| sentence.role == SentenceRole::Answer)
            .filter_map(|sentence| verbatim::find(sentence, self.evidence.pieces()).ok())
            .map(|(piece, span)| (piece.marker, span))
            .collect();
        let is_said = |(marker, span): &(u32, CharSpan)| {
            self.said.iter().any(|(piece, said)| piece == marker && (holds(*span, *said) || holds(*said, *span)))
        };
        let open = answers.iter().filter(|answer| !is_said(answer)).map(|(marker, _)| *marker);
        let open: BTreeSet<u32> = open.collect();
        let sentences =
            self.answer.iter().filter(|sentence| sentence.markers.iter().any(|marker| open.contains(marker)));
        self.show_answer(&sentences.cloned().collect::<Vec<_>>(), true);
    }
}

/// The words above a passage.
fn heading(piece: &Piece) -> String {
    let title = std::iter::once(piece.passage.document.title.as_str());
    title.chain(piece.passage.passage.section.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

fn holds(whole: CharSpan, part: CharSpan) -> bool {
    whole.start <= part.start && part.end <= whole.end
}

/// Bytes of a passage's text, in the document's characters.
pub(super) fn char_span(piece: &Piece, range: &Range<usize>) -> CharSpan {
    let passage = &piece.passage.passage;
    let chars = |until: usize| passage.text.get(..until).map_or(0, |text| text.chars().count());
    CharSpan { start: passage.span.start + chars(range.start), end: passage.span.start + chars(range.end) }
}
