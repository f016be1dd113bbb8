//! People who sign in with somebody this service trusts → a token it accepts.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::PortError;

/// Where people are sent to sign in, and as whose guests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInOffer {
    /// The address that asks them who they are.
    pub address: String,
    /// The name this service goes by there.
    pub client_id: String,
    /// What is asked for, in words with spaces between them.
    pub scope: String,
}

/// What somebody brings back from there.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInProof {
    /// What they were given; good once.
    pub code: String,
    /// The secret whose digest they took along, so that a code is of no use to anybody else.
    pub verifier: String,
    /// Where they were sent back to.
    pub return_address: String,
    /// A value that the token must repeat, where one was asked for.
    pub nonce: Option<String>,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq)]
pub enum SignInOutcome {
    /// A token that this service accepts, and how long it will.
    Token {
        /// The secret.
        token: String,
        /// The time left; none if it is not known.
        lifetime: Option<Duration>,
    },
    /// They are not let in.
    Refused(SignInRefusal),
}

/// Why somebody who comes back is not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInRefusal {
    /// The code is unknown, used or expired, or the verifier is not that of the code.
    Code,
    /// The token answers another sign-in than the one that was begun.
    OtherSignIn,
    /// They signed in, and the tokens they were given are for others.
    OtherAudience {
        /// The audience whose tokens are accepted here.
        wanted: String,
        /// The audiences that the tokens name.
        found: Vec<String>,
    },
    /// They signed in, and no token they were given is accepted here for another reason.
    NotAccepted,
}

/// Signs people in. No code, verifier or token is kept, logged or part of an error.
#[async_trait]
pub trait SignIn: Send + Sync {
    /// Where to send people at this moment (milliseconds since 1970).
    async fn offer(&self, now_ms: u64) -> Result<SignInOffer, PortError>;

    /// The token for what somebody brought back; it is accepted at this moment.
    async fn exchange(&self, proof: &SignInProof, now_ms: u64) -> Result<SignInOutcome, PortError>;
}
