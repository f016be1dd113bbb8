//! Entries of the curated memory as other programs send and see them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{MemoryEntry, MemoryKind, Reader, Reference, Wording, language::language_tag};

use super::document::{kept_tags, shared_tags};

/// An entry of the curated memory to store: a note if it has a `note`, else a pinned question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EntryBody, example = json!({
    "id": "carry-over", "phrases": ["Can I keep unused leave?"], "references": ["handbook/leave"]
}))]
pub struct EntryBody {
    /// Id of the entry, at most 200 bytes; an entry with the same id is replaced.
    #[schema(min_length = 1, pattern = r"\S")]
    pub id: String,
    /// Wordings of the pinned question, or phrases that bring the note up.
    pub phrases: Vec<String>,
    /// Background that frames an answer and is never cited; absent for a pinned question.
    pub note: Option<String>,
    /// Whether readers are told how the note begins; else it guides whoever writes and nobody sees it.
    #[serde(default)]
    pub for_readers: bool,
    /// Sources: addresses, ids or titles of documents; after one ` "Carrying over"` for the section with this heading or the passage with
    /// these words, or ` t=754` for a second of a recording.
    #[serde(default)]
    pub references: Vec<String>,
    /// Only people with one of these tags may see it; without any, everyone in the tenant.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub tags: BTreeSet<String>,
    /// The same entry in other languages, side by side; at most 50.
    #[serde(default)]
    pub translations: Vec<TranslationWire>,
}

/// An entry's texts in one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Translation)]
pub struct TranslationWire {
    /// Tag of the language, such as `nl`.
    #[schema(min_length = 2)]
    pub language: String,
    /// Wordings of the pinned question, or phrases that bring the note up.
    #[serde(default)]
    pub phrases: Vec<String>,
    /// The note; null for a pinned question.
    #[serde(default)]
    pub note: Option<String>,
    /// Whether a model translated it and no person has changed it since.
    #[serde(default)]
    pub by_model: bool,
}

/// Most translations of one entry.
const TRANSLATIONS_MAX: usize = 50;

impl EntryBody {
    /// The entry of a tenant, or what is wrong with it.
    ///
    /// # Errors
    /// Fails if a reference is empty, or a translation has no language that is known by a tag.
    pub fn entry(self, tenant: &str) -> Result<MemoryEntry, String> {
        let say = |text: String| Wording { text, language: None };
        if self.translations.len() > TRANSLATIONS_MAX {
            return Err(format!("it has {} translations, the limit is {TRANSLATIONS_MAX}", self.translations.len()));
        }
        // A listed entry names its translations' phrases among all; sent back they are still those of their language.
        let translated: BTreeSet<&String> = self.translations.iter().flat_map(|one| &one.phrases).collect();
        let own: Vec<String> = self.phrases.iter().filter(|phrase| !translated.contains(phrase)).cloned().collect();
        let references = self.references.iter().map(|text| Reference::parse(text)).collect::<Option<_>>();
        if self.for_readers && self.note.is_none() {
            return Err("`for_readers` only applies to a note, and there is none".to_owned());
        }
        let mut entry = MemoryEntry {
            id: self.id,
            tenant: tenant.to_owned(),
            kind: if self.note.is_some() { MemoryKind::Note } else { MemoryKind::Pinned },
            phrases: own.into_iter().map(say).collect(),
            note: self.note.into_iter().map(say).collect(),
            references: references.ok_or("a reference is empty")?,
            tags: kept_tags(self.tags),
            is_for_readers: self.for_readers,
            translated_by_model: BTreeSet::new(),
        };
        for translation in self.translations {
            let tag = language_tag(&translation.language);
            let tag = tag.ok_or_else(|| format!("'{}' is not a language tag", translation.language))?;
            let say = |text: String| Wording { text, language: Some(tag.clone()) };
            entry.phrases.extend(translation.phrases.into_iter().map(say));
            entry.note.extend(translation.note.into_iter().map(say));
            if translation.by_model {
                entry.translated_by_model.insert(tag);
            }
        }
        Ok(entry)
    }
}

/// An entry of the curated memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Entry)]
pub struct EntryWire {
    /// Id of the entry.
    pub id: String,
    /// `pinned` or `note`.
    pub kind: &'static str,
    /// Wordings of the pinned question, or phrases that bring the note up, in every language.
    pub phrases: Vec<String>,
    /// The note, once per language; empty for a pinned question.
    pub note: Vec<String>,
    /// Whether readers are told how the note begins.
    pub for_readers: bool,
    /// Sources it points to.
    pub references: Vec<String>,
    /// Those of its tags that the caller's key has too.
    pub tags: Vec<String>,
    /// Its texts in each language that is named, side by side, by the language's tag.
    pub translations: Vec<TranslationWire>,
}

impl EntryWire {
    /// An entry as a reader sees it.
    #[must_use]
    pub fn new(entry: &MemoryEntry, reader: &Reader) -> Self {
        let texts = |wordings: &[Wording]| wordings.iter().map(|wording| wording.text.clone()).collect();
        Self {
            id: entry.id.clone(),
            kind: entry.kind.as_str(),
            phrases: texts(&entry.phrases),
            note: texts(&entry.note),
            for_readers: entry.is_for_readers,
            references: entry.references.iter().map(Reference::to_text).collect(),
            tags: shared_tags(&entry.tags, reader),
            translations: translations(entry),
        }
    }
}

fn texts_in(wordings: &[Wording], language: &str) -> Vec<String> {
    wordings.iter().filter(|one| one.language.as_deref() == Some(language)).map(|one| one.text.clone()).collect()
}

fn translations(entry: &MemoryEntry) -> Vec<TranslationWire> {
    let wordings = entry.phrases.iter().chain(&entry.note);
    let languages: BTreeSet<&str> = wordings.filter_map(|wording| wording.language.as_deref()).collect();
    let translation = |language: &str| TranslationWire {
        language: language.to_owned(),
        phrases: texts_in(&entry.phrases, language),
        note: texts_in(&entry.note, language).into_iter().next(),
        by_model: entry.translated_by_model.contains(language),
    };
    languages.into_iter().map(translation).collect()
}
