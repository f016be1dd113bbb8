//! A term as a vocabulary defines it: `Concept`, found by any of its labels under a `TermKey`.

use crate::language::fold_spaces;

/// A term in the one form it is looked up by: lower case, trimmed, white space collapsed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermKey(String);

impl TermKey {
    /// Longest term that is looked up, in characters.
    pub const CHARS_MAX: usize = 200;

    /// Normalises a term; an empty or over-long one is none at all.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let key = fold_spaces(text);
        let is_usable = !key.is_empty() && key.chars().count() <= Self::CHARS_MAX;
        is_usable.then_some(Self(key))
    }

    /// The normalised term.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Words in a language, if one is named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wording {
    /// The words.
    pub text: String,
    /// The language's tag, such as `en`.
    pub language: Option<String>,
}

/// What a label is to its concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelKind {
    /// The name it goes by.
    Preferred,
    /// Another name for it.
    Alternative,
    /// A name it is found by and never shown under.
    Hidden,
}

/// One of a concept's names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// What it is to the concept.
    pub kind: LabelKind,
    /// The words.
    pub wording: Wording,
}

/// Another concept, by address and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConceptLink {
    /// Its address.
    pub uri: String,
    /// Its name, if it is known.
    pub label: Option<String>,
}

/// One concept of a vocabulary; every list in a fixed order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Concept {
    /// Its address for life.
    pub uri: String,
    /// The vocabularies it belongs to, by title; empty if none is named.
    pub schemes: Vec<String>,
    /// Its names.
    pub labels: Vec<Label>,
    /// What it means; empty if the vocabulary does not say.
    pub definitions: Vec<Wording>,
    /// How it is meant to be used.
    pub scope_notes: Vec<Wording>,
    /// Its codes.
    pub notations: Vec<String>,
    /// Wider concepts.
    pub broader: Vec<ConceptLink>,
    /// Narrower concepts.
    pub narrower: Vec<ConceptLink>,
    /// Related concepts.
    pub related: Vec<ConceptLink>,
}

impl Concept {
    /// The name it goes by, in this language where there is one, else in none, else in the first; its address where it
    /// has no name at all.
    #[must_use]
    pub fn name(&self, language: &str) -> &str {
        let preferred = self.labels.iter().filter(|label| label.kind == LabelKind::Preferred);
        best(preferred.map(|label| &label.wording), language).map_or(self.uri.as_str(), |wording| &wording.text)
    }

    /// What it means, in this language where that is said, else in none, else in the first.
    #[must_use]
    pub fn definition(&self, language: &str) -> Option<&Wording> {
        best(self.definitions.iter(), language)
    }

    /// How it is to be used, chosen as the definition is.
    #[must_use]
    pub fn scope_note(&self, language: &str) -> Option<&Wording> {
        best(self.scope_notes.iter(), language)
    }

    /// The label that makes this key lead here, if one does.
    #[must_use]
    pub fn label_for(&self, key: &TermKey) -> Option<&Label> {
        self.labels.iter().find(|label| fold_spaces(&label.wording.text) == key.as_str())
    }
}

fn best<'a>(wordings: impl Iterator<Item = &'a Wording>, language: &str) -> Option<&'a Wording> {
    let rank = |wording: &Wording| match wording.language.as_deref() {
        Some(own) if own == language => 0,
        Some(own) if own.split('-').next() == language.split('-').next() => 1,
        None => 2,
        Some(_) => 3,
    };
    wordings.min_by_key(|wording| rank(wording))
}

#[cfg(test)]
mod tests {
    use super::{Concept, TermKey, Wording};

    #[test]
    fn a_key_is_lower_case_trimmed_and_single_spaced() {
        let key = |text| TermKey::parse(text).map(|key| key.as_str().to_owned());
        assert_eq!(key("  Voltage \t Regulation\n"), Some("voltage regulation".to_owned()));
        assert_eq!(key("ÉNERGIE"), Some("énergie".to_owned()));
        assert_eq!(key(" \u{a0}"), None);
        assert_eq!(key(&"x".repeat(201)), None);
    }

    #[test]
    fn a_definition_is_given_in_the_wanted_language_first() {
        let say = |text: &str, language: Option<&str>| Wording {
            text: text.to_owned(),
            language: language.map(str::to_owned),
        };
        let concept = Concept {
            definitions: vec![say("nl", Some("nl")), say("gb", Some("en-GB")), say("none", None)],
            ..Concept::default()
        };
        let told = |language| concept.definition(language).map(|wording| wording.text.as_str());
        assert_eq!(told("en"), Some("gb"));
        assert_eq!(told("nl"), Some("nl"));
        assert_eq!(told("fi"), Some("none"));
    }
}
