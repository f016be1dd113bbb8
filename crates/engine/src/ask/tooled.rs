//! A question that a tool answers: its input out of what was said, a yes where something changes, one run, and its output in the
//! profile's words.
//!
//! Invariant: nothing that changes anything runs but on the asker's yes to exactly what was shown, and nothing is shown for a yes that
//! cannot be done.

use vouch_domain::{Effect, PendingCall, PortError, SessionState, ToolCall, ToolRecord, date};

use super::{
    agents::{Handover, said_before},
    engine::{Engine, Response},
    question_kind::QuestionKind,
    trace::StopWatch,
    waits::{kept, questions, replaced, words_of},
};
use crate::{
    decide::{Decision, ToolReply, ToolStep},
    policy::{AgentPolicy, SlotSource, ToolPolicy},
    route::Routing,
    tool::{
        FilledSlots, Named, Said, Saying, fill, is_of_asker, names, said_of_call, said_of_obstacle, said_of_output,
    },
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

/// What a tool came to, and what the conversation has come to with it.
pub(super) struct Step {
    reply: ToolReply,
    waits: Waits,
    report: Option<ToolReport>,
}

/// What waits after a step.
pub(super) enum Waits {
    /// What waited before, if anything did.
    Same,
    /// Nothing.
    Nothing,
    /// What is asked for now.
    New(PendingCall),
    /// What waited before, shown once more.
    Again(PendingCall),
}

impl Step {
    pub(super) fn said(tool: &ToolPolicy, args: ToolRecord, step: ToolStep, text: Saying) -> Self {
        let reply = ToolReply { tool: tool.name.clone(), args, step, model: None, text };
        Self { reply, waits: Waits::Same, report: None }
    }

    pub(super) fn failed(tool: &str, args: ToolRecord, reason: &'static str, sentence: &str) -> Self {
        let step = ToolStep::Failed { reason, sentence: sentence.to_owned() };
        let reply = ToolReply { tool: tool.to_owned(), args, step, model: None, text: Saying::plain(sentence) };
        Self { reply, waits: Waits::Same, report: None }
    }

    pub(super) fn with(self, waits: Waits) -> Self {
        Self { waits, ..self }
    }

    pub(super) fn has_failed(&self) -> bool {
        matches!(self.reply.step, ToolStep::Failed { .. })
    }
}

impl Engine {
    /// Begins a call of a tool; none where the documents are to answer, since the question names what no record of the asker's is of.
    pub(super) async fn begin_tool(
        &self,
        handover: Handover<'_>,
        tool: &ToolPolicy,
        watch: &mut StopWatch<'_>,
    ) -> Option<Response> {
        let filled = self.filled(handover, tool, None);
        let named = self.named(handover, tool);
        let is_of_record = is_of_asker(&handover.question.text) || !filled.new.is_empty() || filled.names_another;
        if named.iter().any(|name| !name.is_month) && !is_of_record {
            return None;
        }
        let step = self.take_step(handover, tool, filled).await;
        Some(self.tool_response(handover, step, watch))
    }

    /// What a question names that a record looked up for it must hold.
    fn named(&self, handover: Handover<'_>, tool: &ToolPolicy) -> Vec<Named> {
        if self.only_reads(tool) { names(&handover.question.text, tool) } else { Vec::new() }
    }

    /// Whether a tool changes nothing.
    pub(super) fn only_reads(&self, tool: &ToolPolicy) -> bool {
        self.toolbox.as_ref().and_then(|toolbox| toolbox.effect(&tool.name)) == Some(Effect::Reads)
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
    pub(super) async fn take_step(&self, handover: Handover<'_>, tool: &ToolPolicy, filled: FilledSlots) -> Step {
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
            (_, Some(Effect::Changes)) => match self.obstacle(handover, tool, &filled.args).await {
                Some(step) => step,
                None => self.wait_for(tool, filled),
            },
            (false, Some(Effect::Reads) | None) => self.wait_for(tool, filled),
        }
    }

    /// What is told in place of what will be done, where as things are it cannot be done.
    async fn obstacle(&self, handover: Handover<'_>, tool: &ToolPolicy, args: &ToolRecord) -> Option<Step> {
        let call = ToolCall { tool: tool.name.clone(), args: args.clone() };
        let found: Result<Option<String>, PortError> = match &self.toolbox {
            Some(toolbox) => toolbox.obstacle(&call, handover.agents.policy.tool_timeout).await,
            None => Ok(None),
        };
        match found {
            Ok(None) => None,
            Ok(Some(obstacle)) => {
                let text = said_of_obstacle(tool, args, &obstacle);
                let step = ToolStep::Failed { reason: "cannot_succeed", sentence: text.as_str().to_owned() };
                Some(Step::said(tool, call.args, step, text))
            }
            Err(error) => {
                tracing::warn!(tool = tool.name, %error, component = "tools", "it cannot be told whether a call can be made");
                Some(Step::failed(&tool.name, call.args, "tool_failed", FAILED))
            }
        }
    }

    /// What is missing, or what will be done on a yes. Input that the tool would not take is never shown for a yes.
    pub(super) fn wait_for(&self, tool: &ToolPolicy, filled: FilledSlots) -> Step {
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
        let pending = PendingCall {
            tool: call.tool,
            args: call.args.clone(),
            missing,
            until_ms: Some(self.answer_until()),
            ..PendingCall::default()
        };
        Step::said(tool, call.args, step, text).with(Waits::New(pending))
    }

    /// Runs a tool once.
    pub(super) async fn run(&self, handover: Handover<'_>, tool: &ToolPolicy, args: ToolRecord) -> Step {
        let Some(toolbox) = &self.toolbox else {
            return Step::failed(&tool.name, args, "unavailable", FAILED);
        };
        // Who asks may have changed since the call was shown.
        let filled = self.filled(handover, tool, None);
        if filled.is_stranger || !is_same_asker(tool, &args, &filled.args) {
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
                let text = match self.unnamed(handover, tool, [&output.record, &call.args]) {
                    Some(sentence) => text.after(&sentence),
                    None => text,
                };
                let step = ToolStep::Ran { is_found: output.is_found };
                let reply = ToolReply { tool: tool.name.clone(), args: call.args.clone(), step, model, text };
                let (record, is_found) = (Some(output.record), output.is_found);
                let report = ToolReport { call, effect, output: record, is_found, failure: None, elapsed_ms };
                Step { reply, waits: Waits::Same, report: Some(report) }
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

    /// What is told before a record that does not hold what the question names.
    fn unnamed(&self, handover: Handover<'_>, tool: &ToolPolicy, records: [&ToolRecord; 2]) -> Option<String> {
        let named = self.named(handover, tool);
        let missing: Vec<String> = named
            .into_iter()
            .filter(|name| !name.is_in(tool, records))
            .map(|name| format!("“{}”", name.text))
            .collect();
        (!missing.is_empty())
            .then(|| format!("Your records do not mention {}. This is what they say:", missing.join(" or ")))
    }

    pub(super) fn tool_response(&self, handover: Handover<'_>, step: Step, watch: &mut StopWatch<'_>) -> Response {
        watch.lap(Stage::Tool);
        let (question, policy) = (handover.question, &handover.agents.policy);
        let before = question.session.pending.as_ref();
        let (pending, aside, waits_for) = match step.waits {
            Waits::Same => (kept(question), None, before.and_then(|before| words_of(policy, before))),
            Waits::Nothing => (None, None, None),
            Waits::New(pending) => {
                let aside = replaced(before, &pending);
                (Some(pending), aside, None)
            }
            Waits::Again(pending) => (Some(pending), None, None),
        };
        let agent = policy.agent_with(&step.reply.tool, question.session.agent.as_deref());
        let acting = agent.map(|agent| Routing {
            agent: agent.name.clone(),
            confidence: 1.0,
            reason: format!("it belongs to what {} is waiting for", step.reply.tool),
            considered: Vec::new(),
            tool: Some(step.reply.tool.clone()),
        });
        let decision = Decision::Tool(step.reply);
        let mut response = self.unsearched(decision, (handover.understanding, QuestionKind::Tool), watch);
        response.trace.tools = step.report.into_iter().collect();
        response.session = SessionState {
            agent: agent.map(|agent: &AgentPolicy| agent.name.clone()).or_else(|| question.session.agent.clone()),
            pending,
            ..SessionState::default()
        };
        response.trace.routing = acting;
        response.asides.extend(aside);
        response.waits_for = waits_for;
        response
    }
}

/// Whether what names the asker in a call is who asks now.
fn is_same_asker(tool: &ToolPolicy, args: &ToolRecord, now: &ToolRecord) -> bool {
    let mut own = tool.slots.iter().filter(|slot| matches!(slot.source, SlotSource::Asker(_)));
    own.all(|slot| args.get(&slot.name) == now.get(&slot.name))
}
