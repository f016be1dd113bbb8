//! Conversations in memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError,
    ports::Sessions,
    session::{SessionOwner, SessionState},
};

/// How long a conversation is remembered after it was last touched.
const KEPT_MS: u64 = 30 * 60 * 1_000;

/// By tenant, asker and id; with the moment each was last touched.
type Kept = BTreeMap<(String, String, String), (SessionState, u64)>;

/// Conversations that are forgotten when it is dropped.
#[derive(Debug, Default)]
pub struct FakeSessions {
    kept: Mutex<Kept>,
    is_down: bool,
}

impl FakeSessions {
    /// One that cannot be asked.
    #[must_use]
    pub fn down() -> Self {
        Self { is_down: true, ..Self::default() }
    }

    fn kept(&self, id: &str) -> Result<MutexGuard<'_, Kept>, PortError> {
        if self.is_down {
            return Err(PortError::new("sessions", Fault::Unavailable, "the sessions are down"));
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        if id.is_empty() || id.len() > 128 || !id.bytes().all(is_plain) {
            return Err(PortError::new("sessions", Fault::Invalid, "no id of a conversation"));
        }
        Ok(self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn place(owner: &SessionOwner, id: &str) -> (String, String, String) {
    (owner.tenant.clone(), owner.asker.clone(), id.to_owned())
}

fn is_remembered(touched_ms: u64, now_ms: u64) -> bool {
    now_ms.saturating_sub(touched_ms) < KEPT_MS
}

#[async_trait]
impl Sessions for FakeSessions {
    async fn load(&self, owner: &SessionOwner, id: &str, now_ms: u64) -> Result<Option<SessionState>, PortError> {
        let kept = self.kept(id)?;
        let found = kept.get(&place(owner, id)).filter(|(_, touched_ms)| is_remembered(*touched_ms, now_ms));
        Ok(found.map(|(state, _)| state.clone()))
    }

    async fn save(&self, owner: &SessionOwner, id: &str, state: &SessionState, now_ms: u64) -> Result<(), PortError> {
        let mut kept = self.kept(id)?;
        kept.retain(|_, (_, touched_ms)| is_remembered(*touched_ms, now_ms));
        kept.insert(place(owner, id), (state.clone(), now_ms));
        Ok(())
    }

    async fn carry(
        &self,
        owner: &SessionOwner,
        id: &str,
        state: &SessionState,
        now_ms: u64,
    ) -> Result<bool, PortError> {
        let mut kept = self.kept(id)?;
        let token = |state: &SessionState| state.pending.as_ref().and_then(|call| call.token.clone());
        let Some((own, touched_ms)) = kept.get_mut(&place(owner, id)) else { return Ok(false) };
        if token(state).is_none() || token(own) != token(state) || !is_remembered(*touched_ms, now_ms) {
            return Ok(false);
        }
        (*own, *touched_ms) = (state.clone(), now_ms);
        Ok(true)
    }

    async fn claim(&self, owner: &SessionOwner, id: &str, token: &str, now_ms: u64) -> Result<bool, PortError> {
        let mut kept = self.kept(id)?;
        let Some((state, touched_ms)) = kept.get_mut(&place(owner, id)) else { return Ok(false) };
        let has_it = state.pending.as_ref().is_some_and(|call| call.token.as_deref() == Some(token));
        if !has_it || !is_remembered(*touched_ms, now_ms) {
            return Ok(false);
        }
        state.pending = None;
        *touched_ms = now_ms;
        Ok(true)
    }
}
