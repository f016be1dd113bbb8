//! The catalogue's changes since the index's generation → the server.
//!
//! Invariant: the generation of an index is written after every change up to it, and every change may be written twice, so
//! that neither an end in between nor two nodes at once leave out any. An index that is being filled has no generation until
//! somebody who has written all of it says so.

use std::collections::BTreeSet;

use vouch_domain::{Fault, PortError, ports::Generation};

use super::{
    Inner, held, not_made,
    turn::{Care, Turn},
    vector_server::{IndexContent, IndexHead, Shelves},
};
use crate::embedded::{Change, Cursor, IndexIdentity};

/// An index keeps the dead of so many generations, for nodes that are behind.
const GENERATIONS_KEPT: u64 = 1_000;
/// How many changed rows are written at once: where a shelf has a graph each row has to find its place in it, and a batch has a
/// deadline.
const CHANGED_ROWS_MAX: usize = 512;
/// As many rows as are written while a question waits. A backlog that is longer is left to whoever has the time.
const QUICK_ROWS_MAX: usize = 4_096;

/// One bringing up.
struct Work {
    turn: Turn,
    care: Care,
    identity: IndexIdentity,
    /// The catalogue's generation.
    wanted: Generation,
    /// How many rows were written.
    rows: usize,
}

impl Inner {
    pub(super) async fn bring_up(&self, turn: Turn, care: Care) -> Result<Generation, PortError> {
        let identity = self.vectors.identity()?;
        let found = self.server.head(&identity).await?;
        // The catalogue is asked after the index: what is ahead of it then was not brought there by this store.
        let wanted = self.vectors.generation()?;
        let mut work = Work { turn, care, identity, wanted, rows: 0 };
        match found {
            Some(head) => self.go_on(head, &mut work).await?,
            None => {
                self.forget();
                self.make(&mut work).await?;
            }
        }
        if care == Care::Thorough {
            self.settle(&mut work).await?;
        }
        Ok(wanted)
    }

    /// Writes what an index lacks, or makes it again where that cannot be told.
    async fn go_on(&self, head: IndexHead, work: &mut Work) -> Result<(), PortError> {
        work.turn.progress.turn_to(&work.identity, head.incarnation);
        if let Some(flaw) = self.flaw(head, work).await? {
            if work.care == Care::Quick {
                return Err(held("the vector index has to be made again"));
            }
            tracing::warn!(component = "dense", flaw, "the vector index is made again");
            // What is being filled must not be searched as if it were whole.
            self.forget();
            self.server.remove(&work.identity, head).await?;
            return self.make(work).await;
        }
        self.reach(&work.identity, head);
        if head.generation >= work.wanted {
            return Ok(());
        }
        self.write(Change::Births, head.generation, IndexContent::Rows, work).await?;
        self.write(Change::Deaths(head.generation), head.generation, IndexContent::Rows, work).await?;
        let floor = head.floor.max(Generation(work.wanted.0.saturating_sub(GENERATIONS_KEPT)));
        let head = IndexHead { generation: work.wanted, floor, ..head };
        let advanced = self.server.advance(&work.identity, head).await;
        advanced.inspect_err(|error| self.forget_if_gone(error))?;
        self.reach(&work.identity, head);
        Ok(())
    }

    /// Why an index cannot be gone on with; none where it can.
    async fn flaw(&self, head: IndexHead, work: &mut Work) -> Result<Option<&'static str>, PortError> {
        if head.generation > work.wanted && self.vectors.is_truth() {
            return Ok(Some("it is ahead of the catalogue, which must have been put back to an earlier state"));
        }
        if head.generation < self.vectors.kept_from()? {
            return Ok(Some("of what died since, the catalogue holds nothing any more"));
        }
        if work.care == Care::Quick || work.turn.progress.is_compared {
            return Ok(None);
        }
        work.turn.progress.is_compared = self.is_whole(&work.identity, head, work.wanted).await?;
        Ok((!work.turn.progress.is_compared).then_some("it does not hold what the catalogue holds"))
    }

    /// Makes the index of what is there now.
    async fn make(&self, work: &mut Work) -> Result<(), PortError> {
        if work.care == Care::Quick {
            return Err(not_made());
        }
        work.turn.takes_long();
        let index = self.server.create(&work.identity).await?;
        // Another node may have found no index either, and made the same.
        let content = if self.vectors.is_truth() { index.content } else { IndexContent::Rows };
        self.write(Change::Living, Generation(0), content, work).await?;
        // What died while the rest was read is not in it, so that no generation before that can be asked for.
        let floor = self.vectors.generation()?.max(work.wanted);
        let head = IndexHead { incarnation: index.incarnation, generation: work.wanted, floor };
        self.server.publish(&work.identity, head).await?;
        let progress = &mut *work.turn.progress;
        progress.turn_to(&work.identity, head.incarnation);
        (progress.is_compared, progress.unsettled, progress.unsettled_rows) = (true, None, work.rows);
        self.reach(&work.identity, head);
        // A node that was behind may have made what is superseded itself meanwhile, and must not take away what the others have.
        if self.vectors.identity()? != work.identity {
            return Ok(());
        }
        if let Err(error) = self.server.remove_superseded(&work.identity).await {
            tracing::warn!(%error, component = "dense", "what earlier vectors left in the server could not be removed");
        }
        Ok(())
    }

    async fn write(
        &self,
        change: Change,
        from: Generation,
        content: IndexContent,
        work: &mut Work,
    ) -> Result<(), PortError> {
        let batch_rows = match change {
            Change::Living => self.figures.batch_rows,
            Change::Births | Change::Deaths(_) => self.figures.batch_rows.min(CHANGED_ROWS_MAX),
        };
        let mut cursor = Cursor::after(from);
        while let Some((rows, next)) = self.vectors.changes(change, cursor, batch_rows).await? {
            if work.rows >= QUICK_ROWS_MAX {
                if work.care == Care::Quick {
                    return Err(held("the vector index is too far behind and will be brought up to date later"));
                }
                work.turn.takes_long();
            }
            let progress = &mut *work.turn.progress;
            if let Some(shelves) = &mut progress.unsettled {
                shelves.extend(rows.iter().map(|row| row.shelf));
            }
            progress.unsettled_rows += rows.len();
            work.rows += rows.len();
            if !rows.is_empty() {
                self.server.write(&work.identity, rows, content).await?;
            }
            cursor = next;
        }
        Ok(())
    }

    /// Makes searches faster where that was not done yet: for want of rows, or since it failed or was left to another node.
    async fn settle(&self, work: &mut Work) -> Result<(), PortError> {
        let (unsettled, rows) = (work.turn.progress.unsettled.clone(), work.turn.progress.unsettled_rows);
        let shelves: Option<Vec<u32>> = unsettled.map(|shelves| shelves.into_iter().collect());
        let shelves = match &shelves {
            Some(shelves) if shelves.is_empty() => return Ok(()),
            Some(shelves) => Shelves::Only(shelves),
            None => Shelves::All,
        };
        work.turn.takes_long();
        if self.server.settle(&work.identity, shelves, rows).await? {
            let progress = &mut *work.turn.progress;
            (progress.unsettled, progress.unsettled_rows) = (Some(BTreeSet::new()), 0);
        }
        Ok(())
    }

    /// Whether an index lacks none of the passages that the catalogue had at the generation that both have come to.
    async fn is_whole(&self, identity: &IndexIdentity, head: IndexHead, wanted: Generation) -> Result<bool, PortError> {
        let at = head.generation.min(wanted);
        if at < head.floor || at < self.vectors.kept_from()? {
            return Ok(true);
        }
        // One that holds more holds rows that no answer shows.
        Ok(self.server.count(identity, at).await? >= self.vectors.count(at).await?)
    }

    /// Forgets what was searched where an error says that it is not there any more.
    pub(super) fn forget_if_gone(&self, error: &PortError) {
        if error.fault == Fault::Held {
            self.forget();
        }
    }
}
