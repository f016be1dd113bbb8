//! The search's answer → the concepts that bear the key, or the names near it.
//!
//! The server shows a concept once for every label that matched, tells of other labels only the one it goes by, and
//! takes several lines of a text for several values; such a text is not believed but fetched from the concept's page.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use vouch_domain::{
    concept::{Concept, ConceptLink, Label, LabelKind, TermKey, Wording},
    language::{likeness, nearest, trigrams},
};

use super::{addresses::is_vocabulary_id, in_order::in_order, one_or_many::OneOrMany};

#[derive(Deserialize)]
pub(super) struct SearchAnswer {
    results: Vec<Hit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hit {
    uri: String,
    pref_label: Option<String>,
    matched_pref_label: Option<String>,
    alt_label: Option<String>,
    hidden_label: Option<String>,
    /// The language of the label that matched.
    lang: Option<String>,
    vocab: Option<String>,
    notation: Option<OneOrMany<String>>,
    definition: Option<OneOrMany<Value>>,
    scope_note: Option<OneOrMany<Value>>,
    broader: Option<OneOrMany<Value>>,
    narrower: Option<OneOrMany<Value>>,
    related: Option<OneOrMany<Value>>,
}

/// A concept as the search told of it.
#[derive(Default)]
pub(super) struct ConceptHit {
    concept: Concept,
    vocabulary: Option<String>,
    has_broken_text: bool,
}

impl SearchAnswer {
    /// The concepts one of whose labels is the key, each once, in the order of their addresses.
    pub(super) fn bearing(self, key: &TermKey, language: &str) -> Vec<ConceptHit> {
        let mut found: BTreeMap<String, ConceptHit> = BTreeMap::new();
        for hit in self.results {
            if hit.labels().iter().any(|label| TermKey::parse(&label.wording.text).as_ref() == Some(key)) {
                found.entry(hit.uri.clone()).or_default().add(hit, language);
            }
        }
        found.into_values().map(|found| ConceptHit { concept: in_order(found.concept), ..found }).collect()
    }
}

/// The names found that look like the key, nearest first; where none does, those that look least unlike it.
pub(super) fn names_near(answers: &[SearchAnswer], key: &TermKey) -> Vec<String> {
    let mut near: BTreeMap<&str, f32> = BTreeMap::new();
    let asked = trigrams(key.as_str());
    for (name, matched) in answers.iter().flat_map(|answer| &answer.results).flat_map(Hit::names) {
        let best = near.entry(name).or_default();
        *best = best.max(likeness(&trigrams(matched), &asked));
    }
    nearest(near.into_iter().map(|(name, likeness)| (likeness, name)).collect())
        .into_iter()
        .map(str::to_owned)
        .collect()
}

impl Hit {
    /// Names that may be shown, each with the label it is found by: a hidden one leads to the name it goes by.
    fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = [&self.pref_label, &self.matched_pref_label, &self.alt_label];
        let own = own.into_iter().flatten().map(|name| (name.as_str(), name.as_str()));
        own.chain(self.pref_label.as_deref().zip(self.hidden_label.as_deref()))
    }

    fn labels(&self) -> Vec<Label> {
        // Where another name it goes by matched, the language is that one's.
        let own = self.lang.as_deref().filter(|_| self.matched_pref_label.is_none());
        let matched = self.lang.as_deref();
        let told = [
            (LabelKind::Preferred, &self.pref_label, own),
            (LabelKind::Preferred, &self.matched_pref_label, matched),
            (LabelKind::Alternative, &self.alt_label, matched),
            (LabelKind::Hidden, &self.hidden_label, matched),
        ];
        let label = |(kind, text, language): (LabelKind, &Option<String>, Option<&str>)| {
            text.as_deref().map(|text| Label { kind, wording: wording(text, language.unwrap_or_default()) })
        };
        told.into_iter().filter_map(label).collect()
    }
}

impl ConceptHit {
    pub(super) fn uri(&self) -> &str {
        &self.concept.uri
    }

    pub(super) fn vocabulary(&self) -> Option<&str> {
        self.vocabulary.as_deref()
    }

    /// Whether the search told what the concept means.
    pub(super) fn is_defined(&self) -> bool {
        !self.has_broken_text && !self.concept.definitions.is_empty()
    }

    /// The concept, as its page tells of it where there is one.
    pub(super) fn with_page(self, page: Option<Concept>, key: &TermKey) -> Concept {
        let Some(mut page) = page else { return self.concept };
        if page.label_for(key).is_none() {
            page.labels.extend(self.concept.labels);
        }
        if page.schemes.is_empty() {
            page.schemes = self.concept.schemes;
        }
        in_order(page)
    }

    fn add(&mut self, hit: Hit, language: &str) {
        self.concept.labels.extend(hit.labels());
        self.concept.uri = hit.uri;
        let vocabulary = hit.vocab.filter(|id| is_vocabulary_id(id));
        self.concept.schemes.extend(vocabulary.clone());
        self.vocabulary = self.vocabulary.take().or(vocabulary);
        self.concept.notations.extend(hit.notation.map(OneOrMany::into_vec).unwrap_or_default());
        let definitions = self.texts(hit.definition, language);
        self.concept.definitions.extend(definitions);
        let scope_notes = self.texts(hit.scope_note, language);
        self.concept.scope_notes.extend(scope_notes);
        self.concept.broader.extend(links(hit.broader));
        self.concept.narrower.extend(links(hit.narrower));
        self.concept.related.extend(links(hit.related));
    }

    /// Values that are texts; none at all where one of them is not, for then the others are pieces.
    fn texts(&mut self, values: Option<OneOrMany<Value>>, language: &str) -> Vec<Wording> {
        let values = values.map(OneOrMany::into_vec).unwrap_or_default();
        let texts: Option<Vec<Wording>> =
            values.iter().map(|value| value.as_str().map(|text| wording(text, language))).collect();
        self.has_broken_text |= texts.is_none();
        texts.unwrap_or_default()
    }
}

fn links(values: Option<OneOrMany<Value>>) -> Vec<ConceptLink> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let link = |value: Value| Some(ConceptLink { uri: text(&value, "uri")?, label: text(&value, "prefLabel") });
    values.map(OneOrMany::into_vec).unwrap_or_default().into_iter().filter_map(link).collect()
}

fn wording(text: &str, language: &str) -> Wording {
    Wording { text: text.to_owned(), language: (!language.is_empty()).then(|| language.to_owned()) }
}
