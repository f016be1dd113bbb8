//! The shapes other programs rely on. A change here is a breaking change.

mod audited;
mod event;
mod explanation;
mod hits;
mod record;
mod recorded;
mod reply;
mod route;
mod timestamp;
mod verdict;

pub use audited::{AuditLineWire, audited};
pub use event::Event;
pub use explanation::Explanation;
pub use hits::{FoundByWire, HitWire, PassageWire};
pub use record::Words;
pub(crate) use record::{Ending, Occasion, Record};
pub use recorded::{DifferenceWire, Recorded, Told};
pub use reply::{
    CitationWire, ClaimWire, ConfidenceWire, QuoteWire, Reply, RetrievalQualityWire, SourceWire, SuggestionWire,
    TransparencyWire,
};
pub use route::RouteWire;
pub use timestamp::timestamp;
pub use verdict::{FindingWire, JudgeWordWire, VerdictWire};
