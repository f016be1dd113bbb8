//! The walk of a document: parse, chunk, enrich, embed, keep, refresh. Every branch is in `ingest`.
//!
//! Invariant: a document is kept whole or not at all, and counted only once it is kept. A bad document is a line
//! in the report; the rest goes on. Where nobody waits for the outcome any more the work ends at its next step; what was
//! kept by then stays.

mod access;
mod card;
mod chunk;
mod embed;
mod enrich;
mod hash;
mod prepare;
mod prune;
mod rename;
mod report;
mod tokens;
mod unchanged;
mod units;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use vouch_domain::{
    CardField, ContentHash, Document, DocumentId, Passage, PortError, RawDocument,
    ports::{
        Catalogue, ClaimJudge, Clock, DenseIndex, Embedder, Findings, KeptDocument, LexicalIndex, Parser,
        SourceReading, UpsertOutcome,
    },
};

use crate::{
    findings::{Review, ReviewReport},
    policy::IngestPolicy,
};

pub use card::{CardChange, CardOutcome};
pub use chunk::{ChunkError, chunk};
pub use enrich::enrich;
pub use prepare::told_apart;
pub use prune::PruneExtent;
pub use report::{Failure, IngestReport, Progress, Unpruned, Warning};
pub use tokens::tokens;

/// Comparing documents takes at most a fifth of the time that taking them in took, or this much for each document that the
/// run was offered, but as long as the last anyway. Documents that have not changed are offered too, so that whoever takes in
/// a folder again has what was left of it compared.
const COMPARING_SHARE: u32 = 5;
const COMPARING_EACH: Duration = Duration::from_millis(40);
const COMPARING_AT_LEAST: Duration = Duration::from_secs(2);
/// How many documents are given their new sources, or what they were read from, in one transaction.
const NOTED_AT_ONCE: usize = 256;

/// Everything the walk needs.
#[derive(Clone)]
pub struct Ingest {
    /// Bytes to documents.
    pub parser: Arc<dyn Parser>,
    /// The store of record.
    pub catalogue: Arc<dyn Catalogue>,
    /// Search by words, derived from the catalogue.
    pub lexical: Arc<dyn LexicalIndex>,
    /// Search by meaning, derived from the catalogue.
    pub dense: Arc<dyn DenseIndex>,
    /// Text to vectors.
    pub embedder: Arc<dyn Embedder>,
    /// What documents are compared with one another by; none where they are not compared.
    pub findings: Option<Comparing>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The figures.
    pub policy: IngestPolicy,
}

/// What documents are compared with one another by.
#[derive(Clone)]
pub struct Comparing {
    /// What is kept of documents, and what was found.
    pub findings: Arc<dyn Findings>,
    /// Who has the last word on two sentences, if anybody has.
    pub judge: Option<Arc<dyn ClaimJudge>>,
}

/// A source that could not even be read, from the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableSource {
    /// Which source, by its stable name.
    pub source: String,
    /// The source as the caller knows it.
    pub shown: String,
    /// What is wrong with it.
    pub sentence: String,
}

/// What the caller of an ingest supplies besides the sources.
pub struct IngestRun<'a> {
    /// The tenant they belong to.
    pub tenant: &'a str,
    /// The folders, or what is like them, whose sources are all offered to this run: documents of others are neither
    /// removed nor taken for ones that have moved.
    pub roots: &'a [String],
    /// Whether a source is still there; decides whether a document may take over another's id.
    pub source_exists: &'a (dyn Fn(&str) -> bool + Sync),
    /// Whether whoever takes them in may know of every document of the tenant.
    pub sees_all: bool,
    /// Receives progress.
    pub progress: &'a dyn Progress,
}

struct PreparedDocument {
    document: Document,
    hash: ContentHash,
    passages: Vec<Passage>,
    /// Documents of the same source under other ids, which go once this one is kept.
    replaces: Vec<DocumentId>,
    /// What it was read from; none where it is to be read again next time.
    reading: Option<SourceReading>,
    /// What people had set of it and its source has a newer statement on.
    ended_edits: Vec<CardField>,
}

impl Ingest {
    /// Ingests every source and brings the indexes up to date.
    ///
    /// # Errors
    /// Fails only where the catalogue cannot be asked at all or the embedder cannot embed.
    pub async fn ingest(
        &self,
        sources: impl Iterator<Item = Result<RawDocument, UnreadableSource>>,
        run: &IngestRun<'_>,
    ) -> Result<IngestReport, PortError> {
        let started = self.clock.since_start();
        let mut report = IngestReport::default();
        let mut seen: BTreeMap<DocumentId, String> = BTreeMap::new();
        let mut waiting: Vec<PreparedDocument> = Vec::new();
        let mut waiting_passages = 0;
        for source in sources {
            if !run.progress.is_wanted() {
                report.is_cut_short = true;
                break;
            }
            let ready = match source {
                Err(unreadable) => {
                    report.fail_unread(&unreadable, run.progress);
                    continue;
                }
                Ok(raw) => self.prepare(raw, &mut seen, run, &mut report).await?,
            };
            for prepared in ready {
                waiting_passages += prepared.passages.len();
                waiting.push(prepared);
                if waiting_passages >= self.policy.batch_passages {
                    waiting_passages = 0;
                    self.keep_batch(std::mem::take(&mut waiting), run, &mut report).await?;
                }
            }
            if report.moved.len() >= NOTED_AT_ONCE {
                self.keep_renames(run, &mut report).await?;
            }
            if report.readings.len() >= NOTED_AT_ONCE {
                self.note_readings(run, &mut report).await;
            }
            run.progress.advanced(&report);
        }
        self.keep_batch(waiting, run, &mut report).await?;
        self.keep_renames(run, &mut report).await?;
        self.note_readings(run, &mut report).await;
        // A file whose document now has another id must not be answered from under both.
        let replaced = std::mem::take(&mut report.replaced);
        report.removed += self.catalogue.remove(run.tenant, &replaced).await?;
        report.seen = seen;
        self.refresh(&mut report).await;
        self.compare(started, run, &mut report).await;
        Ok(report)
    }

    /// Removes documents of every search; answers how many were there, and why an index could not follow where one
    /// could not.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn delete(&self, tenant: &str, ids: &[DocumentId]) -> Result<IngestReport, PortError> {
        let mut report = IngestReport::default();
        report.removed = self.catalogue.remove(tenant, ids).await?;
        self.refresh(&mut report).await;
        Ok(report)
    }

    /// Compares what is new with what is there, for a share of the time that taking it in took. Documents that could not be
    /// compared wait for the next time, and what is kept is kept without.
    async fn compare(&self, started: Duration, run: &IngestRun<'_>, report: &mut IngestReport) {
        let Some(Comparing { findings, judge }) = &self.findings else { return };
        let now = self.clock.since_start();
        let offered = u32::try_from(report.seen.len()).unwrap_or(u32::MAX);
        let share = (now.saturating_sub(started) / COMPARING_SHARE).max(COMPARING_EACH.saturating_mul(offered));
        let until = now + COMPARING_AT_LEAST.max(share);
        let is_wanted = || run.progress.is_wanted();
        let review = Review {
            findings: findings.as_ref(),
            catalogue: self.catalogue.as_ref(),
            judge: judge.as_deref(),
            clock: self.clock.as_ref(),
            until,
            is_wanted: &is_wanted,
        };
        match review.run(run.tenant).await {
            Ok(review) => report.review = review,
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "documents could not be compared");
                report.review.is_cut = true;
            }
        }
    }

    /// What is kept is kept even where an index cannot follow: it catches up at the next start.
    async fn refresh(&self, report: &mut IngestReport) {
        let (lexical, dense) = tokio::join!(self.lexical.refresh(), self.dense.refresh());
        report.indexes_behind = lexical.and(dense).err().map(|error| error.sentence);
    }

    /// Embeds and keeps documents; where they cannot be kept together each is tried alone.
    async fn keep_batch(
        &self,
        batch: Vec<PreparedDocument>,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) -> Result<(), PortError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut replaces: Vec<Vec<DocumentId>> = batch.iter().map(|one| one.replaces.clone()).collect();
        let ids: Vec<DocumentId> = batch.iter().map(|one| one.document.card.id.clone()).collect();
        let readings: Vec<SourceReading> = batch.iter().filter_map(|one| one.reading.clone()).collect();
        let Some(mut documents) = self.embed(batch, run).await? else {
            report.is_cut_short = true;
            return Ok(());
        };
        // What is kept alone is not tried twice, so that no copy of a large document is needed.
        if documents.len() == 1
            && let (Some(document), Some(mut old)) = (documents.pop(), replaces.pop())
        {
            self.keep_alone(document, &mut old, run, report).await;
            report.readings.extend(readings);
            return Ok(());
        }
        match self.catalogue.upsert(documents.clone()).await {
            Ok(filed) => {
                for ((outcome, id), old) in filed.into_iter().zip(&ids).zip(&mut replaces) {
                    report.count(outcome, id);
                    report.replaced.append(old);
                }
            }
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), documents = documents.len(), "batch could not be stored");
                for (document, mut old) in documents.into_iter().zip(replaces) {
                    self.keep_alone(document, &mut old, run, report).await;
                }
            }
        }
        report.readings.extend(readings);
        Ok(())
    }

    async fn keep_alone(
        &self,
        document: KeptDocument,
        replaces: &mut Vec<DocumentId>,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) {
        let (id, source) = (document.document.card.id.clone(), document.document.card.source.clone());
        match self.catalogue.upsert(vec![document]).await {
            Ok(filed) => {
                filed.into_iter().for_each(|outcome: UpsertOutcome| report.count(outcome, &id));
                report.replaced.append(replaces);
            }
            Err(error) => report.fail_to_keep(&source, &error, run.progress),
        }
    }
}
