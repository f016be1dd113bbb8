//! What tools are called with and what they give back: values with a type, by name.

use std::collections::BTreeMap;

/// Values by name.
pub type ToolRecord = BTreeMap<String, ToolValue>;

/// A value of a tool's input or output.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolValue {
    /// Nothing.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// A number; always finite.
    Number(f64),
    /// Text, also dates and names of states.
    Text(String),
    /// Several values.
    List(Vec<ToolValue>),
    /// Values by name.
    Record(ToolRecord),
}

impl ToolValue {
    /// The text, where it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nothing | Self::Flag(_) | Self::Number(_) | Self::List(_) | Self::Record(_) => None,
        }
    }
}

impl From<&str> for ToolValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// Its input, by name.
    pub args: ToolRecord,
}

/// What a tool gave back, held against the form that was declared for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The values.
    pub record: ToolRecord,
    /// Whether there is what was asked for; if not, the record is the one that was declared for that.
    pub is_found: bool,
}

/// Whether a tool changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only looks something up.
    Reads,
    /// It changes something, so nothing runs without a yes.
    Changes,
}
