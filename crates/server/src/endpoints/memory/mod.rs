//! `/v1/memory`: what editors prepared: listed, kept, given another wording, taken out.

pub(crate) mod forget;
pub(crate) mod list;
pub(crate) mod remember;
pub(crate) mod wording;
