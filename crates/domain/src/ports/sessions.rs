//! The state of conversations, kept between two turns.

use async_trait::async_trait;

use crate::{
    error::PortError,
    session::{SessionOwner, SessionState},
};

/// Keeps the state of conversations, each for its owner alone. What was not touched for a while is forgotten, and so are the
/// oldest where there are too many.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// The state of a conversation at a moment (milliseconds since 1970); none if there is none, it is forgotten or it is somebody else's.
    async fn load(&self, owner: &SessionOwner, id: &str, now_ms: u64) -> Result<Option<SessionState>, PortError>;

    /// Keeps a state in the place of the one before.
    async fn save(&self, owner: &SessionOwner, id: &str, state: &SessionState, now_ms: u64) -> Result<(), PortError>;

    /// Keeps a state in the place of the one before, where the call that waits in it has waited there under the same token and still
    /// does; elsewhere it keeps nothing and says false, so that no call that was taken away waits again.
    async fn carry(&self, owner: &SessionOwner, id: &str, state: &SessionState, now_ms: u64)
    -> Result<bool, PortError>;

    /// Takes away the pending call that has this token, if it is still there: of all who try at once, one is told yes.
    async fn claim(&self, owner: &SessionOwner, id: &str, token: &str, now_ms: u64) -> Result<bool, PortError>;
}
