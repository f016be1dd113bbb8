//! Evidence → sentences. A writer is a scribe and not a source: nothing it returns is believed unverified.

use async_trait::async_trait;

use super::Reading;
use crate::error::PortError;

/// What a writer is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief {
    /// The question.
    pub question: String,
    /// What an editor wrote to frame the answer; not evidence: a quote of it is never accepted.
    pub background: Option<String>,
    /// What it is written for.
    pub purpose: Purpose,
    /// How many parts the question has.
    pub parts: usize,
    /// The evidence, best first; a passage that was read for several parts comes once for each, under one number.
    pub pieces: Vec<BriefPiece>,
    /// How many sentences the answer may have.
    pub sentences_max: usize,
}

/// What a writer's text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It answers the question.
    Answer,
    /// The question is refused, and it shows what comes nearest.
    Nearest,
}

/// One passage, known to the writer by its number alone.
#[derive(Debug, Clone, PartialEq)]
pub struct BriefPiece {
    /// The number minted for it in this turn.
    pub marker: u32,
    /// The number of its document within this brief.
    pub document: u32,
    /// Its place in that document.
    pub ordinal: u32,
    /// The headings above it, document title first.
    pub heading: Vec<String>,
    /// Its text.
    pub text: String,
    /// How well it fits the question, 0 to 1.
    pub relevance: f32,
    /// What the judge made of it, if one has read it.
    pub reading: Option<Reading>,
    /// Which part of the question it was read for.
    pub part: usize,
    /// Whether it may be quoted as an answer: not if the judge has read it and found none in it.
    pub may_answer: bool,
}

/// What a writer wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manuscript {
    /// The sentences in the order they are to be read.
    pub sentences: Vec<WrittenSentence>,
    /// Who wrote them.
    pub model: String,
}

/// One sentence and the pieces it claims to rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenSentence {
    /// The words, without markers.
    pub text: String,
    /// The numbers of the pieces it cites.
    pub markers: Vec<u32>,
    /// Whether it answers, or is there so that the answer can be read.
    pub role: SentenceRole,
}

impl WrittenSentence {
    /// A sentence that answers.
    #[must_use]
    pub fn answer(text: impl Into<String>, markers: Vec<u32>) -> Self {
        Self { text: text.into(), markers, role: SentenceRole::Answer }
    }

    /// What an answer needs around it to be read: a lead-in, a header, a neighbour.
    #[must_use]
    pub fn context(text: impl Into<String>, markers: Vec<u32>) -> Self {
        Self { text: text.into(), markers, role: SentenceRole::Context }
    }
}

/// What a sentence is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceRole {
    /// It answers.
    Answer,
    /// The answer is read with it.
    Context,
}

impl SentenceRole {
    /// Its name in a reply.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Context => "context",
        }
    }
}

/// Writes an answer from a brief.
#[async_trait]
pub trait Generator: Send + Sync {
    /// The writer's name, as shown to people.
    fn name(&self) -> &str;

    /// Writes; no sentence at all is a fair answer.
    async fn write(&self, brief: Brief) -> Result<Manuscript, PortError>;
}
