//! Whom to ask, as other programs see it.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_engine::decide::ReferralTarget;

/// The person to ask when Vouch is not certain enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Route)]
pub struct ReferralWire {
    /// Topic of the question, or `system` if there is none.
    pub tag: String,
    /// Id of the user who owns the topic; null if the admin stands in.
    pub owner_user_id: Option<String>,
    /// E-mail address to write to; null if none is known.
    pub owner_email: Option<String>,
    /// Why a person is asked.
    pub reason: String,
    /// True if the topic has no owner that could be found, so the admin stands in.
    pub fallback: bool,
}

impl ReferralWire {
    pub(super) fn new(target: &ReferralTarget) -> Self {
        Self {
            tag: target.tag.clone(),
            owner_user_id: target.owner_user_id.clone(),
            owner_email: target.owner_email.clone(),
            reason: target.reason.clone(),
            fallback: target.is_fallback,
        }
    }
}
