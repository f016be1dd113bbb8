//! The service in use, and another put in its place while requests run.
//!
//! Invariant: a request works with one service from its beginning to its end; where a change fails, the service in use stays.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use axum::extract::FromRef;
use vouch_service::models_in_use::ModelsInUse;

use crate::service::Service;

/// Makes a service with the models that the settings name by now out of the one in use.
pub type Reload = Arc<dyn Fn(&Service) -> Result<(Service, ModelsInUse), String> + Send + Sync>;

/// Holds the service in use.
#[derive(Clone)]
pub struct ServiceSlot {
    service: Arc<RwLock<Service>>,
    reload: Option<Reload>,
    one_at_a_time: Arc<Mutex<()>>,
}

impl ServiceSlot {
    /// A slot with a service; without `reload` it stays there.
    #[must_use]
    pub fn new(service: Service, reload: Option<Reload>) -> Self {
        Self { service: Arc::new(RwLock::new(service)), reload, one_at_a_time: Arc::default() }
    }

    /// The service in use.
    #[must_use]
    pub fn current(&self) -> Service {
        self.service.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the settings again and puts a service with their models in its place.
    ///
    /// # Errors
    /// Says in a sentence why the service in use stays.
    pub async fn reload(&self) -> Result<ModelsInUse, String> {
        let slot = self.clone();
        let stopped = |_| "the settings could not be read: an internal error".to_owned();
        tokio::task::spawn_blocking(move || slot.reload_now()).await.map_err(stopped)?
    }

    fn reload_now(&self) -> Result<ModelsInUse, String> {
        let reload = self.reload.as_ref().ok_or_else(|| "this server has no settings file to read again".to_owned())?;
        let _turn = self.one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
        let (service, in_use) = reload(&self.current())?;
        *self.service.write().unwrap_or_else(PoisonError::into_inner) = service;
        tracing::info!(event = "models_reloaded", models = ?in_use.models, restart_needed = ?in_use.restart_needed);
        Ok(in_use)
    }
}

impl FromRef<ServiceSlot> for Service {
    fn from_ref(slot: &ServiceSlot) -> Self {
        slot.current()
    }
}
