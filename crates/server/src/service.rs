//! The engine behind HTTP: authentication, routing, and one format for problems.

use std::{sync::Arc, time::Duration};

use vouch_domain::{MemoryEntry, ports::SignIn};
use vouch_service::{
    admin_service::{AdminError, AdminService},
    ask_service::AskService,
    certificate::Certificate,
    evaluations::ReadReports,
    jobs::JobService,
    phrase_check::{PhraseReport, check_phrases},
    tenant_locks::TenantLock,
};

use crate::{
    access_control::AccessControl,
    admission::Admission,
    problem::{Code, Problem},
    readiness::Readiness,
};

/// What one server works with.
#[derive(Clone)]
pub struct Service {
    /// Where questions are asked.
    pub ask_service: Arc<AskService>,
    /// Who calls.
    pub access_control: AccessControl,
    /// Where people sign in; none if they cannot.
    pub sign_in: Option<Arc<dyn SignIn>>,
    /// What admins keep.
    pub admin_service: AdminService,
    /// What is done in the background.
    pub job_service: JobService,
    /// Whether questions can be answered.
    pub readiness: Readiness,
    /// How often answers are wrong at most: none where nothing was certified, and what is wrong with what cannot be read.
    pub certificate: Arc<Option<Result<Certificate, String>>>,
    /// The evaluations that are kept beside the documents.
    pub evaluations: ReadReports,
    /// Questions that the page offers to begin with.
    pub examples: Arc<[String]>,
    /// How many may come in.
    pub admission: Admission,
    /// How long a request may take.
    pub timeout: Duration,
    /// The largest body.
    pub body_bytes_max: usize,
    /// The largest file.
    pub file_bytes_max: usize,
    /// How long a client may take to send a body.
    pub body_timeout: Duration,
}

impl Service {
    /// Does work once a permit is free, within the request's deadline.
    pub(crate) async fn run_admitted<T>(
        &self,
        id: &str,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let full = || Problem::new(Code::Overloaded, "Too many requests are being handled; try again shortly.", id);
        let late = |_| Problem::new(Code::Overloaded, "The request timed out; try again.", id);
        let run_admitted = async {
            let _place = self.admission.acquire().await.ok_or_else(full)?;
            work.await
        };
        tokio::time::timeout(self.timeout, run_admitted).await.map_err(late)?
    }

    /// Asks the phrases of an entry that was kept. It is kept whether or not there is time for that.
    pub(crate) async fn check_phrases(&self, entry: &MemoryEntry, id: &str) -> PhraseReport {
        let entries = std::slice::from_ref(entry);
        let checked = async { Ok(check_phrases(&self.ask_service.engine, entries, self.timeout / 2).await) };
        let unasked = PhraseReport { unasked: entry.phrases.len(), ..PhraseReport::default() };
        self.run_admitted(id, checked).await.unwrap_or(unasked)
    }

    /// The turn of a tenant's change. It is waited for before a permit of `run_admitted` is taken, so that one tenant's
    /// changes never keep everybody's questions waiting.
    pub(crate) async fn wait_for_lock(
        &self,
        turn: impl Future<Output = Result<TenantLock, AdminError>>,
        id: &str,
    ) -> Result<TenantLock, Problem> {
        let late = |_| {
            Problem::new(Code::Overloaded, "Other changes to this tenant took too long; send the request again.", id)
        };
        let turn = tokio::time::timeout(self.timeout, turn).await.map_err(late)?;
        turn.map_err(|error| Problem::from_admin_error(&error, id))
    }
}
