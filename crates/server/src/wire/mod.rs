//! The shapes other programs rely on. A change here is a breaking change.

mod document;
mod entry;
mod event;
mod explanation;
mod hits;
mod record;
mod reply;
mod route;
mod verdict;

pub use document::{CardWire, DocumentBody, DocumentWire, FailedDocumentWire, TakenInWire};
pub use entry::{EntryBody, EntryWire};
pub use event::Event;
pub use explanation::Explanation;
pub use hits::{FoundByWire, HitWire, PassageWire};
pub(crate) use record::Record;
pub use reply::{
    CitationWire, ClaimWire, ConfidenceWire, QuoteWire, Reply, RetrievalQualityWire, SourceWire, SuggestionWire,
    TransparencyWire,
};
pub use route::RouteWire;
pub use verdict::{FindingWire, JudgeWordWire, VerdictWire};
