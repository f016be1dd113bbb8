//! What came of a request and of its calls of tools, in the words of replies, the trail and metrics.

use vouch_engine::{
    decide::{Decision, ToolStep},
    trace::ToolReport,
};

vouch_engine::words! {
    /// What came of a request.
    pub enum Outcome {
        /// It was answered.
        Answered = "answered",
        /// It was refused.
        Refused = "refused",
        /// The asker is asked what they mean.
        Clarify = "clarify",
        /// A person is named to ask instead.
        Routed = "routed",
        /// It was answered from a model's general knowledge; only metrics tell it apart from an answer.
        General = "general",
        /// A tool said it.
        Tool = "tool",
        /// It failed.
        Failed = "failed",
        /// It is not known yet: nothing more than its beginning was recorded.
        Begun = "begun",
    }

    /// What became of a call of a tool.
    pub enum CallOutcome {
        /// There was what was asked for.
        Found = "found",
        /// The tool did its work, and there was nothing.
        NotFound = "not_found",
        /// It did not do its work.
        Failed = "failed",
    }

    /// What the reader should do with a reply.
    pub enum Action {
        /// Read the sources.
        Cite = "CITE",
        /// Ask the person that is named.
        Route = "ROUTE",
    }

    /// How a question was searched for.
    pub enum Route {
        /// Through the several collections that its reader sees.
        Tree = "tree",
        /// In the only collection that its reader sees, or looked up without a question.
        Direct = "direct",
    }
}

impl Outcome {
    /// As metrics count a decision.
    #[must_use]
    pub fn from_decision(decision: &Decision) -> Self {
        match decision {
            Decision::Answer(_) => Self::Answered,
            Decision::Refuse(_) => Self::Refused,
            Decision::Clarify(_) => Self::Clarify,
            Decision::Refer(_) => Self::Routed,
            Decision::General(_) => Self::General,
            Decision::Tool(tool) => match &tool.step {
                ToolStep::Ran { .. } | ToolStep::Withdrawn => Self::Tool,
                ToolStep::Missing(_) | ToolStep::Waiting => Self::Clarify,
                ToolStep::Failed { .. } => Self::Refused,
            },
        }
    }

    /// As replies and the trail tell it: general knowledge is an answer there, under its disclaimer.
    #[must_use]
    pub fn in_replies(self) -> Self {
        match self {
            Self::General => Self::Answered,
            Self::Answered | Self::Refused | Self::Clarify | Self::Routed | Self::Tool | Self::Failed | Self::Begun => {
                self
            }
        }
    }
}

impl CallOutcome {
    /// That of a call.
    #[must_use]
    pub fn from_report(report: &ToolReport) -> Self {
        match (report.is_success(), report.is_found) {
            (true, true) => Self::Found,
            (true, false) => Self::NotFound,
            (false, _) => Self::Failed,
        }
    }
}
