//! The trail of requests → wordings that askers took for another way to ask an entry's question: they were offered it in the place of
//! their own, and asked it.
//!
//! Invariant: a wording is proposed, never kept. What a reader may not see in the memory is not named to them.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    AuditScope, Caller, PortError, WordingKey,
    ports::{AuditTrail, Memory},
    timestamp,
};

use crate::wire::RecordedRequest;

/// Most entries of the trail that are read.
const SEARCHED_MAX: usize = 2_000;
const BATCH: usize = 500;
/// Most wordings that are listed; those chosen most often.
const LISTED_MAX: usize = 100;
/// Longest wording that is proposed, in characters.
const CHARS_MAX: usize = 400;

/// From so many words on a question in the middle of a conversation is taken to stand alone.
const WORDS_MIN: usize = 4;

/// What the list is made from.
pub struct Wordings<'a> {
    /// The trail.
    pub trail: &'a dyn AuditTrail,
    /// What editors prepared.
    pub memory: &'a dyn Memory,
}

/// A wording for which askers took an entry's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ProposedWording)]
pub struct ProposedWording {
    /// What was asked first.
    pub query: String,
    /// Id of the entry whose phrase was asked then.
    pub entry: String,
    /// That phrase.
    pub phrase: String,
    /// How often it was chosen.
    pub chosen: usize,
    /// When it was last chosen, RFC 3339 in UTC.
    pub last_chosen: String,
    /// Id of the request that asked in these words last.
    pub request_id: String,
}

/// A phrase that was chosen in the place of the words of an earlier request.
struct Choice {
    phrase: String,
    times: usize,
    last_ms: u64,
}

impl Wordings<'_> {
    /// The wordings as a caller may see them, those chosen most often first.
    ///
    /// # Errors
    /// Fails if the trail or the memory cannot be read.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<ProposedWording>, PortError> {
        let mut found: BTreeMap<(WordingKey, String), ProposedWording> = BTreeMap::new();
        for (query, request_id, choice) in self.choices(caller).await? {
            let (Some(asked), Some(chosen)) = (WordingKey::of(&query), WordingKey::of(&choice.phrase)) else {
                continue;
            };
            let entries = self.memory.with_phrase(&caller.reader, &chosen).await?;
            // What is a phrase of it by now was kept.
            let Some(entry) = entries.first().filter(|entry| entry.phrase_asked(&asked).is_none()) else { continue };
            let known = found.entry((asked, entry.id.clone())).or_insert_with(|| ProposedWording {
                query,
                entry: entry.id.clone(),
                phrase: choice.phrase.clone(),
                chosen: 0,
                last_chosen: timestamp(choice.last_ms),
                request_id,
            });
            known.chosen += choice.times;
        }
        let mut listed: Vec<ProposedWording> = found.into_values().collect();
        listed.sort_by(|a, b| b.chosen.cmp(&a.chosen).then_with(|| b.last_chosen.cmp(&a.last_chosen)));
        listed.truncate(LISTED_MAX);
        Ok(listed)
    }

    /// What was asked, by which request, and what was chosen in its place; newest first.
    async fn choices(&self, caller: &Caller) -> Result<Vec<(String, String, Choice)>, PortError> {
        let scope = AuditScope::for_caller(caller);
        // A choice is younger than what it was made in the place of, so it is met first.
        let mut open: BTreeMap<String, Choice> = BTreeMap::new();
        let (mut found, mut searched, mut place) = (Vec::new(), 0, None);
        while searched < SEARCHED_MAX {
            let batch = self.trail.before(&scope, place, BATCH).await?;
            let Some((last, _)) = batch.last() else { break };
            place = Some(*last);
            searched += batch.len();
            for (_, entry) in &batch {
                let Some(recorded) = RecordedRequest::read(entry) else { continue };
                if let (Some(id), Some(phrase)) = (recorded.instead_of(), recorded.query()) {
                    let choice = || Choice { phrase: phrase.to_owned(), times: 0, last_ms: entry.at_ms };
                    open.entry(id.to_owned()).or_insert_with(choice).times += 1;
                }
                let is_short = |query: &&str| query.chars().count() <= CHARS_MAX;
                let is_whole = |query: &&str| query.split_whitespace().count() >= WORDS_MIN;
                let query = recorded.query_alone().or_else(|| recorded.query().filter(is_whole));
                let Some(query) = query.filter(is_short) else { continue };
                if let Some(choice) = open.remove(&entry.id) {
                    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
                    found.push((query, entry.id.clone(), choice));
                }
            }
        }
        Ok(found)
    }
}
