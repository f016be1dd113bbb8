//! JSON Lines → what a command works on, line by line; of questions, each with its id.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
};

use anyhow::Context;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use vouch_domain::{Question, Reader, Scope, Turn};
use vouch_service::wire::{HistoryMessage, language_or_null};

use crate::exit::Usage;

const LINES_MAX: usize = 1_000_000;

/// One line of a batch.
#[derive(Debug, Deserialize)]
pub struct Line {
    pub id: serde_json::Value,
    pub query: String,
    tags: Option<BTreeSet<String>>,
    max_context_chunks: Option<usize>,
    model: Option<String>,
    #[serde(default, deserialize_with = "language_or_null")]
    language: Option<String>,
    #[serde(default)]
    chat_history: Vec<HistoryMessage>,
}

/// A line that could not be answered.
#[derive(Debug, Serialize)]
pub struct Failed {
    pub id: serde_json::Value,
    pub error: String,
}

impl Line {
    pub fn question(self, reader: &Reader) -> (serde_json::Value, Question) {
        let mut reader = reader.clone();
        if let Some(tags) = self.tags {
            // A line may narrow what the command may read, never widen it.
            reader.scope = Scope::Tags(match reader.scope {
                Scope::WholeTenant => tags,
                Scope::Tags(own) => own.intersection(&tags).cloned().collect(),
            });
        }
        let question = Question {
            conversation: self.chat_history.into_iter().map(Turn::from).collect(),
            passages_max: self.max_context_chunks,
            model: self.model,
            language: self.language,
            ..Question::new(self.query, reader)
        };
        (self.id, question)
    }
}

pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = Vec::new();
    for (number, line) in (1usize..).zip(BufReader::new(file).lines()) {
        let line = line.with_context(|| format!("{}, line {number}", path.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let parsed = serde_json::from_str(&line)
            .map_err(|error| Usage(format!("{}, line {number}: {error}", path.display())))?;
        lines.push(parsed);
        if lines.len() > LINES_MAX {
            return Err(Usage(format!("{} has more than {LINES_MAX} lines", path.display())).into());
        }
    }
    Ok(lines)
}
