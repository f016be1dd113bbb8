//! What a conversation carries from one turn to the next, besides its words.

use crate::tool::ToolRecord;

/// The state of a conversation. It is kept where no client can write it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionState {
    /// The agent that answered last.
    pub agent: Option<String>,
    /// A call that waits for something.
    pub pending: Option<PendingCall>,
    /// A question for which details were asked back.
    pub open_question: Option<String>,
    /// How many turns the asker has had.
    pub turns: u32,
}

/// A call that waits for an input, or for a yes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PendingCall {
    /// The tool.
    pub tool: String,
    /// What is known of its input.
    pub args: ToolRecord,
    /// What is still missing, by name; nothing if it waits for a yes.
    pub missing: Vec<String>,
    /// What the yes is given with; only a call that lacks nothing has one.
    pub token: Option<String>,
    /// When it lapses (milliseconds since 1970); none if it does not by itself.
    pub until_ms: Option<u64>,
    /// Whether something else was said since it was shown: a mere "ok" may then be to that.
    pub is_aside: bool,
}

/// Whose conversation it is: nobody else reaches it, whatever id they name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionOwner {
    /// The tenant.
    pub tenant: String,
    /// Who asks, as the trail calls them.
    pub asker: String,
}

/// The longest id of a conversation.
const ID_BYTES_MAX: usize = 128;

/// Whether a text can be the id of a conversation: letters, digits and a few signs between them.
#[must_use]
pub fn is_session_id(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'-');
    (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_sign)
}
