//! One file per endpoint: a request in, a reply or a problem out.

mod answer_stream;
pub(crate) mod ask;
pub(crate) mod audit;
mod body;
pub(crate) mod certificate;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod concepts;
pub(crate) mod documents;
pub(crate) mod evaluations;
pub(crate) mod feedback;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod matches;
pub(crate) mod me;
pub(crate) mod memory;
pub(crate) mod metrics;
pub(crate) mod models;
pub(crate) mod page;
pub(crate) mod reload;
mod removed;
pub(crate) mod search;
pub(crate) mod stream;
pub(crate) mod suggestions;
pub(crate) mod terms;
