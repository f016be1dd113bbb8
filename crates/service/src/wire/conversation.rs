//! What is told of a conversation beside whatever is said: what has lapsed, what was not served, what still waits.

use vouch_engine::ask::Response;

use super::{PendingWire, Reply};

/// What is told of what waits beside an answer.
const STILL_WAITS: &str = "Still waiting for your answer:";

impl Reply {
    /// What else is told of the conversation, below whatever is said, so that nobody who sees the words alone misses it.
    pub(super) fn fill_conversation(&mut self, response: &Response) {
        let waits = response.waits_for.as_ref().map(|words| format!("{STILL_WAITS} {words}"));
        self.asides = response.asides.iter().cloned().chain(waits).collect();
        for aside in &self.asides {
            self.answer.push_str("\n\n");
            self.answer.push_str(aside);
        }
        if let (Some(pending), Some(words)) = (&response.session.pending, &response.waits_for) {
            self.pending = Some(PendingWire::new(pending, words));
        }
    }
}
