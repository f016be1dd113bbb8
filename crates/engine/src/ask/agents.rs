//! A question and the agents of a profile → who answers it: the fallback, a tool, or an agent from its own documents.
//!
//! Invariant: what a conversation has come to is handed in and handed out; nothing is remembered here. From the routing on
//! every figure is the agent's own.

use vouch_domain::{PendingCall, Question, SessionState, Speaker};

use super::{
    engine::{AskError, Engine, Response},
    listener::Listener,
    material::{Author, Material},
    outcome::Outcome,
    question_kind::QuestionKind,
    trace::{StopWatch, trace},
};
use crate::{
    decide::{Clarification, Decision},
    judge::Evidence,
    policy::{AgentPolicy, AgentsPolicy},
    retrieve::ReadGeneration,
    route::{Agents, Routing},
    trace::Stage,
    understand::{QueryClass, Understanding, understand},
    verify::Rows,
};

/// Where a question with agents stands on its way.
#[derive(Clone, Copy)]
pub(super) struct Handover<'a> {
    pub(super) agents: &'a Agents,
    pub(super) question: &'a Question,
    pub(super) understanding: &'a Understanding,
}

impl Engine {
    /// Waits for the judge and the search as long as it takes, so that no busy moment changes a decision.
    pub fn be_patient(&mut self) {
        self.policies.be_patient();
        if let Some(agents) = &self.agents {
            let mut policy = AgentsPolicy::clone(&agents.policy);
            policy.agents.iter_mut().for_each(|agent| agent.policies.be_patient());
            self.agents = Some(agents.deciding_by(policy));
        }
    }

    /// Hands a question to whose it is.
    pub(super) async fn walk_with_agents(
        &self,
        handover: Handover<'_>,
        listener: Option<&dyn Listener>,
        mut watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let Handover { agents, question, understanding } = handover;
        if let Some(response) = self.go_on(handover, None, &mut watch).await {
            return Ok(response);
        }
        // What an editor set for these very words goes to its sources, whoever would have the question else.
        if question.agent.is_none() && self.is_set_by_editor(understanding, &question.reader).await {
            let response = Box::pin(self.walk_alone(question, understanding.clone(), listener, watch)).await?;
            let session = SessionState { pending: unfinished(question), ..question.session.clone() };
            return Ok(Response { session, ..response });
        }
        if understanding.class() == QueryClass::Greeting {
            let response = self.greet(understanding, watch);
            let session = SessionState { pending: unfinished(question), ..question.session.clone() };
            return Ok(Response { session, ..response });
        }
        let routing = agents.router.route(question, &self.retrieve).await?;
        let routing = self.settled_by_model(handover, routing).await;
        watch.lap(Stage::Route);
        if let Some(response) = self.go_on(handover, Some(&routing), &mut watch).await {
            return Ok(response.routed(routing));
        }
        let Some(agent) = agents.policy.agent(&routing.agent) else {
            return Ok(self.say_what_agents_do(handover, watch).routed(routing));
        };
        let by_rule = routing.tool.as_ref().and_then(|name| agents.policy.tool(name));
        if let Some(tool) = self.tool_of_model(handover, agent).await.or(by_rule) {
            let response = self.begin_tool(handover, (agent, tool), &mut watch).await;
            return Ok(response.routed(routing));
        }
        self.ask_agent(handover, (agent, routing), listener, watch).await
    }

    /// What the agents can do, where a question is none of theirs. What waits goes on waiting.
    fn say_what_agents_do(&self, handover: Handover<'_>, mut watch: StopWatch<'_>) -> Response {
        let Handover { agents, question, understanding } = handover;
        let clarification = Clarification {
            question: agents.policy.fallback.message.clone(),
            text: None,
            options: Vec::new(),
            is_no_context: false,
        };
        let decision = Decision::Clarify(clarification);
        let response = self.unsearched(decision, (understanding, QuestionKind::Clarification), &mut watch);
        Response { session: SessionState { pending: unfinished(question), ..question.session.clone() }, ..response }
    }

    /// An agent's answer from the documents it reads.
    async fn ask_agent(
        &self,
        handover: Handover<'_>,
        (agent, routing): (&AgentPolicy, Routing),
        listener: Option<&dyn Listener>,
        watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let question = question_of(handover.question, agent);
        let own = Engine { policies: Box::as_ref(&agent.policies).clone(), agents: None, ..self.clone() };
        let understanding = understand(&question, &own.policies.understand)?;
        let response = Box::pin(own.walk_alone(&question, understanding, listener, watch)).await?;
        let is_no_context = matches!(&response.decision, Decision::Clarify(asked) if asked.is_no_context);
        let session = SessionState {
            agent: Some(agent.name.clone()),
            pending: unfinished(handover.question),
            open_question: is_no_context.then_some(question.text),
        };
        Ok(Response { session, ..response }.routed(routing))
    }

    /// A decision that nothing was searched for.
    pub(super) fn unsearched(
        &self,
        decision: Decision,
        (understanding, intent): (&Understanding, QuestionKind),
        watch: &mut StopWatch<'_>,
    ) -> Response {
        let nothing = Material::looked_up(understanding, Evidence::empty(), Author::Catalogue(Rows::new(Vec::new())));
        let outcome = Outcome { decision, material: nothing, writer: None };
        watch.lap(Stage::Decide);
        let trace = trace(&outcome, watch, &self.policies.decide);
        let Outcome { decision, material, .. } = outcome;
        let (evidence, read, elapsed_ms) = (material.evidence, ReadGeneration::Nothing, watch.total_ms());
        Response { decision, intent, evidence, read, trace, session: SessionState::default(), elapsed_ms }
    }
}

impl Response {
    fn routed(mut self, routing: Routing) -> Self {
        self.trace.routing = Some(routing);
        self
    }
}

/// The question as an agent has it: within its collections, and with the question before where this one gives the details that
/// were asked for.
fn question_of(question: &Question, agent: &AgentPolicy) -> Question {
    let reader = match agent.collections.is_empty() {
        true => question.reader.clone(),
        false => question.reader.clone().within(&agent.collections),
    };
    let is_same_agent = question.session.agent.as_ref() == Some(&agent.name);
    let open = question.session.open_question.as_ref().filter(|_| is_same_agent && !is_a_question(&question.text));
    let text = match open {
        Some(open) => format!("{} {}", open.trim_end_matches(['?', '.', '!']), question.text),
        None => question.text.clone(),
    };
    Question { text, reader, ..question.clone() }
}

/// A call that lacks something goes on waiting while something else is asked. One that waits for a yes does not: a later yes would be one
/// to something else.
fn unfinished(question: &Question) -> Option<PendingCall> {
    question.session.pending.clone().filter(|pending| !pending.missing.is_empty())
}

/// Whether the words ask something by themselves; details do not.
pub(super) fn is_a_question(words: &str) -> bool {
    const ASKING: &[&str] = &[
        "what", "why", "how", "when", "where", "which", "who", "can", "could", "do", "does", "is", "are", "should",
        "may",
    ];
    let first = words.split_whitespace().next().unwrap_or_default().to_lowercase();
    words.trim_end().ends_with('?') || ASKING.contains(&first.as_str())
}

/// What the asker said before, the last first.
pub(super) fn said_before(question: &Question) -> Vec<&str> {
    let own = question.conversation.iter().rev().filter(|turn| turn.speaker == Speaker::Asker);
    own.map(|turn| turn.text.as_str()).collect()
}
