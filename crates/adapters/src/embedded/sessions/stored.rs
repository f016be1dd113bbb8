//! The state of a conversation ↔ the JSON it is kept as.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vouch_domain::session::{PendingCall, SessionState};

use crate::tools::value::{json_of, record_of};

/// A state as it is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredState {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<StoredCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_question: Option<String>,
    /// Absent from what earlier versions kept, as what follows is.
    #[serde(default)]
    turns: u32,
}

/// A call that waits; its token has a column of its own.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCall {
    tool: String,
    args: Map<String, Value>,
    missing: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until_ms: Option<u64>,
    #[serde(default)]
    is_aside: bool,
}

/// A state as text; an error says what cannot be kept.
pub(crate) fn write(state: &SessionState) -> Result<String, String> {
    let pending = match &state.pending {
        Some(call) => {
            let (tool, missing) = (call.tool.clone(), call.missing.clone());
            let (args, until_ms, is_aside) = (json_of(&call.args)?, call.until_ms, call.is_aside);
            Some(StoredCall { tool, args, missing, until_ms, is_aside })
        }
        None => None,
    };
    let stored = StoredState {
        agent: state.agent.clone(),
        pending,
        open_question: state.open_question.clone(),
        turns: state.turns,
    };
    serde_json::to_string(&stored).map_err(|error| error.to_string())
}

/// The state that a text and a token stand for; an error says what is wrong with the text.
pub(crate) fn read(text: &str, token: Option<String>) -> Result<SessionState, String> {
    // A list would be taken for the fields in their order.
    let map: Map<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let stored = StoredState::deserialize(Value::Object(map)).map_err(|error| error.to_string())?;
    let pending = match stored.pending {
        Some(call) => {
            let args = record_of(&call.args)?;
            let StoredCall { tool, missing, until_ms, is_aside, .. } = call;
            Some(PendingCall { tool, args, missing, token, until_ms, is_aside })
        }
        None => None,
    };
    Ok(SessionState { agent: stored.agent, pending, open_question: stored.open_question, turns: stored.turns })
}
