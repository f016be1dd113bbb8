//! Why a language model could not answer, one variant per cause.

/// What went wrong between Vouch and a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The server cannot be reached, broke off, or does not speak its protocol.
    #[error("the model server failed: {sentence}")]
    Connection {
        /// What happened, for a person.
        sentence: String,
    },
    /// The server has failed too often recently and is not asked for a while.
    #[error("the model server is not being asked for now: {sentence}")]
    CircuitOpen {
        /// What happened, for a person.
        sentence: String,
    },
    /// The server is too slow.
    #[error("the model took too long: {sentence}")]
    Timeout {
        /// Which deadline was missed, for a person.
        sentence: String,
    },
    /// The profile does not allow the model.
    #[error("model '{model}' is not allowed; allowed are: {}", allowed.join(", "))]
    NotAllowed {
        /// The model asked for.
        model: String,
        /// Those that may be.
        allowed: Vec<String>,
    },
    /// The server does not have the model.
    #[error("the server does not have model '{model}': {sentence}")]
    Unavailable {
        /// The model asked for.
        model: String,
        /// What to do about it, for a person.
        sentence: String,
    },
    /// What the model is to read could not be put together.
    #[error("the context cannot be prepared: {sentence}")]
    Context {
        /// What happened, for a person.
        sentence: String,
    },
    /// The question does not fit the model.
    #[error("the question needs {needed} tokens and the model has room for {available}")]
    TokenBudgetExceeded {
        /// What it would take.
        needed: usize,
        /// What there is.
        available: usize,
    },
}

impl ModelError {
    /// The cause as one stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Connection { .. } | Self::CircuitOpen { .. } => "llm_connection",
            Self::Timeout { .. } => "llm_timeout",
            Self::NotAllowed { .. } => "model_not_allowed",
            Self::Unavailable { .. } => "model_unavailable",
            Self::Context { .. } => "context",
            Self::TokenBudgetExceeded { .. } => "token_budget_exceeded",
        }
    }
}
