//! The types every part of Vouch shares, and the ports the engine uses.
//!
//! Invariant: nothing here reads a file, a clock, a socket or an environment variable.

pub mod address;
pub mod audit;
pub mod caller;
pub mod card_edit;
pub mod concept;
pub mod document;
pub mod embedding;
pub mod error;
pub mod finding;
pub mod job;
pub mod key_card;
pub mod language;
pub mod memory;
pub mod model_error;
pub mod moment;
pub mod passage;
pub mod person;
pub mod ports;
pub mod question;
pub mod reader;
pub mod sent_question;
pub mod session;
pub mod timestamp;
pub mod tool;
pub mod unread_file;
pub mod version;
pub mod web_url;

pub use address::{Address, AddressKey};
pub use audit::{AuditEntry, AuditScope, AuditedEntry, Feedback, FeedbackOutcome, Opinion, Rating};
pub use caller::{Caller, Role};
pub use card_edit::{CardEdit, CardField};
pub use concept::{Concept, ConceptLink, Label, LabelKind, TermKey, Wording};
pub use document::{ContentHash, Document, DocumentCard, DocumentId, RawDocument, Section, SourceDigest, SourceFormat};
pub use document::{PageMark, PageUnit, TimeMark};
pub use embedding::{EmbedderIdentity, Embedding, RelevanceMap};
pub use error::{Fault, PortError};
pub use finding::{ClaimSketch, Dismissal, DocumentSketch, Finding, FindingKind, FindingPage, FindingSide};
pub use job::{Job, JobFailure, JobOutcome, JobPaths, JobProgress, JobState, JobTarget, NewJob};
pub use key_card::KeyCard;
pub use memory::{MemoryEntry, MemoryKind, Reference};
pub use model_error::ModelError;
pub use moment::{date, timestamp};
pub use passage::{CharSpan, EmbeddedPassage, Passage, PassageKey, StoredPassage};
pub use person::{Person, Topic};
pub use question::{Question, Speaker, Turn};
pub use reader::{Reader, Scope};
pub use sent_question::{SentQuestion, WrittenAnswer};
pub use session::{PendingCall, SessionOwner, SessionState, is_session_id};
pub use timestamp::Timestamp;
pub use tool::{Effect, ToolCall, ToolOutput, ToolRecord, ToolValue};
pub use unread_file::{is_open_mark, reason_unread};
pub use version::{CurrentVersions, DocumentVersion, VersionCard};
pub use web_url::web_url;
