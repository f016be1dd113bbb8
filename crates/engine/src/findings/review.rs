//! Documents that wait to be compared → findings, as far as the time goes.
//!
//! Invariant: a document counts as compared only once everything found about it is kept; whoever is cut short goes on
//! where they stopped the next time.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use vouch_domain::{
    DocumentCard, DocumentId, Finding, PortError, Reader,
    finding::{Similar, SketchedDocument, UncomparedDocument},
    ports::{Catalogue, ClaimJudge, ClaimPair, Clock, Findings, Support},
};

use super::{Suspicion, duplicates, sketch, suspicions, two_versions, versions_to_read};
use crate::reading::budget::Budget;

/// Documents that are read and written down together.
const CHUNK: usize = 8;
/// How long a judge may read what is suspected of one document.
const JUDGING_MAX: Duration = Duration::from_secs(2);
/// Findings that are told word for word.
const TOLD_MAX: usize = 20;

/// Compares documents with all that were compared before them.
pub struct Review<'a> {
    /// What is kept of documents, and what was found.
    pub findings: &'a dyn Findings,
    /// The documents, to read those that may be versions of one another.
    pub catalogue: &'a dyn Catalogue,
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
    /// What was found, the first few of what an ingest tells.
    pub findings: Vec<Finding>,
    /// How much was found of that in all.
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
            if self.is_over() {
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
        let mut read: Vec<(Arc<DocumentCard>, String, SketchedDocument)> = Vec::new();
        for document in documents {
            read.push(sketched(document).await);
        }
        let sketches = read.iter().map(|(_, _, sketched)| sketched.clone()).collect();
        self.findings.keep_sketches(tenant, sketches).await?;
        let compared: Vec<(DocumentId, u32)> =
            read.iter().map(|(_, _, sketched)| (sketched.id.clone(), sketched.version)).collect();
        let mut found: Vec<Finding> = Vec::new();
        for (card, text, sketched) in read {
            let similar = self.findings.similar(tenant, &sketched.id, &sketched.sketch).await?;
            for finding in self.compare((card, text), sketched, similar).await? {
                // Two documents of one chunk find each other twice.
                if !found.iter().any(|known| known.id == finding.id) {
                    found.push(finding);
                }
            }
        }
        self.findings.record(tenant, compared.clone(), found.clone()).await?;
        report.compared += compared.len() as u64;
        found.retain(|finding| finding.kind.is_told_at_ingest());
        report.found += found.len() as u64;
        let room = TOLD_MAX.saturating_sub(report.findings.len());
        report.findings.extend(found.into_iter().take(room));
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.clock.since_start() >= self.until || !(self.is_wanted)()
    }

    async fn compare(
        &self,
        (card, text): (Arc<DocumentCard>, String),
        sketched: SketchedDocument,
        similar: Similar,
    ) -> Result<Vec<Finding>, PortError> {
        let now_ms = self.clock.now_ms();
        let mut found = self.versions((&card, text), &sketched, &similar, now_ms).await?;
        let known: BTreeSet<DocumentId> = partners(&found, &card.id);
        let work = move || {
            let mut found = duplicates(&card, &sketched.sketch, &similar, now_ms);
            found.retain(|finding| partners(std::slice::from_ref(finding), &card.id).is_disjoint(&known));
            // What two documents that are nearly the same differ in is told with them, or is what each is about.
            let known = known.union(&partners(&found, &card.id)).cloned().collect();
            (found, suspicions(&card, &sketched.sketch, &without(similar, &known), now_ms))
        };
        let (more, suspected) = off_thread(work).await;
        found.extend(more);
        let readings = self.readings(&suspected).await;
        found.extend(suspected.into_iter().zip(readings).filter_map(|(one, readings)| one.settle(readings)));
        Ok(found)
    }

    /// The other versions of a document.
    async fn versions(
        &self,
        (card, text): (&Arc<DocumentCard>, String),
        sketched: &SketchedDocument,
        similar: &Similar,
        now_ms: u64,
    ) -> Result<Vec<Finding>, PortError> {
        let reader = Reader::of_tenant(&card.tenant);
        let text: Arc<str> = text.into();
        let mut found = Vec::new();
        for other in versions_to_read(card, &sketched.sketch, similar) {
            let Some(others) = self.catalogue.text(&reader, &other.id).await? else { continue };
            let (card, text) = (Arc::clone(card), Arc::clone(&text));
            let work = move || two_versions([(&card, &text), (&other, &others)], now_ms);
            found.extend(off_thread(work).await);
        }
        Ok(found)
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

/// The documents that findings name beside this one.
fn partners(findings: &[Finding], own: &DocumentId) -> BTreeSet<DocumentId> {
    let sides = findings.iter().flat_map(|finding| &finding.sides);
    sides.map(|side| side.document.id.clone()).filter(|id| id != own).collect()
}

/// What is similar without the claims of these documents.
fn without(mut similar: Similar, known: &BTreeSet<DocumentId>) -> Similar {
    for claims in &mut similar.claims {
        claims.retain(|claim| !known.contains(&claim.document.id));
    }
    similar
}

/// A document that cannot be read has nothing to be compared by, and counts as compared.
async fn sketched(document: UncomparedDocument) -> (Arc<DocumentCard>, String, SketchedDocument) {
    let (card, text, version) = (Arc::new(document.card.clone()), document.text.clone(), document.version);
    let sketch = off_thread(move || sketch(&document, &Budget::default())).await;
    let sketched = SketchedDocument { id: card.id.clone(), version, sketch };
    (card, text, sketched)
}

/// Reading what a stranger wrote takes long, and runs away from the threads that answer. A document on which it fails has
/// nothing to compare.
async fn off_thread<T: Default + Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap_or_default()
}
