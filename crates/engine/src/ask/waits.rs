//! What waits in a conversation, in words: as it was asked, and that other input has taken its place.

use vouch_domain::{PendingCall, Question};

use crate::{
    policy::{AgentsPolicy, ToolPolicy},
    tool::{Saying, said_of_call},
};

const REPLACED: &str = "This replaces what I asked you before, which was not carried out.";

/// What goes on waiting while something else is said.
pub(super) fn kept(question: &Question) -> Option<PendingCall> {
    question.session.pending.clone().map(|pending| PendingCall { is_aside: true, ..pending })
}

/// The words in which what waits was asked for.
pub(super) fn words_of(policy: &AgentsPolicy, pending: &PendingCall) -> Option<String> {
    Some(shown(policy.tool(&pending.tool)?, pending).as_str().to_owned())
}

/// Whether other input has taken the place of what waited.
pub(super) fn replaced(before: Option<&PendingCall>, now: &PendingCall) -> Option<String> {
    let is_other = |before: &&PendingCall| before.missing.is_empty() || before.tool != now.tool;
    before.filter(is_other).map(|_| REPLACED.to_owned())
}

/// What was said of what waits.
pub(super) fn shown(tool: &ToolPolicy, pending: &PendingCall) -> Saying {
    match pending.missing.is_empty() {
        true => said_of_call(tool, &pending.args),
        false => Saying::plain(&questions(tool, &pending.missing)),
    }
}

/// What is asked for, one after another.
pub(super) fn questions(tool: &ToolPolicy, missing: &[String]) -> String {
    let asked = tool.slots.iter().filter(|slot| missing.contains(&slot.name)).map(|slot| slot.asks.as_str());
    asked.collect::<Vec<_>>().join("\n")
}
