//! A question that could not be answered → how the command ends.

use vouch_service::desk::DeskError;

/// An error with the engine's own error as its cause.
pub(super) fn undone(error: DeskError) -> anyhow::Error {
    match error {
        DeskError::Ask(error) => error.into(),
        DeskError::Unrecorded(_) => error.into(),
    }
}
