//! What sort of question was asked.

use crate::decide::{Decision, RefusalReason};

crate::words! {
    /// A sort of question, as replies and the trail call it.
    pub enum QuestionKind {
        /// What a term means.
        Terminology = "terminology",
        /// About documents it names.
        Entity = "entity",
        /// For a list of documents.
        List = "list",
        /// For a fact.
        Factual = "factual",
        /// How something is done.
        Procedural = "procedural",
        /// A follow-up on what was said before.
        Clarification = "clarification",
        /// A greeting or thanks.
        Greeting = "greeting",
        /// Something a tool looks up or does.
        Tool = "tool",
    }
}

impl QuestionKind {
    /// The same, or a term where it is refused since no vocabulary defines what it asks for.
    pub(super) fn of_decision(self, decision: &Decision) -> Self {
        let is_undefined = matches!(decision, Decision::Refuse(refusal) if matches!(refusal.reason, RefusalReason::TermUnknown { .. }));
        if is_undefined { Self::Terminology } else { self }
    }
}
