//! The endpoints for what was found by comparing documents.

pub(crate) mod dismiss;
pub(crate) mod list;
