//! A question that a tool answers: its input out of what was said, a yes where something changes, one run, and its output in the
//! profile's words.
//!
//! Invariant: nothing that changes anything runs but on the asker's yes to exactly what was shown.

use vouch_domain::{Effect, PendingCall, Question, SessionState, Speaker, ToolCall, ToolRecord, Turn, date};

use super::{
    agents::{Handover, is_a_question, said_before},
    engine::{Engine, Response},
    question_kind::QuestionKind,
    trace::StopWatch,
};
use crate::{
    decide::{Decision, ToolReply, ToolStep},
    policy::{AgentPolicy, ToolPolicy},
    route::Routing,
    tool::{FilledSlots, Said, Saying, denies, fill, is_no, is_yes, said_of_call, said_of_output},
    trace::{Stage, ToolReport},
};

/// What is told where the words name somebody else.
const ANOTHERS: &str = "I can only look at your own records, so I have not looked anything up.";
/// What is told where it is not known who asks.
const STRANGER: &str = "I cannot tell who you are, so I cannot look at your records. Please sign in and ask again.";
/// What is told where a tool failed.
const FAILED: &str = "I could not look this up just now. Please try again later.";
const NOT_DONE: &str =
    "I could not do this just now. Please ask for it again from the beginning: the same thing is never done twice.";
/// What is told where a yes has nothing to say yes to.
const NOTHING_WAITS: &str = "Nothing is waiting for this confirmation: it was carried out, withdrawn or has expired.";
const WITHDRAWN: &str = "All right, nothing was done.";

/// What a tool came to, and what the conversation has come to with it.
struct Step {
    reply: ToolReply,
    pending: Option<PendingCall>,
    report: Option<ToolReport>,
}

impl Step {
    fn failed(tool: &str, args: ToolRecord, reason: &'static str, sentence: &str) -> Self {
        let step = ToolStep::Failed { reason, sentence: sentence.to_owned() };
        let reply = ToolReply { tool: tool.to_owned(), args, step, model: None, text: Saying::plain(sentence) };
        Self { reply, pending: None, report: None }
    }
}

impl Engine {
    /// Goes on with what waits, where the words are for it: first by themselves, then by whose question they are. None where they
    /// are another question.
    pub(super) async fn go_on(
        &self,
        handover: Handover<'_>,
        routing: Option<&Routing>,
        watch: &mut StopWatch<'_>,
    ) -> Option<Response> {
        let (question, policy) = (handover.question, &handover.agents.policy);
        let pending = question.session.pending.as_ref();
        let waiting = pending.and_then(|pending| Some((pending, policy.tool(&pending.tool)?)));
        let Some((pending, tool)) = waiting else {
            let is_lost = question.confirms.is_some() && routing.is_none();
            let lost = || Step::failed("", ToolRecord::new(), "nothing_waits", NOTHING_WAITS);
            return is_lost.then(|| self.tool_response(handover, None, lost(), watch));
        };
        let step = match routing {
            None => self.answer_to_waiting(handover, (pending, tool)).await?,
            Some(routing) => {
                let is_theirs = routing.tool.as_ref() == Some(&pending.tool)
                    || routing.confidence < policy.confidence_at_least
                    || policy.agent(&routing.agent).is_none();
                let is_asked_for = !pending.missing.is_empty() && is_theirs;
                is_asked_for.then(|| self.wait_for(tool, self.filled(handover, tool, Some(pending))))?
            }
        };
        let agent = question.session.agent.clone();
        Some(self.tool_response(handover, agent, step, watch))
    }

    /// What words that stand by themselves mean for what waits: a yes, a no, or a value that was asked for.
    async fn answer_to_waiting(
        &self,
        handover: Handover<'_>,
        (pending, tool): (&PendingCall, &ToolPolicy),
    ) -> Option<Step> {
        let question = handover.question;
        if let Some(token) = question.confirms.as_ref().filter(|_| !is_no(&question.text)) {
            let is_right = pending.missing.is_empty() && pending.token.as_ref() == Some(token);
            // A token does not speak against the words it comes with.
            return match is_right && is_yes(&question.text) {
                true => Some(self.run(handover, tool, pending.args.clone()).await),
                // What waits goes on waiting for its own yes.
                false => Some(Step {
                    pending: Some(pending.clone()),
                    ..Step::failed(&tool.name, pending.args.clone(), "nothing_waits", NOTHING_WAITS)
                }),
            };
        }
        if is_no(&question.text) {
            let (step, text) = (ToolStep::Withdrawn, Saying::plain(WITHDRAWN));
            let reply = ToolReply { tool: tool.name.clone(), args: pending.args.clone(), step, model: None, text };
            return Some(Step { reply, pending: None, report: None });
        }
        if pending.missing.is_empty() && is_yes(&question.text) && is_shown(question, tool, pending) {
            return Some(self.run(handover, tool, pending.args.clone()).await);
        }
        // What is asked or denied while a yes is waited for changes nothing of what was shown.
        if pending.missing.is_empty() && (is_a_question(&question.text) || denies(&question.text)) {
            return None;
        }
        let filled = self.filled(handover, tool, Some(pending));
        let is_answer = match pending.missing.is_empty() {
            true => !filled.new.is_empty(),
            false => filled.new.iter().any(|name| pending.missing.contains(name)),
        };
        if !is_answer {
            return None;
        }
        Some(self.take_step(handover, tool, filled).await)
    }

    /// Begins a call of a tool.
    pub(super) async fn begin_tool(
        &self,
        handover: Handover<'_>,
        (agent, tool): (&AgentPolicy, &ToolPolicy),
        watch: &mut StopWatch<'_>,
    ) -> Response {
        let filled = self.filled(handover, tool, None);
        let step = self.take_step(handover, tool, filled).await;
        self.tool_response(handover, Some(agent.name.clone()), step, watch)
    }

    pub(super) fn filled(
        &self,
        handover: Handover<'_>,
        tool: &ToolPolicy,
        pending: Option<&PendingCall>,
    ) -> FilledSlots {
        let (question, policy_tenants) = (handover.question, &handover.agents.policy.tool_tenants);
        let said = Said {
            text: &question.text,
            earlier: said_before(question),
            asker: question.asker.as_deref().filter(|_| policy_tenants.contains(&question.reader.tenant)),
            today: date(self.clock.now_ms()),
            awaited: pending.map_or(&[], |pending| pending.missing.as_slice()),
        };
        fill(tool, &said, pending.map_or(&ToolRecord::new(), |pending| &pending.args))
    }

    /// Asks for what is missing, shows what will be done, or runs what changes nothing.
    async fn take_step(&self, handover: Handover<'_>, tool: &ToolPolicy, filled: FilledSlots) -> Step {
        if filled.names_another {
            return Step::failed(&tool.name, filled.args, "anothers_records", ANOTHERS);
        }
        if filled.is_stranger {
            return Step::failed(&tool.name, filled.args, "unknown_asker", STRANGER);
        }
        let effect = self.toolbox.as_ref().and_then(|toolbox| toolbox.effect(&tool.name));
        match (filled.missing.is_empty(), effect) {
            (true, Some(Effect::Reads)) => self.run(handover, tool, filled.args).await,
            (true, None) => Step::failed(&tool.name, filled.args, "unavailable", FAILED),
            (true, Some(Effect::Changes)) | (false, _) => self.wait_for(tool, filled),
        }
    }

    /// What is missing, or what will be done on a yes. Input that the tool would not take is never shown for a yes.
    fn wait_for(&self, tool: &ToolPolicy, filled: FilledSlots) -> Step {
        let FilledSlots { args, missing, .. } = filled;
        let call = ToolCall { tool: tool.name.clone(), args };
        let fault = self.toolbox.as_ref().filter(|_| missing.is_empty()).and_then(|toolbox| toolbox.check(&call).err());
        if let Some(sentence) = fault {
            tracing::info!(tool = tool.name, sentence, component = "tools", "input was not accepted");
            return Step::failed(&tool.name, call.args, "invalid_input", &format!("I cannot use that: {sentence}."));
        }
        let (step, text) = match missing.is_empty() {
            true => (ToolStep::Waiting, said_of_call(tool, &call.args)),
            false => (ToolStep::Missing(missing.clone()), Saying::plain(&questions(tool, &missing))),
        };
        let pending = PendingCall { tool: call.tool.clone(), args: call.args.clone(), missing, token: None };
        let reply = ToolReply { tool: call.tool, args: call.args, step, model: None, text };
        Step { reply, pending: Some(pending), report: None }
    }

    /// Runs a tool once.
    async fn run(&self, handover: Handover<'_>, tool: &ToolPolicy, args: ToolRecord) -> Step {
        let Some(toolbox) = &self.toolbox else {
            return Step::failed(&tool.name, args, "unavailable", FAILED);
        };
        // Who asks may have changed since the call was shown.
        let filled = self.filled(handover, tool, None);
        if filled.is_stranger || !is_of_asker(tool, &args, &filled.args) {
            return Step::failed(&tool.name, args, "unknown_asker", STRANGER);
        }
        let call = ToolCall { tool: tool.name.clone(), args };
        let effect = toolbox.effect(&tool.name).unwrap_or(Effect::Changes);
        let started = self.clock.since_start();
        let timeout = handover.agents.policy.tool_timeout;
        let outcome = toolbox.call(&call, timeout).await;
        let elapsed_ms = self.clock.since_start().saturating_sub(started).as_secs_f64() * 1e3;
        match outcome {
            Ok(output) => {
                let (text, model) = match self.told_by_model(handover, tool, &output).await {
                    Some((text, model)) => (text, Some(model)),
                    None => (said_of_output(tool, &call.args, &output.record, output.is_found), None),
                };
                let step = ToolStep::Ran { is_found: output.is_found };
                let reply = ToolReply { tool: tool.name.clone(), args: call.args.clone(), step, model, text };
                let (record, is_found) = (Some(output.record), output.is_found);
                let report = ToolReport { call, effect, output: record, is_found, failure: None, elapsed_ms };
                Step { reply, pending: None, report: Some(report) }
            }
            Err(error) => {
                tracing::warn!(tool = tool.name, %error, component = "tools", "a tool failed");
                let sentence = match effect {
                    Effect::Changes => NOT_DONE,
                    Effect::Reads => FAILED,
                };
                let failure = Some((error.fault.as_str(), error.sentence));
                let failed = Step::failed(&tool.name, call.args.clone(), "tool_failed", sentence);
                let report = ToolReport { call, effect, output: None, is_found: false, failure, elapsed_ms };
                Step { report: Some(report), ..failed }
            }
        }
    }

    fn tool_response(
        &self,
        handover: Handover<'_>,
        agent: Option<String>,
        step: Step,
        watch: &mut StopWatch<'_>,
    ) -> Response {
        watch.lap(Stage::Tool);
        let decision = Decision::Tool(step.reply);
        let mut response = self.unsearched(decision, (handover.understanding, QuestionKind::Tool), watch);
        response.trace.tools = step.report.into_iter().collect();
        response.session = SessionState { agent, pending: step.pending, open_question: None };
        response
    }
}

/// Whether what waits is what was shown last, where the asker sends what was said: a yes to something else, or to nothing, is not a yes
/// to this.
fn is_shown(question: &Question, tool: &ToolPolicy, pending: &PendingCall) -> bool {
    let last = question.conversation.iter().rev().find(|turn| turn.speaker == Speaker::Vouch);
    let is_shown = |turn: &Turn| turn.text.contains(said_of_call(tool, &pending.args).as_str());
    question.conversation.is_empty() || last.is_some_and(is_shown)
}

/// Whether what names the asker in a call is who asks now.
fn is_of_asker(tool: &ToolPolicy, args: &ToolRecord, now: &ToolRecord) -> bool {
    use crate::policy::SlotSource;
    let mut own = tool.slots.iter().filter(|slot| matches!(slot.source, SlotSource::Asker(_)));
    own.all(|slot| args.get(&slot.name) == now.get(&slot.name))
}

/// What is asked for, one after another.
fn questions(tool: &ToolPolicy, missing: &[String]) -> String {
    let asked = tool.slots.iter().filter(|slot| missing.contains(&slot.name)).map(|slot| slot.asks.as_str());
    asked.collect::<Vec<_>>().join("\n")
}
