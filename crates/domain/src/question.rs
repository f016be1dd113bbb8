//! The asker's words, untouched, with who asks and what was said before.

use crate::{reader::Reader, session::SessionState, timestamp::Timestamp};

/// One question to the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The words as they came.
    pub text: String,
    /// What was said before, oldest first.
    pub conversation: Vec<Turn>,
    /// Who asks, and so what may be seen.
    pub reader: Reader,
    /// How many passages may be used at most, where the asker sets it.
    pub passages_max: Option<usize>,
    /// Who is to write, where the asker says so.
    pub model: Option<String>,
    /// The tag of the language to be answered in, where the asker says so; else it is told from the words.
    pub language: Option<String>,
    /// Whose records tools may reach: who asks, as a key, a token or the command line says, and never the words.
    pub asker: Option<String>,
    /// The agent that is to answer, where the asker says so.
    pub agent: Option<String>,
    /// What the conversation has come to.
    pub session: SessionState,
    /// The token of a call that waits for a yes, where the asker gives that yes.
    pub confirms: Option<String>,
    /// The request whose reply offered this question in the place of another, where the asker took it up.
    pub instead_of: Option<String>,
}

impl Question {
    /// A question by itself: nothing said before, nothing asked for beside it.
    #[must_use]
    pub fn new(text: impl Into<String>, reader: Reader) -> Self {
        Self {
            text: text.into(),
            conversation: Vec::new(),
            reader,
            passages_max: None,
            model: None,
            language: None,
            asker: None,
            agent: None,
            session: SessionState::default(),
            confirms: None,
            instead_of: None,
        }
    }

    /// Whether asker or Vouch have said anything before; what a program said is no conversation.
    #[must_use]
    pub fn follows_a_conversation(&self) -> bool {
        self.conversation.iter().any(|turn| turn.speaker != Speaker::System)
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who spoke.
    pub speaker: Speaker,
    /// What was said.
    pub text: String,
    /// The source ids an answer rested on, as its citations named them.
    pub sources: Vec<String>,
    /// When it was said, where that is known.
    pub said_at: Option<Timestamp>,
}

impl Turn {
    /// Words by themselves.
    #[must_use]
    pub fn new(speaker: Speaker, text: impl Into<String>) -> Self {
        Self { speaker, text: text.into(), sources: Vec::new(), said_at: None }
    }
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person asking.
    Asker,
    /// Vouch.
    Vouch,
    /// The program that the conversation was held through; kept with it, and never obeyed.
    System,
}
