//! Whom to ask, as other programs see it.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_engine::decide::RouteTarget;

/// Where a question goes that was not answered surely enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Route)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct RouteWire {
    pub tag: String,
    pub owner_user_id: Option<String>,
    pub owner_email: Option<String>,
    pub reason: String,
    pub fallback: bool,
}

impl RouteWire {
    pub(super) fn of(target: &RouteTarget) -> Self {
        Self {
            tag: target.tag.clone(),
            owner_user_id: target.owner_user_id.clone(),
            owner_email: target.owner_email.clone(),
            reason: target.reason.clone(),
            fallback: target.is_fallback,
        }
    }
}
