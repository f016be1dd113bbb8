//! A question for what was decided on a subject: the decisions themselves, in the section of their records that holds them.
//!
//! A record's context has the same words and is often nearer to the question than what was decided. So the records that hold
//! are found by their subject, and the section that stands for the whole is quoted.

use std::collections::BTreeSet;

use vouch_domain::{
    DocumentCard, PortError, Reader, StoredPassage,
    language::{key_terms, terms},
};

use super::{
    engine::Engine,
    material::Material,
    named::{lead_of, quoted},
};
use crate::{
    judge::Evidence,
    resolve::{is_in_force, is_planned},
    retrieve::{Candidates, with_timeout},
    understand::{Understanding, decided_about},
};

/// The word by which a profile's kind is one of decisions.
const DECISION: &str = "decision";
/// How many records are looked into, and how many are quoted.
const RECORDS_MAX: usize = 12;
const QUOTED_MAX: usize = 2;

impl Engine {
    /// What was decided, where the question asks for that and records that speak of all of its subject are among the candidates:
    /// those that hold with the subject in their title; else one whose decision speaks of it, and what is proposed under that title,
    /// which says of itself that it is.
    pub(super) async fn gather_decided(
        &self,
        understanding: &Understanding,
        candidates: &Candidates,
        reader: &Reader,
    ) -> Result<Option<Material>, PortError> {
        let Some((kind, lead_section)) = self.kind_of_decisions() else { return Ok(None) };
        let Some(subject) = decided_about(understanding.asked()) else { return Ok(None) };
        let wanted = key_terms(&subject);
        if wanted.is_empty() {
            return Ok(None);
        }
        let (mut titled, mut speaking, mut planned) = (Vec::new(), Vec::new(), Vec::new());
        for card in records(candidates, kind) {
            let own = self.retrieve.register.passages_of(reader, &card.id);
            let own = with_timeout(&self.policies.retrieve, "register", own).await?;
            let lead = lead_of(&own, lead_section);
            let title: BTreeSet<String> = terms(&card.title).into_iter().collect();
            let held: BTreeSet<String> = lead.iter().flat_map(|one| terms(&one.passage.text)).collect();
            let is_titled = wanted.iter().all(|term| title.contains(term));
            let is_spoken_of = wanted.iter().all(|term| title.contains(term) || held.contains(term));
            match (is_titled, is_in_force(&card)) {
                // Without the section nothing in it says what was decided.
                _ if lead.is_empty() => {}
                (true, true) => titled.push((card, lead)),
                (true, false) if is_planned(&card) => planned.push((card, lead)),
                (false, true) if is_spoken_of => speaking.push((card, lead)),
                (true | false, _) => {}
            }
        }
        let mut chosen: Vec<(DocumentCard, Vec<StoredPassage>)> = match titled.is_empty() {
            true => speaking.into_iter().take(1).chain(planned).collect(),
            false => titled,
        };
        chosen.truncate(QUOTED_MAX);
        let (cards, passages): (Vec<DocumentCard>, Vec<Vec<StoredPassage>>) = chosen.into_iter().unzip();
        // As certain as the search is that this is what was asked for.
        let near = |card: &DocumentCard| {
            let own = candidates.items().iter().filter(|candidate| candidate.passage.document.id == card.id);
            own.filter_map(|candidate| candidate.similarity).max_by(|a, b| a.relevance.total_cmp(&b.relevance))
        };
        let Some(similarity) = cards.first().and_then(near) else { return Ok(None) };
        let evidence = Evidence::pinned(passages.concat(), similarity);
        let material = quoted(understanding, cards, evidence);
        // The search that led here is part of what happened.
        Ok(Some(Material { candidates: candidates.clone(), ..material }))
    }

    /// The kind of document that the profile calls decisions, with the section that holds them.
    fn kind_of_decisions(&self) -> Option<(&str, &str)> {
        let policy = &self.policies.understand;
        let (_, kind) = policy.kind_names.iter().find(|(name, _)| name.eq_ignore_ascii_case(DECISION))?;
        let is_own = |own: &Option<String>| own.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(kind));
        let scheme = policy.addresses.iter().find(|scheme| is_own(&scheme.kind))?;
        Some((kind, scheme.lead_section.as_deref()?))
    }
}

/// The records of a kind that nothing has replaced, in the order of the candidates.
fn records(candidates: &Candidates, kind: &str) -> Vec<DocumentCard> {
    let mut found: Vec<DocumentCard> = Vec::new();
    for candidate in candidates.items() {
        let card = &candidate.passage.document;
        let is_wanted = card.kind.eq_ignore_ascii_case(kind) && card.superseded_by.is_none();
        if is_wanted && found.len() < RECORDS_MAX && found.iter().all(|known| known.id != card.id) {
            found.push(DocumentCard::clone(card));
        }
    }
    found
}
