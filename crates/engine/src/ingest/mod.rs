//! The walk of a document: parse, chunk, enrich, embed, keep, refresh. Every branch is in `take_in`.
//!
//! Invariant: a document is kept whole or not at all, and counted only once it is kept. A bad document is a line
//! in the report; the rest goes on.

mod chunk;
mod enrich;
mod hash;
mod report;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures::StreamExt;
use vouch_domain::{
    ContentHash, Document, DocumentId, EmbeddedPassage, Fault, Passage, PortError, RawDocument, SourceFormat,
    ports::{Catalogue, Clock, DenseIndex, Embedder, Filed, Fingerprint, KeptDocument, LexicalIndex, Parser},
};

use crate::{policy::IngestPolicy, understand::address_of_name};

pub use chunk::{chunk, tokens};
pub use enrich::enriched;
pub use report::{Failure, IngestReport, Progress};

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
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The figures.
    pub policy: IngestPolicy,
}

/// A source that could not even be read, from the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Which source, by its stable name.
    pub source: String,
    /// The source as the caller knows it.
    pub shown: String,
    /// What is wrong with it.
    pub sentence: String,
}

/// What the caller of an ingest supplies beside the sources.
pub struct Run<'a> {
    /// Whose documents these are.
    pub tenant: &'a str,
    /// Whether a source is still there; decides whether a document may take over another's id.
    pub source_exists: &'a (dyn Fn(&str) -> bool + Sync),
    /// Is told what happens.
    pub progress: &'a dyn Progress,
}

struct Prepared {
    document: Document,
    hash: ContentHash,
    passages: Vec<Passage>,
    /// Documents of the same source under other ids, which go once this one is kept.
    replaces: Vec<DocumentId>,
}

impl Ingest {
    /// Takes in every source and brings the indexes up to date.
    ///
    /// # Errors
    /// Fails only where the catalogue cannot be asked at all or the embedder cannot embed.
    pub async fn take_in(
        &self,
        sources: impl Iterator<Item = Result<RawDocument, Unreadable>>,
        run: &Run<'_>,
    ) -> Result<IngestReport, PortError> {
        let mut report = IngestReport::default();
        let mut seen: BTreeMap<DocumentId, String> = BTreeMap::new();
        let mut waiting: Vec<Prepared> = Vec::new();
        let mut waiting_passages = 0;
        for source in sources {
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
        }
        self.keep_batch(waiting, run, &mut report).await?;
        // A file whose document now has another id must not be answered from under both.
        let renamed = std::mem::take(&mut report.renamed);
        report.removed += self.catalogue.remove(run.tenant, &renamed).await?;
        report.seen = seen;
        self.refresh(&mut report).await;
        Ok(report)
    }

    /// Takes out the documents below a source that this run did not see; a source that failed keeps its documents.
    ///
    /// # Errors
    /// Fails where the store does.
    pub async fn prune(&self, roots: &[String], run: &Run<'_>, report: &mut IngestReport) -> Result<(), PortError> {
        let mut gone: BTreeSet<DocumentId> = BTreeSet::new();
        for root in roots {
            for known in self.catalogue.under_source(run.tenant, root).await? {
                if !report.seen.contains_key(&known.id) && !report.has_failed(&known.source) {
                    gone.insert(known.id);
                }
            }
        }
        let ids: Vec<DocumentId> = gone.into_iter().collect();
        report.removed += self.catalogue.remove(run.tenant, &ids).await?;
        self.refresh(report).await;
        Ok(())
    }

    /// Takes documents out of every search; answers how many were there, and why an index could not follow where one could
    /// not.
    ///
    /// # Errors
    /// Fails where the store does.
    pub async fn take_out(&self, tenant: &str, ids: &[DocumentId]) -> Result<IngestReport, PortError> {
        let mut report = IngestReport::default();
        report.removed = self.catalogue.remove(tenant, ids).await?;
        self.refresh(&mut report).await;
        Ok(report)
    }

    /// What is kept is kept even where an index cannot follow: it catches up at the next start.
    async fn refresh(&self, report: &mut IngestReport) {
        let (lexical, dense) = tokio::join!(self.lexical.refresh(), self.dense.refresh());
        report.indexes_behind = lexical.and(dense).err().map(|error| error.sentence);
    }

    /// Parses a source and leaves out what is bad, unchanged or somebody else's.
    async fn prepare(
        &self,
        raw: RawDocument,
        seen: &mut BTreeMap<DocumentId, String>,
        run: &Run<'_>,
        report: &mut IngestReport,
    ) -> Result<Vec<Prepared>, PortError> {
        let source = raw.source.clone();
        let holds_one = raw.format != SourceFormat::JsonLines;
        let mut raw = raw;
        let mut before: Vec<DocumentId> = Vec::new();
        if holds_one {
            let known = self.catalogue.under_source(run.tenant, &source).await?;
            before.extend(known.into_iter().filter(|known| known.source == source).map(|known| known.id));
            // A file that names no id keeps the one it was first given, wherever it is taken in from.
            if let [only] = before.as_slice() {
                raw.fallback_id = only.as_str().to_owned();
            }
        }
        let parser = Arc::clone(&self.parser);
        let Ok(parsed) = tokio::task::spawn_blocking(move || parser.parse(raw)).await else {
            report.fail(&source, "", "the parser gave up on it", run.progress);
            return Ok(Vec::new());
        };
        let mut documents = Vec::new();
        for outcome in parsed {
            match outcome {
                Err(fault) => {
                    // What could not be read may still be there: nothing of this source goes.
                    before.clear();
                    report.fail(&source, &fault.place, &fault.sentence, run.progress);
                }
                Ok(document) => documents.push(self.addressed(document)),
            }
        }
        before.retain(|id| documents.iter().all(|now| now.card.id != *id));
        self.changed_only((documents, before), seen, run, report).await
    }

    /// A document that names no address gets the one its name tells, where a scheme of its kind says how.
    fn addressed(&self, mut document: Document) -> Document {
        let card = &mut document.card;
        if card.address.is_none() {
            card.address = address_of_name(card.id.as_str(), &card.kind, &self.policy.addresses);
        }
        document
    }

    async fn changed_only(
        &self,
        (documents, mut replaces): (Vec<Document>, Vec<DocumentId>),
        seen: &mut BTreeMap<DocumentId, String>,
        run: &Run<'_>,
        report: &mut IngestReport,
    ) -> Result<Vec<Prepared>, PortError> {
        let ids: Vec<DocumentId> = documents.iter().map(|document| document.card.id.clone()).collect();
        let known: BTreeMap<DocumentId, Fingerprint> = self
            .catalogue
            .fingerprints(run.tenant, &ids)
            .await?
            .into_iter()
            .map(|fingerprint| (fingerprint.id.clone(), fingerprint))
            .collect();
        let mut ready = Vec::new();
        for document in documents {
            let hash = hash::content_hash(&document, &self.policy);
            let source = document.card.source.clone();
            let known = known.get(&document.card.id);
            if let Some(sentence) = claimed_by_another(&document, known, seen, run) {
                report.fail(&source, "", &sentence, run.progress);
                continue;
            }
            seen.insert(document.card.id.clone(), source);
            match known {
                Some(known) if known.hash == hash && known.source == document.card.source => {
                    report.renamed.append(&mut replaces);
                    report.unchanged += 1;
                }
                Some(_) | None => {
                    let passages = chunk(&document, &self.policy);
                    if passages.is_empty() {
                        report.fail(&document.card.source, "", "it holds headings and no text", run.progress);
                        continue;
                    }
                    run.progress.prepared(passages.len());
                    ready.push(Prepared { document, hash, passages, replaces: std::mem::take(&mut replaces) });
                }
            }
        }
        Ok(ready)
    }

    /// Embeds and keeps documents; where they cannot be kept together each is tried alone.
    async fn keep_batch(
        &self,
        batch: Vec<Prepared>,
        run: &Run<'_>,
        report: &mut IngestReport,
    ) -> Result<(), PortError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut replaces: Vec<Vec<DocumentId>> = batch.iter().map(|one| one.replaces.clone()).collect();
        let documents = self.embed(batch, run).await?;
        match self.catalogue.keep(documents.clone()).await {
            Ok(filed) => {
                for (outcome, old) in filed.into_iter().zip(&mut replaces) {
                    report.count(outcome);
                    report.renamed.append(old);
                }
            }
            Err(error) => {
                tracing::warn!(fault = error.fault.word(), documents = documents.len(), "batch could not be kept");
                for (document, mut old) in documents.into_iter().zip(replaces) {
                    self.keep_alone(document, &mut old, run, report).await;
                }
            }
        }
        Ok(())
    }

    async fn keep_alone(
        &self,
        document: KeptDocument,
        replaces: &mut Vec<DocumentId>,
        run: &Run<'_>,
        report: &mut IngestReport,
    ) {
        let source = document.document.card.source.clone();
        match self.catalogue.keep(vec![document]).await {
            Ok(filed) => {
                filed.into_iter().for_each(|outcome: Filed| report.count(outcome));
                report.renamed.append(replaces);
            }
            Err(error) => report.fail_to_keep(&source, &error, run.progress),
        }
    }

    /// One vector a passage. A huge document is embedded in slices, several of them at once.
    async fn embed(&self, batch: Vec<Prepared>, run: &Run<'_>) -> Result<Vec<KeptDocument>, PortError> {
        let texts: Vec<String> = batch
            .iter()
            .flat_map(|one| one.passages.iter().map(|passage| enriched(&one.document.card, passage)))
            .collect();
        let slices: Vec<Vec<String>> =
            texts.chunks(self.policy.batch_passages.max(1)).map(<[String]>::to_vec).collect();
        let mut stream = futures::stream::iter(slices.into_iter().map(|slice| self.embedder.embed(slice))).buffered(2);
        let mut vectors = Vec::with_capacity(texts.len());
        while let Some(slice) = stream.next().await {
            let slice = slice?;
            run.progress.embedded(slice.len());
            vectors.extend(slice);
        }
        if vectors.len() != texts.len() {
            return Err(PortError::of("embedder", Fault::Internal, "some passages came back without a vector"));
        }
        let taken_in_ms = self.clock.now_ms();
        let mut vectors = vectors.into_iter();
        Ok(batch
            .into_iter()
            .map(|one| {
                let passages = one
                    .passages
                    .into_iter()
                    .zip(vectors.by_ref())
                    .map(|(passage, embedding)| EmbeddedPassage { passage, embedding })
                    .collect();
                KeptDocument { document: one.document, hash: one.hash, passages, taken_in_ms }
            })
            .collect())
    }
}

/// Whose document it already is, where it is not this source's: another of this run, or one that is still there.
fn claimed_by_another(
    document: &Document,
    known: Option<&Fingerprint>,
    seen: &BTreeMap<DocumentId, String>,
    run: &Run<'_>,
) -> Option<String> {
    let id = &document.card.id;
    if let Some(first) = seen.get(id) {
        return Some(format!("the id '{id}' is already used by {first} in this run"));
    }
    let owner = known.filter(|known| known.source != document.card.source && (run.source_exists)(&known.source))?;
    Some(format!("the id '{id}' already belongs to {}; give one of the two an id of its own", owner.source))
}
