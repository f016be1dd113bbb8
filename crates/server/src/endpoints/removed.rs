//! The reply to a removal.

use serde::Serialize;
use utoipa::ToSchema;

/// How many were removed.
#[derive(Serialize, ToSchema)]
pub(crate) struct Removed {
    /// Id of the request.
    pub(super) request_id: String,
    /// Number that existed and was removed.
    pub(super) removed: u64,
}
