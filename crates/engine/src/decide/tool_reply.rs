//! What is said where a tool is meant: its output in the profile's words, what is missing, what will be done, or why not.

use vouch_domain::ToolRecord;

use crate::tool::Saying;

/// What a tool came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    /// The tool.
    pub tool: String,
    /// What is known of its input.
    pub args: ToolRecord,
    /// How far it has come.
    pub step: ToolStep,
    /// The model whose words they are; none where they are the profile's.
    pub model: Option<String>,
    pub(crate) text: Saying,
}

/// How far a tool has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolStep {
    /// It ran.
    Ran {
        /// Whether there was what was asked for.
        is_found: bool,
    },
    /// Something is missing, by name.
    Missing(Vec<String>),
    /// It waits for a yes.
    Waiting,
    /// It was taken back.
    Withdrawn,
    /// It did not run, or not to its end.
    Failed {
        /// Why, as one word.
        reason: &'static str,
        /// Why, for a person.
        sentence: String,
    },
}

impl ToolReply {
    /// What is said.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_str()
    }
}
