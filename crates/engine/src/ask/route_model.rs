//! A model beside the router: where the examples leave it open whose question it is, it may say so.
//!
//! Invariant: a model is asked only where the settings say so and the rule is unsure, and only the name of an agent counts. Who the
//! asker is, what is searched and which tools are there do not depend on it beyond that name.

use super::{agents::Handover, engine::Engine};
use crate::{
    model_registry::prompt::{AGENTS, fill_template, neutralize, system_message, user_message},
    policy::{AgentPolicy, AgentsPolicy},
    route::Routing,
};

impl Engine {
    /// The routing that a model makes of one that is unsure.
    pub(super) async fn settled_by_model(&self, handover: Handover<'_>, routing: Routing) -> Routing {
        let policy = &handover.agents.policy;
        let is_open = routing.agent == policy.fallback.name && routing.confidence < policy.confidence_at_least;
        if !is_open || handover.question.agent.is_some() {
            return routing;
        }
        let Some(agent) = self.agent_of_model(handover).await else { return routing };
        let confidence =
            routing.considered.iter().find(|one| one.agent == agent.name).map_or(0.0, |one| one.confidence);
        let reason = format!("the examples left it open, and a model chose {}", agent.name);
        Routing { agent: agent.name.clone(), confidence, reason, tool: None, ..routing }
    }

    async fn agent_of_model<'a>(&self, handover: Handover<'a>) -> Option<&'a AgentPolicy> {
        let policy: &'a AgentsPolicy = &handover.agents.policy;
        let job_model = self.tool_writer(handover, policy.model_routes).await?;
        let agents: Vec<String> =
            policy.agents.iter().map(|agent| format!("- {}: {}", agent.name, agent.scope)).collect();
        let prompt = fill_template(AGENTS, &[("nobody", &policy.fallback.name), ("agents", &agents.join("\n"))]);
        let question = neutralize(&handover.question.text, |_| true);
        match job_model.complete_uncut(vec![system_message(prompt), user_message(&question)]).await {
            Ok(said) => policy.agent(said?.trim().trim_matches(['"', '\'', '.', '`', '*'])),
            Err(error) => {
                tracing::warn!(code = error.code(), component = "agents", "the model said no agent; the fallback asks");
                None
            }
        }
    }
}
