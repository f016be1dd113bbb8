//! JSON → golden questions: one a line, or an object over several; lines that begin with `//` are comments.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use vouch_domain::{Reader, Scope, Speaker, Turn};

/// A question whose answer, or lack of one, is known.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct GoldenQuestion {
    /// Its name.
    pub id: String,
    /// The question.
    pub query: String,
    /// Whether the corpus answers it; where a line does not say so, unless it should be refused.
    #[serde(skip)]
    pub answerable: bool,
    /// The same as the line says it.
    #[serde(default, rename = "answerable")]
    pub(crate) said_answerable: Option<bool>,
    /// The documents that answer it, by their ids or by the files they came from.
    #[serde(default, alias = "gold_files")]
    pub gold_ids: Vec<String>,
    /// The document the question was asked about, also where it does not answer it.
    #[serde(default)]
    pub context_id: Option<String>,
    /// Texts of which one should be in the answer.
    #[serde(default)]
    pub gold_answers: Vec<String>,
    /// What was said before it.
    #[serde(default, alias = "history")]
    pub chat_history: Vec<Message>,
    /// What sort of question it is.
    #[serde(default, alias = "kind")]
    pub category: String,
    /// `tune` or `test`.
    #[serde(default)]
    pub split: String,
    /// Whose documents are asked; the default tenant's where nobody says.
    #[serde(default)]
    pub tenant: Option<String>,
    /// What the asker may see; everything where nobody says.
    #[serde(default)]
    pub tags: Option<BTreeSet<String>>,
    /// Who asks, where tools look at their records.
    #[serde(default)]
    pub user: Option<String>,
    /// What tools said when the set was made; an evaluation calls none.
    #[serde(default)]
    pub recorded: Vec<serde_json::Value>,
    /// What is to be done with it, where that is part of the set.
    #[serde(default)]
    pub expected: Expected,
    /// Texts that should all be in the answer, where a set says so outside of `expected`.
    #[serde(default)]
    pub(crate) must_contain: Vec<String>,
}

/// What is to be done with a question. What a line does not say is not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// What sort of question it is, such as `terminology`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// `tree` or `direct`, or where it should go: `skosmos` for the vocabulary, else the kind or collection of what is cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// Whether it should be refused, routed or asked back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstain: Option<bool>,
    /// Why, as one word.
    #[serde(default, alias = "reason", skip_serializing_if = "Option::is_none")]
    pub abstain_reason: Option<String>,
    /// Documents of which one should be cited.
    #[serde(default, alias = "doc_ids", skip_serializing_if = "Option::is_none")]
    pub document_ids: Option<Vec<String>>,
    /// Kinds of documents of which one should be cited, such as `ADR`; `Vocabulary` is a term.
    #[serde(default, alias = "doc_types", skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
    /// Where an answer should come from: a collection that is cited, or `SKOSMOS` for the vocabulary, whoever serves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How many documents should be listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// `CITE` or `ROUTE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Who may be named where it is routed; null for the desk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owners: Option<Vec<Option<String>>>,
    /// The agent that should have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The tool that should be meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// `answered`, `refused`, `clarify`, `routed`, `tool`, or `pending` where a tool should wait for something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Whether it should be said that nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_context: Option<bool>,
    /// Texts that should all be in the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_contain: Vec<String>,
    /// Texts of which none may be in the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_not_contain: Vec<String>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// `user`, `assistant` or `system`.
    pub role: String,
    /// What was said.
    pub content: String,
}

impl GoldenQuestion {
    /// Who asks.
    #[must_use]
    pub fn reader(&self) -> Reader {
        let tenant = self.tenant.clone().unwrap_or_else(|| Reader::DEFAULT_TENANT.to_owned());
        Reader::of_scope(&tenant, self.tags.clone().map_or(Scope::WholeTenant, Scope::Tags))
    }

    /// The conversation before the question.
    #[must_use]
    pub fn conversation(&self) -> Vec<Turn> {
        let speaker = |role: &str| match role {
            "user" => Speaker::Asker,
            "system" => Speaker::System,
            _ => Speaker::Vouch,
        };
        let turn = |message: &Message| Turn::new(speaker(&message.role), message.content.clone());
        self.chat_history.iter().map(turn).collect()
    }
}

/// Why a golden set cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line} is not a golden question")]
pub struct GoldenError {
    /// Which line.
    pub line: usize,
    /// What is wrong with it.
    #[source]
    pub source: serde_json::Error,
}

/// Reads a golden set.
///
/// # Errors
/// Fails at the first line that is no golden question.
pub fn read(text: &str) -> Result<Vec<GoldenQuestion>, GoldenError> {
    // What is read goes by the lines of the file, so a comment leaves an empty one.
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let lines: Vec<&str> = text.lines().map(|line| if is_comment(&line) { "" } else { line }).collect();
    let text = lines.join("\n");
    let questions = serde_json::Deserializer::from_str(&text).into_iter::<GoldenQuestion>();
    let failed = |source: serde_json::Error| GoldenError { line: source.line(), source };
    questions.map(|question| question.map_err(failed).map(gathered)).collect()
}

/// What a line says in other sets' places, in the places of this one.
fn gathered(mut question: GoldenQuestion) -> GoldenQuestion {
    question.expected.must_contain.append(&mut question.must_contain);
    question.answerable = question.said_answerable.unwrap_or(question.expected.abstain != Some(true));
    question
}
