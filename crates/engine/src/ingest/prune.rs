//! What a run did not see → removed, unless that is most of what there was.
//!
//! A folder whose mount is lost looks like one that somebody has emptied. So where more than a third of what a folder held is
//! gone nothing of it is removed, unless the caller says that this is meant.

use std::collections::BTreeSet;

use vouch_domain::{DocumentId, PortError};

use super::{Ingest, IngestReport, IngestRun, Unpruned};

/// Of so many parts of what a folder held one may be gone.
const PARTS: u64 = 3;

/// How much may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PruneExtent {
    /// Up to a third of what each folder held.
    Few,
    /// Whatever is gone.
    Many,
}

impl Ingest {
    /// Removes the documents below the roots that this run did not see; a source that failed keeps its documents, and a
    /// run that was cut short removes none.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn prune(
        &self,
        run: &IngestRun<'_>,
        extent: PruneExtent,
        report: &mut IngestReport,
    ) -> Result<(), PortError> {
        if report.is_cut_short {
            return Ok(());
        }
        let mut gone = BTreeSet::new();
        for root in run.roots {
            let (unseen, held) = self.unseen(run, root, report).await?;
            match extent {
                PruneExtent::Few if (unseen.len() as u64).saturating_mul(PARTS) > held => {
                    let (root, gone) = (root.clone(), unseen.len() as u64);
                    report.unpruned.push(Unpruned { root, gone, held });
                }
                PruneExtent::Few | PruneExtent::Many => gone.extend(unseen),
            }
        }
        let ids: Vec<DocumentId> = gone.into_iter().collect();
        report.removed += self.catalogue.remove(run.tenant, &ids).await?;
        self.refresh(report).await;
        Ok(())
    }

    /// Counts what `prune` would remove, for a caller who leaves it.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn count_unseen(&self, run: &IngestRun<'_>, report: &mut IngestReport) -> Result<(), PortError> {
        let mut gone = BTreeSet::new();
        for root in run.roots {
            gone.extend(self.unseen(run, root, report).await?.0);
        }
        report.without_file = gone.len() as u64;
        Ok(())
    }

    /// The documents below a root that this run did not see and that did not fail, and how many there were before it.
    async fn unseen(
        &self,
        run: &IngestRun<'_>,
        root: &str,
        report: &IngestReport,
    ) -> Result<(BTreeSet<DocumentId>, u64), PortError> {
        let mut held = 0;
        let mut gone = BTreeSet::new();
        for known in self.catalogue.under_source(run.tenant, root).await? {
            held += u64::from(!report.added_ids.contains(&known.id));
            if !report.seen.contains_key(&known.id) && !report.has_failed(&known.source) {
                gone.insert(known.id);
            }
        }
        Ok((gone, held))
    }
}
