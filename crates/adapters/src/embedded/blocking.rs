//! Work that blocks, away from the threads that answer.

use vouch_domain::{Fault, PortError};

/// Runs work that blocks away from the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    port: &'static str,
    work: impl FnOnce() -> Result<T, PortError> + Send + 'static,
) -> Result<T, PortError> {
    // What is logged there belongs to the request that asked for it.
    let span = tracing::Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
        Ok(outcome) => outcome,
        Err(error) => {
            Err(PortError::new(port, Fault::Internal, "the task was stopped by an internal error").with_source(error))
        }
    }
}
