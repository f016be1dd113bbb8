//! The writer that needs no model: it answers with units of the evidence, untouched.
//!
//! The judge leads: the passages it finds the answer in are taken in the order of its certainty, and in each the sentence it points at.
//! Words decide where it has not read or points at nothing.
//!
//! Invariant: everything written is a slice of the piece it cites or a heading over it, and of pieces that the judge found no answer in nothing is.

mod expectation;
mod heading;
mod sentence;

use std::ops::Range;

use async_trait::async_trait;
use vouch_domain::{
    PortError,
    language::{
        key_terms,
        unit::{Extent, Unit, unit},
    },
    ports::{Brief, BriefPiece, Generator, Manuscript, Purpose, SentenceRole, WrittenSentence},
};

use expectation::Expectation;
use sentence::{Scored, Weights};

/// How many units answer one part of a question at most.
const UNITS_MAX: usize = 2;
/// A further sentence must be at least this good, measured by the best one.
const GOOD_ENOUGH: f32 = 0.7;
/// A further passage must be read at least this surely, and nearly as surely as the best one.
const FURTHER_AT_LEAST: f32 = 0.6;
const FURTHER_WITHIN: f32 = 0.25;

/// A judge less certain than this of a passage points at nothing in it.
const POINTS_AT_LEAST: f32 = 0.2;

/// Answers with verbatim sentences.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

#[async_trait]
impl Generator for Extractive {
    fn name(&self) -> &str {
        "extractive"
    }

    async fn write(&self, brief: Brief) -> Result<Manuscript, PortError> {
        Ok(Manuscript { sentences: extract(&brief), model: self.name().to_owned() })
    }
}

fn extract(brief: &Brief) -> Vec<WrittenSentence> {
    let asked = key_terms(&brief.question);
    let expectation = Expectation::new(&brief.question);
    let sentences = sentence::all(brief);
    let weights = Weights::new(&sentences, &asked);
    let mut scored: Vec<Scored<'_>> =
        sentences.iter().map(|sentence| sentence::score(sentence, &asked, &weights, expectation)).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.sentence.place().cmp(&b.sentence.place())));
    let is_read = brief.pieces.iter().any(|piece| piece.reading.is_some());
    let chosen = if is_read { pointed_at(brief, &scored, &asked) } else { nearest_in_words(&scored) };
    let chosen = match brief.purpose {
        Purpose::Answer => in_order_of_documents(chosen),
        // What comes nearest comes first.
        Purpose::Nearest => chosen,
    };
    let asks_for_steps = expectation == Expectation::Steps;
    let mut written: Vec<WrittenSentence> = Vec::new();
    let mut units: Vec<(u32, Unit)> = Vec::new();
    for sentence in chosen {
        let Some(piece) = brief.pieces.iter().find(|piece| piece.marker == sentence.marker) else { continue };
        let own = sentence.start..sentence.start + sentence.text.len();
        let is_shown =
            |range: &Range<usize>| units.iter().any(|(marker, known)| *marker == piece.marker && known.overlaps(range));
        if is_shown(&own) {
            mark_answer(&mut written, sentence, brief.sentences_max);
            continue;
        }
        // The other rows of a table say nothing of the one that is asked for.
        let is_alone = sentence.is_row() && sentence.is_singled_out(&asked, &sentences);
        let extent = Extent { asks_for_steps, may_grow: units.is_empty() && !is_alone };
        let Some(unit) = unit(&piece.text, sentence.start, extent) else { continue };
        let room = brief.sentences_max.saturating_sub(written.len());
        let parts: Vec<(&Range<usize>, bool)> = unit.parts().filter(|(part, _)| !is_shown(part)).collect();
        // Where not all of it fits, the answer does without its context.
        let fitting = parts.iter().filter(|(_, is_answer)| *is_answer || parts.len() <= room).take(room);
        let turned = heading::turning(&piece.heading).filter(|heading| !says(&written, piece.marker, heading));
        written.extend(turned.map(|heading| WrittenSentence::context(heading, vec![piece.marker])));
        written.extend(fitting.filter_map(|(part, is_answer)| written_part(piece, part, *is_answer)));
        units.push((piece.marker, unit));
    }
    written
}

/// Makes an answer of a sentence that is shown already as context of another one, where there is room for the pieces.
fn mark_answer(written: &mut Vec<WrittenSentence>, sentence: &sentence::Sentence<'_>, sentences_max: usize) {
    let is_context =
        |one: &WrittenSentence| one.role == SentenceRole::Context && one.markers.contains(&sentence.marker);
    let holding = written.iter().enumerate().filter(|(_, one)| is_context(one));
    let found = holding.filter_map(|(at, one)| Some((at, one.text.split_once(sentence.text)?))).next();
    let Some((at, (before, after))) = found else { return };
    let markers = || vec![sentence.marker];
    let context =
        |text: &str| Some(WrittenSentence::context(text.trim(), markers())).filter(|one| !one.text.is_empty());
    let answer = Some(WrittenSentence::answer(sentence.text, markers()));
    let pieces: Vec<WrittenSentence> = [context(before), answer, context(after)].into_iter().flatten().collect();
    if written.len() + pieces.len() <= sentences_max + 1 {
        written.splice(at..=at, pieces);
    }
}

/// Whether these words are written already, under the same number.
fn says(written: &[WrittenSentence], marker: u32, words: &str) -> bool {
    written.iter().any(|sentence| sentence.text == words && sentence.markers.contains(&marker))
}

fn written_part(piece: &BriefPiece, part: &Range<usize>, is_answer: bool) -> Option<WrittenSentence> {
    let (text, markers) = (piece.text.get(part.clone())?, vec![piece.marker]);
    Some(if is_answer { WrittenSentence::answer(text, markers) } else { WrittenSentence::context(text, markers) })
}

/// The same sentences, those of a document together and those of one section in its order; the document and the section of the
/// best one come first. What stands further up in the document may have nothing to do with it.
fn in_order_of_documents<'a>(mut chosen: Vec<&'a sentence::Sentence<'a>>) -> Vec<&'a sentence::Sentence<'a>> {
    let leading: Vec<(u32, &[String])> = chosen.iter().map(|one| (one.document, one.headings)).collect();
    chosen.sort_by_key(|sentence| {
        (
            leading.iter().position(|(document, _)| *document == sentence.document),
            leading.iter().position(|place| *place == (sentence.document, sentence.headings)),
            sentence.ordinal,
            sentence.start,
        )
    });
    chosen
}

/// For every part of the question the sentence that the judge points at in the passage it is surest of, and in a second one if
/// it is nearly as sure of that. A row of values in the second one has to have a word that is asked for: rows are alike, and a
/// judge is easily sure of the wrong one.
fn pointed_at<'a>(brief: &Brief, scored: &[Scored<'a>], asked: &[String]) -> Vec<&'a sentence::Sentence<'a>> {
    let certainty = |piece: &BriefPiece| piece.reading.map_or(0.0, |reading| reading.answerable);
    let mut pieces: Vec<&BriefPiece> = brief.pieces.iter().filter(|piece| piece.may_answer).collect();
    pieces.sort_by(|a, b| certainty(b).total_cmp(&certainty(a)));
    let mut chosen = Vec::new();
    for part in 0..brief.parts.max(1) {
        let own: Vec<&&BriefPiece> = pieces.iter().filter(|piece| piece.part == part).collect();
        let best = own.first().map_or(0.0, |piece| certainty(piece));
        let is_sure = |piece: &BriefPiece| certainty(piece) >= FURTHER_AT_LEAST.max(best - FURTHER_WITHIN);
        let is_further = |piece: &&&&BriefPiece| match brief.purpose {
            Purpose::Answer => brief.parts <= 1 && is_sure(piece),
            Purpose::Nearest => true,
        };
        let further = own.iter().skip(1).filter(is_further).take(UNITS_MAX - 1);
        for (place, piece) in own.iter().take(1).chain(further).enumerate() {
            let inside = |one: &&Scored<'_>| (one.sentence.marker, one.sentence.part) == (piece.marker, part);
            let pointed = scored.iter().filter(inside).find(|one| one.sentence.answers >= POINTS_AT_LEAST);
            let by_words = || scored.iter().filter(inside).find(|one| one.matched > 0.0);
            let found = pointed.or_else(by_words).map(|one| one.sentence);
            chosen.extend(found.filter(|sentence| place == 0 || !sentence.is_row() || sentence.speaks_of(asked)));
        }
    }
    chosen
}

/// The best sentence by its words, and another nearly as good that adds something asked for.
fn nearest_in_words<'a>(scored: &[Scored<'a>]) -> Vec<&'a sentence::Sentence<'a>> {
    let Some(best) = scored.first().filter(|best| best.matched > 0.0) else { return Vec::new() };
    let mut chosen = vec![best.sentence];
    let mut covered = best.terms.clone();
    for next in scored.iter().skip(1) {
        if chosen.len() >= UNITS_MAX || next.score < best.score * GOOD_ENOUGH {
            break;
        }
        let adds = next.terms.iter().any(|term| !covered.contains(term));
        let is_repeated = chosen.iter().any(|known| known.text == next.sentence.text);
        if adds && !is_repeated {
            covered.extend(next.terms.iter().cloned());
            chosen.push(next.sentence);
        }
    }
    chosen
}
