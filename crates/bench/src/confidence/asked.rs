//! A folder of questions whose answers are known → those to fit on and those to report on.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context;
use serde::Deserialize;
use vouch_domain::{Speaker, Turn};
use vouch_engine::verify::VerifiedText;
use vouch_evals::golden::Message;

/// What a question is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Fit,
    Report,
}

/// A question, and what its answer must hold.
pub(super) struct Asked {
    pub(super) part: Part,
    pub(super) query: String,
    line: Line,
}

/// A question as it stands in `queries.jsonl` or in `questions.jsonl`.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    query: String,
    answerable: bool,
    #[serde(default, alias = "gold_files")]
    gold_ids: Vec<String>,
    #[serde(default)]
    context_id: Option<String>,
    /// Of these one must be said.
    #[serde(default)]
    gold_answers: Vec<String>,
    /// Of these one must be said where the gold answers are in words of their own.
    #[serde(default)]
    selected_sentences: Vec<Vec<String>>,
    /// Of these each must be said.
    #[serde(default)]
    must_contain: Vec<String>,
    #[serde(default, alias = "chat_history")]
    history: Option<Vec<Message>>,
    #[serde(default)]
    split: String,
}

/// Reads the questions of a folder, at most so many of each part; none about a document that is not held out.
pub(super) fn read(folder: &Path, is_held_out: impl Fn(&str) -> bool, per_part: usize) -> anyhow::Result<Vec<Asked>> {
    let [lines, files] = ["queries.jsonl", "questions.jsonl"].map(|name| folder.join(name));
    let path = if lines.is_file() { lines } else { files };
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut left = BTreeMap::from([(Part::Fit, per_part), (Part::Report, per_part)]);
    let mut asked = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).with_context(|| path.display().to_string())?;
        let about = line.context_id.iter().chain(&line.gold_ids);
        let is_own = about.clone().all(|document| is_held_out(document));
        let part = part_of(&line.split, about.min().unwrap_or(&line.id));
        let left = left.entry(part).or_default();
        if is_own && *left > 0 {
            *left -= 1;
            asked.push(Asked { part, query: line.query.clone(), line });
        }
    }
    Ok(asked)
}

/// The part a set says, or a half by the document a question is about, so that no document is in both.
fn part_of(split: &str, document: &str) -> Part {
    match split {
        "tune" => Part::Fit,
        "test" => Part::Report,
        _ if blake3::hash(document.as_bytes()).as_bytes()[0].is_multiple_of(2) => Part::Fit,
        _ => Part::Report,
    }
}

impl Asked {
    pub(super) fn conversation(&self) -> Vec<Turn> {
        let speaker = |role: &str| if role == "user" { Speaker::Asker } else { Speaker::Vouch };
        let turn = |message: &Message| Turn::new(speaker(&message.role), message.content.clone());
        self.line.history.iter().flatten().map(turn).collect()
    }

    /// Whether an answer cites a document that answers and holds the words it must.
    pub(super) fn is_right(&self, text: &VerifiedText) -> bool {
        let said = level(&text.claims().iter().map(|claim| claim.text()).collect::<Vec<_>>().join(" "));
        let says = |words: &String| said.contains(&level(words));
        let line = &self.line;
        let is_said = if !line.must_contain.is_empty() {
            line.must_contain.iter().all(says)
        } else if !line.selected_sentences.is_empty() {
            line.selected_sentences.iter().flatten().any(says)
        } else {
            line.gold_answers.iter().any(says)
        };
        let cites =
            |gold: &String| text.citations().iter().any(|cited| cited.document().id.as_str().ends_with(gold.as_str()));
        line.answerable && is_said && line.gold_ids.iter().any(cites)
    }
}

/// Letters and digits with single spaces between, and around.
fn level(text: &str) -> String {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    format!(" {} ", words.join(" "))
}
