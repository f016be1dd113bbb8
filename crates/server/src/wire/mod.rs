//! The shapes other programs rely on. A change here is a breaking change.

mod chat_request;
mod completion;
mod document;
mod entry;
mod event;
mod explanation;
mod hits;
mod record;
mod reply;
mod route;
mod verdict;

pub(crate) use chat_request::{ChatRequest, DEFAULT_MODEL};
pub(crate) use completion::{Chunk, Completion, CompletionProblem, Heading, Usage};
pub use document::{CardWire, DocumentBody, DocumentWire, FailedDocumentWire, TakenInWire};
pub use entry::{EntryBody, EntryWire};
pub use event::Event;
pub use explanation::Explanation;
pub use hits::{FoundByWire, HitWire, PassageWire};
pub(crate) use record::Record;
pub(crate) use reply::url;
pub use reply::{
    CitationWire, ClaimWire, ConfidenceWire, QuoteWire, Reply, RetrievalQualityWire, SourceWire, SuggestionWire,
    TransparencyWire,
};
pub use route::RouteWire;
pub use verdict::{FindingWire, JudgeWordWire, VerdictWire};
