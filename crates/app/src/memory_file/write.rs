//! Entries → the YAML file that the import reads.

use std::collections::BTreeMap;

use vouch_domain::{MemoryEntry, MemoryKind, Reference, Wording};

/// What is said of an entry that nobody has accepted yet, in the order it is written.
pub type ProposalFields = Vec<(&'static str, String)>;

/// The entries as a file, each with what is said of it as a proposal, if it is one.
#[must_use]
pub fn file(entries: &[(MemoryEntry, Option<ProposalFields>)]) -> String {
    if entries.is_empty() {
        return "[]\n".to_owned();
    }
    entries.iter().map(|(entry, proposal)| item(entry, proposal.as_ref())).collect()
}

fn item(entry: &MemoryEntry, proposal: Option<&ProposalFields>) -> String {
    let mut text = format!("- id: {}\n  kind: {}\n", quoted(&entry.id), entry.kind.as_str());
    if let Some(fields) = proposal {
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        text.push_str(&format!("  proposal: {{ {} }}\n", fields.join(", ")));
    }
    let name = match entry.kind {
        MemoryKind::Pinned => "questions",
        MemoryKind::Note => "triggers",
    };
    text.push_str(&texts(name, &entry.phrases, list));
    if !entry.note.is_empty() {
        text.push_str(&texts("note", &entry.note, |texts| texts.first().map(|text| quoted(text)).unwrap_or_default()));
    }
    if entry.is_for_readers {
        text.push_str("  for_readers: true\n");
    }
    let references: Vec<String> = entry.references.iter().map(Reference::to_text).collect();
    text.push_str(&format!("  references: {}\n", list(&references)));
    for (name, values) in [("tags", &entry.tags), ("translated_by_model", &entry.translated_by_model)] {
        if !values.is_empty() {
            text.push_str(&format!("  {name}: {}\n", list(&values.iter().cloned().collect::<Vec<_>>())));
        }
    }
    text
}

/// Texts of one name: plain where none has a language, else by language; a text of none is written under `und`, the tag for that.
fn texts(name: &str, wordings: &[Wording], written: impl Fn(&[String]) -> String) -> String {
    let mut by_language: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for wording in wordings {
        by_language.entry(wording.language.as_deref().unwrap_or("und")).or_default().push(wording.text.clone());
    }
    if let (1, Some(plain)) = (by_language.len(), by_language.get("und")) {
        return format!("  {name}: {}\n", written(plain));
    }
    let lines = by_language.iter().map(|(language, texts)| format!("    {}: {}\n", quoted(language), written(texts)));
    format!("  {name}:\n{}", lines.collect::<String>())
}

/// A list in brackets.
#[must_use]
pub fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// A text in double quotes: what JSON writes, YAML reads.
#[must_use]
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
