//! Why a question has no reply, and the code each cause has in logs, figures and the trail.

use vouch_domain::PortError;
use vouch_engine::ask::AskError;

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The question could not be walked.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The reply could not be written down, and so is not given.
    #[error("the request cannot be written down, so it is not answered")]
    Unrecorded(#[source] PortError),
}

/// Why a question failed, as one word.
pub(super) fn ask_code(error: &AskError) -> &'static str {
    match error {
        AskError::NotAQuestion(_) => "invalid_request",
        AskError::Port(_) => "context",
        AskError::Model(error) => error.code(),
    }
}

pub(super) fn code(error: &DeskError) -> &'static str {
    match error {
        DeskError::Ask(error) => ask_code(error),
        DeskError::Unrecorded(_) => "unrecorded",
    }
}
