//! An open folder lent to a command that runs beside what holds it.

use std::sync::{Arc, PoisonError};

use vouch_domain::PortError;
use vouch_engine::ask::Engine;
use vouch_service::{ask_service::AskService, tenant_locks::TenantLock};

use super::App;
use crate::settings::LoadedSettings;

impl App {
    /// The same parts, answering as a service does that runs already.
    pub fn lent(&self, ask_service: &AskService) -> Self {
        Self {
            engine: Engine::clone(&ask_service.engine),
            lent: Some(ask_service.clone()),
            circumstances: ask_service.circumstances.clone(),
            loaded: self.settings_in_use(),
            ..self.clone()
        }
    }

    /// Whether the parts are lent by a process that answers with them.
    pub fn is_lent(&self) -> bool {
        self.lent.is_some()
    }

    /// The settings that answers are made by at the moment, where they were read again since the start.
    pub fn settings_in_use(&self) -> Arc<LoadedSettings> {
        let read_again = self.in_use.read().unwrap_or_else(PoisonError::into_inner).clone();
        read_again.unwrap_or_else(|| Arc::clone(&self.loaded))
    }

    /// That service with this engine, where the parts are lent.
    pub(super) fn lent_service(&self) -> Option<AskService> {
        let lent = self.lent.as_ref()?;
        Some(AskService { engine: Arc::new(self.engine.clone()), ..lent.clone() })
    }

    /// A tenant's turn to change its documents.
    ///
    /// # Errors
    /// Fails if too many of its changes wait already.
    pub async fn turn_to_change(&self, tenant: &str) -> Result<TenantLock, PortError> {
        self.tenant_locks.take_with_room(tenant).await.ok_or_else(crowded)
    }

    /// The same for a change that reads no documents.
    ///
    /// # Errors
    /// As `turn_to_change`.
    pub async fn turn_for_small_change(&self, tenant: &str) -> Result<TenantLock, PortError> {
        self.tenant_locks.take(tenant).await.ok_or_else(crowded)
    }
}

fn crowded() -> PortError {
    let sentence = "too many changes to this tenant are already waiting; try again in a moment";
    PortError::new("store", vouch_domain::Fault::Held, sentence)
}
