//! What was found by comparing documents: two versions of one that both hold, two that are nearly the same, two sentences
//! that may contradict each other.

use std::sync::Arc;

use crate::{
    document::{DocumentCard, DocumentId},
    passage::CharSpan,
};

/// What sort of finding it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Two versions of one document, both in force.
    Versions,
    /// Two documents that say nearly the same in the same words.
    Duplicate,
    /// Two sentences that may give another figure, date or name for the same thing: a guess, which is more often wrong than
    /// right and is therefore shown only to people who look for it.
    Contradiction,
}

impl FindingKind {
    /// Every kind, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::Versions, Self::Duplicate, Self::Contradiction];

    /// Its name on every surface.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Versions => "versions",
            Self::Duplicate => "duplicate",
            Self::Contradiction => "contradiction",
        }
    }

    /// Whether it is only a guess, which nobody is told who does not ask for it.
    #[must_use]
    pub fn is_guess(self) -> bool {
        match self {
            Self::Versions | Self::Duplicate => false,
            Self::Contradiction => true,
        }
    }

    /// Whether an ingest tells of it; everything else waits for who looks for it.
    #[must_use]
    pub fn is_told_at_ingest(self) -> bool {
        match self {
            Self::Duplicate => true,
            Self::Versions | Self::Contradiction => false,
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A sentence that gives a figure, a date or a name for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimSketch {
    /// Where it stands in its document.
    pub span: CharSpan,
    /// The sentence, word for word.
    pub sentence: String,
    /// What it stands under: the document's title and headings.
    pub context: String,
    /// Digests of the words that say what it is about, without the value it gives.
    pub terms: Vec<u64>,
}

/// What a document is compared by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentSketch {
    /// The least digest of its word triples under each of many orders; empty for what is too short to compare.
    pub signature: Vec<u32>,
    /// Digests of the signature's bands, the title and the headings: documents that share one may be nearly the same, or
    /// versions of one another.
    pub bands: Vec<u64>,
    /// Its claims, in order.
    pub claims: Vec<ClaimSketch>,
}

/// A document that has not been compared with the others in its present form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncomparedDocument {
    /// What is said about it.
    pub card: DocumentCard,
    /// Which of its versions it is.
    pub version: u32,
    /// Its text.
    pub text: String,
    /// The headings above its parts, in order.
    pub headings: Vec<(CharSpan, Arc<[String]>)>,
}

/// What a version of a document is compared by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SketchedDocument {
    /// The document.
    pub id: DocumentId,
    /// The version.
    pub version: u32,
    /// What it is compared by.
    pub sketch: DocumentSketch,
}

/// A claim of another document that speaks of similar things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarClaim {
    /// Its document.
    pub document: Arc<DocumentCard>,
    /// The claim.
    pub claim: ClaimSketch,
}

/// A document that may be nearly the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarDocument {
    /// The document.
    pub document: Arc<DocumentCard>,
    /// Its signature.
    pub signature: Vec<u32>,
}

/// In how many claims of the tenant a term stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermCount {
    /// The term's digest.
    pub term: u64,
    /// The claims, counted up to a bound.
    pub claims: u64,
}

/// What is kept that a document is to be compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Similar {
    /// Documents that share a band or, up to a year or version, a title.
    pub documents: Vec<SimilarDocument>,
    /// For each claim of the document, in order, the claims that share its rarer terms.
    pub claims: Vec<Vec<SimilarClaim>>,
    /// How common every term of these claims is.
    pub terms: Vec<TermCount>,
    /// How many claims the tenant has.
    pub claims_kept: u64,
}

/// One side of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingSide {
    /// The document.
    pub document: Arc<DocumentCard>,
    /// Where the sentence stands in it; nothing where it is about the whole document.
    pub span: CharSpan,
    /// The sentence, word for word. Of two versions a line for each place in which they differ, those of both sides in the
    /// same order; empty for a document that is nearly another's.
    pub sentence: String,
}

/// Two documents that should be looked at together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its name within the tenant: the same two sentences always have the same.
    pub id: String,
    /// What it is.
    pub kind: FindingKind,
    /// The two sides, in the order of their documents' ids.
    pub sides: [FindingSide; 2],
    /// How alike the two are, of 100: the words of documents, the sentences of versions, the subjects of sentences.
    pub likeness: u8,
    /// When it was found, in milliseconds since 1970.
    pub found_ms: u64,
    /// Whether somebody has looked at it and found nothing to mend.
    pub dismissed: Option<Dismissal>,
}

/// Findings, and how many more there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FindingPage {
    /// The first of them, in the order of their kinds, the newest first.
    pub findings: Vec<Finding>,
    /// How many there are in all.
    pub total: u64,
}

/// Who has looked at a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dismissal {
    /// Who.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}
