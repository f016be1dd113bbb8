//! A question for a term: the vocabulary's own words, a choice between several meanings, or a refusal.

use std::sync::Arc;

use vouch_domain::{
    CharSpan, Concept, DocumentCard, DocumentId, Passage, PassageKey, Reader, StoredPassage, TermKey,
    language::{find_words, fold_spaces},
};

use super::{
    asked_term::{AskedTerm, hints, is_hinted_at, report},
    engine::Engine,
    lookup_faults::LookupFaults,
    material::{Author, Choice, Material, Quotation},
};
use crate::{
    decide::{Refusal, RefusalReason, Suggestion, refuse_with},
    judge::Evidence,
    retrieve::{Candidates, LaneChoice, Probe, retrieve},
    terminology::{LookupResult, TermFinding, TermLookup},
    understand::Understanding,
};

/// How many meanings of one term are spelt out.
const MEANINGS_MAX: usize = 20;
const PARAGRAPHS_MAX: usize = 4;

impl Engine {
    /// What the vocabulary says, or that it says nothing.
    pub(super) async fn gather_term(
        &self,
        understanding: &Understanding,
        AskedTerm { term, key, finding, term_lookup }: AskedTerm,
        reader: &Reader,
    ) -> Material {
        let Some(key) = key else {
            let reason = RefusalReason::TermUnknown { term, is_listed: false, mentions: 0, is_searched: false };
            return Material::refused(understanding, refuse_with(reason, Vec::new(), &self.policies.decide));
        };
        let report = report(&key, &finding, &term_lookup);
        let material = match finding {
            TermFinding::Late { waited_ms } => {
                self.unverified(RefusalReason::TermLate { term, waited_ms }, &key, understanding, reader).await
            }
            TermFinding::Failed { sentence, .. } => {
                self.unverified(RefusalReason::TermFailed { term, sentence }, &key, understanding, reader).await
            }
            TermFinding::Unknown(_) => self.undefined(&key, false, understanding, (reader, &term_lookup)).await,
            TermFinding::Found(LookupResult { concepts, .. }) => match concepts.as_ref() {
                [only] if only.definition(term_lookup.language()).is_none() => {
                    self.undefined(&key, true, understanding, (reader, &term_lookup)).await
                }
                [only] => {
                    let passages = passage_of(only, reader, &term_lookup).into_iter().collect();
                    quoted(understanding, passages, PARAGRAPHS_MAX, &term_lookup)
                }
                several => ambiguous(&key, several, understanding, (reader, &term_lookup)),
            },
        };
        material.with_lookup(report)
    }

    /// A term without a definition: says so, and offers what looks like it and what mentions it.
    async fn undefined(
        &self,
        key: &TermKey,
        is_listed: bool,
        understanding: &Understanding,
        (reader, term_lookup): (&Reader, &TermLookup),
    ) -> Material {
        let policy = &self.policies.decide;
        let mut faults = LookupFaults::default();
        let alike = faults.note(term_lookup.similar(reader, key, policy.suggestions_max).await);
        let alike =
            alike.iter().filter(|name| fold_spaces(name) != key.as_str()).map(|name| Suggestion::from_term(name));
        let (mentioning, candidates) = self.mentioning(key, understanding, reader).await;
        let suggestions = alike.chain(mentioning.iter().map(|card| Suggestion::from_card(card))).collect();
        let (term, mentions) = (key.as_str().to_owned(), mentioning.len());
        let reason = RefusalReason::TermUnknown { term, is_listed, mentions, is_searched: false };
        Material { candidates, faults, ..Material::refused(understanding, refuse_with(reason, suggestions, policy)) }
    }

    /// A term the vocabulary could not be asked for: says so, and offers what mentions it.
    async fn unverified(
        &self,
        reason: RefusalReason,
        key: &TermKey,
        understanding: &Understanding,
        reader: &Reader,
    ) -> Material {
        let (mentioning, candidates) = self.mentioning(key, understanding, reader).await;
        let suggestions = mentioning.iter().map(|card| Suggestion::from_card(card)).collect();
        let refusal = refuse_with(reason, suggestions, &self.policies.decide);
        Material { candidates, ..Material::refused(understanding, refusal) }
    }

    /// Puts terms a refused question names, and the vocabulary defines, before what else is offered.
    pub(super) async fn offer_terms(
        &self,
        refusal: &mut Refusal,
        material: &mut Material,
        reader: &Reader,
        term_lookup: &TermLookup,
    ) {
        let limit = self.policies.decide.suggestions_max;
        let candidates = material.understanding.term_candidates();
        let names = term_lookup.defined_among(reader, &candidates, limit.saturating_sub(1)).await;
        let names = material.faults.note(names);
        refusal.suggestions.splice(0..0, names.iter().map(|name| Suggestion::from_term(name)));
        refusal.suggestions.truncate(limit);
    }

    /// Documents that use the words, best first, and the search that found them; none if nothing can be searched, since a
    /// refusal needs no search.
    async fn mentioning(
        &self,
        key: &TermKey,
        asked: &Understanding,
        reader: &Reader,
    ) -> (Vec<Arc<DocumentCard>>, Candidates) {
        let policy = &self.policies.retrieve;
        let probe = Probe::new(asked.clone(), &self.retrieve, policy).await;
        let searched = retrieve(&probe, reader, LaneChoice::All, &self.retrieve, policy).await;
        let found = searched.unwrap_or_else(|_| Candidates::unsearched(&probe));
        (mentioning_in(&found, key), found)
    }
}

/// Documents among candidates that use the words of a term, best first.
pub(super) fn mentioning_in(found: &Candidates, key: &TermKey) -> Vec<Arc<DocumentCard>> {
    let mut mentioning: Vec<Arc<DocumentCard>> = Vec::new();
    for candidate in found.items() {
        let card = &candidate.passage.document;
        let is_known = mentioning.iter().any(|known| known.id == card.id);
        let text = fold_spaces(&candidate.passage.passage.text);
        if !is_known && find_words(&text, key.as_str()).is_some() {
            mentioning.push(Arc::clone(card));
        }
    }
    mentioning
}

/// Concepts in the vocabulary's own words.
fn quoted(
    understanding: &Understanding,
    passages: Vec<StoredPassage>,
    paragraphs_max: usize,
    term_lookup: &TermLookup,
) -> Material {
    let author = Author::Passages(Quotation { paragraphs_max, model: term_lookup.backend().to_owned(), card: None });
    Material { is_named: true, ..Material::looked_up(understanding, Evidence::looked_up(passages), author) }
}

/// A term of several meanings: each as far as it is defined, and a question that means it alone.
fn ambiguous(
    key: &TermKey,
    several: &[Concept],
    understanding: &Understanding,
    (reader, term_lookup): (&Reader, &TermLookup),
) -> Material {
    let language = term_lookup.language();
    let spelt_out = || several.iter().take(MEANINGS_MAX);
    let defined = spelt_out().filter(|concept| concept.definition(language).is_some());
    let passages = defined.filter_map(|concept| passage_of(concept, reader, term_lookup)).collect();
    let choice = Choice {
        question: format!("\"{}\" has {} meanings. Which one do you mean?", key.as_str(), several.len()),
        options: spelt_out().map(|concept| option(concept, several, language)).collect(),
    };
    Material { choice: Some(choice), ..quoted(understanding, passages, MEANINGS_MAX, term_lookup) }
}

/// What is quoted of a concept: its definition, then how it is to be used, a paragraph each.
#[must_use]
pub fn term_text(concept: &Concept, language: &str) -> String {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let definition = concept.definition(language).map(|wording| line(&wording.text));
    let note = concept.scope_note(language).map(|wording| line(&wording.text));
    definition.into_iter().chain(note).collect::<Vec<_>>().join("\n\n")
}

/// A concept as a passage; none if its address is no id.
pub(crate) fn passage_of(concept: &Concept, reader: &Reader, term_lookup: &TermLookup) -> Option<StoredPassage> {
    let language = term_lookup.language();
    let text = term_text(concept, language);
    let card = DocumentCard {
        id: DocumentId::parse(&concept.uri)?,
        tenant: reader.tenant.clone(),
        source: term_lookup.backend().to_owned(),
        title: concept.name(language).to_owned(),
        kind: "term".to_owned(),
        collection: concept.schemes.join(", "),
        status: None,
        date: None,
        version: None,
        tags: std::collections::BTreeSet::new(),
        topics: std::collections::BTreeSet::new(),
        owner: None,
        address: None,
        url: Some(concept.uri.clone()),
        superseded_by: None,
    };
    let span = CharSpan { start: 0, end: text.chars().count() };
    let passage = Passage {
        ordinal: 0,
        section: concept.schemes.clone().into(),
        span,
        text,
        address: None,
        times: Vec::new(),
        pages: Vec::new(),
    };
    Some(StoredPassage { key: PassageKey::NOT_STORED, document: Arc::new(card), passage })
}

/// A question that means one of several concepts alone: by its own name, by its scheme, by how its definition begins, or
/// by its address.
fn option(concept: &Concept, all: &[Concept], language: &str) -> Suggestion {
    let name = concept.name(language);
    let namesakes: Vec<&Concept> = match TermKey::parse(name) {
        Some(key) => all.iter().filter(|other| other.label_for(&key).is_some()).collect(),
        None => Vec::new(),
    };
    let means_it_alone = |hint: &String| {
        let key = fold_spaces(hint);
        namesakes.iter().filter(|other| is_hinted_at(other, &key, language)).count() == 1
    };
    let hint = hints(concept, language).into_iter().find(means_it_alone);
    let scheme = concept.schemes.first();
    let (label, query) = match (namesakes.len(), hint) {
        (1, _) | (_, None) => (scheme.map_or(name.to_owned(), |scheme| format!("{name} ({scheme})")), name.to_owned()),
        (_, Some(hint)) => (format!("{name} ({hint})"), format!("{name} ({hint})")),
    };
    Suggestion { label, query: format!("Define {query}"), kind: "term".to_owned() }
}
