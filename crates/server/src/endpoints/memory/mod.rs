//! `/v1/memory`: what editors prepared: listed, kept, taken out.

pub(crate) mod forget;
pub(crate) mod list;
pub(crate) mod remember;
