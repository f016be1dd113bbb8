//! What was found by comparing documents, for admins: listed, dismissed.
//!
//! Invariant: nobody sees or dismisses a finding of which they may not read both sides.

use vouch_domain::{Caller, Dismissal, FindingKind, FindingPage, Reader};
use vouch_engine::ingest::IngestReport;

use super::{AdminError, AdminService};
use crate::{run_findings, tenant_locks::TenantLock};

impl AdminService {
    /// The open findings a caller may see.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn open_findings(
        &self,
        caller: &Caller,
        kind: Option<FindingKind>,
        limit: usize,
    ) -> Result<FindingPage, AdminError> {
        Ok(self.findings.open(&caller.reader, kind, limit).await?)
    }

    /// What an ingest found, as far as a reader may see it. What is stored is stored, also where this cannot be told.
    pub(super) async fn found(&self, reader: &Reader, report: &IngestReport) -> FindingPage {
        run_findings(self.findings.as_ref(), reader, report).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "what was found cannot be told");
            FindingPage::default()
        })
    }

    /// Notes that there is nothing to mend; it is listed again once one of its two sentences has changed.
    ///
    /// # Errors
    /// Fails if there is no such finding for this caller, or the store fails.
    pub async fn dismiss_finding(&self, turn: TenantLock, caller: &Caller, id: &str) -> Result<(), AdminError> {
        let (caller, id) = (caller.clone(), id.to_owned());
        self.finish(turn, move |admin_service| async move {
            let dismissal = Dismissal { by: caller.id.clone(), at_ms: admin_service.ingest.clock.now_ms() };
            let is_there = admin_service.findings.dismiss(&caller.reader, &id, dismissal).await?;
            if is_there { Ok(()) } else { Err(AdminError::Missing) }
        })
        .await
    }
}
