//! The shapes other programs rely on. A change here is a breaking change.

mod audited;
mod citation;
mod document;
mod entry;
mod event;
mod file_name;
mod history;
mod hits;
mod nearest;
mod record;
mod recorded_request;
mod referral;
mod reply;
mod server_address;
mod sources_block;
mod tool_call;
mod verdict;

pub use audited::{AuditLineWire, audited};
pub use citation::{CitationWire, QuoteWire, SourceWire, url};
pub use document::{CardWire, DocumentBody, DocumentWire, FailedDocumentWire, IngestOutcomeWire};
pub use entry::{EntryBody, EntryWire, TranslationWire};
pub use event::Event;
pub use file_name::entry_without_paths;
pub use history::{HistoryMessage, language_or_null, timestamp_or_null};
pub use hits::{FoundByWire, HitWire, PassageWire};
pub use nearest::NearestWire;
pub use record::Words;
pub(crate) use record::{AuditContext, AuditOutcome, Record};
pub use recorded_request::{DifferenceWire, RecordedRequest, ReplySummary};
pub use referral::ReferralWire;
pub use reply::{ClaimWire, ConfidenceWire, Reply, RetrievalQualityWire, SuggestionWire, TransparencyWire};
pub use server_address::without_addresses;
pub use tool_call::{PendingWire, ToolCallWire, object, typed_record};
pub use verdict::{FindingWire, JudgeWordWire, VerdictWire};
pub use vouch_domain::timestamp;
