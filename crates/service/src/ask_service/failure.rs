//! Why a question has no reply, and the code each cause has in logs, figures and the trail.

use vouch_domain::PortError;
use vouch_engine::ask::AskError;

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum AskServiceError {
    /// The engine failed.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The reply could not be recorded, and so is not sent.
    #[error("the request could not be recorded in the audit trail, so it was not answered")]
    Unrecorded(#[source] PortError),
}

/// Why a question failed, as one word.
pub(super) fn ask_code(error: &AskError) -> &'static str {
    match error {
        AskError::NotAQuestion(_) | AskError::Agent(_) => "invalid_request",
        AskError::Port(_) => "context",
        AskError::Model(error) => error.code(),
    }
}

pub(super) fn code(error: &AskServiceError) -> &'static str {
    match error {
        AskServiceError::Ask(error) => ask_code(error),
        AskServiceError::Unrecorded(_) => "unrecorded",
    }
}
