//! A concept as its row holds it, in JSON.

use serde::{Deserialize, Serialize};
use vouch_domain::{Concept, ConceptLink, Label, LabelKind, Wording};

#[derive(Serialize, Deserialize)]
pub(super) struct StoredConcept {
    uri: String,
    schemes: Vec<String>,
    preferred: Vec<StoredWording>,
    alternative: Vec<StoredWording>,
    hidden: Vec<StoredWording>,
    definitions: Vec<StoredWording>,
    scope_notes: Vec<StoredWording>,
    notations: Vec<String>,
    broader: Vec<StoredLink>,
    narrower: Vec<StoredLink>,
    related: Vec<StoredLink>,
}

#[derive(Serialize, Deserialize)]
struct StoredWording(String, Option<String>);

#[derive(Serialize, Deserialize)]
struct StoredLink(String, Option<String>);

impl StoredConcept {
    pub(super) fn new(concept: &Concept) -> Self {
        let labels = |kind: LabelKind| {
            concept.labels.iter().filter(|label| label.kind == kind).map(|label| wording(&label.wording)).collect()
        };
        Self {
            uri: concept.uri.clone(),
            schemes: concept.schemes.clone(),
            preferred: labels(LabelKind::Preferred),
            alternative: labels(LabelKind::Alternative),
            hidden: labels(LabelKind::Hidden),
            definitions: concept.definitions.iter().map(wording).collect(),
            scope_notes: concept.scope_notes.iter().map(wording).collect(),
            notations: concept.notations.clone(),
            broader: concept.broader.iter().map(link).collect(),
            narrower: concept.narrower.iter().map(link).collect(),
            related: concept.related.iter().map(link).collect(),
        }
    }

    pub(super) fn into_concept(self) -> Concept {
        let labels = |kind: LabelKind, wordings: Vec<StoredWording>| {
            wordings.into_iter().map(move |one| Label { kind, wording: unwording(one) })
        };
        Concept {
            uri: self.uri,
            schemes: self.schemes,
            labels: labels(LabelKind::Preferred, self.preferred)
                .chain(labels(LabelKind::Alternative, self.alternative))
                .chain(labels(LabelKind::Hidden, self.hidden))
                .collect(),
            definitions: self.definitions.into_iter().map(unwording).collect(),
            scope_notes: self.scope_notes.into_iter().map(unwording).collect(),
            notations: self.notations,
            broader: self.broader.into_iter().map(unlink).collect(),
            narrower: self.narrower.into_iter().map(unlink).collect(),
            related: self.related.into_iter().map(unlink).collect(),
        }
    }
}

fn wording(wording: &Wording) -> StoredWording {
    StoredWording(wording.text.clone(), wording.language.clone())
}

fn unwording(stored: StoredWording) -> Wording {
    Wording { text: stored.0, language: stored.1 }
}

fn link(link: &ConceptLink) -> StoredLink {
    StoredLink(link.uri.clone(), link.label.clone())
}

fn unlink(stored: StoredLink) -> ConceptLink {
    ConceptLink { uri: stored.0, label: stored.1 }
}
