//! What an editor has prepared: questions pinned to sources, and notes that frame an answer.

use std::collections::BTreeSet;

use crate::{address::AddressKey, concept::Wording, document::DocumentId, language::fold_spaces};

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
    /// Whether the note is written for readers, who are told how it begins; else it guides whoever writes and is never shown.
    pub is_for_readers: bool,
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

    /// The phrase that a question repeats word for word, in whatever language, if there is one.
    #[must_use]
    pub fn phrase_asked(&self, key: &WordingKey) -> Option<&Wording> {
        self.phrases.iter().find(|phrase| WordingKey::of(&phrase.text).as_ref() == Some(key))
    }

    /// The note in the first of some languages that it is written in, else in none, else in any.
    #[must_use]
    pub fn note_in(&self, languages: &[String]) -> Option<&str> {
        let is_in = |wording: &&Wording, language: &str| wording.language.as_deref() == Some(language);
        let mut own = languages.iter().filter_map(|language| self.note.iter().find(|wording| is_in(wording, language)));
        let any = || self.note.iter().find(|wording| wording.language.is_none()).or(self.note.first());
        own.next().or_else(any).map(|wording| wording.text.as_str())
    }
}

/// A question without what does not tell it from another: case, spaces, and the signs and quotes around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordingKey(String);

impl WordingKey {
    /// The key of some words; none if nothing is left of them.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        const AROUND: &[char] = &[
            '?', '!', '.', '…', ',', ';', ':', '¿', '¡', '"', '\'', '“', '”', '„', '«', '»', '‘', '’', '？', '！',
            '。', ' ',
        ];
        let folded = fold_spaces(text).replace('’', "'");
        let bare = folded.trim_matches(AROUND);
        (!bare.is_empty()).then(|| Self(bare.to_owned()))
    }
}

/// A source an entry names: an address, a document's id or its title, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The address or id as written.
    pub target: String,
    /// From which second of a recording, if it is one.
    pub seconds: Option<u32>,
    /// The heading of the section that is meant, or words of the passage; none if all of it may be.
    pub words: Option<String>,
}

impl Reference {
    /// All of a source.
    #[must_use]
    pub fn whole(target: String) -> Self {
        Self { target, seconds: None, words: None }
    }

    /// Reads `CV 2.4`, `lecture-3`, `L.3 t=754` or `handbook "Carrying leave over"`; nothing at all is no reference.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let timed = text.rsplit_once(" t=").and_then(|(target, time)| Some((target.trim(), time.parse().ok()?)));
        let quoted = text
            .strip_suffix('"')
            .and_then(|text| text.split_once(" \""))
            .filter(|(_, words)| !words.trim().is_empty());
        let (target, seconds, words) = match (timed, quoted) {
            (_, Some((target, words))) => (target.trim(), None, Some(words.trim().to_owned())),
            (Some((target, seconds)), None) => (target, Some(seconds), None),
            (None, None) => (text, None, None),
        };
        DocumentId::parse(target).map(|id| Self { target: id.as_str().to_owned(), seconds, words })
    }

    /// The target read as an address.
    #[must_use]
    pub fn address(&self) -> AddressKey {
        AddressKey::new(&self.target)
    }

    /// The reference as an editor writes it.
    #[must_use]
    pub fn to_text(&self) -> String {
        match (&self.words, self.seconds) {
            (Some(words), _) => format!("{} \"{words}\"", self.target),
            (None, Some(seconds)) => format!("{} t={seconds}", self.target),
            (None, None) => self.target.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Reference, WordingKey};

    #[test]
    fn wordings_are_told_apart_by_their_words_alone() {
        let key = |text: &str| WordingKey::of(text);
        for same in ["who drinks first", "  Who  DRINKS first?", "“Who drinks first?”", "¿Who drinks first?!"] {
            assert_eq!(key(same), key("Who drinks first?"), "{same}");
        }
        assert_eq!(key("What’s due?"), key("what's due"));
        for (one, other) in [("What is C?", "What is C++?"), ("Wie is eerst?", "Wie ist erst?"), ("pay 1", "pay 2")] {
            assert_ne!(key(one), key(other));
        }
        assert_eq!(key(" ?! "), None);
    }

    #[test]
    fn references_are_read_as_they_are_written() {
        let timed = Reference::parse(" L.3 t=754 ").expect("a reference");
        assert_eq!((timed.target.as_str(), timed.seconds, timed.to_text()), ("L.3", Some(754), "L.3 t=754".to_owned()));
        let plain = Reference::parse("verses § 2.4").expect("a reference");
        assert_eq!((plain.target.as_str(), plain.seconds), ("verses § 2.4", None));
        let part = Reference::parse("docs/leave.md  \"Up to \"five\" days\"").expect("a reference");
        assert_eq!((part.target.as_str(), part.words.as_deref()), ("docs/leave.md", Some("Up to \"five\" days")));
        assert_eq!(Reference::parse(&part.to_text()), Some(part));
        for plain in ["\"Quoted\"", "leave \"\"", "a 5\" pipe"] {
            assert_eq!(
                Reference::parse(plain).map(|one| (one.target, one.words)),
                Some((plain.to_owned(), None)),
                "{plain}"
            );
        }
        assert_eq!(Reference::parse("  "), None);
    }
}
