//! The trail of requests → questions without an answer, by what they are about, each with whoever answers for that.
//!
//! Invariant: the same trail, corpus and people give the same list. A word or two in the middle of a conversation are left out, since they
//! do not stand alone, and so is what an editor has pinned since.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    AuditEntry, AuditScope, Caller, DocumentCard, DocumentId, MemoryEntry, PortError, SentQuestion, Topic, WordingKey,
    ports::{AuditTrail, Directory, Memory, Register, SentQuestions},
    timestamp,
};

use crate::{
    memory_match::{MemoryMatcher, NearEntryWire},
    wire::RecordedRequest,
};

/// Most entries of the trail that are read.
const SEARCHED_MAX: usize = 2_000;
const BATCH: usize = 500;
/// Most questions that are listed; those asked most often.
const QUESTIONS_MAX: usize = 200;
/// Longest question that is listed, in characters.
const CHARS_MAX: usize = 400;
/// From so many words on a question in the middle of a conversation is taken to stand alone.
const WORDS_MIN: usize = 4;
/// How requests end that were not answered.
const UNANSWERED: [&str; 2] = ["refused", "routed"];

/// What the list is made from.
pub struct Unanswered<'a> {
    /// The trail.
    pub trail: &'a dyn AuditTrail,
    /// The documents nearest to a question say what it is about.
    pub register: &'a dyn Register,
    /// Who answers for what.
    pub directory: &'a dyn Directory,
    /// What editors have pinned.
    pub memory: &'a dyn Memory,
    /// What was sent to somebody.
    pub questions: &'a dyn SentQuestions,
    /// Which entry a question is near to.
    pub matcher: &'a MemoryMatcher<'a>,
}

/// Questions without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct UnansweredList {
    /// How many requests of the trail were looked at.
    pub searched: usize,
    /// By topic, the one with the most questions first, and what nothing comes near last.
    pub topics: Vec<UnansweredTopic>,
}

/// Questions on one topic.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct UnansweredTopic {
    /// A tag that somebody may answer for, a topic, or the title of the document nearest to the questions; null if nothing comes near.
    pub topic: Option<String>,
    /// Who answers for it; null if nobody does.
    pub owner: Option<OwnerWire>,
    /// The one asked most often first.
    pub questions: Vec<UnansweredQuestion>,
}

/// Who answers for a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Owner)]
pub struct OwnerWire {
    /// Id of the user.
    pub user_id: String,
    /// E-mail address.
    pub email: String,
}

/// A question without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct UnansweredQuestion {
    /// The question.
    pub query: String,
    /// How often it was asked.
    pub asked: usize,
    /// When it was last asked, RFC 3339 in UTC.
    pub last_asked: String,
    /// Why it was refused, as one stable word; null if it was routed.
    pub reason: Option<String>,
    /// Id of the request that asked it last.
    pub request_id: String,
    /// Id of the user it was sent to and who has not answered yet; null if there is none.
    pub sent_to: Option<String>,
    /// The entry whose phrases come nearest, to which these words may be added; null if none comes near.
    pub near: Option<NearEntryWire>,
}

/// A question of the trail, and what it was near to when it was last asked.
struct Asked {
    question: UnansweredQuestion,
    routed_to: Option<String>,
    near: Option<DocumentId>,
}

impl Unanswered<'_> {
    /// The list as a caller may see it.
    ///
    /// # Errors
    /// Fails if the trail or the store cannot be read.
    pub async fn list(&self, caller: &Caller) -> Result<UnansweredList, PortError> {
        let (mut asked, searched) = self.asked(caller).await?;
        let texts = asked.iter().map(|one| one.question.query.clone()).collect();
        for (one, near) in asked.iter_mut().zip(self.matcher.nearest_of_each(&caller.reader, texts).await?) {
            one.question.near = near;
        }
        let topics = self.directory.topics(&caller.reader.tenant).await?;
        let owned: BTreeMap<&str, &Topic> = topics.iter().map(|topic| (topic.tag.as_str(), topic)).collect();
        let near: Vec<DocumentId> = asked.iter().filter_map(|one| one.near.clone()).collect();
        let cards = self.register.by_ids(&caller.reader, &near).await?;
        let cards: BTreeMap<&DocumentId, &DocumentCard> = cards.iter().map(|card| (&card.id, card)).collect();
        let mut by_topic: BTreeMap<Option<String>, Vec<UnansweredQuestion>> = BTreeMap::new();
        for one in asked {
            let card = one.near.as_ref().and_then(|id| cards.get(id)).copied();
            by_topic.entry(topic(one.routed_to, card, &owned)).or_default().push(one.question);
        }
        let mut listed = Vec::new();
        for (topic, questions) in by_topic {
            let owner = topic.as_deref().and_then(|topic| owned.get(topic)).and_then(|topic| topic.owner.as_ref());
            let owner = match owner {
                Some(owner) => self.directory.person(&caller.reader.tenant, owner).await?,
                None => None,
            };
            let owner = owner.map(|person| OwnerWire { user_id: person.id, email: person.email });
            listed.push(UnansweredTopic { topic, owner, questions });
        }
        listed.sort_by_key(|one| (one.topic.is_none(), std::cmp::Reverse(one.questions.len())));
        Ok(UnansweredList { searched, topics: listed })
    }

    /// The questions, those asked most often first, and how many requests were looked at.
    async fn asked(&self, caller: &Caller) -> Result<(Vec<Asked>, usize), PortError> {
        let scope = AuditScope::for_caller(caller);
        let entries = self.memory.entries(&caller.reader).await?;
        let mut pinned: BTreeMap<WordingKey, Vec<&MemoryEntry>> = BTreeMap::new();
        for entry in &entries {
            let keys = entry.phrases.iter().filter_map(|phrase| WordingKey::of(&phrase.text));
            keys.for_each(|key| pinned.entry(key).or_default().push(entry));
        }
        let sent = self.questions.sent(&caller.reader.tenant, None, usize::MAX).await?;
        let is_open = |one: &SentQuestion| one.answer.is_none() && caller.reader.may_keep(&one.tenant, &one.tags);
        let sent: BTreeMap<WordingKey, String> =
            sent.into_iter().filter(is_open).filter_map(|one| Some((WordingKey::of(&one.query)?, one.owner))).collect();
        let mut found: BTreeMap<WordingKey, Asked> = BTreeMap::new();
        let (mut searched, mut place) = (0, None);
        while searched < SEARCHED_MAX {
            let batch = self.trail.before(&scope, place, BATCH).await?;
            let Some((last, _)) = batch.last() else { break };
            place = Some(*last);
            searched += batch.len();
            for (_, entry) in &batch {
                let Some((query, recorded)) = standing_alone(entry) else { continue };
                let Some(key) = WordingKey::of(&query) else { continue };
                // What is pinned for others leaves this asker without an answer.
                let asker = recorded.reader(&entry.tenant);
                let is_seen = |one: &&MemoryEntry| asker.may_read(&one.tenant, &one.tags);
                if pinned.get(&key).is_some_and(|entries| entries.iter().any(is_seen)) {
                    continue;
                }
                let sent_to = sent.get(&key).cloned();
                let known = found.entry(key).or_insert_with(|| asked(entry, (query, &recorded), sent_to));
                known.question.asked += 1;
            }
        }
        let mut asked: Vec<Asked> = found.into_values().collect();
        asked.sort_by(|a, b| {
            let (a, b) = (&a.question, &b.question);
            b.asked.cmp(&a.asked).then_with(|| b.last_asked.cmp(&a.last_asked)).then_with(|| a.query.cmp(&b.query))
        });
        asked.truncate(QUESTIONS_MAX);
        Ok((asked, searched))
    }
}

/// An unanswered question that needs no other words.
fn standing_alone(entry: &AuditEntry) -> Option<(String, RecordedRequest)> {
    if !UNANSWERED.contains(&entry.outcome.as_str()) {
        return None;
    }
    let recorded = RecordedRequest::read(entry)?;
    let is_long = |query: &&str| query.split_whitespace().count() >= WORDS_MIN;
    let query = recorded.query_alone().or_else(|| recorded.query().filter(is_long))?;
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
    (!query.is_empty() && query.chars().count() <= CHARS_MAX).then_some((query, recorded))
}

fn asked(entry: &AuditEntry, (query, recorded): (String, &RecordedRequest), sent_to: Option<String>) -> Asked {
    let question = UnansweredQuestion {
        query,
        asked: 0,
        last_asked: timestamp(entry.at_ms),
        reason: entry.reason.clone(),
        request_id: entry.id.clone(),
        sent_to,
        near: None,
    };
    let near = recorded.nearest_documents().into_iter().next();
    Asked {
        question,
        routed_to: recorded.routed_to().map(str::to_owned),
        near: near.and_then(|id| DocumentId::parse(&id)),
    }
}

/// What a question is about: what it was routed by, else what the document nearest to it is about.
fn topic(routed_to: Option<String>, card: Option<&DocumentCard>, owned: &BTreeMap<&str, &Topic>) -> Option<String> {
    let by_tag = || card?.tags.iter().find(|tag| owned.contains_key(tag.as_str())).cloned();
    let by_topic = || card?.topics.iter().next().cloned();
    let by_title = || card.map(|card| card.title.clone());
    routed_to.filter(|tag| owned.contains_key(tag.as_str())).or_else(by_tag).or_else(by_topic).or_else(by_title)
}
