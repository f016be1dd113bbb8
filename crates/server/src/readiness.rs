//! Whether a question asked now could be answered: the keys can be checked, the catalogue read, the trail and the disk
//! written. An answer that cannot be recorded is not given, so a server that cannot write is not ready.
//!
//! Invariant: one check runs at a time. Callers wait for it with a deadline; whether they stay or leave,
//! it finishes before the next one begins.

use std::{sync::Arc, time::Duration};

use tokio::sync::Mutex;
use vouch_domain::{AuditScope, Fault, Feedback, PortError};
use vouch_service::ask_service::AskService;

use crate::access_control::AccessControl;

/// How long a result is reused, so that frequent polling costs nothing.
const HOLDS: Duration = Duration::from_secs(1);
/// How long it is waited for.
const TIMEOUT: Duration = Duration::from_secs(5);
/// An entry that cannot exist: no tenant has this name.
const NOBODY: &str = "";

/// Writes something to the disk the data is on, and takes it away again.
pub type DiskProbe = dyn Fn() -> Result<(), PortError> + Send + Sync;

/// The last result, and how to check again.
#[derive(Clone)]
pub struct Readiness {
    probe: Arc<DiskProbe>,
    found: Arc<Mutex<Option<(Duration, bool)>>>,
}

impl Readiness {
    /// Finds out with this probe.
    #[must_use]
    pub fn new(probe: Arc<DiskProbe>) -> Self {
        Self { probe, found: Arc::default() }
    }

    pub(crate) async fn is_ready(&self, access_control: &AccessControl, ask_service: &Arc<AskService>) -> bool {
        let found = tokio::time::timeout(TIMEOUT, self.found(access_control, ask_service)).await;
        found.unwrap_or_else(|_| {
            tracing::warn!(component = "readiness", "not ready: the store takes too long");
            false
        })
    }

    /// What was found a moment ago, or is found now.
    async fn found(&self, access_control: &AccessControl, ask_service: &Arc<AskService>) -> bool {
        // One finds out and the others wait for it.
        let mut found = Arc::clone(&self.found).lock_owned().await;
        let now = access_control.clock.since_start();
        if let Some((_, is_ready)) = found.filter(|(at, _)| now.saturating_sub(*at) < HOLDS) {
            return is_ready;
        }
        let (readiness, access_control, ask_service) = (self.clone(), access_control.clone(), Arc::clone(ask_service));
        let finding = tokio::spawn(async move {
            let checked = readiness.check(&access_control, &ask_service).await;
            if let Err(error) = &checked {
                tracing::warn!(%error, component = "readiness", "not ready");
            }
            *found = Some((access_control.clock.since_start(), checked.is_ok()));
            checked.is_ok()
        });
        finding.await.unwrap_or(false)
    }

    async fn check(&self, access_control: &AccessControl, ask_service: &AskService) -> Result<(), PortError> {
        access_control.check().await?;
        ask_service.engine.retrieve.catalogue.generation().await?;
        // It begins to write and finds nothing to write to, so it needs all that writing needs and leaves nothing behind.
        let nobody = AuditScope { tenant: NOBODY.to_owned(), asker: Some(NOBODY.to_owned()) };
        let word = Feedback { asker: NOBODY.to_owned(), at_ms: 0, is_helpful: true, comment: None };
        ask_service.trail.comment(&nobody, NOBODY, word).await?;
        let probe = Arc::clone(&self.probe);
        let broken =
            |error| PortError::new("store", Fault::Internal, "the disk could not be tested").with_source(error);
        tokio::task::spawn_blocking(move || probe()).await.map_err(broken)?
    }
}
