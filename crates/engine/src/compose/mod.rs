//! Evidence → `Draft`: sentences a writer made from the evidence, not yet believed.
//!
//! Invariant: a draft never leaves the engine; only `verify` takes it.

pub mod budget;
pub mod markers;
pub mod model_writer;
pub mod notes;
pub mod outline;

use std::sync::Arc;

use vouch_domain::{
    Fault, PortError,
    language::sentence_ranges,
    ports::{Brief, BriefPiece, Generator, Purpose, WrittenSentence},
};

use crate::{
    judge::{Evidence, Piece},
    policy::ComposePolicy,
    understand::Understanding,
};

/// A passage less relevant than this is not near the question.
const NEAREST_RELEVANCE_MIN: f32 = 0.5;

/// What a writer wrote, unverified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    sentences: Vec<WrittenSentence>,
    model: String,
}

impl Draft {
    pub(crate) fn sentences(&self) -> &[WrittenSentence] {
        &self.sentences
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }
}

/// What was looked up, in its own words: every paragraph of every piece, up to a limit.
#[must_use]
pub fn quote(evidence: &Evidence, paragraphs_max: usize, model: &str) -> Draft {
    let written =
        paragraphs(evidence).map(|(marker, text)| WrittenSentence::answer(text, vec![marker])).take(paragraphs_max);
    Draft { sentences: written.collect(), model: model.to_owned() }
}

/// The paragraphs of every piece, each under its piece's number.
pub fn paragraphs(evidence: &Evidence) -> impl Iterator<Item = (u32, &str)> {
    evidence.pieces().iter().flat_map(|piece| {
        let blocks = piece.passage.passage.text.split("\n\n").map(sentences_of).filter(|block| !block.is_empty());
        blocks.map(|block| (piece.marker, block))
    })
}

/// A block from its first sentence to its last: without the mark of a list before it, and without what is no text around it.
fn sentences_of(block: &str) -> &str {
    let sentences = sentence_ranges(block);
    let (Some(first), Some(last)) = (sentences.first(), sentences.last()) else { return "" };
    block.get(first.start..last.end).unwrap_or_default().trim()
}

/// Has the writer write an answer, under a deadline.
///
/// # Errors
/// Fails if the writer fails or is late.
pub async fn compose(
    understanding: &Understanding,
    (evidence, background): (&Evidence, Option<&str>),
    writer: &Arc<dyn Generator>,
    policy: &ComposePolicy,
) -> Result<Draft, PortError> {
    let brief = Brief { background: background.map(str::to_owned), ..brief(understanding, evidence, policy) };
    write(brief, writer, policy).await
}

/// Has the writer show what comes nearest to a question that is refused, under a deadline.
///
/// # Errors
/// Fails if the writer fails or is late.
pub async fn compose_nearest(
    understanding: &Understanding,
    evidence: &Evidence,
    writer: &Arc<dyn Generator>,
    policy: &ComposePolicy,
) -> Result<Draft, PortError> {
    let mut brief = Brief { purpose: Purpose::Nearest, parts: 1, ..brief(understanding, evidence, policy) };
    brief.pieces.retain(|piece| piece.relevance >= NEAREST_RELEVANCE_MIN);
    for piece in &mut brief.pieces {
        (piece.part, piece.may_answer) = (0, true);
    }
    brief.pieces.dedup_by_key(|piece| piece.marker);
    write(brief, writer, policy).await
}

fn brief(understanding: &Understanding, evidence: &Evidence, policy: &ComposePolicy) -> Brief {
    let further = evidence.pieces().iter().flat_map(|piece| piece.further.iter().map(|further| further.part + 1));
    Brief {
        question: understanding.asked().to_owned(),
        background: None,
        purpose: Purpose::Answer,
        parts: further.max().unwrap_or(0).max(understanding.questions().len()),
        pieces: evidence.pieces().iter().flat_map(|piece| brief_pieces(evidence, piece)).collect(),
        sentences_max: policy.sentences_max,
    }
}

/// A piece once for every part of the question that it answers, or once where it answers none, always under one number.
fn brief_pieces(evidence: &Evidence, piece: &Piece) -> Vec<BriefPiece> {
    let own = BriefPiece {
        marker: piece.marker,
        document: document_number(evidence, piece),
        ordinal: piece.passage.passage.ordinal,
        heading: std::iter::once(piece.passage.document.title.clone())
            .chain(piece.passage.passage.section.iter().cloned())
            .collect(),
        text: piece.passage.passage.text.clone(),
        relevance: piece.similarity.relevance,
        reading: piece.reading,
        part: piece.part,
        may_answer: piece.may_answer,
    };
    let further = piece.further.iter();
    let further = further.map(|further| BriefPiece {
        reading: Some(further.reading),
        part: further.part,
        may_answer: true,
        ..own.clone()
    });
    let further: Vec<BriefPiece> = further.collect();
    std::iter::once(own).chain(further).collect()
}

async fn write(brief: Brief, writer: &Arc<dyn Generator>, policy: &ComposePolicy) -> Result<Draft, PortError> {
    let manuscript = tokio::time::timeout(policy.writer_timeout, writer.write(brief))
        .await
        .map_err(|_| PortError::new("generator", Fault::Timeout, "the writer did not finish in time"))??;
    let mut sentences = manuscript.sentences;
    sentences.truncate(policy.sentences_max);
    Ok(Draft { sentences, model: manuscript.model })
}

/// The marker of the best piece of the same document, which is as good a number as any.
fn document_number(evidence: &Evidence, piece: &Piece) -> u32 {
    let same = |other: &&Piece| other.passage.document.id == piece.passage.document.id;
    evidence.pieces().iter().find(same).map_or(piece.marker, |first| first.marker)
}
