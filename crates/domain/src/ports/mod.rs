//! Everything the engine needs from outside, one trait per file.
//!
//! Invariant: a port speaks the engine's words; no technology is named here.

pub mod audit_trail;
pub mod authenticator;
pub mod catalogue;
pub mod claim_judge;
pub mod clock;
pub mod dense_index;
pub mod directory;
pub mod document_source;
pub mod embedder;
pub mod findings;
pub mod generator;
pub mod jobs;
pub mod kept_vectors;
pub mod key_ring;
pub mod language_model;
pub mod lexical_index;
pub mod memory;
pub mod parser;
pub mod passage_judge;
pub mod plain_words;
pub mod rate_counter;
pub mod register;
pub mod reranker;
pub mod sent_questions;
pub mod sessions;
pub mod sign_in;
pub mod toolbox;
pub mod versions;
pub mod vocabulary;

pub use audit_trail::{AuditPlace, AuditTrail};
pub use authenticator::Authenticator;
pub use catalogue::{
    Catalogue, Counts, EditedCard, Fingerprint, KeptDocument, PastAccess, SourceReading, StoreState, UpsertOutcome,
};
pub use claim_judge::{ClaimJudge, ClaimPair, Support};
pub use clock::Clock;
pub use dense_index::DenseIndex;
pub use directory::Directory;
pub use document_source::{DocumentSource, IsWanted, OpenSource, SourceFault};
pub use embedder::Embedder;
pub use findings::Findings;
pub use generator::{Brief, BriefPiece, Generator, Manuscript, Purpose, SentenceRole, WrittenSentence};
pub use jobs::{Enqueued, JobLease, JobWish, Jobs};
pub use kept_vectors::KeptVectors;
pub use key_ring::KeyRing;
pub use language_model::{
    CompletionRequest, CompletionStream, LanguageModel, Message, OfferedTool, Role, TokenCounter,
};
pub use lexical_index::{LexicalIndex, RARE_SHARE, Spelling};
pub use memory::{EmbeddedEntry, EmbeddedText, Memory, MemoryMatch, entries_in_order, nearest_entries};
pub use parser::{NO_TEXT, ParseError, Parser};
pub use passage_judge::{JudgedPassage, PassageJudge, Reading};
pub use plain_words::PlainWords;
pub use rate_counter::{RateCounter, RateOutcome};
pub use register::{KindCount, PageRequest, Register};
pub use reranker::Reranker;
pub use sent_questions::SentQuestions;
pub use sessions::Sessions;
pub use sign_in::{SignIn, SignInOffer, SignInOutcome, SignInProof, SignInRefusal};
pub use toolbox::Toolbox;
pub use versions::Versions;
pub use vocabulary::Vocabulary;

use crate::passage::PassageKey;

/// The catalogue's age: it rises by one with every change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Generation(pub u64);

/// A passage found by a lane, with that lane's own score; best first in every list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaneHit {
    /// The passage.
    pub key: PassageKey,
    /// The lane's score, higher is better, comparable only within one list.
    pub lane_score: f32,
}
