//! How much a server may say, and for how long.

use super::Deadlines;

/// What one request may take.
pub(crate) struct Allowance {
    /// How long it may take.
    pub(crate) deadlines: Deadlines,
    /// How many bytes the reply may have.
    pub(crate) bytes_max: usize,
}
