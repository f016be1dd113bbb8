//! What every way in needs, whatever it speaks: questions that are asked and written down, what admins keep, the figures,
//! and the shapes other programs rely on.

pub mod admin_service;
pub mod answer_certificate;
pub mod ask_service;
pub mod certificate;
pub mod circumstances;
mod context;
pub mod copy_state;
pub mod evaluations;
pub mod history;
pub mod jobs;
pub mod memory_match;
pub mod metrics;
pub mod models_in_use;
pub mod outcome;
pub mod phrase_check;
pub mod proposals;
pub mod question;
mod quoted_words;
pub mod recalls;
pub mod recorded_toolbox;
mod run_findings;
pub mod suggest;
pub mod surface;
pub mod tenant_locks;
pub mod trail_search;
pub mod unanswered;
pub mod unhelpful;
pub mod versions;
pub mod walk_report;
pub mod wire;
pub mod wordings;

pub use run_findings::run_findings;
