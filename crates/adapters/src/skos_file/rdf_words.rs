//! Addresses → the words of RDF and SKOS that are read; every other statement is passed over.

use vouch_domain::LabelKind;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const SKOS_XL: &str = "http://www.w3.org/2008/05/skos-xl#";
const ISO_THES: &str = "http://purl.org/iso25964/skos-thes#";
const DC_TERMS: &str = "http://purl.org/dc/terms/";
const DC_ELEMENTS: &str = "http://purl.org/dc/elements/1.1/";

/// What a statement says of its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Type,
    SubClassOf,
    Deprecated,
    Label(LabelKind),
    LiteralForm,
    Definition,
    ScopeNote,
    Notation,
    Broader,
    Narrower,
    Related,
    InScheme,
    TopConceptOf,
    HasTopConcept,
    Member,
    TermsTitle,
    ElementsTitle,
    RdfsLabel,
    RdfValue,
}

impl Property {
    /// The property of this address, if it is one that is read.
    pub(super) fn from_iri(address: &str) -> Option<Self> {
        let (space, name) = parted(address)?;
        let known = match (space, name) {
            (RDF, "type") => Self::Type,
            (RDF, "value") => Self::RdfValue,
            (RDFS, "subClassOf") => Self::SubClassOf,
            (RDFS, "label") => Self::RdfsLabel,
            (OWL, "deprecated") => Self::Deprecated,
            // A label that is a node of its own differs in its value alone.
            (SKOS | SKOS_XL, "prefLabel") => Self::Label(LabelKind::Preferred),
            (SKOS | SKOS_XL, "altLabel") => Self::Label(LabelKind::Alternative),
            (SKOS | SKOS_XL, "hiddenLabel") => Self::Label(LabelKind::Hidden),
            (SKOS_XL, "literalForm") => Self::LiteralForm,
            (SKOS, "definition") => Self::Definition,
            (SKOS, "scopeNote") => Self::ScopeNote,
            (SKOS, "notation") => Self::Notation,
            (SKOS, "broader") => Self::Broader,
            (SKOS, "narrower") => Self::Narrower,
            (SKOS, "related") => Self::Related,
            (SKOS, "inScheme") => Self::InScheme,
            (SKOS, "topConceptOf") => Self::TopConceptOf,
            (SKOS, "hasTopConcept") => Self::HasTopConcept,
            (SKOS, "member" | "memberList") => Self::Member,
            (DC_TERMS, "title") => Self::TermsTitle,
            (DC_ELEMENTS, "title") => Self::ElementsTitle,
            _ => return None,
        };
        Some(known)
    }

    /// What the object says of the subject where the subject says this of the object.
    pub(super) fn inverse(self) -> Option<Self> {
        match self {
            Self::Broader => Some(Self::Narrower),
            Self::Narrower => Some(Self::Broader),
            Self::Related => Some(Self::Related),
            Self::HasTopConcept => Some(Self::TopConceptOf),
            Self::TopConceptOf => Some(Self::HasTopConcept),
            Self::Type
            | Self::SubClassOf
            | Self::Deprecated
            | Self::Label(_)
            | Self::LiteralForm
            | Self::Definition
            | Self::ScopeNote
            | Self::Notation
            | Self::InScheme
            | Self::Member
            | Self::TermsTitle
            | Self::ElementsTitle
            | Self::RdfsLabel
            | Self::RdfValue => None,
        }
    }
}

/// The sort of thing a node is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Concept,
    Scheme,
    Collection,
}

impl Class {
    /// The class of this address, if it is one that matters.
    pub(super) fn from_iri(address: &str) -> Option<Self> {
        match parted(address)? {
            (SKOS, "Concept") => Some(Self::Concept),
            (SKOS, "ConceptScheme") => Some(Self::Scheme),
            (SKOS, "Collection" | "OrderedCollection") => Some(Self::Collection),
            (ISO_THES, "ConceptGroup" | "ThesaurusArray") => Some(Self::Collection),
            _ => None,
        }
    }
}

/// An address as its vocabulary and the name in it.
fn parted(address: &str) -> Option<(&str, &str)> {
    address.split_at_checked(address.rfind(['#', '/'])? + 1)
}
