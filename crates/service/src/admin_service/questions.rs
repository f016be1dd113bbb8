//! Questions that found no answer, sent to whoever answers for their topic; what they write becomes a document, and a pinned
//! question that leads to it.
//!
//! Invariant: an answer is seen by whoever the curator said when the question was sent. Only its owner and admins who may keep
//! such documents write it; to anybody else the question does not exist.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicBool},
};

use serde_json::json;
use vouch_domain::{
    Caller, DocumentId, MemoryEntry, MemoryKind, Reader, Reference, Role, SentQuestion, Wording, WrittenAnswer, date,
    person::{name_fault, tags_fault},
};

use super::{AdminError, AdminService, Client, NOT_THEIRS};
use crate::{
    tenant_locks::TenantLock,
    wire::{TAGS_MAX, kept_tags},
};

/// Longest question that is sent, in characters.
pub const QUESTION_CHARS_MAX: usize = 2_000;
/// Longest answer, in characters.
pub const ANSWER_CHARS_MAX: usize = 20_000;
/// Most questions that are listed.
const LISTED_MAX: usize = 500;
/// What the documents of answers are called, and their kind.
const FOLDER: &str = "answers";
const KIND: &str = "answer";

/// A question to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionToSend {
    /// The question.
    pub query: String,
    /// What it is about: its owner answers where no other is named.
    pub topic: Option<String>,
    /// Who is to answer.
    pub owner: Option<String>,
    /// Who may see the answer; everybody in the tenant where there are none.
    pub tags: BTreeSet<String>,
}

impl QuestionToSend {
    /// Why it cannot be sent, whatever it asks.
    fn fault(&self) -> Option<String> {
        let many = (self.tags.len() > TAGS_MAX).then(|| format!("there are more than {TAGS_MAX} tags"));
        many.or_else(|| tags_fault(&self.tags)).or_else(|| name_fault("topic", self.topic.as_ref()?))
    }
}

impl AdminService {
    /// The questions a caller may see: all that were sent for an admin who reads the whole tenant, else those sent to them.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn sent_questions(&self, caller: &Caller) -> Result<Vec<SentQuestion>, AdminError> {
        let tenant = &caller.reader.tenant;
        let is_curator = caller.role == Role::Admin && caller.reader.may_keep(tenant, &BTreeSet::new());
        match (is_curator, caller.person.as_deref()) {
            (true, _) => Ok(self.questions.sent(tenant, None, LISTED_MAX).await?),
            (false, Some(person)) => Ok(self.questions.sent(tenant, Some(person), LISTED_MAX).await?),
            (false, None) => Ok(Vec::new()),
        }
    }

    /// Sends a question to its owner. The same question is sent to the same person once while it is open.
    ///
    /// # Errors
    /// Fails if nobody is there to answer, the caller may not keep such an answer, or the store fails.
    pub async fn send_question(
        &self,
        turn: TenantLock,
        caller: &Caller,
        wanted: QuestionToSend,
        now_ms: u64,
    ) -> Result<SentQuestion, AdminError> {
        let caller = caller.clone();
        self.finish(turn, move |admin_service| async move { admin_service.send(&caller, wanted, now_ms).await }).await
    }

    async fn send(&self, caller: &Caller, wanted: QuestionToSend, now_ms: u64) -> Result<SentQuestion, AdminError> {
        let tenant = &caller.reader.tenant;
        let wanted = QuestionToSend { tags: kept_tags(wanted.tags), ..wanted };
        if let Some(fault) = wanted.fault() {
            return Err(AdminError::Bad(fault));
        }
        let query = wanted.query.split_whitespace().collect::<Vec<_>>().join(" ");
        if query.is_empty() || query.chars().count() > QUESTION_CHARS_MAX {
            return Err(AdminError::Bad(format!(
                "the question is empty or longer than {QUESTION_CHARS_MAX} characters"
            )));
        }
        if !caller.reader.may_keep(tenant, &wanted.tags) {
            return Err(AdminError::NotTheirs(NOT_THEIRS));
        }
        let owner = self.owner(tenant, &wanted).await?;
        let known = self.questions.sent(tenant, Some(&owner), usize::MAX).await?;
        if let Some(open) =
            known.iter().find(|one| one.answer.is_none() && one.query == query && one.tags == wanted.tags)
        {
            return Ok(open.clone());
        }
        let mut sent_ms = now_ms;
        while self.questions.question(tenant, &name(sent_ms)).await?.is_some() {
            sent_ms += 1;
        }
        let question = SentQuestion {
            id: name(sent_ms),
            tenant: tenant.clone(),
            query,
            topic: wanted.topic,
            owner,
            sent_by: caller.id.clone(),
            sent_ms,
            tags: wanted.tags,
            answer: None,
        };
        self.questions.send(question.clone()).await?;
        Ok(question)
    }

    /// Who is to answer: whoever is named, else the owner of the topic.
    async fn owner(&self, tenant: &str, wanted: &QuestionToSend) -> Result<String, AdminError> {
        let named = match (&wanted.owner, &wanted.topic) {
            (Some(owner), _) => Some(owner.clone()),
            (None, Some(topic)) => self.directory.topic(tenant, topic).await?.and_then(|topic| topic.owner),
            (None, None) => None,
        };
        let Some(named) = named else {
            let sentence = "nobody is responsible for this topic; name a user, or make one its owner with `vouch tag \
                            add`";
            return Err(AdminError::Bad(sentence.to_owned()));
        };
        match self.directory.person(tenant, &named).await? {
            Some(person) => Ok(person.id),
            None => Err(AdminError::Bad(format!("there is no user '{named}'"))),
        }
    }

    /// Keeps an owner's answer: as a document that can be cited, and as a pinned question that leads to it.
    ///
    /// # Errors
    /// Fails if there is no such question for this caller, the answer cannot be kept, or the store fails.
    pub async fn answer_question(
        &self,
        turn: TenantLock,
        caller: &Caller,
        (id, text): (&str, &str),
        now_ms: u64,
    ) -> Result<SentQuestion, AdminError> {
        let (caller, id, text) = (caller.clone(), id.to_owned(), text.trim().to_owned());
        self.finish(turn, move |admin_service| async move {
            let question = admin_service.theirs(&caller, &id).await?;
            if text.is_empty() || text.chars().count() > ANSWER_CHARS_MAX {
                let sentence = format!("the answer is empty or longer than {ANSWER_CHARS_MAX} characters");
                return Err(AdminError::Bad(sentence));
            }
            admin_service.keep_answer(question, &text, now_ms).await
        })
        .await
    }

    async fn keep_answer(&self, question: SentQuestion, text: &str, now_ms: u64) -> Result<SentQuestion, AdminError> {
        let whole_tenant = Reader::of_tenant(&question.tenant);
        let document = format!("{FOLDER}/{}", question.id);
        let tags = self.tags_of_answer(&question, &document).await?;
        let body = json!({
            "id": document, "title": question.query, "text": format!("# {}\n\n{text}\n", question.query), "kind": KIND,
            "collection": FOLDER, "tags": tags, "owner": question.owner, "date": date(now_ms),
        });
        let waiting = Client(Arc::new(AtomicBool::new(true)));
        let kept = self.ingest_now(&whole_tenant, vec![body], &waiting).await?;
        if let Some(failure) = kept.failures.into_iter().next() {
            return Err(AdminError::Bad(failure.reason));
        }
        let wording = Wording { text: question.query.clone(), language: None };
        let entry = MemoryEntry {
            id: format!("{KIND}-{}", question.id),
            tenant: question.tenant.clone(),
            kind: MemoryKind::Pinned,
            phrases: vec![wording],
            note: Vec::new(),
            references: vec![Reference::whole(document.clone())],
            tags,
            is_for_readers: false,
            translated_by_model: BTreeSet::new(),
        };
        self.keep_entry(entry, &whole_tenant).await?;
        let document = DocumentId::parse(&document).ok_or(AdminError::Missing)?;
        let answer = WrittenAnswer { document, at_ms: now_ms };
        self.questions.answered(&question.tenant, &question.id, answer.clone()).await?;
        Ok(SentQuestion { answer: Some(answer), ..question })
    }

    /// Who sees an answer: whoever the curator said, and whoever an admin has said since of one that is there already.
    async fn tags_of_answer(&self, question: &SentQuestion, document: &str) -> Result<BTreeSet<String>, AdminError> {
        let id = DocumentId::parse(document).ok_or(AdminError::Missing)?;
        let there = self.register.by_id(&Reader::of_tenant(&question.tenant), &id).await?;
        match (there, &question.answer) {
            (Some(card), _) => Ok(card.tags),
            (None, None) => Ok(question.tags.clone()),
            (None, Some(_)) => {
                let sentence = "this answer was removed; a curator can send the question again";
                Err(AdminError::Bad(sentence.to_owned()))
            }
        }
    }

    /// Takes a question back; an answer that was written stays.
    ///
    /// # Errors
    /// Fails if there is no such question for this caller, or the store fails.
    pub async fn withdraw_question(&self, turn: TenantLock, caller: &Caller, id: &str) -> Result<(), AdminError> {
        let (caller, id) = (caller.clone(), id.to_owned());
        self.finish(turn, move |admin_service| async move {
            let question = admin_service.theirs(&caller, &id).await?;
            admin_service.questions.withdraw(&question.tenant, &question.id).await?;
            Ok(())
        })
        .await
    }

    /// A question that is the caller's to answer.
    async fn theirs(&self, caller: &Caller, id: &str) -> Result<SentQuestion, AdminError> {
        let tenant = &caller.reader.tenant;
        let question = self.questions.question(tenant, id).await?.ok_or(AdminError::Missing)?;
        let is_owner = caller.person.as_deref() == Some(question.owner.as_str());
        let is_curator = caller.role == Role::Admin && caller.reader.may_keep(tenant, &question.tags);
        if is_owner || is_curator { Ok(question) } else { Err(AdminError::Missing) }
    }
}

fn name(sent_ms: u64) -> String {
    format!("q-{sent_ms}")
}
