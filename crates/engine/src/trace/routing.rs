//! Whose question it was, and which tools were called for it.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Effect, ToolCall, ToolRecord};

/// Whose question it is.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceRouting)]
pub struct Routing {
    /// The agent.
    pub agent: String,
    /// How likely it is the right one, 0 to 1.
    pub confidence: f32,
    /// Why it has the question, for a person.
    pub reason: String,
    /// Every agent with how likely it is, the likeliest first.
    pub considered: Vec<ConsideredAgent>,
    /// The tool that is meant; none where the documents are asked.
    pub tool: Option<String>,
}

/// An agent that could have had the question.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceConsideredAgent)]
pub struct ConsideredAgent {
    /// The agent.
    pub agent: String,
    /// How likely it is the right one, 0 to 1.
    pub confidence: f32,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReport {
    /// The call.
    pub call: ToolCall,
    /// Whether it changes anything.
    pub effect: Effect,
    /// What came back; none if it failed.
    pub output: Option<ToolRecord>,
    /// Whether there was what was asked for.
    pub is_found: bool,
    /// Why it failed, as one word and as a sentence.
    pub failure: Option<(&'static str, String)>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: f64,
}

impl ToolReport {
    /// Whether the tool did its work; that nothing was found is an answer, too.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.failure.is_none()
    }
}
