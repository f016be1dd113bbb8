//! A data folder that is let go while a model writes: others may take documents in or ask meanwhile.
//!
//! Invariant: nothing is written to the trail before the folder is held again.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use vouch_adapters::embedded::FolderLease;
use vouch_domain::{
    AuditEntry, AuditScope, AuditedEntry, Fault, Feedback, FeedbackOutcome, ModelError, PortError,
    ports::{AuditPlace, AuditTrail, CompletionRequest, CompletionStream, LanguageModel},
};
use vouch_engine::model_registry::JobModel;

/// How long a folder that somebody else has taken meanwhile is waited for.
const WAIT: Duration = Duration::from_secs(60);

/// A model before which the folder is let go.
pub(super) struct AsideModel {
    server: Arc<dyn LanguageModel>,
    lease: Arc<FolderLease>,
}

/// The same model, with the folder let go when it begins to write.
pub(super) fn aside(job_model: JobModel, lease: &Arc<FolderLease>) -> JobModel {
    let server = AsideModel { server: Arc::clone(&job_model.server), lease: Arc::clone(lease) };
    JobModel { server: Arc::new(server), ..job_model }
}

#[async_trait]
impl LanguageModel for AsideModel {
    fn provider(&self) -> &'static str {
        self.server.provider()
    }

    fn advice(&self, model: &str, there: &[String]) -> String {
        self.server.advice(model, there)
    }

    fn unasked(&self) -> Option<ModelError> {
        self.server.unasked()
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        self.server.models().await
    }

    async fn stream_completion(&self, request: CompletionRequest) -> Result<Box<dyn CompletionStream>, ModelError> {
        self.lease.let_go();
        self.server.stream_completion(request).await
    }
}

/// A trail before which the folder is taken again.
pub(super) struct HeldTrail {
    pub(super) trail: Arc<dyn AuditTrail>,
    pub(super) lease: Arc<FolderLease>,
}

impl HeldTrail {
    async fn hold(&self) -> Result<(), PortError> {
        let lease = Arc::clone(&self.lease);
        let taken = tokio::task::spawn_blocking(move || lease.take_again(WAIT)).await;
        taken.unwrap_or_else(|error| Err(PortError::new("store", Fault::Internal, error.to_string())))
    }
}

#[async_trait]
impl AuditTrail for HeldTrail {
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError> {
        self.hold().await?;
        self.trail.write(entry).await
    }

    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError> {
        self.hold().await?;
        self.trail.rewrite(place, entry).await
    }

    async fn entry(&self, scope: &AuditScope, id: &str) -> Result<Option<AuditedEntry>, PortError> {
        self.trail.entry(scope, id).await
    }

    async fn before(
        &self,
        scope: &AuditScope,
        place: Option<AuditPlace>,
        limit: usize,
    ) -> Result<Vec<(AuditPlace, AuditEntry)>, PortError> {
        self.trail.before(scope, place, limit).await
    }

    async fn commented(&self, scope: &AuditScope, limit: usize) -> Result<Vec<AuditedEntry>, PortError> {
        self.trail.commented(scope, limit).await
    }

    async fn each(&self, visit: &mut (dyn FnMut(AuditedEntry) + Send)) -> Result<(), PortError> {
        self.trail.each(visit).await
    }

    async fn check(&self) -> Result<(), PortError> {
        self.trail.check().await
    }

    fn is_partial(&self) -> bool {
        self.trail.is_partial()
    }

    fn is_sending(&self) -> bool {
        self.trail.is_sending()
    }

    async fn comment(&self, scope: &AuditScope, id: &str, feedback: Feedback) -> Result<FeedbackOutcome, PortError> {
        self.hold().await?;
        self.trail.comment(scope, id, feedback).await
    }
}
