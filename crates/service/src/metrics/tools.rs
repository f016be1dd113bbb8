//! Agents and tools → figures: whose questions there were, how surely, and what became of the calls.

use metrics::{counter, histogram};

use super::{Metrics, add};
use crate::outcome::CallOutcome;

impl Metrics {
    /// Counts a question of an agent, and how surely it was told to be its own where that was told at all.
    pub(super) fn count_routing(&self, agent: &str, confidence: Option<f32>) {
        let (agent, _) = self.agents.label(agent);
        if let Some(confidence) = confidence {
            self.tally.route(confidence);
        }
        self.count(|| {
            counter!("vouch_agent_questions_total", "agent" => agent.clone()).increment(1);
            if let Some(confidence) = confidence {
                histogram!("vouch_router_confidence", "agent" => agent).record(f64::from(confidence));
            }
        });
    }

    /// Counts a call of a tool that a profile has.
    pub(super) fn count_call(&self, tool: &str, outcome: CallOutcome, elapsed_ms: f64) {
        add(&self.tally.tools, 1);
        add(&self.tally.tools_failed, u64::from(outcome == CallOutcome::Failed));
        let (tool, _) = self.tools.label(tool);
        self.count(|| {
            for known in CallOutcome::ALL {
                let count = u64::from(*known == outcome);
                counter!("vouch_tool_calls_total", "tool" => tool.clone(), "outcome" => known.as_str())
                    .increment(count);
            }
            histogram!("vouch_tool_duration_seconds", "tool" => tool).record(elapsed_ms / 1e3);
        });
    }
}
