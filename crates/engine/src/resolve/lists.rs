//! "List ADRs" → every document of the kind, in a fixed order.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use vouch_domain::{
    DocumentCard, DocumentId, PortError, Reader,
    language::{fold_spaces, key_terms, terms, words::is_stop_word, words::stem},
    ports::Register,
};

use super::standing::is_in_force;
use crate::{
    policy::UnderstandPolicy,
    retrieve::Candidates,
    understand::{DateSpan, Intent, ListRequest, Understanding},
};

/// The longest list that is given; longer ones say so.
pub const LIST_MAX: usize = 10_000;

/// What documents are commonly said to be; any other word counts where a document of the kind has it as its status.
const STATUSES: &[&str] = &[
    "accepted",
    "approved",
    "archived",
    "deprecated",
    "draft",
    "obsolete",
    "proposed",
    "published",
    "rejected",
    "replaced",
    "retired",
    "superseded",
    "withdrawn",
];
/// Words for what holds now, which documents seldom say of themselves.
const IN_FORCE: &[&str] = &["active", "current", "effective", "valid"];

/// Documents of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The kind as its documents write it.
    pub kind: String,
    /// The status they must have, if that is said.
    pub status: Option<String>,
    /// What they must be about, if that is said.
    pub about: Option<String>,
    /// When they must be from, if that is said.
    pub dated: Option<DateSpan>,
    /// How many were left out because nothing says when they are from.
    pub undated: usize,
    /// The documents, by address, then by title; one more than `LIST_MAX` where there are more.
    pub cards: Vec<DocumentCard>,
}

pub(super) async fn resolve(
    understanding: &Understanding,
    reader: &Reader,
    register: &Arc<dyn Register>,
    policy: &UnderstandPolicy,
) -> Result<Option<Listing>, PortError> {
    let Intent::List(request) = understanding.intent() else { return Ok(None) };
    list(request, reader, register, policy).await
}

/// The documents a request wants; none if its noun is no kind, or if not all its words are understood.
///
/// # Errors
/// Fails if the register cannot be read.
pub async fn list(
    request: &ListRequest,
    reader: &Reader,
    register: &Arc<dyn Register>,
    policy: &UnderstandPolicy,
) -> Result<Option<Listing>, PortError> {
    let known: Vec<String> = register.kinds(reader).await?.into_iter().map(|known| known.kind).collect();
    let Some((before, kinds)) = kinds_at_end(&request.noun, &known, policy) else { return Ok(None) };
    // "the last five ADRs": words that narrow or widen a list in ways that are not read.
    let is_unread = |word: &&str| is_no_topic(word) || kind_of(word, &known, policy).is_some();
    if before.iter().any(is_unread) {
        return Ok(None);
    }
    // One more than is listed shows whether that is all.
    let mut cards = Vec::new();
    for kind in &kinds {
        cards.extend(register.of_kind(reader, kind, LIST_MAX + 1).await?);
    }
    let kind = kinds.join(" and ");
    let Some((status, about)) = conditions(request, before, &cards) else { return Ok(None) };
    if let Some(status) = &status {
        cards.retain(|card| has_status(card, status));
    }
    let mut undated = 0;
    if let Some(dated) = &request.dated {
        let is_from = |card: &DocumentCard| card.date.as_deref().and_then(|date| dated.holds(date));
        undated = cards.iter().filter(|card| is_from(card).is_none()).count();
        cards.retain(|card| is_from(card) == Some(true));
    }
    Ok(Some(Listing { kind, status, about, dated: request.dated.clone(), undated, cards }))
}

/// The kind at the end of a noun, or two of them ("security decisions and principles"), and the words before.
fn kinds_at_end<'a>(noun: &'a str, known: &[String], policy: &UnderstandPolicy) -> Option<(Vec<&'a str>, Vec<String>)> {
    if let Some((first, second)) = noun.rsplit_once(" and ")
        && let Some(second) = kind_of(second, known, policy)
        && let Some((before, first)) = kind_at_end(first, known, policy)
        && first != second
    {
        return Some((before, vec![first, second]));
    }
    kind_at_end(noun, known, policy).map(|(before, kind)| (before, vec![kind]))
}

/// The kind at the end of a noun, in as many words as there are for one, and the words before it.
fn kind_at_end<'a>(noun: &'a str, known: &[String], policy: &UnderstandPolicy) -> Option<(Vec<&'a str>, String)> {
    let words: Vec<&str> = noun.split(' ').collect();
    (0..words.len()).find_map(|at| {
        let (before, name) = words.split_at_checked(at)?;
        Some((before.to_vec(), kind_of(&name.join(" "), known, policy)?))
    })
}

/// Words before a noun that count, choose or join, and so are no topic.
const CHOOSING: &[&str] = &[
    "last", "first", "latest", "newest", "oldest", "recent", "next", "previous", "top", "most", "least", "one", "two",
    "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "without", "non", "un", "other",
    "another",
];

fn is_no_topic(word: &str) -> bool {
    is_stop_word(word) || CHOOSING.contains(&word) || word.contains(|c: char| c.is_ascii_digit())
}

/// The status and the topic a request wants; nothing where a word is neither.
fn conditions(
    request: &ListRequest,
    before: Vec<&str>,
    cards: &[DocumentCard],
) -> Option<(Option<String>, Option<String>)> {
    let is_status = |word: &str| {
        STATUSES.contains(&word) || IN_FORCE.contains(&word) || cards.iter().any(|card| has_status(card, word))
    };
    let (stated, rest): (Vec<&str>, Vec<&str>) = before.into_iter().partition(|word| is_status(word));
    let mut statuses = stated.into_iter().map(str::to_owned).chain(request.status.clone());
    let status = statuses.next();
    let is_known = status.as_deref().is_none_or(is_status);
    // Words before the noun that are no status are what the documents are about, unless that is said otherwise.
    let about = match (rest.is_empty(), &request.about) {
        (true, about) => about.clone(),
        (false, None) => Some(rest.join(" ")),
        (false, Some(_)) => return None,
    };
    (is_known && statuses.next().is_none()).then_some((status, about))
}

fn has_status(card: &DocumentCard, status: &str) -> bool {
    let is = |wanted: &str| card.status.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(wanted));
    let is_superseded = card.superseded_by.is_some();
    if IN_FORCE.contains(&status) {
        return is(status) || (card.status.is_some() && is_in_force(card));
    }
    is(status) || (is_superseded && ["superseded", "replaced"].contains(&status))
}

/// The kind a noun means: as the profile says, or as the documents write it.
fn kind_of(noun: &str, known: &[String], policy: &UnderstandPolicy) -> Option<String> {
    let named = policy.kind_names.iter().find(|(name, _)| same_noun(name, noun)).map(|(_, kind)| kind.clone());
    let wanted = |kind: &str| known.iter().find(|known| known.eq_ignore_ascii_case(kind)).cloned();
    match named {
        Some(kind) => wanted(&kind).or(Some(kind)),
        None => known.iter().find(|known| same_noun(known, noun)).cloned(),
    }
}

/// Whether two words name the same kind, apart from number and case.
fn same_noun(left: &str, right: &str) -> bool {
    let stems = |text: &str| fold_spaces(text).split([' ', '-', '_']).map(stem).collect::<Vec<_>>();
    stems(left) == stems(right)
}

/// How it is known that a document is about a topic; the plainest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AboutBy {
    /// A passage holds the topic's words.
    Words,
    /// A passage holds another name that the vocabulary has for the topic, or the name of something within it.
    Term(String),
    /// A passage is near enough in meaning.
    Meaning,
}

/// Those of a list that are about a topic, and how that is known.
#[must_use]
pub fn about(
    cards: Vec<DocumentCard>,
    (topic, names): (&str, &[String]),
    found: &Candidates,
    relevance_min: f32,
) -> Vec<(DocumentCard, AboutBy)> {
    let wanted = key_terms(topic);
    let named: Vec<(&String, Vec<String>)> = names.iter().map(|name| (name, terms(name))).collect();
    let mut chosen: BTreeMap<DocumentId, AboutBy> = BTreeMap::new();
    for candidate in found.items() {
        let document = &candidate.passage.document;
        let (text, title) = (terms(&candidate.passage.passage.text), terms(&document.title));
        let held: BTreeSet<&String> = text.iter().chain(&title).collect();
        let holds_all = !wanted.is_empty() && wanted.iter().all(|term| held.contains(term));
        let has_run = |name: &[String]| {
            !name.is_empty() && [&text, &title].iter().any(|words| words.windows(name.len()).any(|run| run == name))
        };
        let is_near = candidate.similarity.is_some_and(|similarity| similarity.relevance >= relevance_min);
        let by = if holds_all {
            AboutBy::Words
        } else if let Some((name, _)) = named.iter().find(|(_, words)| has_run(words)) {
            AboutBy::Term((*name).clone())
        } else if is_near {
            AboutBy::Meaning
        } else {
            continue;
        };
        let known = chosen.entry(document.id.clone()).or_insert_with(|| by.clone());
        if by < *known {
            *known = by;
        }
    }
    cards.into_iter().filter_map(|card| chosen.remove(&card.id).map(|by| (card, by))).collect()
}
