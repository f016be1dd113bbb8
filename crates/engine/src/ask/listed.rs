//! A question for documents of a kind: all of them, one row per document, from the catalogue.

use std::collections::BTreeMap;

use vouch_domain::{DocumentCard, PortError, Reader, TermKey};

use super::{
    engine::Engine,
    lookup_faults::LookupFaults,
    material::{Author, Material},
};
use crate::{
    decide::{RefusalReason, Suggestion, refuse_with},
    judge::Evidence,
    resolve::{AboutBy, LIST_MAX, Listing, about},
    retrieve::{Candidates, LaneChoice, Probe, retrieve},
    trace::{LookupOutcome, LookupReport},
    understand::{Understanding, understand_topic},
    verify::Rows,
};

/// A document about a topic by its meaning alone must be this near.
const TOPIC_RELEVANCE: f32 = 0.65;
/// One that may be about it is this near, and is named beside the list where there are few.
const NEAR_RELEVANCE: f32 = 0.55;
const NEAR_MAX: usize = 5;
/// How many passages are looked through for a topic.
const TOPIC_POOL: usize = 2_000;
/// How many names of a vocabulary a topic is looked for by.
const TOPIC_NAMES_MAX: usize = 8;

impl Engine {
    pub(super) async fn gather_listed(
        &self,
        understanding: &Understanding,
        listing: Listing,
        reader: &Reader,
    ) -> Result<Material, PortError> {
        let mut notices = Vec::new();
        if listing.cards.len() > LIST_MAX {
            notices.push(format!("There are more than {LIST_MAX}; the rest were not searched."));
        }
        if listing.undated > 0 {
            notices.push(format!("{} without a date are left out.", listing.undated));
        }
        let mut cards: Vec<DocumentCard> = listing.cards.iter().take(LIST_MAX).cloned().collect();
        let (mut candidates, mut faults) = (Candidates::empty(), LookupFaults::default());
        if let Some(topic) = &listing.about {
            (cards, candidates) = self.about(topic, cards, reader, (&mut notices, &mut faults)).await?;
        }
        let kind = &listing.kind;
        let lookup = report(kind, if cards.is_empty() { LookupOutcome::Miss } else { LookupOutcome::Hit });
        if cards.is_empty() {
            let whole =
                Suggestion { label: format!("Every {kind}"), query: format!("List {kind}"), kind: kind.clone() };
            let is_narrowed = listing.about.is_some() || listing.status.is_some() || listing.dated.is_some();
            let suggestions = is_narrowed.then_some(whole).into_iter().collect();
            let reason = RefusalReason::NothingListed { kind: kind.clone(), conditions: conditions(&listing) };
            let refusal = refuse_with(reason, suggestions, &self.policies.decide);
            let material = Material { candidates, faults, ..Material::refused(understanding, refusal) };
            return Ok(material.with_lookup(lookup));
        }
        let author = Author::Catalogue(Rows::with_heading(heading(&listing, cards.len()), cards));
        let material = Material::looked_up(understanding, Evidence::empty(), author);
        Ok(Material { notices, candidates, faults, ..material }.with_lookup(lookup))
    }

    /// Those that speak of a topic, by its words, by a name the vocabulary has for it, or by meaning; the notices say by which.
    async fn about(
        &self,
        topic: &str,
        listed: Vec<DocumentCard>,
        reader: &Reader,
        (notices, faults): (&mut Vec<String>, &mut LookupFaults),
    ) -> Result<(Vec<DocumentCard>, Candidates), PortError> {
        let mut policy = self.policies.retrieve.clone();
        policy.lane_limit = policy.lane_limit.max(TOPIC_POOL);
        policy.pool_max = policy.pool_max.max(TOPIC_POOL);
        let names = match (self.terms_in_use().await, TermKey::parse(topic)) {
            (Some(terms), Some(key)) => faults.note(terms.names_within(reader, &key, TOPIC_NAMES_MAX).await),
            (None, _) | (_, None) => Vec::new(),
        };
        let asked = understand_topic(topic).also_asked(&names);
        let probe = Probe::new(asked, &self.retrieve, &policy).await;
        let found = retrieve(&probe, reader, LaneChoice::All, &self.retrieve, &policy).await?;
        if found.items().len() >= policy.pool_max {
            notices.push("So many passages mention this that the list may be incomplete.".to_owned());
        }
        let near = about(listed.clone(), (topic, &names), &found, NEAR_RELEVANCE);
        let chosen = about(listed, (topic, &names), &found, TOPIC_RELEVANCE);
        let is_chosen = |card: &DocumentCard| chosen.iter().any(|(own, _)| own.id == card.id);
        let left_out: Vec<String> =
            near.iter().map(|(card, _)| card).filter(|card| !is_chosen(card)).map(name).collect();
        notices.extend(chosen_by(&chosen));
        if (1..=NEAR_MAX).contains(&left_out.len()) {
            notices.push(format!("Close to this topic in meaning, but not listed: {}.", left_out.join(", ")));
        }
        Ok((chosen.into_iter().map(|(card, _)| card).collect(), found))
    }
}

fn name(card: &DocumentCard) -> String {
    card.address.as_ref().map_or(card.title.clone(), |own| own.as_str().to_owned())
}

/// Who of a list is in it for another reason than the topic's own words.
fn chosen_by(chosen: &[(DocumentCard, AboutBy)]) -> Vec<String> {
    let mut by_term: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut by_meaning = Vec::new();
    for (card, by) in chosen {
        match by {
            AboutBy::Words => {}
            AboutBy::Term(term) => by_term.entry(term).or_default().push(name(card)),
            AboutBy::Meaning => by_meaning.push(name(card)),
        }
    }
    let mut told: Vec<String> = by_term
        .into_iter()
        .map(|(term, names)| {
            format!("Listed because the vocabulary puts \"{term}\" under this topic: {}.", names.join(", "))
        })
        .collect();
    if !by_meaning.is_empty() {
        told.push(format!(
            "Listed by meaning, although they do not use the topic's own words: {}.",
            by_meaning.join(", ")
        ));
    }
    told
}

/// The heading of a list comes from the catalogue; the asker's own words are not repeated as if they were checked.
fn heading(listing: &Listing, count: usize) -> String {
    let noun = if count == 1 { "document" } else { "documents" };
    let noun = listing.status.as_ref().map_or(noun.to_owned(), |status| format!("{status} {noun}"));
    let dated = listing.dated.as_ref().map_or(String::new(), |dated| format!(" dated {}", dated.said));
    let topic = if listing.about.is_some() { " on the topic asked for" } else { "" };
    format!("{count} {noun} of kind {}{dated}{topic}:", listing.kind)
}

/// What was wanted of the documents beside their kind, as it was asked.
fn conditions(listing: &Listing) -> String {
    let status = listing.status.as_ref().map(|status| format!(" with status {status}"));
    let dated = listing.dated.as_ref().map(|dated| format!(" dated {}", dated.said));
    let about = listing.about.as_ref().map(|about| format!(" about \"{about}\""));
    status.into_iter().chain(dated).chain(about).collect()
}

pub(super) fn report(asked: &str, outcome: LookupOutcome) -> LookupReport {
    LookupReport { backend: "catalogue", asked: asked.to_owned(), outcome, is_cached: false, waited_ms: 0.0 }
}
