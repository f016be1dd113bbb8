//! Tools of one request, with a witness: what changes anything is claimed and written to the trail before it runs.
//!
//! Invariant: a tool that changes something runs at most once for a yes, and never without an entry that says so. If the process
//! ends in between, the entry stands, and it says that the end is not known.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    AuditEntry, Effect, Fault, PortError, ToolCall, ToolOutput,
    ports::{AuditPlace, AuditTrail, Toolbox},
};

use super::conversation::Conversation;

/// What is written before a tool runs, made from the call.
pub(super) type EntryOfCall = Box<dyn Fn(&ToolCall) -> AuditEntry + Send + Sync>;

/// The tools of one request.
pub(super) struct WitnessedToolbox {
    pub(super) inner: Arc<dyn Toolbox>,
    pub(super) trail: Arc<dyn AuditTrail>,
    pub(super) entry: EntryOfCall,
    /// The conversation and the token of what waits in it.
    pub(super) claim: Option<(Conversation, String)>,
    /// Where the request's own entry is, once it is written.
    pub(super) place: Arc<Mutex<Option<AuditPlace>>>,
}

impl WitnessedToolbox {
    async fn write_down(&self, call: &ToolCall) -> Result<(), PortError> {
        let known = *self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = (self.entry)(call);
        match known {
            Some(place) => self.trail.rewrite(place, entry).await,
            None => {
                let place = self.trail.write(entry).await?;
                *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
                Ok(())
            }
        }
    }
}

#[async_trait]
impl Toolbox for WitnessedToolbox {
    fn names(&self) -> Vec<String> {
        self.inner.names()
    }

    fn effect(&self, tool: &str) -> Option<Effect> {
        self.inner.effect(tool)
    }

    fn input_schema(&self, tool: &str) -> Option<String> {
        self.inner.input_schema(tool)
    }

    fn check(&self, call: &ToolCall) -> Result<(), String> {
        self.inner.check(call)
    }

    async fn obstacle(&self, call: &ToolCall, timeout: Duration) -> Result<Option<String>, PortError> {
        self.inner.obstacle(call, timeout).await
    }

    async fn call(&self, call: &ToolCall, timeout: Duration) -> Result<ToolOutput, PortError> {
        match self.inner.effect(&call.tool) {
            Some(Effect::Reads) => {}
            Some(Effect::Changes) | None => {
                let is_claimed = match &self.claim {
                    Some((conversation, token)) => conversation.claim(token).await?,
                    None => false,
                };
                if !is_claimed {
                    let sentence = "nothing is waiting for this confirmation: it was carried out, withdrawn or has \
                                    expired";
                    return Err(PortError::new("tools", Fault::Invalid, sentence));
                }
                self.write_down(call).await?;
            }
        }
        self.inner.call(call, timeout).await
    }
}
