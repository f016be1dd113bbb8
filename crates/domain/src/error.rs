//! What a port says when it cannot do its job, in words the engine can act on.

/// Why a port failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The thing behind the port cannot be reached.
    Unavailable,
    /// It has failed too often recently and is not asked for a while.
    CircuitOpen,
    /// No answer within the deadline.
    Timeout,
    /// No room left to write.
    Full,
    /// Another process is using it.
    Held,
    /// What is stored is damaged.
    Corrupt,
    /// Vectors of another embedder are stored.
    OtherEmbedder,
    /// The request itself makes no sense.
    Invalid,
    /// Anything else.
    Internal,
}

impl Fault {
    /// The fault as one word for logs and traces.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::CircuitOpen => "circuit_open",
            Self::Timeout => "timeout",
            Self::Full => "full",
            Self::Held => "held",
            Self::Corrupt => "corrupt",
            Self::OtherEmbedder => "other_embedder",
            Self::Invalid => "invalid",
            Self::Internal => "internal",
        }
    }
}

/// A port's failure: which port, what kind, a sentence, and the cause for the log.
#[derive(Debug, thiserror::Error)]
#[error("{port}: {sentence}")]
pub struct PortError {
    /// The port's name.
    pub port: &'static str,
    /// What kind of failure it is.
    pub fault: Fault,
    /// What happened, for a person.
    pub sentence: String,
    /// The adapter's own error.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl PortError {
    /// A failure without a deeper cause.
    #[must_use]
    pub fn new(port: &'static str, fault: Fault, sentence: impl Into<String>) -> Self {
        Self { port, fault, sentence: sentence.into(), source: None }
    }

    /// Adds the adapter's own error as the cause.
    #[must_use]
    pub fn with_source(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(cause));
        self
    }
}
