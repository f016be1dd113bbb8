//! The report of an ingest → what its comparing found, as far as a reader may see it and nobody has dismissed it.

use std::collections::BTreeSet;

use vouch_domain::{FindingPage, PortError, Reader, Scope, ports::Findings};
use vouch_engine::ingest::IngestReport;

/// As many open findings as are looked through for those of the run.
const LOOKED_MAX: usize = 1_000;

/// What was found in this run: the first of them, and how many there are.
///
/// # Errors
/// Fails if the store does.
pub async fn run_findings(
    findings: &dyn Findings,
    reader: &Reader,
    report: &IngestReport,
) -> Result<FindingPage, PortError> {
    let review = &report.review;
    if review.findings.is_empty() {
        return Ok(FindingPage::default());
    }
    let own: BTreeSet<&str> = review.findings.iter().map(|finding| finding.id.as_str()).collect();
    let mut page = findings.open(reader, None, LOOKED_MAX).await?;
    page.findings.retain(|finding| own.contains(finding.id.as_str()));
    let shown = page.findings.len() as u64;
    // Whoever sees a part is not told how much there is beyond it.
    page.total = match (&reader.scope, &reader.collections) {
        (Scope::WholeTenant, None) => review.found.saturating_sub((review.findings.len() as u64).saturating_sub(shown)),
        (Scope::WholeTenant, Some(_)) | (Scope::Tags(_), _) => shown,
    };
    Ok(page)
}
