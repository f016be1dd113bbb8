//! A new source → the document that it was known as before, where its file was moved or renamed.
//!
//! Invariant: an id is taken over only from a document of the same tenant below a root of this run, whose text is the same
//! character for character, whose source is gone and did not fail, and which no other source of this run holds.

use std::collections::BTreeMap;

use vouch_domain::{
    Document, DocumentId, PortError, RawDocument,
    ports::{Fingerprint, ParseError},
};

use super::{Ingest, IngestReport, IngestRun};

impl Ingest {
    /// Reads a source that no document is known from, under the id of the document that has moved there if one has.
    pub(super) async fn read_new(
        &self,
        raw: RawDocument,
        seen: &BTreeMap<DocumentId, String>,
        run: &IngestRun<'_>,
        report: &IngestReport,
    ) -> Result<Option<Vec<Result<Document, ParseError>>>, PortError> {
        if run.roots.is_empty() {
            return Ok(self.read(raw).await);
        }
        let Some(parsed) = self.read(raw.clone()).await else { return Ok(None) };
        // A document that names its own id is found by that.
        let [Ok(document)] = parsed.as_slice() else { return Ok(Some(parsed)) };
        if document.card.id.as_str() != raw.fallback_id.trim() {
            return Ok(Some(parsed));
        }
        match self.moved(document, seen, run, report).await? {
            None => Ok(Some(parsed)),
            // The title may have been made of the id, so the source is read as it was then.
            Some(known) => Ok(self.read(RawDocument { fallback_id: known.id.as_str().to_owned(), ..raw }).await),
        }
    }

    /// The document that has become this one; of several the one with the same file name, or else the first.
    async fn moved(
        &self,
        document: &Document,
        seen: &BTreeMap<DocumentId, String>,
        run: &IngestRun<'_>,
        report: &IngestReport,
    ) -> Result<Option<Fingerprint>, PortError> {
        let is_left = |known: &Fingerprint| {
            !seen.contains_key(&known.id)
                && run.roots.iter().any(|root| is_below(&known.source, root))
                && !report.has_failed(&known.source)
                && !(run.source_exists)(&known.source)
        };
        let mut left = self.catalogue.with_text(run.tenant, &document.text).await?;
        left.retain(is_left);
        let name = file_name(&document.card.source);
        let same_name = left.iter().position(|known| file_name(&known.source) == name);
        Ok(left.into_iter().nth(same_name.unwrap_or_default()))
    }

    /// Gives the documents that have only moved their new sources.
    pub(super) async fn keep_renames(&self, run: &IngestRun<'_>, report: &mut IngestReport) -> Result<(), PortError> {
        let moved = std::mem::take(&mut report.moved);
        self.catalogue.rename(run.tenant, &moved).await?;
        report.renamed += moved.len() as u64;
        Ok(())
    }
}

fn is_below(source: &str, root: &str) -> bool {
    let below = source.strip_prefix(root.trim_end_matches('/'));
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn file_name(source: &str) -> &str {
    source.rsplit('/').next().unwrap_or(source)
}
