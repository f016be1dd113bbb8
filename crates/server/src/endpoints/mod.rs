//! One file an endpoint: a request in, a reply or a problem out.

pub(crate) mod ask;
mod body;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod models;
pub(crate) mod page;
pub(crate) mod search;
pub(crate) mod stream;
mod telling;
