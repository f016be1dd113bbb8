//! The shapes other programs rely on. A change here is a breaking change.

mod event;
mod explanation;
mod reply;
mod route;

pub use event::Event;
pub use explanation::Explanation;
pub use reply::{
    CitationWire, ClaimWire, ConfidenceWire, QuoteWire, Reply, RetrievalQualityWire, SourceWire, SuggestionWire,
    TransparencyWire,
};
pub use route::RouteWire;
