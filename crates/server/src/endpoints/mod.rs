//! One file an endpoint: a request in, a reply or a problem out.

pub(crate) mod ask;
pub(crate) mod health;
pub(crate) mod stream;
