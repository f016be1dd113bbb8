//! Why a token is refused, in words for the log and for who signs in.

use std::fmt;

/// Why a token is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rejection {
    /// It is for others: the audiences it names.
    Audience(Vec<String>),
    /// Anything else, in words.
    Other(&'static str),
}

impl From<&'static str> for Rejection {
    fn from(reason: &'static str) -> Self {
        Self::Other(reason)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Audience(found) => write!(formatter, "another audience: {}", found.join(", ")),
            Self::Other(reason) => formatter.write_str(reason),
        }
    }
}
