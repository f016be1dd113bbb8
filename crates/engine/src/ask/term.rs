//! A question for a term: the vocabulary's own words, a choice between several meanings, or a refusal.

use std::sync::Arc;

use vouch_domain::{
    CharSpan, Concept, DocumentCard, DocumentId, Passage, PassageKey, Reader, StoredPassage, TermKey,
    language::fold_spaces,
};

use super::{
    engine::Engine,
    material::{Author, Choice, Material, Quotation},
};
use crate::{
    decide::{Refusal, RefusalReason, Suggestion, refuse_with},
    judge::Evidence,
    retrieve::{Candidates, LaneChoice, Probe, retrieve},
    terminology::{LookupResult, TermFinding, TermLookup},
    trace::{LookupOutcome, LookupReport},
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
        term: &str,
        reader: &Reader,
        term_lookup: &TermLookup,
    ) -> Material {
        let Some(key) = TermKey::parse(term) else {
            let reason = RefusalReason::TermUnknown { term: term.to_owned(), is_listed: false, mentions: 0 };
            return Material::refused(understanding, refuse_with(reason, Vec::new(), &self.policies.decide));
        };
        let finding = look_up(term_lookup, reader, &key).await;
        let report = report(&key, &finding, term_lookup);
        let material = match finding {
            TermFinding::Late { waited_ms } => {
                let reason = RefusalReason::TermLate { term: term.to_owned(), waited_ms };
                self.unverified(reason, &key, understanding, reader).await
            }
            TermFinding::Failed { sentence, .. } => {
                let reason = RefusalReason::TermFailed { term: term.to_owned(), sentence };
                self.unverified(reason, &key, understanding, reader).await
            }
            TermFinding::Unknown(_) => self.undefined(&key, false, understanding, (reader, term_lookup)).await,
            TermFinding::Found(LookupResult { concepts, .. }) => match concepts.as_ref() {
                [only] if only.definition(term_lookup.language()).is_none() => {
                    self.undefined(&key, true, understanding, (reader, term_lookup)).await
                }
                [only] => {
                    let passages = passage_of(only, reader, term_lookup).into_iter().collect();
                    quoted(understanding, passages, PARAGRAPHS_MAX, term_lookup)
                }
                several => ambiguous(&key, several, understanding, (reader, term_lookup)),
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
        let alike = term_lookup.similar(reader, key, policy.suggestions_max).await;
        let alike =
            alike.iter().filter(|name| fold_spaces(name) != key.as_str()).map(|name| Suggestion::from_term(name));
        let mentioning = self.mentioning(key, understanding, reader).await;
        let suggestions = alike.chain(mentioning.iter().map(|card| Suggestion::from_card(card))).collect();
        let term = key.as_str().to_owned();
        let reason = RefusalReason::TermUnknown { term, is_listed, mentions: mentioning.len() };
        Material::refused(understanding, refuse_with(reason, suggestions, policy))
    }

    /// A term the vocabulary could not be asked for: says so, and offers what mentions it.
    async fn unverified(
        &self,
        reason: RefusalReason,
        key: &TermKey,
        understanding: &Understanding,
        reader: &Reader,
    ) -> Material {
        let mentioning = self.mentioning(key, understanding, reader).await;
        let suggestions = mentioning.iter().map(|card| Suggestion::from_card(card)).collect();
        Material::refused(understanding, refuse_with(reason, suggestions, &self.policies.decide))
    }

    /// Puts terms a refused question names, and the vocabulary defines, before what else is offered.
    pub(super) async fn offer_terms(
        &self,
        refusal: &mut Refusal,
        understanding: &Understanding,
        reader: &Reader,
        term_lookup: &TermLookup,
    ) {
        let limit = self.policies.decide.suggestions_max;
        let names = term_lookup.defined_among(reader, &understanding.term_candidates(), limit.saturating_sub(1)).await;
        refusal.suggestions.splice(0..0, names.iter().map(|name| Suggestion::from_term(name)));
        refusal.suggestions.truncate(limit);
    }

    /// Documents that use the words, best first; none if nothing can be searched, since a refusal needs no search.
    async fn mentioning(&self, key: &TermKey, asked: &Understanding, reader: &Reader) -> Vec<Arc<DocumentCard>> {
        let policy = &self.policies.retrieve;
        let probe = Probe::new(asked.clone(), &self.retrieve, policy).await;
        let searched = retrieve(&probe, reader, LaneChoice::All, &self.retrieve, policy).await;
        let found = searched.unwrap_or_else(|_| Candidates::empty());
        let mut mentioning: Vec<Arc<DocumentCard>> = Vec::new();
        for candidate in found.items() {
            let card = &candidate.passage.document;
            let is_known = mentioning.iter().any(|known| known.id == card.id);
            if !is_known && fold_spaces(&candidate.passage.passage.text).contains(key.as_str()) {
                mentioning.push(Arc::clone(card));
            }
        }
        mentioning
    }
}

/// Concepts in the vocabulary's own words.
fn quoted(
    understanding: &Understanding,
    passages: Vec<StoredPassage>,
    paragraphs_max: usize,
    term_lookup: &TermLookup,
) -> Material {
    let author = Author::Passages(Quotation { paragraphs_max, model: term_lookup.backend().to_owned(), card: None });
    Material::looked_up(understanding, Evidence::looked_up(passages), author)
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
        question: format!("\"{}\" has {} meanings. Which one is meant?", key.as_str(), several.len()),
        options: spelt_out().map(|concept| option(concept, several, language)).collect(),
    };
    Material { choice: Some(choice), ..quoted(understanding, passages, MEANINGS_MAX, term_lookup) }
}

/// The term itself; where the vocabulary has none such, the one meant by a scheme behind it or by a plural.
async fn look_up(term_lookup: &TermLookup, reader: &Reader, key: &TermKey) -> TermFinding {
    let finding = term_lookup.look_up(reader, key).await;
    if !matches!(finding, TermFinding::Unknown(_)) {
        return finding;
    }
    if let Some(chosen) = in_scheme(term_lookup, reader, key).await {
        return chosen;
    }
    for singular in singulars(key.as_str()) {
        let Some(key) = TermKey::parse(&singular) else { continue };
        let other = term_lookup.look_up(reader, &key).await;
        if matches!(other, TermFinding::Found(_)) {
            return other;
        }
    }
    finding
}

/// "bus (Grid terms)": those meanings of "bus" that stand in that scheme.
async fn in_scheme(term_lookup: &TermLookup, reader: &Reader, key: &TermKey) -> Option<TermFinding> {
    let (name, scheme) = key.as_str().strip_suffix(')')?.rsplit_once(" (")?;
    match term_lookup.look_up(reader, &TermKey::parse(name)?).await {
        TermFinding::Found(mut found) => {
            let is_meant = |concept: &&Concept| concept.schemes.iter().any(|own| fold_spaces(own) == scheme);
            found.concepts = found.concepts.iter().filter(is_meant).cloned().collect();
            (!found.concepts.is_empty()).then_some(TermFinding::Found(found))
        }
        TermFinding::Unknown(_) => None,
        failed @ (TermFinding::Late { .. } | TermFinding::Failed { .. }) => Some(failed),
    }
}

fn singulars(term: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(stem) = term.strip_suffix("ies") {
        found.push(format!("{stem}y"));
    }
    if let Some(stem) = term.strip_suffix("es") {
        found.push(stem.to_owned());
    }
    if let Some(stem) = term.strip_suffix('s').filter(|stem| stem.chars().count() > 2 && !stem.ends_with('s')) {
        found.push(stem.to_owned());
    }
    found
}

/// A concept as a passage: its definition, then how it is to be used, a paragraph each; none if its address is no id.
pub(crate) fn passage_of(concept: &Concept, reader: &Reader, term_lookup: &TermLookup) -> Option<StoredPassage> {
    let language = term_lookup.language();
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let definition = concept.definition(language).map(|wording| line(&wording.text));
    let note = concept.scope_note(language).map(|wording| line(&wording.text));
    let text = definition.into_iter().chain(note).collect::<Vec<_>>().join("\n\n");
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
    let passage =
        Passage { ordinal: 0, section: concept.schemes.clone().into(), span, text, address: None, times: Vec::new() };
    Some(StoredPassage { key: PassageKey(u64::MAX), document: Arc::new(card), passage })
}

fn option(concept: &Concept, all: &[Concept], language: &str) -> Suggestion {
    let name = concept.name(language);
    let scheme = concept.schemes.first();
    let label = scheme.map_or(name.to_owned(), |scheme| format!("{name} ({scheme})"));
    // A name another of them answers to as well would ask the same again; so would one in the same scheme.
    let namesakes: Vec<&Concept> = match TermKey::parse(name) {
        Some(key) => all.iter().filter(|other| other.label_for(&key).is_some()).collect(),
        None => Vec::new(),
    };
    let in_scheme = namesakes.iter().filter(|other| scheme.is_some_and(|scheme| other.schemes.contains(scheme)));
    let query = match (namesakes.len(), in_scheme.count()) {
        (1, _) => format!("Define {name}"),
        (_, 1) => format!("Define {label}"),
        _ => format!("Define {}", concept.uri),
    };
    Suggestion { label, query, kind: "term".to_owned() }
}

fn report(key: &TermKey, finding: &TermFinding, term_lookup: &TermLookup) -> LookupReport {
    let (outcome, is_cached, waited_ms) = match finding {
        TermFinding::Found(found) => (LookupOutcome::Hit, found.is_cached, found.waited_ms),
        TermFinding::Unknown(found) => (LookupOutcome::Miss, found.is_cached, found.waited_ms),
        TermFinding::Late { waited_ms } => (LookupOutcome::Timeout, false, *waited_ms as f64),
        TermFinding::Failed { is_circuit_open: true, .. } => (LookupOutcome::CircuitOpen, false, 0.0),
        TermFinding::Failed { .. } => (LookupOutcome::Error, false, 0.0),
    };
    LookupReport { backend: term_lookup.backend(), asked: key.as_str().to_owned(), outcome, is_cached, waited_ms }
}
