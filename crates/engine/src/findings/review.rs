//! Documents that wait to be compared → findings, as far as the time goes.
//!
//! Invariant: a document counts as compared only once everything found about it is kept; whoever is cut short goes on
//! where they stopped the next time.

use std::{sync::Arc, time::Duration};

use vouch_domain::{
    DocumentCard, DocumentId, Finding, PortError,
    finding::{Similar, SketchedDocument, UncomparedDocument},
    ports::{ClaimJudge, ClaimPair, Clock, Findings, Support},
};

use super::{Suspicion, duplicates, sketch, suspicions};
use crate::reading::budget::Budget;

/// Documents that are written down together.
const CHUNK: usize = 16;
/// How long a judge may read what is suspected of one document.
const JUDGING_MAX: Duration = Duration::from_secs(5);
/// Findings that are told word for word.
const TOLD_MAX: usize = 20;

/// Compares documents with all that were compared before them.
pub struct Review<'a> {
    /// What is kept of documents, and what was found.
    pub findings: &'a dyn Findings,
    /// Who has the last word on two sentences; without one the words they share decide.
    pub judge: Option<&'a dyn ClaimJudge>,
    /// Time.
    pub clock: &'a dyn Clock,
    /// When to stop, by the clock's time since its start.
    pub until: Duration,
    /// Whether anybody still waits for it.
    pub is_wanted: &'a (dyn Fn() -> bool + Sync),
}

/// What a review came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewReport {
    /// Documents compared.
    pub compared: u64,
    /// Whether documents are left for the next time.
    pub is_cut: bool,
    /// What was found, the first few.
    pub findings: Vec<Finding>,
    /// How much was found in all.
    pub found: u64,
}

impl Review<'_> {
    /// Compares the documents of a tenant that wait for it.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn run(&self, tenant: &str) -> Result<ReviewReport, PortError> {
        let mut report = ReviewReport::default();
        loop {
            let documents = self.findings.uncompared(tenant, CHUNK).await?;
            if documents.is_empty() {
                return Ok(report);
            }
            if self.clock.since_start() >= self.until || !(self.is_wanted)() {
                report.is_cut = true;
                return Ok(report);
            }
            self.compare_chunk(tenant, documents, &mut report).await?;
        }
    }

    async fn compare_chunk(
        &self,
        tenant: &str,
        documents: Vec<UncomparedDocument>,
        report: &mut ReviewReport,
    ) -> Result<(), PortError> {
        let compared: Vec<(DocumentId, u32)> =
            documents.iter().map(|document| (document.card.id.clone(), document.version)).collect();
        let sketched = off_thread(move || documents.into_iter().map(sketched).collect::<Vec<_>>()).await;
        let sketches = sketched.iter().map(|(_, sketched)| sketched.clone()).collect();
        self.findings.keep_sketches(tenant, sketches).await?;
        let mut found: Vec<Finding> = Vec::new();
        for (card, sketched) in sketched {
            let similar = self.findings.similar(tenant, &sketched.id, &sketched.sketch).await?;
            let more = self.compare(card, sketched, similar).await;
            for finding in more {
                // Two documents of one chunk find each other twice.
                if !found.iter().any(|known| known.id == finding.id) {
                    found.push(finding);
                }
            }
        }
        self.findings.record(tenant, compared.clone(), found.clone()).await?;
        report.compared += compared.len() as u64;
        report.found += found.len() as u64;
        let room = TOLD_MAX.saturating_sub(report.findings.len());
        report.findings.extend(found.into_iter().take(room));
        Ok(())
    }

    async fn compare(&self, card: Arc<DocumentCard>, sketched: SketchedDocument, similar: Similar) -> Vec<Finding> {
        let now_ms = self.clock.now_ms();
        let work = move || {
            let found = duplicates(&card, &sketched.sketch, &similar, now_ms);
            (found, suspicions(&card, &sketched.sketch, &similar, now_ms))
        };
        let (mut found, suspected) = off_thread(work).await;
        let readings = self.readings(&suspected).await;
        found.extend(suspected.into_iter().zip(readings).filter_map(|(one, readings)| one.settle(readings)));
        found
    }

    /// What the judge reads in each; nothing where there is no judge, or it fails or takes too long.
    async fn readings(&self, suspected: &[Suspicion]) -> Vec<Option<[Support; 2]>> {
        let unread = vec![None; suspected.len()];
        let Some(judge) = self.judge.filter(|_| !suspected.is_empty()) else { return unread };
        let pairs: Vec<ClaimPair> = suspected.iter().flat_map(|one| one.readings().clone()).collect();
        match judge.weigh(pairs, JUDGING_MAX).await {
            Ok(read) => read.as_chunks::<2>().0.iter().map(|[one, other]| Some([(*one)?, (*other)?])).collect(),
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "two sentences could not be weighed");
                unread
            }
        }
    }
}

fn sketched(document: UncomparedDocument) -> (Arc<DocumentCard>, SketchedDocument) {
    let sketch = sketch(&document, &Budget::default());
    let (id, version) = (document.card.id.clone(), document.version);
    (Arc::new(document.card), SketchedDocument { id, version, sketch })
}

/// Reading what a stranger wrote takes long, and runs away from the threads that answer. A document on which it fails has
/// nothing to compare.
async fn off_thread<T: Default + Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap_or_default()
}
