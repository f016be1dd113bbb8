//! Concepts of a vocabulary as other programs see them.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Concept, ConceptLink, Label, LabelKind};

/// A concept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Concept)]
pub struct ConceptWire {
    /// Its address.
    pub uri: String,
    /// The name it goes by.
    pub name: String,
    /// Its names; those it is only found by are left out.
    pub labels: Vec<LabelWire>,
    /// What it means; null if the vocabulary does not say.
    pub definition: Option<String>,
    /// How it is meant to be used; null if the vocabulary does not say.
    pub scope_note: Option<String>,
    /// Its codes.
    pub notations: Vec<String>,
    /// Vocabularies it belongs to, by title.
    pub schemes: Vec<String>,
    /// Wider concepts.
    pub broader: Vec<ConceptLinkWire>,
    /// Narrower concepts.
    pub narrower: Vec<ConceptLinkWire>,
    /// Related concepts.
    pub related: Vec<ConceptLinkWire>,
}

/// One of a concept's names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Label)]
pub struct LabelWire {
    /// The name.
    pub text: String,
    /// Tag of its language; null if none is named.
    pub language: Option<String>,
    /// `preferred` or `alternative`.
    pub kind: &'static str,
}

/// Another concept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ConceptLink)]
pub struct ConceptLinkWire {
    /// Its address.
    pub uri: String,
    /// Its name; its address where none is known.
    pub name: String,
}

impl ConceptWire {
    /// A concept with its texts in a language, where it has them.
    #[must_use]
    pub fn new(concept: &Concept, language: &str) -> Self {
        let links = |links: &[ConceptLink]| links.iter().map(link).collect();
        Self {
            uri: concept.uri.clone(),
            name: concept.name(language).to_owned(),
            labels: concept.labels.iter().filter_map(label).collect(),
            definition: concept.definition(language).map(|wording| wording.text.clone()),
            scope_note: concept.scope_note(language).map(|wording| wording.text.clone()),
            notations: concept.notations.clone(),
            schemes: concept.schemes.clone(),
            broader: links(&concept.broader),
            narrower: links(&concept.narrower),
            related: links(&concept.related),
        }
    }
}

fn label(label: &Label) -> Option<LabelWire> {
    let kind = match label.kind {
        LabelKind::Preferred => "preferred",
        LabelKind::Alternative => "alternative",
        LabelKind::Hidden => return None,
    };
    Some(LabelWire { text: label.wording.text.clone(), language: label.wording.language.clone(), kind })
}

fn link(link: &ConceptLink) -> ConceptLinkWire {
    ConceptLinkWire { uri: link.uri.clone(), name: link.label.clone().unwrap_or_else(|| link.uri.clone()) }
}
