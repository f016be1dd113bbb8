//! A source that was read before as it is now → its documents count as unchanged, and it is not read again.
//!
//! SourceReading a file can take as long as a stranger likes, and most files of a folder are as they were. A source is skipped where
//! its bytes, what is said of it and how it is read are as they were when all its documents were last read from it. What a
//! person should hear of again is not skipped: files with warnings, and those that stay closed since nobody says who may
//! see them.

use std::collections::BTreeMap;

use vouch_domain::{
    ContentHash, Document, DocumentId, RawDocument, SourceDigest,
    ports::{Fingerprint, ParseError, SourceReading},
};

use super::{
    Ingest, IngestReport, IngestRun,
    hash::{RECIPE, without_commit},
};
use crate::policy::IngestPolicy;

impl Ingest {
    /// A source with its digest, which is none where it must be read whatever it says; nothing if the work stopped on it.
    pub(super) async fn digested(&self, raw: RawDocument) -> Option<(RawDocument, Option<SourceDigest>)> {
        let Some(recipe) = self.parser.recipe() else { return Some((raw, None)) };
        let policy = self.policy.clone();
        let digested = move || {
            let digest = digest_of(&raw, &recipe, &policy);
            (raw, Some(digest))
        };
        tokio::task::spawn_blocking(digested).await.ok()
    }

    /// Notes which sources gave the documents that are kept. What cannot be noted, as on a full disk, is read again.
    pub(super) async fn note_readings(&self, run: &IngestRun<'_>, report: &mut IngestReport) {
        let readings = std::mem::take(&mut report.readings);
        if let Err(error) = self.catalogue.note_readings(run.tenant, &readings).await {
            tracing::warn!(fault = error.fault.as_str(), "what documents were read from could not be noted");
        }
    }
}

/// Whether documents are all that a source gives, and counts them if they are.
pub(super) fn count_unread(
    known: &[Fingerprint],
    digest: Option<SourceDigest>,
    seen: &mut BTreeMap<DocumentId, String>,
    report: &mut IngestReport,
) -> bool {
    let is_same = |one: &Fingerprint| digest.is_some() && one.read_from == digest && !seen.contains_key(&one.id);
    if known.is_empty() || !known.iter().all(is_same) {
        return false;
    }
    for one in known {
        seen.insert(one.id.clone(), one.source.clone());
        report.unchanged += 1;
    }
    true
}

/// Whether all of a source was read, and nothing in it should be mended.
pub(super) fn is_silent(parsed: &[Result<Document, ParseError>]) -> bool {
    parsed.iter().all(|one| one.as_ref().is_ok_and(|document| document.warnings.is_empty()))
}

/// What is noted of a document, so that its source need not be read next time; none where a person should hear of it.
pub(super) fn reading(document: &Document, hash: ContentHash, digest: Option<SourceDigest>) -> Option<SourceReading> {
    let stays_closed = !document.states_access && !document.card.tags.is_empty();
    let read_from = digest.filter(|_| !stays_closed)?;
    Some(SourceReading { id: document.card.id.clone(), hash, read_from })
}

fn digest_of(raw: &RawDocument, recipe: &str, policy: &IngestPolicy) -> SourceDigest {
    let mut hasher = blake3::Hasher::new();
    let mut add = |field: &[u8]| {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field);
    };
    add(format!("{RECIPE} {recipe} {} {:?}", policy.passage_tokens, policy.addresses).as_bytes());
    add(format!("{:?} {:?}", raw.format, raw.labels).as_bytes());
    add(raw.url.as_deref().map(without_commit).unwrap_or_default().as_bytes());
    add(&raw.bytes);
    SourceDigest(*hasher.finalize().as_bytes())
}
