//! A file that an admin sends → its documents in the store.
//!
//! A file may say itself which documents it holds and who may see them. So it is read before anything is decided, and what
//! it holds is held to the same rules as any other document.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use vouch_domain::{
    Caller, Document, RawDocument, Reader, Scope, SourceFormat,
    document::Labels,
    is_open_mark,
    ports::{Fingerprint, NO_TEXT, ParseError, Parser},
    reason_unread,
};
use vouch_engine::ingest::{Ingest, IngestRun, told_apart};

use super::{AdminError, AdminService, Client, IngestOutcome, NOT_STORED, NOT_THEIRS, TAKEN, Waiting};
use crate::{tenant_locks::TenantLock, wire::FailedDocumentWire};

/// The longest name of a file, in characters.
const NAME_CHARS_MAX: usize = 255;

/// A file, and what is said of it.
#[derive(Debug, Clone)]
pub struct FileToKeep {
    /// Its name; the ending tells its form, and the name is the id of a document that names none.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// The collection and kind of documents that name none, and who may see them; without tags those who could before, and
    /// everyone in the tenant if it is new.
    pub labels: Labels,
    /// What it is where a document has its name already.
    pub same_name: SameName,
}

/// What a file is whose name a document has already, and that says something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SameName {
    /// Whoever sends it is asked.
    #[default]
    Ask,
    /// A new version of that document.
    NewVersion,
    /// Another document.
    AnotherDocument,
}

impl AdminService {
    /// Ingests a file; what cannot be read of it is reported and the rest goes on.
    pub async fn ingest_file(
        &self,
        turn: TenantLock,
        caller: &Caller,
        file: FileToKeep,
    ) -> Result<IngestOutcome, AdminError> {
        let reader = caller.reader.clone();
        let wanted = Arc::new(AtomicBool::new(true));
        let _waiting = Waiting(Arc::clone(&wanted));
        let work = move |admin_service: Self| async move {
            admin_service.ingest_file_now(&reader, file, &Client(wanted)).await
        };
        self.finish(turn, work).await
    }

    async fn ingest_file_now(
        &self,
        reader: &Reader,
        file: FileToKeep,
        client: &Client,
    ) -> Result<IngestOutcome, AdminError> {
        let same_name = file.same_name;
        let mut raw = raw(reader, file)?;
        let mut parsed = self.parse(&raw).await?;
        if self.is_another_document(reader, (&raw, parsed.as_slice()), same_name).await? {
            (raw.source, raw.fallback_id) = apart(&raw);
            parsed = self.parse(&raw).await?;
        }
        let before = self.ingest.catalogue.under_source(&reader.tenant, &raw.source).await?;
        if before.iter().any(|known| !reader.may_keep(&reader.tenant, &known.tags)) {
            return Err(AdminError::NotTheirs(TAKEN));
        }
        if !client.0.load(Ordering::Acquire) {
            return Err(AdminError::Broken);
        }
        let checked = self.checked(reader, parsed).await?;
        let ingest = Ingest { parser: Arc::new(ReadAlready(Mutex::new(checked))), ..self.ingest.clone() };
        let source = raw.source.clone();
        let name = raw.fallback_id.clone();
        // Whether the caller may replace a document was checked above, wherever it first came from.
        let run = IngestRun {
            sees_all: reader.scope == Scope::WholeTenant,
            tenant: &reader.tenant,
            roots: &[],
            source_exists: &|_| false,
            progress: client,
        };
        let report = ingest.ingest(std::iter::once(Ok(raw)), &run).await?;
        let failures = report.failures.iter().filter(|failure| failure.source == source).enumerate();
        let failures = failures.map(|(index, failure)| {
            let reason = if failure.is_stores_fault { NOT_STORED.to_owned() } else { failure.sentence.clone() };
            let reason = if failure.place.is_empty() { reason } else { format!("{}: {reason}", failure.place) };
            FailedDocumentWire { index, document_id: Some(name.clone()), reason }
        });
        let failures = failures.collect();
        let findings = self.found(reader, &report).await;
        Ok(IngestOutcome { report, failures, findings })
    }

    async fn parse(&self, raw: &RawDocument) -> Result<Vec<Result<Document, ParseError>>, AdminError> {
        let (parser, read) = (Arc::clone(&self.ingest.parser), raw.clone());
        tokio::task::spawn_blocking(move || parser.parse(read)).await.map_err(|_| AdminError::Broken)
    }

    /// Whether a file is another document than the one that has its name. A file that names its own id is told by that, one
    /// that says what the document says is that document, and of any other its sender says what it is.
    async fn is_another_document(
        &self,
        reader: &Reader,
        (raw, parsed): (&RawDocument, &[Result<Document, ParseError>]),
        same_name: SameName,
    ) -> Result<bool, AdminError> {
        let documents: Vec<&Document> = parsed.iter().flatten().collect();
        let [first, ..] = documents.as_slice() else { return Ok(false) };
        if raw.format.holds_many() {
            return Ok(false);
        }
        let catalogue = &self.ingest.catalogue;
        let from_there = catalogue.under_source(&reader.tenant, &raw.source).await?;
        let mut there: Vec<Fingerprint> = from_there.into_iter().filter(|known| known.source == raw.source).collect();
        let names_its_id = first.card.id.as_str() != raw.fallback_id;
        if names_its_id {
            // Another file of this name must not go because this one comes.
            let is_of_it = |known: &Fingerprint| documents.iter().any(|document| document.card.id == known.id);
            return Ok(!there.is_empty() && !there.iter().any(is_of_it));
        }
        there.extend(catalogue.fingerprints(&reader.tenant, std::slice::from_ref(&first.card.id)).await?);
        let Some(known) = there.first() else { return Ok(false) };
        let same_text = catalogue.with_text(&reader.tenant, &first.text).await?;
        if same_text.iter().any(|one| there.iter().any(|known| known.id == one.id)) {
            return Ok(false);
        }
        let (apart_source, _) = apart(raw);
        if same_text.iter().any(|one| one.source == apart_source) {
            return Ok(true);
        }
        match same_name {
            SameName::NewVersion => Ok(false),
            SameName::AnotherDocument => Ok(true),
            SameName::Ask if !reader.may_keep(&reader.tenant, &known.tags) => Err(AdminError::NotTheirs(TAKEN)),
            SameName::Ask => {
                let card = self.register.by_id(reader, &known.id).await?;
                let title = card.map_or_else(|| known.id.as_str().to_owned(), |card| card.title);
                Err(AdminError::SameName(format!(
                    "the document '{title}' already has the name {} but a different text; send the file again with \
                     same_name=new_version if it takes that document's place, or with same_name=another_document",
                    raw.fallback_id
                )))
            }
        }
    }

    /// The documents of a file that the caller may keep; of the others, why not.
    async fn checked(
        &self,
        reader: &Reader,
        parsed: Vec<Result<Document, ParseError>>,
    ) -> Result<Vec<Result<Document, ParseError>>, AdminError> {
        let ids: Vec<_> = parsed.iter().flatten().map(|document| document.card.id.clone()).collect();
        let known = self.ingest.catalogue.fingerprints(&reader.tenant, &ids).await?;
        let mut gone = BTreeSet::new();
        for card in parsed.iter().flatten().map(|document| &document.card) {
            if !self.may_bring_back(reader, &card.id, &card.source).await? {
                gone.insert(card.id.clone());
            }
        }
        let refused = |document: &Document| {
            let there = known.iter().find(|known| known.id == document.card.id);
            match gone.contains(&document.card.id) && there.is_none() {
                true => Some(TAKEN),
                false => refusal(reader, document, there),
            }
        };
        let check = |document: Document| match refused(&document) {
            None => Ok(document),
            Some(sentence) => Err(ParseError { place: String::new(), sentence: sentence.to_owned() }),
        };
        Ok(parsed.into_iter().map(|outcome| outcome.and_then(check)).collect())
    }
}

fn refusal(reader: &Reader, document: &Document, there: Option<&Fingerprint>) -> Option<&'static str> {
    if let Some(there) = there {
        if !reader.may_read(&reader.tenant, &there.tags) {
            return Some(TAKEN);
        }
        if !reader.may_keep(&reader.tenant, &there.tags) {
            return Some(NOT_THEIRS);
        }
    }
    (!reader.may_keep(&reader.tenant, &document.card.tags)).then_some(NOT_THEIRS)
}

fn raw(reader: &Reader, file: FileToKeep) -> Result<RawDocument, AdminError> {
    let name = file.name.trim().to_owned();
    let is_name = !name.is_empty()
        && name.chars().nth(NAME_CHARS_MAX).is_none()
        && !name.contains(['/', '\\'])
        && !name.contains(char::is_control);
    if !is_name {
        let sentence = format!("the name of a file has 1 to {NAME_CHARS_MAX} characters and no slashes");
        return Err(AdminError::Bad(sentence));
    }
    if !reader.may_keep(&reader.tenant, &file.labels.tags) {
        return Err(AdminError::NotTheirs(NOT_THEIRS));
    }
    if is_open_mark(&name) {
        return Err(AdminError::Bad(reason_unread(&name)));
    }
    if file.bytes.is_empty() {
        return Err(AdminError::Bad(NO_TEXT.to_owned()));
    }
    let ending = Path::new(&name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    // A form that only a converter of the site reads is told by whoever has the converters.
    let format = SourceFormat::of_ending(&ending.to_ascii_lowercase()).unwrap_or(SourceFormat::Foreign);
    let labels = Labels { tenant: reader.tenant.clone(), ..file.labels };
    Ok(RawDocument { source: format!("file:{name}"), fallback_id: name, url: None, format, bytes: file.bytes, labels })
}

/// The source and id of a file that is another document than the one of its name; the same file always has the same.
fn apart(raw: &RawDocument) -> (String, String) {
    (told_apart(&raw.source, &raw.bytes), told_apart(&raw.fallback_id, &raw.bytes))
}

/// Documents that were read before.
struct ReadAlready(Mutex<Vec<Result<Document, ParseError>>>);

impl Parser for ReadAlready {
    fn parse(&self, _: RawDocument) -> Vec<Result<Document, ParseError>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn recipe(&self) -> Option<String> {
        None
    }
}
