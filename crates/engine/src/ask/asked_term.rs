//! A term as it was asked → what the vocabulary says of it: under that very name, of those that share the name the one
//! that is meant, or under the singular.

use std::sync::Arc;

use vouch_domain::{Concept, Reader, TermKey, language::fold_spaces};

use super::lookup_faults::LookupFaults;
use crate::{
    terminology::{TermFinding, TermLookup},
    trace::{LookupOutcome, LookupReport},
};

/// How many words of a definition tell a concept from its namesakes.
const HINT_WORDS: usize = 6;

/// A term and what became of its look-up.
pub(super) struct AskedTerm {
    /// As the question says it.
    pub(super) term: String,
    /// What was looked up; nothing where it is too long to be a term.
    pub(super) key: Option<TermKey>,
    pub(super) finding: TermFinding,
    pub(super) term_lookup: Arc<TermLookup>,
}

impl AskedTerm {
    pub(super) async fn look_up(
        term: &str,
        term_lookup: &Arc<TermLookup>,
        reader: &Reader,
        faults: &mut LookupFaults,
    ) -> Self {
        let key = TermKey::parse(term);
        let finding = match &key {
            Some(key) => look_up(term_lookup, reader, key, faults).await,
            None => TermFinding::nothing(),
        };
        Self { term: term.to_owned(), key, finding, term_lookup: Arc::clone(term_lookup) }
    }

    /// The first of several names that the vocabulary knows, or that it could not be asked for.
    pub(super) async fn first_not_unknown(
        names: &[&String],
        term_lookup: &Arc<TermLookup>,
        reader: &Reader,
        faults: &mut LookupFaults,
    ) -> Option<Self> {
        for name in names {
            let asked = Self::look_up(name, term_lookup, reader, faults).await;
            // One that was late once is not waited for again.
            if !asked.is_unknown() {
                return Some(asked);
            }
        }
        None
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.finding, TermFinding::Unknown(_))
    }

    pub(super) fn is_known(&self) -> bool {
        matches!(self.finding, TermFinding::Found(_))
    }

    pub(super) fn report(&self) -> Option<LookupReport> {
        self.key.as_ref().map(|key| report(key, &self.finding, &self.term_lookup))
    }
}

/// The term itself; where the vocabulary has none such, the one meant by words in brackets behind it or by a plural.
async fn look_up(term_lookup: &TermLookup, reader: &Reader, key: &TermKey, faults: &mut LookupFaults) -> TermFinding {
    let finding = term_lookup.look_up(reader, key).await;
    if !matches!(finding, TermFinding::Unknown(_)) {
        return finding;
    }
    if let Some(chosen) = chosen(term_lookup, reader, key).await {
        return chosen;
    }
    for singular in singulars(key.as_str()) {
        let Some(key) = TermKey::parse(&singular) else { continue };
        let other = term_lookup.look_up(reader, &key).await;
        if matches!(other, TermFinding::Found(_)) {
            return other;
        }
        faults.note_report(Some(report(&key, &other, term_lookup)));
    }
    finding
}

/// "bus (Grid terms)": those meanings of "bus" that what stands in brackets is a hint at.
async fn chosen(term_lookup: &TermLookup, reader: &Reader, key: &TermKey) -> Option<TermFinding> {
    let (name, hint) = key.as_str().strip_suffix(')')?.rsplit_once(" (")?;
    match term_lookup.look_up(reader, &TermKey::parse(name)?).await {
        TermFinding::Found(mut found) => {
            let is_meant = |concept: &&Concept| is_hinted_at(concept, hint, term_lookup.language());
            found.concepts = found.concepts.iter().filter(is_meant).cloned().collect();
            (!found.concepts.is_empty()).then_some(TermFinding::Found(found))
        }
        TermFinding::Unknown(_) => None,
        failed @ (TermFinding::Late { .. } | TermFinding::Failed { .. }) => Some(failed),
    }
}

/// What tells a concept from others of its name: its schemes, how its definition begins, its address.
pub(super) fn hints(concept: &Concept, language: &str) -> Vec<String> {
    let beginning = concept.definition(language).map(|wording| {
        let words = wording.text.split(|c: char| c.is_whitespace() || "()".contains(c)).filter(|word| !word.is_empty());
        let said = words.take(HINT_WORDS).collect::<Vec<_>>().join(" ");
        said.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned()
    });
    concept.schemes.iter().cloned().chain(beginning).chain([concept.uri.clone()]).collect()
}

pub(super) fn is_hinted_at(concept: &Concept, hint: &str, language: &str) -> bool {
    hints(concept, language).iter().any(|own| fold_spaces(own) == hint)
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

pub(super) fn report(key: &TermKey, finding: &TermFinding, term_lookup: &TermLookup) -> LookupReport {
    let (outcome, is_cached, waited_ms) = match finding {
        TermFinding::Found(found) => (LookupOutcome::Hit, found.is_cached, found.waited_ms),
        TermFinding::Unknown(found) => (LookupOutcome::Miss, found.is_cached, found.waited_ms),
        TermFinding::Late { waited_ms } => (LookupOutcome::Timeout, false, *waited_ms as f64),
        TermFinding::Failed { is_circuit_open: true, .. } => (LookupOutcome::CircuitOpen, false, 0.0),
        TermFinding::Failed { .. } => (LookupOutcome::Error, false, 0.0),
    };
    LookupReport { backend: term_lookup.backend(), asked: key.as_str().to_owned(), outcome, is_cached, waited_ms }
}
