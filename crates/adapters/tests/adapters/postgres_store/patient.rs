//! A node's trail, read again for as long as its own entries are on their way to the database or that cannot be reached: who reads
//! waits for a moment only, which a busy machine takes for itself at times.

use std::{
    ops::Deref,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use vouch_adapters::postgres::PostgresTrail;
use vouch_domain::{
    AuditEntry, AuditScope, AuditedEntry, Fault, Feedback, FeedbackOutcome, PortError,
    ports::{AuditPlace, AuditTrail},
};

use super::nodes::PATIENCE;

/// The trail, of which all is read where that can be had.
pub(super) struct Patient(pub(super) PostgresTrail);

impl Deref for Patient {
    type Target = PostgresTrail;

    fn deref(&self) -> &PostgresTrail {
        &self.0
    }
}

impl Patient {
    async fn whole<T, F>(&self, ask: impl Fn() -> F) -> Result<T, PortError>
    where
        F: Future<Output = Result<T, PortError>>,
    {
        let began = Instant::now();
        loop {
            let outcome = ask().await;
            let is_told = outcome.as_ref().is_err_and(|error| error.fault != Fault::Unavailable);
            if is_told || !self.0.is_partial() || began.elapsed() > PATIENCE {
                return outcome;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

#[async_trait]
impl AuditTrail for Patient {
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError> {
        self.0.write(entry).await
    }

    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError> {
        self.0.rewrite(place, entry).await
    }

    async fn entry(&self, scope: &AuditScope, id: &str) -> Result<Option<AuditedEntry>, PortError> {
        self.whole(|| self.0.entry(scope, id)).await
    }

    async fn before(
        &self,
        scope: &AuditScope,
        place: Option<AuditPlace>,
        limit: usize,
    ) -> Result<Vec<(AuditPlace, AuditEntry)>, PortError> {
        self.whole(|| self.0.before(scope, place, limit)).await
    }

    async fn commented(&self, scope: &AuditScope, limit: usize) -> Result<Vec<AuditedEntry>, PortError> {
        self.whole(|| self.0.commented(scope, limit)).await
    }

    async fn each(&self, visit: &mut (dyn FnMut(AuditedEntry) + Send)) -> Result<(), PortError> {
        self.0.each(visit).await
    }

    async fn check(&self) -> Result<(), PortError> {
        self.0.check().await
    }

    fn is_partial(&self) -> bool {
        self.0.is_partial()
    }

    fn is_sending(&self) -> bool {
        self.0.is_sending()
    }

    async fn comment(&self, scope: &AuditScope, id: &str, feedback: Feedback) -> Result<FeedbackOutcome, PortError> {
        self.whole(|| self.0.comment(scope, id, feedback.clone())).await
    }
}
