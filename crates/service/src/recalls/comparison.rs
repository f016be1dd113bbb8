//! A citation of the past against the document as it is now.

use std::collections::BTreeMap;

use vouch_domain::{
    Address, DocumentCard, DocumentId, DocumentVersion, PortError, Reader, VersionCard,
    ports::{Generation, Versions},
};
use vouch_engine::{resolve::said_of_status, verify::is_row_of};

use super::{
    wire::{RecallReason, RecalledSentence, RecalledSource, RecalledVersion},
    words::{ChangedText, cited_sentences},
};
use crate::{quoted_words::FoldedText, wire::RecordedCitation};

/// Texts that are kept at hand, in bytes; many answers cite the same few documents.
const TEXTS_BYTES_MAX: usize = 64 << 20;

/// Compares citations for one reader, and reads each document once where it can.
pub(super) struct Comparison<'a> {
    versions: &'a dyn Versions,
    reader: &'a Reader,
    current: BTreeMap<DocumentId, Option<VersionCard>>,
    texts: BTreeMap<(DocumentId, u32), ChangedText>,
    bytes: usize,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(versions: &'a dyn Versions, reader: &'a Reader) -> Self {
        Self { versions, reader, current: BTreeMap::new(), texts: BTreeMap::new(), bytes: 0 }
    }

    /// What became of a cited document; none if it still stands, or was no document.
    pub(super) async fn compare(
        &mut self,
        cited: &RecordedCitation,
        (generation, is_between): (Generation, bool),
    ) -> Result<Option<RecalledSource>, PortError> {
        let Some(id) = DocumentId::parse(&cited.document_id) else { return Ok(None) };
        let places = self.versions.current_at(&self.reader.tenant, &id, generation).await?;
        let Some(now) = self.current(&id).await? else {
            // A term of a vocabulary is cited like a document and is none.
            return Ok(places.is_known.then(|| removed(cited)));
        };
        if places.then == Some(now.number) {
            return Ok(None);
        }
        // Which of two versions was cited cannot be told where one took the place of the other meanwhile.
        let then = places.then.filter(|_| !is_between);
        let then = match then {
            Some(number) => self.versions.version(self.reader, &id, number).await?,
            None => None,
        };
        let (reason, sentences) = match then.as_ref() {
            Some(then) => self.judge(cited, then, &now).await?,
            None => self.judge_by_claims(cited, &now).await?,
        };
        Ok(reason.map(|reason| RecalledSource {
            reason,
            sentences,
            superseded_by: now.card.superseded_by.as_ref().map(written),
            status: now.card.status.clone(),
            version_then: then.as_ref().map_or_else(|| recorded_version(cited), |then| version(&then.card)),
            version_now: Some(version(&now)),
            ..removed(cited)
        }))
    }

    /// The verdict where the cited version can be read.
    async fn judge(
        &mut self,
        cited: &RecordedCitation,
        then: &DocumentVersion,
        now: &VersionCard,
    ) -> Result<(Option<RecallReason>, Vec<RecalledSentence>), PortError> {
        let sentences = cited_sentences(cited, then);
        if let Some(reason) = no_longer_holds(&now.card).filter(|_| no_longer_holds(&then.card.card).is_none()) {
            return Ok((Some(reason), sentences.into_iter().map(alone).collect()));
        }
        if cited.quote.is_none() {
            let gone = cited.claims.iter().filter(|row| is_row_of(row, &then.card.card) && !is_row_of(row, &now.card));
            let gone: Vec<RecalledSentence> = gone.cloned().map(alone).collect();
            return Ok(((!gone.is_empty()).then_some(RecallReason::Changed), gone));
        }
        let Some(changed) = self.changed_text(then, now).await? else { return Ok((None, Vec::new())) };
        let gone = sentences.into_iter().filter(|sentence| !changed.now.holds(sentence));
        let gone: Vec<RecalledSentence> = gone.map(|sentence| changed.with_place(sentence)).collect();
        Ok(((!gone.is_empty()).then_some(RecallReason::Changed), gone))
    }

    /// The verdict where only the record says what was cited.
    async fn judge_by_claims(
        &self,
        cited: &RecordedCitation,
        now: &VersionCard,
    ) -> Result<(Option<RecallReason>, Vec<RecalledSentence>), PortError> {
        if let Some(reason) = no_longer_holds(&now.card) {
            return Ok((Some(reason), cited.claims.iter().cloned().map(alone).collect()));
        }
        let text = self.versions.version(self.reader, &now.card.id, now.number).await?;
        let text = FoldedText::new(text.as_ref().map_or("", |version| version.text.as_str()));
        let stands = |claim: &String| match cited.quote {
            Some(_) => text.holds(claim),
            None => is_row_of(claim, &now.card),
        };
        if !cited.claims.is_empty() && cited.claims.iter().all(stands) {
            return Ok((None, Vec::new()));
        }
        let gone = cited.claims.iter().filter(|claim| !stands(claim)).cloned().map(alone).collect();
        Ok((Some(RecallReason::Unknown), gone))
    }

    /// A document as it is now; none if it is not there, or not open to the reader.
    async fn current(&mut self, id: &DocumentId) -> Result<Option<VersionCard>, PortError> {
        if let Some(known) = self.current.get(id) {
            return Ok(known.clone());
        }
        let found = self.versions.versions(self.reader, id, 1).await?.pop();
        self.current.insert(id.clone(), found.clone());
        Ok(found)
    }

    async fn changed_text(
        &mut self,
        then: &DocumentVersion,
        now: &VersionCard,
    ) -> Result<Option<&ChangedText>, PortError> {
        let key = (now.card.id.clone(), then.card.number);
        if !self.texts.contains_key(&key) {
            let Some(text) = self.versions.version(self.reader, &now.card.id, now.number).await? else {
                return Ok(None);
            };
            let changed = ChangedText::new(&then.text, &text.text);
            if self.bytes + changed.bytes() > TEXTS_BYTES_MAX {
                self.texts.clear();
                self.bytes = 0;
            }
            self.bytes += changed.bytes();
            self.texts.insert(key.clone(), changed);
        }
        Ok(self.texts.get(&key))
    }
}

/// Why a document does not hold by its own word.
fn no_longer_holds(card: &DocumentCard) -> Option<RecallReason> {
    match (&card.superseded_by, said_of_status(card)) {
        (Some(_), _) => Some(RecallReason::Superseded),
        (None, Some(_)) => Some(RecallReason::Withdrawn),
        (None, None) => None,
    }
}

/// A source of which only the record can tell.
fn removed(cited: &RecordedCitation) -> RecalledSource {
    RecalledSource {
        marker: cited.marker,
        document_id: cited.document_id.clone(),
        title: cited.title.clone(),
        reason: RecallReason::Removed,
        sentences: cited.claims.iter().cloned().map(alone).collect(),
        superseded_by: None,
        status: None,
        version_then: recorded_version(cited),
        version_now: None,
    }
}

fn alone(text: String) -> RecalledSentence {
    RecalledSentence { text, in_its_place: None, section: None }
}

fn recorded_version(cited: &RecordedCitation) -> RecalledVersion {
    RecalledVersion { number: None, label: cited.version.clone(), date: cited.date.clone() }
}

fn version(card: &VersionCard) -> RecalledVersion {
    RecalledVersion { number: Some(card.number), label: card.card.version.clone(), date: card.card.date.clone() }
}

fn written(address: &Address) -> String {
    address.as_str().to_owned()
}
