//! Prepared documents → the same with a vector for every passage.

use futures::{StreamExt, stream::FuturesOrdered};
use vouch_domain::{EmbeddedPassage, PortError, ports::KeptDocument};

use super::{Ingest, IngestRun, PreparedDocument, enrich};

/// How many slices the embedder has at once.
const AT_ONCE: usize = 2;

impl Ingest {
    /// One vector per passage; nothing if nobody waits any more. A huge document is embedded in slices, several of
    /// them at once: others get their turn between two slices, and only these hold their texts twice.
    pub(super) async fn embed(
        &self,
        batch: Vec<PreparedDocument>,
        run: &IngestRun<'_>,
    ) -> Result<Option<Vec<KeptDocument>>, PortError> {
        let passages: Vec<(usize, usize)> = batch
            .iter()
            .enumerate()
            .flat_map(|(document, one)| (0..one.passages.len()).map(move |passage| (document, passage)))
            .collect();
        let mut slices = passages.chunks(self.policy.batch_passages.max(1));
        let mut asked = FuturesOrdered::new();
        let mut vectors = Vec::with_capacity(passages.len());
        loop {
            while asked.len() < AT_ONCE
                && let Some(slice) = slices.next()
            {
                let texts = texts(&batch, slice);
                asked.push_back(async move {
                    let wanted = texts.len();
                    self.embedder.embed(texts).await.and_then(|given| self.embedder.identity().accept(given, wanted))
                });
            }
            let Some(slice) = asked.next().await else { break };
            let slice = slice?;
            run.progress.embedded(slice.len());
            vectors.extend(slice);
            if !run.progress.is_wanted() {
                return Ok(None);
            }
        }
        drop(asked);
        let taken_in_ms = self.clock.now_ms();
        let mut vectors = vectors.into_iter();
        let kept = batch.into_iter().map(|one| {
            let passages = one
                .passages
                .into_iter()
                .zip(vectors.by_ref())
                .map(|(passage, embedding)| EmbeddedPassage { passage, embedding })
                .collect();
            KeptDocument { document: one.document, hash: one.hash, passages, taken_in_ms, ended_edits: one.ended_edits }
        });
        Ok(Some(kept.collect()))
    }
}

/// The texts of passages, each by the numbers of its document and its own.
fn texts(batch: &[PreparedDocument], slice: &[(usize, usize)]) -> Vec<String> {
    let text = |&(document, passage): &(usize, usize)| {
        let one = batch.get(document)?;
        Some(enrich(&one.document.card, one.passages.get(passage)?))
    };
    slice.iter().filter_map(text).collect()
}
