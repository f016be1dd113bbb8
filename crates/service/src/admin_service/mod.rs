//! Changes by admins: documents and memory entries of their own tenant, within what their key covers.
//!
//! Invariant: nobody replaces or removes what they may not see, nor what others see too; what they store stays within
//! their own tags. One change per tenant at a time, so that what was checked is what is changed. A change that has
//! begun is finished whether or not its client waits, except documents: of these, what is not stored yet is dropped
//! when nobody waits any more.

mod cards;
mod files;
mod entries;
mod findings;
mod questions;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Value;
use vouch_domain::{
    Caller, DocumentId, FindingPage, PortError, RawDocument, Reader, Scope, SourceFormat,
    document::Labels,
    ports::{Directory, Findings, Memory, Register, SentQuestions, Versions},
};
use vouch_engine::ingest::{Failure, Ingest, IngestReport, IngestRun, Progress};

use crate::{
    tenant_locks::{TenantLock, TenantLocks},
    wire::{DocumentBody, FailedDocumentWire},
};

pub use cards::CardBody;
pub use files::{FileToKeep, SameName};
pub use questions::{ANSWER_CHARS_MAX, QUESTION_CHARS_MAX, QuestionToSend};

const NOT_THEIRS: &str = "this key covers a part of the tenant: what it stores or changes needs \
    at least one tag, and only the key's own tags";
const NOT_STORED: &str = "it could not be stored";
const TAKEN: &str = "this id cannot be used with this key";

/// Stores and removes on behalf of admins.
#[derive(Clone)]
pub struct AdminService {
    /// Documents into the store.
    pub ingest: Ingest,
    /// Documents by name.
    pub register: Arc<dyn Register>,
    /// Documents as they were.
    pub versions: Arc<dyn Versions>,
    /// What editors prepared.
    pub memory: Arc<dyn Memory>,
    /// Who answers for what.
    pub directory: Arc<dyn Directory>,
    /// Questions that were sent to them.
    pub questions: Arc<dyn SentQuestions>,
    /// What was found by comparing documents.
    pub findings: Arc<dyn Findings>,
    /// The queue of changes per tenant.
    pub tenant_locks: TenantLocks,
}

/// What happened to the documents of a request.
#[derive(Debug)]
pub struct IngestOutcome {
    /// What was kept, and what had not changed.
    pub report: IngestReport,
    /// What was not kept, and why.
    pub failures: Vec<FailedDocumentWire>,
    /// What was found by comparing them with others, as far as the caller may see it.
    pub findings: FindingPage,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// There is nothing with this id that the caller may see.
    #[error("there is nothing with this id")]
    Missing,
    /// The caller may see it and not change it.
    #[error("{0}")]
    NotTheirs(&'static str),
    /// It is invalid.
    #[error("{0}")]
    Bad(String),
    /// A file has the name of a document, and it is not known whether it is a new version of that.
    #[error("{0}")]
    SameName(String),
    /// Too many changes to the tenant are waiting already.
    #[error("too many changes to this tenant are waiting; send fewer at a time")]
    Crowded,
    /// A port failed.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The work broke off.
    #[error("an internal error stopped the change")]
    Broken,
}

impl AdminService {
    /// The caller's turn to send documents. It is waited for before a place among the running requests is taken, so that
    /// one tenant's documents never keep everybody's questions waiting.
    pub async fn lock_tenant(&self, caller: &Caller) -> Result<TenantLock, AdminError> {
        self.tenant_locks.take_with_room(&caller.reader.tenant).await.ok_or(AdminError::Crowded)
    }

    /// Ingests documents; a bad one is reported and the rest goes on.
    pub async fn ingest(
        &self,
        turn: TenantLock,
        caller: &Caller,
        documents: Vec<Value>,
    ) -> Result<IngestOutcome, AdminError> {
        let reader = caller.reader.clone();
        let wanted = Arc::new(AtomicBool::new(true));
        let _waiting = Waiting(Arc::clone(&wanted));
        let work = move |admin_service: Self| async move {
            admin_service.ingest_now(&reader, documents, &Client(wanted)).await
        };
        self.finish(turn, work).await
    }

    /// The caller's turn to take a document out or to change the memory. Whoever leaves while waiting has changed nothing.
    pub async fn lock_tenant_for_small_change(&self, caller: &Caller) -> Result<TenantLock, AdminError> {
        self.tenant_locks.take(&caller.reader.tenant).await.ok_or(AdminError::Crowded)
    }

    /// Removes a document of every search.
    pub async fn delete(&self, turn: TenantLock, caller: &Caller, id: &DocumentId) -> Result<IngestReport, AdminError> {
        let (reader, id) = (caller.reader.clone(), id.clone());
        self.finish(turn, move |admin_service| async move {
            let card = admin_service.register.by_id(&reader, &id).await?.ok_or(AdminError::Missing)?;
            if !reader.may_keep(&card.tenant, &card.tags) {
                return Err(AdminError::NotTheirs(NOT_THEIRS));
            }
            Ok(admin_service.ingest.delete(&reader.tenant, &[id]).await?)
        })
        .await
    }

    /// Runs the work to its end even if the client leaves, then ends the turn.
    async fn finish<T, W>(&self, turn: TenantLock, work: impl FnOnce(Self) -> W + Send) -> Result<T, AdminError>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, AdminError>> + Send + 'static,
    {
        let work = work(self.clone());
        let done = tokio::spawn(async move {
            let _turn = turn;
            work.await
        });
        done.await.unwrap_or(Err(AdminError::Broken))
    }

    async fn ingest_now(
        &self,
        reader: &Reader,
        documents: Vec<Value>,
        client: &Client,
    ) -> Result<IngestOutcome, AdminError> {
        let mut failures = Vec::new();
        let mut places: BTreeMap<String, (usize, DocumentId)> = BTreeMap::new();
        let mut ready = Vec::new();
        for (index, document) in documents.into_iter().enumerate() {
            let named = document.get("id").and_then(Value::as_str).map(str::to_owned);
            match self.admissible(reader, document).await? {
                Ok(admitted) if places.contains_key(&source(&admitted.id)) => {
                    let reason = "its id appears twice in this request".to_owned();
                    failures.push(FailedDocumentWire { index, document_id: named, reason });
                }
                Ok(admitted) => {
                    places.insert(source(&admitted.id), (index, admitted.id.clone()));
                    ready.push(admitted);
                }
                Err(reason) => failures.push(FailedDocumentWire { index, document_id: named, reason }),
            }
        }
        let sources = ready.into_iter().map(|Admitted { id, bytes, opens }| {
            Ok(RawDocument {
                source: source(&id),
                fallback_id: id.as_str().to_owned(),
                url: None,
                format: SourceFormat::JsonLines,
                bytes,
                labels: Labels { tenant: reader.tenant.clone(), opens, ..Labels::default() },
            })
        });
        // Whether the caller may replace a document was checked above, wherever it first came from.
        let run = IngestRun {
            sees_all: reader.scope == Scope::WholeTenant,
            tenant: &reader.tenant,
            roots: &[],
            source_exists: &|_| false,
            progress: client,
        };
        let report = self.ingest.ingest(sources, &run).await?;
        for failure in &report.failures {
            let Some((index, id)) = places.get(&failure.source) else { continue };
            let reason = if failure.is_stores_fault { NOT_STORED.to_owned() } else { failure.sentence.clone() };
            let document_id = Some(id.as_str().to_owned());
            failures.push(FailedDocumentWire { index: *index, document_id, reason });
        }
        failures.sort_by_key(|failure| failure.index);
        let findings = self.found(reader, &report).await;
        Ok(IngestOutcome { report, failures, findings })
    }

    /// A document's id and line, if the caller may keep it.
    async fn admissible(&self, reader: &Reader, document: Value) -> Result<Result<Admitted, String>, PortError> {
        let document = match serde_json::from_value::<DocumentBody>(document) {
            Ok(document) => document.with_kept_tags(),
            Err(error) => return Ok(Err(error.to_string())),
        };
        if let Some(fault) = document.fault() {
            return Ok(Err(fault));
        }
        let Some(id) = DocumentId::parse(&document.id) else {
            return Ok(Err(format!("its id is empty or longer than {} bytes", DocumentId::BYTES_MAX)));
        };
        if !reader.may_keep(&reader.tenant, &document.tags) {
            return Ok(Err(NOT_THEIRS.to_owned()));
        }
        let is_there = !self.ingest.catalogue.fingerprints(&reader.tenant, std::slice::from_ref(&id)).await?.is_empty();
        if !is_there && !self.may_bring_back(reader, &id, &source(&id)).await? {
            return Ok(Err(TAKEN.to_owned()));
        }
        if is_there {
            match self.register.by_id(reader, &id).await? {
                None => return Ok(Err(TAKEN.to_owned())),
                Some(card) if !reader.may_keep(&card.tenant, &card.tags) => return Ok(Err(NOT_THEIRS.to_owned())),
                Some(_) => {}
            }
        }
        let opens = document.open;
        Ok(serde_json::to_vec(&document).map(|bytes| Admitted { id, bytes, opens }).map_err(|error| error.to_string()))
    }

    /// Whether somebody may keep what takes the place of a document that was removed: who could not see that does not.
    async fn may_bring_back(&self, reader: &Reader, id: &DocumentId, source: &str) -> Result<bool, PortError> {
        let past = self.ingest.catalogue.past_access(&reader.tenant, id, source, "").await?;
        let mut closed = [past.by_id, past.by_source].into_iter().flatten().filter(|tags| !tags.is_empty());
        Ok(closed.all(|tags| reader.may_keep(&reader.tenant, &tags)))
    }
}

/// A document of a request that its sender may keep.
struct Admitted {
    id: DocumentId,
    bytes: Vec<u8>,
    opens: bool,
}

/// The source name of a document that came over HTTP.
fn source(id: &DocumentId) -> String {
    format!("api:{id}")
}

/// Whoever sent documents, for as long as they wait.
struct Client(Arc<AtomicBool>);

/// A client's wait; it ends when this is dropped, however that comes.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Progress for Client {
    fn prepared(&self, _: usize) {}

    fn embedded(&self, _: usize) {}

    fn failed(&self, _: &Failure) {}

    fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
