//! Jobs as admins of a tenant see and steer them.

use std::sync::Arc;

use vouch_domain::{
    Caller, Job, JobTarget, NewJob,
    ports::{Clock, Jobs},
};

use crate::admin_service::AdminError;

/// How many jobs are listed.
const LISTED_MAX: usize = 100;

/// A source of the settings, for whoever may start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCard {
    /// Its name.
    pub name: String,
    /// Whose documents it holds.
    pub tenant: String,
    /// What it is, such as `folder`.
    pub kind: &'static str,
    /// How often it is looked at, in seconds; none if nobody said.
    pub every_s: Option<u64>,
    /// Whether changes are followed as they come.
    pub is_watched: bool,
}

/// The queue of jobs, and the sources they can be asked for.
#[derive(Clone)]
pub struct JobService {
    /// The queue.
    pub jobs: Arc<dyn Jobs>,
    /// The sources of the settings.
    pub sources: Arc<[SourceCard]>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

impl JobService {
    /// The sources of the caller's tenant.
    #[must_use]
    pub fn sources(&self, caller: &Caller) -> Vec<SourceCard> {
        self.sources.iter().filter(|source| source.tenant == caller.reader.tenant).cloned().collect()
    }

    /// The newest jobs of the caller's tenant.
    ///
    /// # Errors
    /// Fails if the queue does.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<Job>, AdminError> {
        Ok(self.jobs.list(Some(&caller.reader.tenant), LISTED_MAX).await?)
    }

    /// One job of the caller's tenant.
    ///
    /// # Errors
    /// Fails if there is none, or the queue does.
    pub async fn find(&self, caller: &Caller, id: &str) -> Result<Job, AdminError> {
        self.jobs.find(Some(&caller.reader.tenant), id).await?.ok_or(AdminError::Missing)
    }

    /// Asks for a source of the caller's tenant to be taken in now.
    ///
    /// # Errors
    /// Fails if there is no such source, or the queue does.
    pub async fn start(&self, caller: &Caller, source: &str) -> Result<Job, AdminError> {
        if !self.sources(caller).iter().any(|known| known.name == source) {
            return Err(AdminError::Bad("the settings have no such source".to_owned()));
        }
        let target = JobTarget::Source(source.to_owned());
        let job = NewJob { tenant: caller.reader.tenant.clone(), target, asked_by: caller.id.clone() };
        Ok(self.jobs.enqueue(&job, self.clock.now_ms()).await?.into_job())
    }

    /// Stops a job of the caller's tenant.
    ///
    /// # Errors
    /// Fails if there is none, or the queue does.
    pub async fn cancel(&self, caller: &Caller, id: &str) -> Result<Job, AdminError> {
        let now_ms = self.clock.now_ms();
        self.jobs.cancel(Some(&caller.reader.tenant), id, now_ms).await?.ok_or(AdminError::Missing)
    }

    /// Lets a job of the caller's tenant be tried again now.
    ///
    /// # Errors
    /// Fails if there is none, another one does the same, or the queue fails.
    pub async fn retry(&self, caller: &Caller, id: &str) -> Result<Job, AdminError> {
        let now_ms = self.clock.now_ms();
        self.jobs.retry(Some(&caller.reader.tenant), id, now_ms).await?.ok_or(AdminError::Missing)
    }
}
