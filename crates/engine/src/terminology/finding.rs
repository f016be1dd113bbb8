//! What a look-up of a term came to.

use std::sync::Arc;

use vouch_domain::{Concept, Fault, PortError};

/// What became of a look-up.
#[derive(Debug, Clone, PartialEq)]
pub enum TermFinding {
    /// The vocabulary knows the term: at least one concept, in a fixed order.
    Found(LookupResult),
    /// The vocabulary does not know the term.
    Unknown(LookupResult),
    /// The vocabulary did not answer in time.
    Late {
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The vocabulary could not be asked.
    Failed {
        /// What happened, for a person.
        sentence: String,
        /// Whether it was not even asked, because it has failed too often recently.
        is_circuit_open: bool,
    },
}

impl TermFinding {
    /// What is found of a name that is none.
    pub(crate) fn nothing() -> Self {
        Self::Unknown(LookupResult { concepts: Arc::new([]), is_cached: false, waited_ms: 0.0 })
    }
}

/// What the vocabulary said, now or before.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupResult {
    /// The concepts with this label.
    pub concepts: Arc<[Concept]>,
    /// Whether this was known from an earlier look-up.
    pub is_cached: bool,
    /// How long the asker waited, in milliseconds.
    pub waited_ms: f64,
}

pub(super) fn late() -> PortError {
    PortError::new("vocabulary", Fault::Timeout, "the vocabulary did not answer in time")
}
