//! A raw source → the documents in it that are to be kept, cut into passages.
//!
//! Reading, hashing and cutting run on threads of their own, away from whoever answers requests: the time they take
//! depends on what a stranger wrote.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use vouch_domain::{
    ContentHash, Document, DocumentId, PortError, RawDocument, SourceDigest,
    ports::{Fingerprint, ParseError},
};

use super::{
    Ingest, IngestReport, IngestRun, PreparedDocument,
    access::SourceAccess,
    card::{ChangedDocument, Settled},
    chunk::chunk,
    hash::content_hash,
    report::TITLES_ALONE,
    unchanged::{count_unread, is_silent, reading},
};
use crate::{policy::IngestPolicy, understand::address_of_name};

/// The message for a document on which the parser panicked.
const GAVE_UP: &str = "the parser stopped on it with an internal error";

/// How many names are tried for a file whose own is taken.
const NAMES_TRIED_MAX: u32 = 16;

type Hashed = (Settled, ContentHash);
type Read = Vec<Result<Document, ParseError>>;

/// What is to be kept of a source.
struct PendingSource {
    source: String,
    documents: Vec<ChangedDocument>,
    /// Documents the source held before and holds no more.
    replaces: Vec<DocumentId>,
    /// What it was read from; none where it is to be read again next time.
    digest: Option<SourceDigest>,
}

/// What a source holds, and held before.
struct ReadSource {
    source: String,
    documents: Vec<Document>,
    /// Documents the source held before and holds no more.
    replaces: Vec<DocumentId>,
    /// Who could see what the source and its neighbours held before.
    access: SourceAccess,
    /// Where people open it, by whoever brought it.
    given_url: Option<String>,
    /// The source as it was read; none where it is to be read again next time.
    digest: Option<SourceDigest>,
}

impl Ingest {
    /// Parses a source and leaves out what is bad, unchanged or somebody else's.
    pub(super) async fn prepare(
        &self,
        mut raw: RawDocument,
        seen: &mut BTreeMap<DocumentId, String>,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) -> Result<Vec<PreparedDocument>, PortError> {
        let (source, given_url) = (raw.source.clone(), raw.url.clone());
        let holds_one = !raw.format.holds_many();
        let mut access = SourceAccess { opens: raw.labels.opens, holds_one, ..SourceAccess::default() };
        let (mut before, mut digest) = (Vec::new(), None);
        if holds_one {
            let known = self.catalogue.under_source(run.tenant, &source).await?;
            let known: Vec<Fingerprint> = known.into_iter().filter(|known| known.source == source).collect();
            let Some(digested) = self.digested(raw).await else {
                report.fail(&source, "", GAVE_UP, run.progress);
                return Ok(Vec::new());
            };
            (raw, digest) = digested;
            if count_unread(&known, digest, seen, report) {
                return Ok(Vec::new());
            }
            access.source =
                known.iter().map(|known| &known.tags).find(|tags| !tags.is_empty()).cloned().unwrap_or_default();
            if known.is_empty() {
                access.neighbours = self.access_of_folder(&source, run, report).await?;
            }
            before.extend(known.into_iter().map(|known| known.id));
            // A file that names no id keeps the one it was first given, wherever it is taken in from.
            match before.as_slice() {
                [only] => raw.fallback_id = only.as_str().to_owned(),
                [] => raw.fallback_id = self.free_id(raw.fallback_id, &source, seen, run).await?,
                _ => {}
            }
        }
        let is_new = holds_one && before.is_empty();
        let parsed = if is_new { self.read_new(raw, seen, run, report).await? } else { self.read(raw).await };
        let Some(parsed) = parsed else {
            report.fail(&source, "", GAVE_UP, run.progress);
            return Ok(Vec::new());
        };
        digest = digest.filter(|_| is_silent(&parsed));
        let (documents, is_whole) = sound_only(parsed, &source, run, report);
        if !is_whole {
            // What could not be read may still exist: nothing of this source is removed.
            before.clear();
        }
        let now: BTreeSet<&DocumentId> = documents.iter().map(|document| &document.card.id).collect();
        before.retain(|id| !now.contains(id));
        let wanted = ReadSource { source, documents, replaces: before, access, given_url, digest };
        let changed = self.changed_only(wanted, seen, run, report).await?;
        self.cut(changed, run, report).await
    }

    /// The documents of a source, or what is wrong with each; nothing if the parser stopped on it.
    pub(super) async fn read(&self, raw: RawDocument) -> Option<Read> {
        let (parser, policy) = (Arc::clone(&self.parser), self.policy.clone());
        let read = move || -> Read {
            parser.parse(raw).into_iter().map(|outcome| outcome.map(|one| addressed(one, &policy))).collect()
        };
        tokio::task::spawn_blocking(read).await.ok()
    }

    /// The documents that are new or have changed. Where the last of those that a source now holds is unchanged, those it
    /// replaces go at once.
    async fn changed_only(
        &self,
        wanted: ReadSource,
        seen: &mut BTreeMap<DocumentId, String>,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) -> Result<PendingSource, PortError> {
        let ReadSource { source, documents, mut replaces, access, given_url, digest } = wanted;
        let ids: Vec<DocumentId> = documents.iter().map(|document| document.card.id.clone()).collect();
        let known: BTreeMap<DocumentId, Fingerprint> = self
            .catalogue
            .fingerprints(run.tenant, &ids)
            .await?
            .into_iter()
            .map(|fingerprint| (fingerprint.id.clone(), fingerprint))
            .collect();
        let Some(hashed) = self.settled(documents, (&known, given_url.as_deref()), access, (run, report)).await? else {
            report.fail(&source, "", GAVE_UP, run.progress);
            return Ok(PendingSource { source, documents: Vec::new(), replaces: Vec::new(), digest: None });
        };
        let mut changed = Vec::new();
        for (settled, hash) in hashed {
            let document = settled.document();
            let source = document.card.source.clone();
            let known = known.get(&document.card.id);
            if let Some(sentence) = claimed_by_another(document, known, seen, run) {
                report.fail(&source, "", &sentence, run.progress);
                continue;
            }
            seen.insert(document.card.id.clone(), source);
            match known {
                Some(known) if settled.is_kept_as(known, hash) && known.source == document.card.source => {
                    if changed.is_empty() {
                        report.replaced.append(&mut replaces);
                    }
                    report.unchanged += 1;
                    report.readings.extend(reading(document, hash, digest));
                }
                Some(known) if settled.is_kept_as(known, hash) => {
                    if changed.is_empty() {
                        report.replaced.append(&mut replaces);
                    }
                    report.moved.push((known.id.clone(), document.card.source.clone()));
                }
                Some(_) | None => {
                    let new = settled.into_changed(hash, run, report);
                    let card = &new.document.card;
                    if known.is_none() && !new.document.states_access && card.tags.is_empty() {
                        report.open_by_silence += 1;
                    }
                    if let Some(sentence) = known.and_then(|known| opened(&known.tags, &card.tags)) {
                        report.warn(&card.source, sentence, run.progress);
                    }
                    changed.push(new);
                }
            }
        }
        Ok(PendingSource { source, documents: changed, replaces, digest })
    }

    /// Settles who may see the documents of a source, and what of people's edits still holds; nothing if the work stopped on one
    /// of them. Most are as they were, and of these nothing has to be asked.
    async fn settled(
        &self,
        documents: Vec<Document>,
        (known, given_url): (&BTreeMap<DocumentId, Fingerprint>, Option<&str>),
        mut access: SourceAccess,
        (run, report): (&IngestRun<'_>, &mut IngestReport),
    ) -> Result<Option<Vec<Hashed>>, PortError> {
        let mut settled = Vec::with_capacity(documents.len());
        for document in documents {
            let known = known.get(&document.card.id);
            let is_silent = !document.states_access;
            let document = match known.filter(|_| !access.opens) {
                None => document,
                Some(known) => {
                    let Some((as_before, hash)) = self.hashed(Settled::as_before(document, known), given_url).await
                    else {
                        return Ok(None);
                    };
                    if as_before.is_kept_as(known, hash) {
                        report.kept_access += u64::from(is_silent && !known.tags.is_empty());
                        settled.push((as_before, hash));
                        continue;
                    }
                    as_before.into_stated()
                }
            };
            if !access.holds_one && known.is_none() && is_silent {
                access.neighbours = self.access_of_others(&document, run, report).await?;
            }
            let source = document.card.source.clone();
            match self.settle(document, known, &access, (run, report)).await? {
                Ok(one) => match self.hashed(one, given_url).await {
                    Some(hashed) => settled.push(hashed),
                    None => return Ok(None),
                },
                Err(sentence) => report.fail(&source, "", &sentence, run.progress),
            }
        }
        Ok(Some(settled))
    }

    /// The name of a file for its document, told from the same name in another folder where that is taken.
    async fn free_id(
        &self,
        name: String,
        source: &str,
        seen: &BTreeMap<DocumentId, String>,
        run: &IngestRun<'_>,
    ) -> Result<String, PortError> {
        let mut wanted = name.clone();
        for number in 0..NAMES_TRIED_MAX {
            let Some(id) = DocumentId::parse(&wanted) else { return Ok(wanted) };
            let known = self.catalogue.fingerprints(run.tenant, std::slice::from_ref(&id)).await?;
            // A document that has moved away from its name keeps it: its file may yet be found under another one.
            let is_kept = known.iter().any(|known| {
                known.source != source && ((run.source_exists)(&known.source) || !known.source.ends_with(&wanted))
            });
            if !is_kept && seen.get(&id).is_none_or(|other| other == source) {
                return Ok(wanted);
            }
            let by = if number == 0 { source.to_owned() } else { format!("{source}\n{number}") };
            wanted = told_apart(&name, by.as_bytes());
        }
        Ok(wanted)
    }

    /// A document with its digest; nothing if the work stopped on it.
    async fn hashed(&self, settled: Settled, given_url: Option<&str>) -> Option<Hashed> {
        let (policy, given_url) = (self.policy.clone(), given_url.map(str::to_owned));
        let hash = move || {
            let hash = content_hash(settled.document(), given_url.as_deref(), &policy);
            (settled, hash)
        };
        tokio::task::spawn_blocking(hash).await.ok()
    }

    /// Cuts documents into passages; the first of them that can be kept replaces what the source held before.
    async fn cut(
        &self,
        wanted: PendingSource,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) -> Result<Vec<PreparedDocument>, PortError> {
        let PendingSource { source, documents, mut replaces, digest } = wanted;
        let policy = self.policy.clone();
        let cut = move || {
            let cut = |changed: ChangedDocument| (chunk(&changed.document, &policy), changed);
            documents.into_iter().map(cut).collect::<Vec<_>>()
        };
        let Ok(cut) = tokio::task::spawn_blocking(cut).await else {
            report.fail(&source, "", GAVE_UP, run.progress);
            return Ok(Vec::new());
        };
        let mut ready = Vec::new();
        for (passages, changed) in cut {
            match passages {
                Err(oversized) => {
                    replaces.clear();
                    report.fail(&source, "", &oversized.to_string(), run.progress);
                }
                Ok(passages) if passages.is_empty() => {
                    report.fail(&source, "", TITLES_ALONE, run.progress);
                }
                Ok(passages) => {
                    run.progress.prepared(passages.len());
                    let ChangedDocument { document, hash, ended_edits } = changed;
                    let (replaces, reading) = (std::mem::take(&mut replaces), reading(&document, hash, digest));
                    ready.push(PreparedDocument { document, hash, passages, replaces, reading, ended_edits });
                }
            }
        }
        Ok(ready)
    }
}

/// A name with a sign behind it that tells it from the same name of something else.
#[must_use]
pub fn told_apart(name: &str, by: &[u8]) -> String {
    let digest = blake3::hash(by).to_hex();
    format!("{name} ({})", digest.get(..6).unwrap_or_default())
}

/// The documents that could be read, and whether all could; what is wrong with the others, or should be mended, is told.
fn sound_only(parsed: Read, source: &str, run: &IngestRun<'_>, report: &mut IngestReport) -> (Vec<Document>, bool) {
    let (mut documents, mut is_whole) = (Vec::new(), true);
    for outcome in parsed {
        match outcome {
            Err(fault) => {
                is_whole = false;
                report.fail(source, &fault.place, &fault.sentence, run.progress);
            }
            Ok(mut document) => {
                for sentence in std::mem::take(&mut document.warnings) {
                    report.warn(source, sentence, run.progress);
                }
                documents.push(document);
            }
        }
    }
    (documents, is_whole)
}

/// A document that names no address gets the one in its name, if a scheme of its kind says how.
fn addressed(mut document: Document, policy: &IngestPolicy) -> Document {
    let card = &mut document.card;
    if card.address.is_none() {
        card.address = address_of_name(card.id.as_str(), &card.kind, &policy.addresses);
    }
    document
}

/// What is said of a document that people with other tags may see than before. One that is opened to everyone says so itself,
/// or whoever takes it in does.
fn opened(before: &BTreeSet<String>, now: &BTreeSet<String>) -> Option<String> {
    let is_wider = !before.is_empty() && !now.is_subset(before);
    let list = |tags: &BTreeSet<String>| tags.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    is_wider.then(|| format!("only the tags {} could see it before; now the tags {} can", list(before), list(now)))
}

/// The other source that already has the document: one of this run, or one that still exists.
fn claimed_by_another(
    document: &Document,
    known: Option<&Fingerprint>,
    seen: &BTreeMap<DocumentId, String>,
    run: &IngestRun<'_>,
) -> Option<String> {
    let id = &document.card.id;
    if let Some(first) = seen.get(id) {
        return Some(format!("the id '{id}' is already used by {first} in this run"));
    }
    let owner = known.filter(|known| known.source != document.card.source && (run.source_exists)(&known.source))?;
    Some(format!("the id '{id}' already belongs to {}; give one of the two an id of its own", owner.source))
}
