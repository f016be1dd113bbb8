//! The certificate of one answer: what it rests on, in a shape that can be checked later against the store alone.
//!
//! Invariant: every quote was read again from the store when it was written. The digest shows that a file was changed; it is
//! no signature, since whoever can write the file can work it out anew.

mod check;
mod issue;
mod kept_source;
mod seal;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use check::{CheckedAnswer, CheckedSource, ComparedCircumstance, SourceStanding, check};
pub use issue::{IssueError, issue};
pub use kept_source::SourcePorts;

use crate::{
    certificate::CertifiedState,
    circumstances::Circumstances,
    wire::{QuoteWire, ToolCallWire},
};

/// What a certificate of this shape is called.
pub const FORMAT: &str = "vouch-answer/1";
/// The largest certificate that is written or read.
pub const BYTES_MAX: u64 = 16 * 1_024 * 1_024;
/// The most quotes a certificate may hold, and so the most texts that are searched for one file.
const QUOTES_MAX: usize = 10_000;

/// A digest of a text, in hexadecimal digits.
pub type Digest = fn(&str) -> String;

/// What an answer, or a refusal, rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerCertificate {
    /// Always `vouch-answer/1`.
    pub format: String,
    /// Id of the request, as in the audit trail.
    pub request_id: String,
    /// When it was written.
    pub date: String,
    /// For whom it was answered.
    pub reader: CertifiedReader,
    /// What was asked.
    pub asked: CertifiedQuestion,
    /// What came of it: `answered`, `refused`, `clarify`, `routed`, `general` or `tool`.
    pub outcome: String,
    /// The reply in words.
    pub answer: String,
    /// The gate or rule that refused, as one word; null unless refused.
    pub abstain_reason: Option<String>,
    /// The same for a person.
    pub refusal_reason: Option<String>,
    /// What was said beside the answer, such as an editor's note.
    pub notices: Vec<String>,
    /// The sentences of the answer.
    pub claims: Vec<CertifiedClaim>,
    /// What they rest on.
    pub sources: Vec<CertifiedSource>,
    /// Tools that were called, with what they said.
    pub tools: Vec<ToolCallWire>,
    /// Every gate that was read.
    pub gates: Vec<CertifiedGate>,
    /// How certain the answer was.
    pub confidence: CertifiedConfidence,
    /// What stood in for something that was down.
    pub fallbacks: Vec<String>,
    /// Who wrote the answer: a model, `extractive` where documents are quoted, `catalogue`, or a vocabulary.
    pub written_by: Option<String>,
    /// Program, settings and models.
    pub circumstances: CertifiedCircumstances,
    /// The store, and how often it had changed.
    pub state: CertifiedState,
    /// A BLAKE3 digest of all the rest.
    pub digest: String,
}

/// A reader, by what decides what they may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedReader {
    /// The tenant.
    pub tenant: String,
    /// The user; their tags are those they have now.
    pub user: Option<String>,
    /// The tags; null for a user, and for a reader of the whole tenant.
    pub tags: Option<BTreeSet<String>>,
}

/// A question with what was asked for beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedQuestion {
    /// The words.
    pub question: String,
    /// What was said before, oldest first.
    pub history: Vec<CertifiedTurn>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The language that was asked for.
    pub language: Option<String>,
    /// The agent that was asked for.
    pub agent: Option<String>,
}

/// An earlier message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedTurn {
    /// `user`, `assistant` or `system`.
    pub role: String,
    /// The words.
    pub content: String,
}

/// A sentence of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedClaim {
    /// The words.
    pub text: String,
    /// Numbers of the sources it rests on.
    pub markers: Vec<u32>,
    /// How well they support it, 0 to 1.
    pub score: f32,
    /// The checks it passed.
    pub checks: Vec<String>,
}

/// One source, and the words that were taken from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedSource {
    /// Number of its marker in the answer; null for an entry of the memory, which is not cited.
    pub marker: Option<u32>,
    /// What it is.
    pub kind: SourceKind,
    /// Id of the document or of the entry, or the term's address.
    pub id: String,
    /// Its title or name.
    pub title: String,
    /// The file of a document, or who keeps the vocabulary.
    pub origin: String,
    /// Headings above the quote.
    pub section: Option<String>,
    /// The author's version label.
    pub version: Option<String>,
    /// The author's date.
    pub date: Option<String>,
    /// A digest of all that was kept of it: of a document its text and card, of a term its text, of an entry the whole of it.
    pub hash: String,
    /// The words: of a document or term as they stood there, of a card the row made of it, of an entry what matched the question.
    pub quotes: Vec<CertifiedQuote>,
    /// What was looked up to find a term; null otherwise.
    pub term: Option<String>,
}

/// Words that an answer takes from a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedQuote {
    /// Where they stood, in characters from the beginning; null for a heading, and where there is no text around them.
    pub span: Option<QuoteWire>,
    /// The words.
    pub text: String,
}

impl CertifiedQuote {
    /// Words by themselves.
    fn of_words(text: &str) -> Self {
        Self { span: None, text: text.to_owned() }
    }
}

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The text of a document.
    Document,
    /// What the catalogue says of a document: title, status, date.
    Card,
    /// A term of a vocabulary.
    Term,
    /// An entry of the curated memory, which chose sources or framed the answer.
    Entry,
}

impl SourceKind {
    /// As one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Card => "card",
            Self::Term => "term",
            Self::Entry => "entry",
        }
    }
}

/// A gate's reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedGate {
    /// The gate.
    pub name: String,
    /// What it measured.
    pub reading: f32,
    /// The figure it was held against.
    pub threshold: f32,
    /// Whether the question could go on.
    pub passed: bool,
    /// What it found, for a person.
    pub sentence: String,
}

/// How certain an answer was; all null where nothing was answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedConfidence {
    /// 0 to 100.
    pub overall: Option<u32>,
    /// Mean relevance of what is cited, 0 to 1.
    pub retrieval_score: Option<f32>,
    /// Share of the answer's key phrases that the sources hold, 0 to 1.
    pub coverage_score: Option<f32>,
    /// The judge's score, 0 to 100.
    pub judge_score: Option<u32>,
}

/// What an answer depends on besides its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedCircumstances {
    /// The program's version.
    pub version: String,
    /// A digest of the settings that decide answers.
    pub settings: String,
    /// The embedder with a digest.
    pub embedder: String,
    /// The judge with a digest.
    pub judge: Option<String>,
    /// The model that was to write; null where documents are quoted.
    pub writer: Option<String>,
}

impl CertifiedCircumstances {
    /// What is so now, where this model is to write.
    #[must_use]
    pub fn new(circumstances: &Circumstances, writer: Option<String>) -> Self {
        let Circumstances { version, settings, embedder, judge } = circumstances.clone();
        Self { version, settings, embedder, judge, writer }
    }
}

impl AnswerCertificate {
    /// Reads a certificate.
    ///
    /// # Errors
    /// Says what is wrong with one that is none.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.len() as u64 > BYTES_MAX {
            return Err(format!("has more than {BYTES_MAX} bytes"));
        }
        // What it is called comes first: the keys of another kind of file say nothing to whoever mixed two up.
        #[derive(Deserialize)]
        struct Named {
            format: String,
        }
        let no_certificate = |error: serde_json::Error| format!("is not an answer certificate: {error}");
        let Named { format } = serde_json::from_str(text).map_err(no_certificate)?;
        if format != FORMAT {
            return Err(format!("is of another kind ('{format}', not '{FORMAT}')"));
        }
        let certificate: Self = serde_json::from_str(text).map_err(no_certificate)?;
        match certificate.sources.iter().map(|source| source.quotes.len().max(1)).sum::<usize>() > QUOTES_MAX {
            true => Err(format!("has more than {QUOTES_MAX} quotes")),
            false => Ok(certificate),
        }
    }
}
