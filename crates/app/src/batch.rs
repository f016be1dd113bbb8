//! JSON Lines → what a command works on, line by line; of questions, each with its id.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use anyhow::Context;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use vouch_domain::{Question, Reader, Scope, Turn};
use vouch_service::wire::{HistoryMessage, language_or_null};

use crate::exit::Usage;

const LINES_MAX: usize = 1_000_000;
/// The largest file of lines: what it holds is in memory at once, in a server's if that runs the command.
const FILE_BYTES_MAX: u64 = 256 << 20;

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
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let too_large = || Usage(format!("{shown} has more than {FILE_BYTES_MAX} bytes"));
    if file.metadata().is_ok_and(|there| there.len() > FILE_BYTES_MAX) {
        return Err(too_large().into());
    }
    // It may grow, or be no ordinary file, and a line may have no end.
    let mut reader = BufReader::new(file.take(FILE_BYTES_MAX + 1));
    let (mut lines, mut bytes_read, mut line) = (Vec::new(), 0, Vec::new());
    for number in 1usize.. {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).with_context(|| format!("{shown}, line {number}"))?;
        if length == 0 {
            break;
        }
        bytes_read += length as u64;
        if bytes_read > FILE_BYTES_MAX {
            return Err(too_large().into());
        }
        let text = std::str::from_utf8(&line).with_context(|| format!("{shown}, line {number}"))?.trim();
        if text.is_empty() {
            continue;
        }
        lines.push(serde_json::from_str(text).map_err(|error| Usage(format!("{shown}, line {number}: {error}")))?);
        if lines.len() > LINES_MAX {
            return Err(Usage(format!("{shown} has more than {LINES_MAX} lines")).into());
        }
    }
    Ok(lines)
}
