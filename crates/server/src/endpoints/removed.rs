//! What a request to take something out is told.

use serde::Serialize;
use utoipa::ToSchema;

/// How many were there and are gone.
#[derive(Serialize, ToSchema)]
pub(crate) struct Removed {
    pub(super) request_id: String,
    pub(super) removed: u64,
}
