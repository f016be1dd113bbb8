//! What an editor has prepared: questions pinned to sources, and notes that frame an answer.

use std::collections::BTreeSet;

use crate::{address::AddressKey, concept::Wording, document::DocumentId};

/// What an entry is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryKind {
    /// A question whose sources an editor has chosen: its references are the answer.
    Pinned,
    /// Background that shapes an answer and is never shown: its references may be cited, it may not.
    Note,
}

impl MemoryKind {
    /// The kind as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Note => "note",
        }
    }
}

/// One entry of the curated memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryEntry {
    /// Its name, chosen by the editor.
    pub id: String,
    /// Whose entry it is.
    pub tenant: String,
    /// What it may be used for.
    pub kind: MemoryKind,
    /// Questions, or phrases that call it up, in any number of languages.
    pub phrases: Vec<Wording>,
    /// The note's text, once per language; empty for a pinned question.
    pub note: Vec<Wording>,
    /// The sources it names.
    pub references: Vec<Reference>,
    /// Who may see it; empty means everyone in the tenant.
    pub tags: BTreeSet<String>,
    /// Tags of the languages whose texts a model translated and no person has written since.
    pub translated_by_model: BTreeSet<String>,
}

impl MemoryEntry {
    /// Longest text of an entry, in characters.
    pub const CHARS_MAX: usize = 20_000;
    /// Most phrases, and most references, of an entry.
    pub const PARTS_MAX: usize = 100;

    /// The note in the first of some languages that it is written in, else in none, else in any.
    #[must_use]
    pub fn note_in(&self, languages: &[String]) -> Option<&str> {
        let is_in = |wording: &&Wording, language: &str| wording.language.as_deref() == Some(language);
        let mut own = languages.iter().filter_map(|language| self.note.iter().find(|wording| is_in(wording, language)));
        let any = || self.note.iter().find(|wording| wording.language.is_none()).or(self.note.first());
        own.next().or_else(any).map(|wording| wording.text.as_str())
    }
}

/// A source an entry names: an address or a document's id, and where in a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The address or id as written.
    pub target: String,
    /// From which second of a recording, if it is one.
    pub seconds: Option<u32>,
}

impl Reference {
    /// Reads `CV 2.4`, `lecture-3` or `L.3 t=754`; nothing at all is no reference.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let timed = text.rsplit_once(" t=").and_then(|(target, time)| Some((target.trim(), time.parse().ok()?)));
        let (target, seconds) = timed.map_or((text, None), |(target, seconds)| (target, Some(seconds)));
        DocumentId::parse(target).map(|id| Self { target: id.as_str().to_owned(), seconds })
    }

    /// The target read as an address.
    #[must_use]
    pub fn address(&self) -> AddressKey {
        AddressKey::new(&self.target)
    }

    /// The reference as an editor writes it.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self.seconds {
            Some(seconds) => format!("{} t={seconds}", self.target),
            None => self.target.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reference;

    #[test]
    fn references_are_read_as_they_are_written() {
        let timed = Reference::parse(" L.3 t=754 ").expect("a reference");
        assert_eq!((timed.target.as_str(), timed.seconds, timed.to_text()), ("L.3", Some(754), "L.3 t=754".to_owned()));
        let plain = Reference::parse("verses § 2.4").expect("a reference");
        assert_eq!((plain.target.as_str(), plain.seconds), ("verses § 2.4", None));
        assert_eq!(Reference::parse("  "), None);
    }
}
