//! JSON Lines → what a command works on, line by line; of questions, each with its id.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
};

use anyhow::Context;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use vouch_domain::{Question, Reader, Scope, Speaker, Turn};

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
    #[serde(default)]
    chat_history: Vec<Message>,
}

/// A line that could not be answered.
#[derive(Debug, Serialize)]
pub struct Failed {
    pub id: serde_json::Value,
    pub error: String,
}

/// One message of a conversation, as other programs write it.
#[derive(Debug, Deserialize)]
pub struct Message {
    role: Role,
    content: String,
    /// The source ids an answer cited, so that a follow-up can use them.
    #[serde(default)]
    sources: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
    System,
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
            text: self.query,
            conversation: turns(self.chat_history),
            reader,
            passages_max: self.max_context_chunks,
            model: self.model,
        };
        (self.id, question)
    }
}

/// A conversation without its system messages, which are never obeyed.
pub fn turns(messages: Vec<Message>) -> Vec<Turn> {
    let speaker = |role| match role {
        Role::User => Some(Speaker::Asker),
        Role::Assistant => Some(Speaker::Vouch),
        Role::System => None,
    };
    messages
        .into_iter()
        .filter_map(|message| {
            let speaker = speaker(message.role)?;
            Some(Turn { speaker, text: message.content, sources: message.sources })
        })
        .collect()
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
