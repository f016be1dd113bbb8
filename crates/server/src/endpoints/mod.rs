//! One file an endpoint: a request in, a reply or a problem out.

pub(crate) mod ask;
pub(crate) mod audit;
mod body;
pub(crate) mod check;
pub(crate) mod feedback;
pub(crate) mod health;
pub(crate) mod search;
pub(crate) mod stream;
