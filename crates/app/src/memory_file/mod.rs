//! A YAML file of memory entries → entries, or which of them is wrong and why.

pub mod write;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use serde::Deserialize;
use vouch_domain::{MemoryEntry, MemoryKind, Reference, Wording, language::language_tag};

/// Most entries of one file.
const ENTRIES_MAX: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    kind: Kind,
    #[serde(default)]
    questions: Option<Texts>,
    #[serde(default)]
    triggers: Option<Texts>,
    #[serde(default)]
    note: Option<Text>,
    /// Whether readers are told how the note begins.
    #[serde(default)]
    for_readers: bool,
    #[serde(default)]
    references: Vec<String>,
    #[serde(default)]
    tags: BTreeSet<String>,
    /// Languages whose texts a model translated.
    #[serde(default)]
    translated_by_model: BTreeSet<String>,
    /// Something that was asked and nobody has accepted yet: how often, and how it ended.
    #[serde(default)]
    proposal: Option<serde_json::Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Pinned,
    Note,
}

/// Texts without a language, or one list per language.
#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    Plain(Vec<String>),
    ByLanguage(BTreeMap<String, Vec<String>>),
}

/// A text without a language, or one per language.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Plain(String),
    ByLanguage(BTreeMap<String, String>),
}

impl Texts {
    fn wordings(self) -> Vec<Wording> {
        match self {
            Self::Plain(texts) => texts.into_iter().map(|text| wording(&text, None)).collect(),
            Self::ByLanguage(texts) => texts
                .into_iter()
                .flat_map(|(language, texts)| {
                    texts.into_iter().map(move |text| wording(&text, Some(language.clone()))).collect::<Vec<_>>()
                })
                .collect(),
        }
    }
}

impl Text {
    fn wordings(self) -> Vec<Wording> {
        match self {
            Self::Plain(text) => vec![wording(&text, None)],
            Self::ByLanguage(texts) => {
                texts.into_iter().map(|(language, text)| wording(&text, Some(language))).collect()
            }
        }
    }
}

fn wording(text: &str, language: Option<String>) -> Wording {
    let language = language.map(|tag| language_tag(&tag).unwrap_or(tag)).filter(|tag| tag != "und");
    Wording { text: text.split_whitespace().collect::<Vec<_>>().join(" "), language }
}

/// What a file holds.
pub struct Read {
    /// Its entries.
    pub entries: Vec<MemoryEntry>,
    /// How many proposals were left out, since no editor has accepted them.
    pub proposals: usize,
}

/// Reads a file's entries for a tenant; proposals are checked and left out.
pub fn parse(text: &str, tenant: &str) -> anyhow::Result<Read> {
    let entries: Vec<Entry> = serde_saphyr::from_str(text)?;
    if entries.len() > ENTRIES_MAX {
        bail!("it has {} entries, the limit is {ENTRIES_MAX}", entries.len());
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut read = Read { entries: Vec::with_capacity(entries.len()), proposals: 0 };
    for entry in entries {
        if !seen.insert(entry.id.clone()) {
            bail!("entry '{}' appears twice", entry.id);
        }
        let is_proposal = entry.proposal.is_some();
        let entry = entry.into_entry(tenant)?;
        if is_proposal {
            read.proposals += 1;
        } else {
            read.entries.push(entry);
        }
    }
    Ok(read)
}

impl Entry {
    fn into_entry(self, tenant: &str) -> anyhow::Result<MemoryEntry> {
        let Self { id, kind, questions, triggers, note, for_readers, references, tags, translated_by_model, .. } = self;
        let (kind, phrases) = match (kind, questions, triggers) {
            (Kind::Pinned, Some(questions), None) => (MemoryKind::Pinned, questions),
            (Kind::Note, None, Some(triggers)) => (MemoryKind::Note, triggers),
            (Kind::Pinned, _, _) => bail!("entry '{id}': a pinned entry has `questions` and no `triggers`"),
            (Kind::Note, _, _) => bail!("entry '{id}': a note has `triggers` and no `questions`"),
        };
        if kind == MemoryKind::Pinned && note.is_some() {
            bail!("entry '{id}': a pinned entry has no `note`");
        }
        if for_readers && note.is_none() {
            bail!("entry '{id}': `for_readers` only applies to a note, and there is none");
        }
        let mut read = Vec::with_capacity(references.len());
        for reference in &references {
            let Some(reference) = Reference::parse(reference) else { bail!("entry '{id}': a reference is empty") };
            read.push(reference);
        }
        Ok(MemoryEntry {
            id,
            tenant: tenant.to_owned(),
            kind,
            phrases: phrases.wordings(),
            note: note.map(Text::wordings).unwrap_or_default(),
            references: read,
            is_for_readers: for_readers,
            tags,
            translated_by_model,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn entries_of_both_kinds_and_of_several_languages() {
        let text = "- id: a\n  kind: pinned\n  questions: {en: [Who?], nl: [Wie?]}\n  references: ['L.3 t=12']\n\
                    - id: b\n  kind: note\n  triggers: [dry year]\n  note: Read this.\n";
        let entries = parse(text, "default").expect("entries").entries;
        let languages: Vec<Option<&str>> = entries
            .first()
            .map(|entry| entry.phrases.iter().map(|phrase| phrase.language.as_deref()).collect())
            .unwrap_or_default();
        assert_eq!(languages, [Some("en"), Some("nl")]);
        assert_eq!(entries.len(), 2);
    }

    #[test]
    fn a_wrong_entry_is_named() {
        for (text, said) in [
            ("- {id: a, kind: pinned, triggers: [x]}", "'a'"),
            ("- {id: a, kind: note, questions: [x]}", "'a'"),
            (
                "- {id: a, kind: note, triggers: [x], note: words}\n- {id: a, kind: note, triggers: [x], note: words}",
                "twice",
            ),
            ("- {id: a, kind: other, triggers: [x]}", "other"),
        ] {
            let error = parse(text, "default").err().expect("refused").to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
