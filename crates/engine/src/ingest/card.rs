//! What people have set of documents → their cards, whenever a source is taken in again and at once.
//!
//! Invariant: what a person has set stays until a person or a newer statement of the source changes it, and who may see a
//! document is never widened unless somebody opens it in so many words.

use std::collections::BTreeSet;

use vouch_domain::{
    CardEdit, CardField, ContentHash, Document, DocumentCard, PortError,
    ports::{EditedCard, Fingerprint},
};

use super::{Ingest, IngestReport, IngestRun, access::SourceAccess, enrich};

/// A document whose tags are settled, with what people have set of it.
pub(super) struct Settled {
    document: Document,
    /// Who may see it. The tags on its card are those that its hash counts.
    tags: BTreeSet<String>,
    /// The tags it came with.
    stated: BTreeSet<String>,
    /// What people have set, and still holds.
    held: Vec<CardEdit>,
    /// What people had set, and the source has a newer statement on.
    ended: Vec<CardEdit>,
}

/// A document to be kept.
pub(super) struct ChangedDocument {
    pub(super) document: Document,
    pub(super) hash: ContentHash,
    pub(super) ended_edits: Vec<CardField>,
}

/// What a person wants changed of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardChange {
    /// Fields with what they are to say; none takes it away.
    pub fields: Vec<(CardField, Option<String>)>,
    /// Whether more people may see the document than before.
    pub opens: bool,
    /// Who changes it.
    pub by: String,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardOutcome {
    /// The card says it.
    Changed,
    /// It said so already.
    Unchanged,
    /// People would see the document who could not before, and nobody said that they may.
    StaysClosed,
    /// There is no such document.
    Missing,
}

impl Settled {
    /// A document that is seen by those who could see it before, if it says that or nothing.
    pub(super) fn as_before(mut document: Document, known: &Fingerprint) -> Self {
        let stated = document.card.tags.clone();
        if !document.states_access {
            document.card.tags.clone_from(&known.tags);
        }
        let tags = document.card.tags.clone();
        Self { document, tags, stated, held: Vec::new(), ended: Vec::new() }
    }

    /// The document with the tags that it came with.
    pub(super) fn into_stated(mut self) -> Document {
        self.document.card.tags = self.stated;
        self.document
    }

    /// The document as its source gives it, with the tags that decide whether it has changed.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// Whether the document is the one that is kept.
    pub(super) fn is_kept_as(&self, known: &Fingerprint, hash: ContentHash) -> bool {
        known.hash == hash && known.tags == self.tags
    }

    /// The document as it is to be kept; what its source changed of a person's edits is told.
    pub(super) fn into_changed(
        self,
        hash: ContentHash,
        run: &IngestRun<'_>,
        report: &mut IngestReport,
    ) -> ChangedDocument {
        let Self { mut document, tags, stated: _, held, ended } = self;
        document.card.tags = tags;
        for edit in held.iter().filter(|edit| edit.field != CardField::Tags) {
            edit.field.set(&mut document.card, edit.value.as_deref());
        }
        for edit in &ended {
            report.warn(&document.card.source, newer_statement(edit, &document.card), run.progress);
        }
        ChangedDocument { document, hash, ended_edits: ended.into_iter().map(|edit| edit.field).collect() }
    }
}

impl Ingest {
    /// Settles who may see a document and what of a person's edits still holds; a sentence says why it cannot be kept.
    pub(super) async fn settle(
        &self,
        mut document: Document,
        known: Option<&Fingerprint>,
        access: &SourceAccess,
        (run, report): (&IngestRun<'_>, &mut IngestReport),
    ) -> Result<Result<Settled, String>, PortError> {
        let stated = document.card.tags.clone();
        let edits = self.catalogue.edits(run.tenant, &document.card.id).await?;
        let (held, ended): (Vec<CardEdit>, Vec<CardEdit>) =
            edits.into_iter().partition(|edit| holds(edit, &document, access.opens));
        let hashed = held.iter().find(|edit| edit.field == CardField::Tags).map(|edit| {
            document.card.tags = CardField::names_in(edit.value.as_deref());
            document.states_access = true;
            CardField::names_in(edit.stated.as_deref())
        });
        if let Err(sentence) = self.settle_access(&mut document, known, access, (run, report)).await? {
            return Ok(Err(sentence));
        }
        let tags = document.card.tags.clone();
        // A person's edit of the tags changes nothing of what the source gives.
        document.card.tags = hashed.unwrap_or_else(|| tags.clone());
        Ok(Ok(Settled { document, tags, stated, held, ended }))
    }

    /// Changes what a document's card says and nothing else of it, whatever its source is.
    ///
    /// # Errors
    /// Fails if the store or the embedder does.
    pub async fn edit(
        &self,
        card: DocumentCard,
        passages: &[vouch_domain::StoredPassage],
        change: &CardChange,
    ) -> Result<(CardOutcome, IngestReport), PortError> {
        let mut report = IngestReport::default();
        let mut wanted = card.clone();
        for (field, value) in &change.fields {
            field.set(&mut wanted, value.as_deref());
        }
        if wanted == card {
            return Ok((CardOutcome::Unchanged, report));
        }
        let is_wider = !card.tags.is_empty() && (wanted.tags.is_empty() || !wanted.tags.is_subset(&card.tags));
        if is_wider && !change.opens {
            return Ok((CardOutcome::StaysClosed, report));
        }
        let edited_ms = self.clock.now_ms();
        let before = self.catalogue.edits(&card.tenant, &card.id).await?;
        let edits = change.fields.iter().filter(|(field, _)| field.value_of(&wanted) != field.value_of(&card));
        let edits = edits.map(|(field, _)| CardEdit {
            field: *field,
            value: field.value_of(&wanted),
            stated: match before.iter().find(|edit| edit.field == *field) {
                Some(edit) => edit.stated.clone(),
                None => field.value_of(&card),
            },
            set_by: change.by.clone(),
            set_ms: edited_ms,
        });
        let edits = edits.collect();
        let embeddings = match wanted.title == card.title {
            true => None,
            // A passage is embedded under its title.
            false => {
                let texts = passages.iter().map(|one| enrich(&wanted, &one.passage)).collect();
                Some(self.embedder.embed(texts).await?)
            }
        };
        let edited = EditedCard { card: wanted, edits, embeddings, edited_ms };
        if self.catalogue.edit(edited).await?.is_none() {
            return Ok((CardOutcome::Missing, report));
        }
        self.refresh(&mut report).await;
        Ok((CardOutcome::Changed, report))
    }
}

/// Whether what a person set still holds: the source says what it said then, or nothing of who may see it. Whoever opens
/// documents has the last word on who may see them.
fn holds(edit: &CardEdit, document: &Document, opens: bool) -> bool {
    match edit.field {
        CardField::Tags if opens => false,
        CardField::Tags if !document.states_access => true,
        CardField::Title
        | CardField::Kind
        | CardField::Status
        | CardField::Version
        | CardField::SupersededBy
        | CardField::Topics
        | CardField::Tags => edit.field.value_of(&document.card) == edit.stated,
    }
}

fn newer_statement(edit: &CardEdit, card: &DocumentCard) -> String {
    let shown = |value: Option<String>| match value {
        Some(value) => format!("'{}'", value.replace('\n', ", ")),
        None => "empty".to_owned(),
    };
    let (now, set) = (shown(edit.field.value_of(card)), shown(edit.value.clone()));
    format!(
        "{}: the document itself now says {now}, which replaces what {} had set: {set}",
        edit.field.as_str(),
        edit.set_by
    )
}
