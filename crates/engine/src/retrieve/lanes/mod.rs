//! One file a lane: a question in, that lane's hits out, each under a deadline.

mod dense;
mod lexical;

use std::future::Future;

use vouch_domain::{Fault, PortError};

use crate::policy::RetrievePolicy;

pub(super) use dense::dense;
pub(super) use lexical::lexical;

/// A way of finding passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// By meaning.
    Dense,
    /// By words.
    Lexical,
}

impl Lane {
    /// The lane's name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Lexical => "lexical",
        }
    }
}

/// Waits for a port no longer than the lane's deadline.
///
/// # Errors
/// Fails where the port fails or is late.
pub async fn within<T>(
    policy: &RetrievePolicy,
    port: &'static str,
    work: impl Future<Output = Result<T, PortError>> + Send,
) -> Result<T, PortError> {
    match tokio::time::timeout(policy.lane_timeout, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(PortError::of(port, Fault::Timeout, "no answer within the deadline")),
    }
}
