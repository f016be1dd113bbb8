//! The asker's words, untouched, with who asks and what was said before.

use crate::reader::Reader;

/// One question to the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The words as they came.
    pub text: String,
    /// What was said before, oldest first.
    pub conversation: Vec<Turn>,
    /// Who asks, and so what may be seen.
    pub reader: Reader,
    /// How many passages may be used at most, where the asker sets it.
    pub passages_max: Option<usize>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who spoke.
    pub speaker: Speaker,
    /// What was said.
    pub text: String,
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person asking.
    Asker,
    /// Vouch.
    Vouch,
}
