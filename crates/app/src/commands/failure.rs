//! A question that could not be answered → how the command ends.

use vouch_service::ask_service::AskServiceError;

/// An error with the engine's own error as its cause.
pub(super) fn into_cli_error(error: AskServiceError) -> anyhow::Error {
    match error {
        AskServiceError::Ask(error) => error.into(),
        AskServiceError::Unrecorded(_) => error.into(),
    }
}
