//! What a person sets of a document whatever its source says: its title, its status, who may see it.
//!
//! An edit remembers what the source said when it was made. It holds for as long as the source says that; a source that says
//! something else has a newer statement, and the edit ends.

use std::collections::BTreeSet;

use crate::{address::Address, document::DocumentCard};

/// What separates the names of a list in the value of an edit; no name has it.
const SEPARATOR: &str = "\n";

/// What of a card a person can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CardField {
    /// Its title.
    Title,
    /// What kind of document it is.
    Kind,
    /// Its status.
    Status,
    /// Its version.
    Version,
    /// The address of the document that takes its place.
    SupersededBy,
    /// What it is about.
    Topics,
    /// Who may see it.
    Tags,
}

impl CardField {
    /// Every field.
    pub const ALL: [Self; 7] =
        [Self::Title, Self::Kind, Self::Status, Self::Version, Self::SupersededBy, Self::Topics, Self::Tags];

    /// The field as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Kind => "kind",
            Self::Status => "status",
            Self::Version => "version",
            Self::SupersededBy => "superseded_by",
            Self::Topics => "topics",
            Self::Tags => "tags",
        }
    }

    /// The field that a word stands for.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == word)
    }

    /// What a card says here; none where it says nothing. An empty list says nothing.
    #[must_use]
    pub fn value_of(self, card: &DocumentCard) -> Option<String> {
        match self {
            Self::Title => Some(card.title.clone()),
            Self::Kind => Some(card.kind.clone()),
            Self::Status => card.status.clone(),
            Self::Version => card.version.clone(),
            Self::SupersededBy => card.superseded_by.as_ref().map(|address| address.as_str().to_owned()),
            Self::Topics => Self::list_value(&card.topics),
            Self::Tags => Self::list_value(&card.tags),
        }
    }

    /// A list of names as the value of a field; none where it is empty.
    #[must_use]
    pub fn list_value(names: &BTreeSet<String>) -> Option<String> {
        (!names.is_empty()).then(|| names.iter().map(String::as_str).collect::<Vec<_>>().join(SEPARATOR))
    }

    /// The names in the value of a field that is a list.
    #[must_use]
    pub fn names_in(value: Option<&str>) -> BTreeSet<String> {
        value.into_iter().flat_map(|names| names.split(SEPARATOR)).map(str::to_owned).collect()
    }

    /// Makes a card say something here. A title and a kind are never nothing.
    pub fn set(self, card: &mut DocumentCard, value: Option<&str>) {
        let text = || value.map(str::to_owned);
        match self {
            Self::Title => card.title = text().unwrap_or_else(|| card.title.clone()),
            Self::Kind => card.kind = text().unwrap_or_else(|| card.kind.clone()),
            Self::Status => card.status = text(),
            Self::Version => card.version = text(),
            Self::SupersededBy => card.superseded_by = value.and_then(Address::parse),
            Self::Topics => card.topics = Self::names_in(value),
            Self::Tags => card.tags = Self::names_in(value),
        }
    }
}

/// What a person has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardEdit {
    /// Where on the card.
    pub field: CardField,
    /// What it says there; none where the person has taken it away.
    pub value: Option<String>,
    /// What the source said there at the time; none where it said nothing.
    pub stated: Option<String>,
    /// Who did so.
    pub set_by: String,
    /// When, in milliseconds since 1970.
    pub set_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, CardField};

    #[test]
    fn a_list_is_read_as_it_was_written_and_an_empty_one_is_nothing() {
        let names: BTreeSet<String> = ["hr", "board room"].map(str::to_owned).into();
        let value = CardField::list_value(&names);
        assert_eq!(CardField::names_in(value.as_deref()), names);
        assert_eq!(CardField::list_value(&BTreeSet::new()), None);
        assert_eq!(CardField::names_in(None), BTreeSet::new());
    }

    #[test]
    fn every_field_is_found_by_its_word() {
        for field in CardField::ALL {
            assert_eq!(CardField::parse(field.as_str()), Some(field));
        }
        assert_eq!(CardField::parse("text"), None);
    }
}
