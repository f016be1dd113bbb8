//! The trail of requests → questions worth an entry of the memory: often asked, or asked and not answered.
//!
//! Invariant: the same trail gives the same proposals. What was asked in the middle of a conversation is not read, since its words
//! do not stand alone.

use std::collections::{BTreeMap, BTreeSet};

use vouch_domain::{
    AuditEntry, Embedding, PortError, RelevanceMap,
    language::{fold_spaces, key_words, terms},
    ports::{Embedder, PlainWords},
};

use crate::wire::RecordedRequest;

/// Most wordings that are compared; the ones asked most often.
pub const WORDINGS_MAX: usize = 2_000;
/// Most wordings of one proposal, and most sources.
const PHRASES_MAX: usize = 8;
const SOURCES_MAX: usize = 5;
/// Longest question that is proposed, in characters; longer ones are asked once.
const QUESTION_CHARS_MAX: usize = 400;

/// A question with how often it was asked and how that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Its wordings, the most frequent first.
    pub phrases: Vec<String>,
    /// How often it was asked, in all wordings.
    pub asked: usize,
    /// How often it ended how: `answered`, `refused` and the like.
    pub ended: BTreeMap<String, usize>,
    /// Ids of the documents that answers cited, the most frequent first.
    pub sources: Vec<String>,
    /// Tags that those who asked were limited to.
    pub asked_with_tags: BTreeSet<String>,
}

impl Proposal {
    /// How often there was no answer.
    #[must_use]
    pub fn unanswered(&self) -> usize {
        self.asked - self.ended.get("answered").copied().unwrap_or(0)
    }
}

/// What wordings of one question are told by.
pub struct Likeness<'a> {
    /// Words to vectors.
    pub embedder: &'a dyn Embedder,
    /// Words that every question may hold.
    pub plain_words: &'a dyn PlainWords,
    /// From which likeness on two wordings ask the same.
    pub at_least: f32,
}

/// One wording in the trail.
#[derive(Debug, Clone, Default)]
struct WordingCount {
    text: String,
    asked: usize,
    ended: BTreeMap<String, usize>,
    sources: BTreeMap<String, usize>,
    tags: BTreeSet<String>,
}

/// Proposals for questions asked at least so often, the most frequent first.
///
/// # Errors
/// Fails if the embedder does.
pub async fn propose(
    entries: &[AuditEntry],
    asked_at_least: usize,
    likeness: &Likeness<'_>,
) -> Result<Vec<(Proposal, Embedding)>, PortError> {
    let wordings = wordings(entries);
    let texts = wordings.iter().map(|wording| wording.text.clone()).collect();
    let vectors = likeness.embedder.identity().accept(likeness.embedder.embed(texts).await?, wordings.len())?;
    let map = likeness.embedder.likeness_map();
    let mut groups: Vec<(Vec<WordingCount>, Embedding)> = Vec::new();
    for (wording, vector) in wordings.into_iter().zip(vectors) {
        let same = groups.iter_mut().find(|(known, leader)| {
            known.first().is_some_and(|first| {
                // What only some may ask about stays with them.
                first.tags == wording.tags
                    && asks_the_same((&first.text, leader), (&wording.text, &vector), map, likeness)
            })
        });
        match same {
            Some((known, _)) => known.push(wording),
            None => groups.push((vec![wording], vector)),
        }
    }
    let mut proposals: Vec<(Proposal, Embedding)> =
        groups.into_iter().map(|(wordings, vector)| (proposal(&wordings), vector)).collect();
    proposals.retain(|(proposal, _)| proposal.asked >= asked_at_least);
    proposals.sort_by(|(a, _), (b, _)| {
        let rank = |one: &Proposal| (std::cmp::Reverse(one.asked), std::cmp::Reverse(one.unanswered()));
        rank(a).cmp(&rank(b)).then_with(|| a.phrases.cmp(&b.phrases))
    });
    Ok(proposals)
}

/// Every wording of a question that stands alone, the most frequent first, up to a limit.
fn wordings(entries: &[AuditEntry]) -> Vec<WordingCount> {
    let mut found: BTreeMap<(String, BTreeSet<String>), WordingCount> = BTreeMap::new();
    for entry in entries {
        let Some(recorded) = RecordedRequest::read(entry) else { continue };
        let Some(query) = recorded.query_alone() else { continue };
        let text = query.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_question = text.split(' ').count() >= 2 && text.chars().count() <= QUESTION_CHARS_MAX;
        if !is_question || entry.outcome == "failed" {
            continue;
        }
        let tags: BTreeSet<String> = recorded.scope_tags().into_iter().collect();
        let known = found.entry((fold_spaces(&text), tags.clone())).or_default();
        // Entries come newest first, and the smallest spelling is the same whatever their order.
        if known.text.is_empty() || text < known.text {
            known.text = text;
        }
        known.asked += 1;
        *known.ended.entry(entry.outcome.clone()).or_default() += 1;
        for document in recorded.cited_documents() {
            *known.sources.entry(document).or_default() += 1;
        }
        known.tags = tags;
    }
    let mut wordings: Vec<WordingCount> = found.into_values().collect();
    wordings.sort_by(|a, b| b.asked.cmp(&a.asked).then_with(|| a.text.cmp(&b.text)).then_with(|| a.tags.cmp(&b.tags)));
    wordings.truncate(WORDINGS_MAX);
    wordings
}

/// Whether two wordings ask the same: near enough, and every name, number and rare word of each stands in the other. Questions that
/// differ in a name alone are as near as can be.
fn asks_the_same(
    one: (&str, &Embedding),
    other: (&str, &Embedding),
    map: &RelevanceMap,
    likeness: &Likeness<'_>,
) -> bool {
    let is_plain = |word: &str| !word.contains(|c: char| c.is_ascii_digit()) && likeness.plain_words.knows(word);
    let holds = |text: &str, names_of: &str| {
        let held: BTreeSet<String> = terms(text).into_iter().collect();
        key_words(names_of).iter().all(|word| is_plain(&word.word) || held.contains(&word.term))
    };
    map.relevance(one.1.cosine(other.1)) >= likeness.at_least && holds(one.0, other.0) && holds(other.0, one.0)
}

fn proposal(wordings: &[WordingCount]) -> Proposal {
    let mut ended: BTreeMap<String, usize> = BTreeMap::new();
    let mut sources: BTreeMap<String, usize> = BTreeMap::new();
    for wording in wordings {
        wording.ended.iter().for_each(|(how, count)| *ended.entry(how.clone()).or_default() += count);
        wording.sources.iter().for_each(|(id, count)| *sources.entry(id.clone()).or_default() += count);
    }
    let mut sources: Vec<(String, usize)> = sources.into_iter().collect();
    sources.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Proposal {
        phrases: wordings.iter().take(PHRASES_MAX).map(|wording| wording.text.clone()).collect(),
        asked: wordings.iter().map(|wording| wording.asked).sum(),
        ended,
        sources: sources.into_iter().take(SOURCES_MAX).map(|(id, _)| id).collect(),
        asked_with_tags: wordings.iter().flat_map(|wording| wording.tags.iter().cloned()).collect(),
    }
}
