//! A question and the agents of a profile → who answers it: the fallback, a tool, or an agent from its own documents.
//!
//! Invariant: what a conversation has come to is handed in and handed out; nothing is remembered here. From the routing on
//! every figure is the agent's own.

use vouch_domain::{Question, SessionState, Speaker};

use super::{
    engine::{AskError, Engine, Response},
    listener::Listener,
    material::{Author, Material},
    outcome::Outcome,
    question_kind::QuestionKind,
    trace::{StopWatch, trace},
    waits::{kept, words_of},
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

    /// Hands a question to whose it is; what waited too long in its conversation has lapsed before.
    pub(super) async fn walk_with_agents(
        &self,
        handover: Handover<'_>,
        listener: Option<&dyn Listener>,
        mut watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let Some(question) = self.without_lapsed(handover.question) else {
            return self.walk_on(handover, listener, watch).await;
        };
        if let Some(response) = self.told_too_late(handover, &mut watch) {
            return Ok(response);
        }
        let response = self.walk_on(Handover { question: &question, ..handover }, listener, watch).await?;
        Ok(Self::with_lapse(response))
    }

    /// Goes on with what waits, or hands a question to whose it is.
    async fn walk_on(
        &self,
        handover: Handover<'_>,
        listener: Option<&dyn Listener>,
        mut watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let Handover { agents, question, understanding } = handover;
        if let Some(response) = self.go_on(handover, &mut watch).await {
            return Ok(response);
        }
        // What an editor set for these very words goes to its sources, whoever would have the question else.
        if question.agent.is_none() && self.is_set_by_editor(understanding, &question.reader).await {
            let response = Box::pin(self.walk_alone(question, understanding.clone(), listener, watch)).await?;
            return Ok(beside_what_waits(handover, question.session.clone(), response));
        }
        if understanding.class() == QueryClass::Greeting {
            let response = self.greet(understanding, watch);
            return Ok(beside_what_waits(handover, question.session.clone(), response));
        }
        if let Some(response) = self.nothing_waits(handover, &mut watch) {
            return Ok(response);
        }
        let routing = agents.router.route(question, &self.retrieve).await?;
        let routing = self.settled_by_model(handover, routing).await;
        watch.lap(Stage::Route);
        if let Some(mut response) = self.go_on_asking(handover, &routing, &mut watch) {
            response.trace.routing.iter_mut().for_each(|own| own.considered.clone_from(&routing.considered));
            return Ok(response);
        }
        let Some(needs) = self.several_needs(handover).await else {
            return self.serve(handover, routing, listener, watch).await;
        };
        let question = Question { text: needs.first, ..question.clone() };
        let understanding = understand(&question, &self.policies.understand)?;
        let own = Handover { question: &question, understanding: &understanding, ..handover };
        let mut response = self.serve(own, needs.routing, listener, watch).await?;
        response.asides.insert(0, needs.aside);
        Ok(response)
    }

    /// Answers a question by whom it was routed to.
    async fn serve(
        &self,
        handover: Handover<'_>,
        routing: Routing,
        listener: Option<&dyn Listener>,
        mut watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let policy = &handover.agents.policy;
        let Some(agent) = policy.agent(&routing.agent) else {
            return Ok(self.say_what_agents_do(handover, watch).routed(routing));
        };
        let by_rule = routing.tool.as_ref().and_then(|name| policy.tool(name));
        let tool = self.tool_of_model(handover, agent).await.or(by_rule);
        // A question takes the place of nothing that waits for a yes.
        let tool = tool.filter(|tool| {
            !waits_for_yes(handover.question) || self.only_reads(tool) || !is_a_question(&handover.question.text)
        });
        if let Some(tool) = tool
            && let Some(response) = self.begin_tool(handover, tool, &mut watch).await
        {
            return Ok(response.routed(routing));
        }
        self.ask_agents(handover, (agent, routing), listener, watch).await
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
        beside_what_waits(handover, question.session.clone(), response)
    }

    /// An agent's answer from the documents it reads; where it finds nothing, that of the next likely one, if that finds something.
    async fn ask_agents(
        &self,
        handover: Handover<'_>,
        (agent, routing): (&AgentPolicy, Routing),
        listener: Option<&dyn Listener>,
        watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let first = self.ask_agent(handover, agent, listener, watch).await?;
        let next = next_likely(handover, &routing).filter(|_| has_found_nothing(&first.decision));
        let Some((next, confidence)) = next else { return Ok(first.routed(routing)) };
        let second = self.ask_agent(handover, next, listener, StopWatch::start(&self.clock)).await?;
        if !matches!(second.decision, Decision::Answer(_)) {
            return Ok(first.routed(routing));
        }
        let reason = format!("{} found nothing about it, and {} is the next most likely", agent.name, next.name);
        let elapsed_ms = first.elapsed_ms + second.elapsed_ms;
        let routing = Routing { agent: next.name.clone(), confidence, reason, tool: None, ..routing };
        Ok(Response { elapsed_ms, ..second }.routed(routing))
    }

    /// An agent's answer from the documents it reads.
    async fn ask_agent(
        &self,
        handover: Handover<'_>,
        agent: &AgentPolicy,
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
            open_question: is_no_context.then_some(question.text),
            ..SessionState::default()
        };
        Ok(beside_what_waits(handover, session, response))
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
        let session = SessionState::default();
        let (asides, waits_for) = (Vec::new(), None);
        Response { decision, intent, evidence, read, trace, session, asides, waits_for, elapsed_ms }
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

/// Whether something waits for a yes.
fn waits_for_yes(question: &Question) -> bool {
    question.session.pending.as_ref().is_some_and(|pending| pending.missing.is_empty())
}

/// A response in whose conversation something goes on waiting, which the reader is told.
fn beside_what_waits(handover: Handover<'_>, session: SessionState, response: Response) -> Response {
    let pending = kept(handover.question);
    let waits_for = pending.as_ref().and_then(|pending| words_of(&handover.agents.policy, pending));
    Response { session: SessionState { pending, ..session }, waits_for, ..response }
}

/// The likeliest other agent with how likely it is, where it is likelier than that the question is nobody's and as likely as the doubt
/// that is left where a routing is sure: else its documents answer beside the question. An agent that the asker chose has none.
fn next_likely<'a>(handover: Handover<'a>, routing: &Routing) -> Option<(&'a AgentPolicy, f32)> {
    let policy = &handover.agents.policy;
    let others = routing.considered.iter().filter(|one| one.agent != routing.agent);
    let mut likelier = others.take_while(|one| one.agent != policy.fallback.name);
    let doubt = 1.0 - policy.confidence_at_least;
    let next = likelier.next().filter(|next| handover.question.agent.is_none() && next.confidence >= doubt)?;
    policy.agent(&next.agent).map(|agent| (agent, next.confidence))
}

/// Whether an agent's documents do not answer.
fn has_found_nothing(decision: &Decision) -> bool {
    match decision {
        Decision::Clarify(asked) => asked.is_no_context,
        Decision::Refuse(_) => true,
        Decision::Answer(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => false,
    }
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
