//! Documents that contradict a corpus, and documents that only seem to, as they were written down.

use std::{fmt::Write as _, path::Path};

use serde::{Deserialize, Serialize};
use vouch_app::{batch, exit::Usage};

/// A short document and the sentence in it that contradicts another document, or that only seems to.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Planted {
    id: String,
    pub(super) contradiction: bool,
    pub(super) kind: String,
    /// The id of the document it contradicts.
    #[serde(default)]
    pub(super) document: String,
    /// What that document says.
    #[serde(default)]
    pub(super) original: String,
    title: String,
    text: String,
    #[serde(default)]
    pub(super) sentence: String,
}

#[derive(Serialize)]
struct Document<'a> {
    id: String,
    title: &'a str,
    text: &'a str,
}

impl Planted {
    /// The id of its document in the store.
    pub(super) fn id(&self) -> String {
        format!("planted-{}", self.id)
    }

    /// Whether a sentence of a document is its own.
    pub(super) fn says(&self, sentence: &str) -> bool {
        sentence.split_whitespace().eq(self.sentence.split_whitespace())
    }
}

/// The planted documents of a file.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Planted>> {
    let planted: Vec<Planted> = batch::read(path)?;
    let is_whole = |one: &Planted| !one.contradiction || !(one.document.is_empty() || one.sentence.is_empty());
    match planted.iter().find(|one| !is_whole(one)) {
        Some(one) => {
            let fault = "a contradiction names the document it contradicts and its own sentence";
            Err(Usage(format!("{}: {}: {fault}", path.display(), one.id)).into())
        }
        None => Ok(planted),
    }
}

/// The planted documents as a file of documents.
pub(super) fn as_documents(planted: &[Planted]) -> anyhow::Result<String> {
    let mut lines = String::new();
    for one in planted {
        let document = Document { id: one.id(), title: &one.title, text: &one.text };
        writeln!(lines, "{}", serde_json::to_string(&document)?)?;
    }
    Ok(lines)
}
