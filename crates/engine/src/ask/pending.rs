//! What waits in a conversation, and what is said to it: a yes, a no, a value that was asked for, or something else, beside which it goes
//! on waiting.
//!
//! Invariant: what waits ends only by an answer, by other input in the asker's words, or by its time; and the reader is told so.

use vouch_domain::{PendingCall, Question, Speaker, Turn};

use super::{
    agents::{Handover, is_a_question},
    engine::{Engine, Response},
    tooled::{Step, Waits},
    trace::StopWatch,
    waits::shown,
};
use crate::{
    decide::ToolStep,
    policy::{SlotSource, ToolPolicy},
    route::Routing,
    tool::{Consent, Saying, is_answer_alone, read_consent, said_of_call},
    verify::own_words::denies,
};

/// What is told where a yes has nothing to say yes to.
const NOTHING_WAITS: &str = "Nothing is waiting for this confirmation: it was carried out, withdrawn or has expired.";
const WITHDRAWN: &str = "All right, nothing was done.";
const POSTPONED: &str = "All right, nothing was done yet.";
const LAPSED: &str = "What I asked you to confirm has expired, so nothing was done. Please ask for it again if you \
                      still want it.";
const UNCLEAR: &str = "I could not tell whether that was a yes or a no, so I have done nothing and have not looked at \
                       the rest of your message.";
const STILL_OPEN: &str = "Still waiting for your answer:";

/// What waits, and the tool it waits for.
pub(super) fn waiting<'a>(handover: Handover<'a>) -> Option<(&'a PendingCall, &'a ToolPolicy)> {
    let pending = handover.question.session.pending.as_ref()?;
    Some((pending, handover.agents.policy.tool(&pending.tool)?))
}

impl Engine {
    /// What the words of a question are to what waits; none where nothing does, or no longer.
    #[must_use]
    pub fn consent(&self, question: &Question) -> Option<Consent> {
        let policy = &self.agents.as_ref()?.policy;
        let pending = question.session.pending.as_ref()?;
        let tool = policy.tool(&pending.tool)?;
        let is_open = pending.missing.is_empty() && !has_lapsed(pending, self.clock.now_ms());
        is_open.then(|| read_consent(&question.text, said_of_call(tool, &pending.args).as_str()))
    }

    /// The same question without what has lapsed in its conversation; none where nothing has.
    pub(super) fn without_lapsed(&self, question: &Question) -> Option<Question> {
        let pending = question.session.pending.as_ref()?;
        has_lapsed(pending, self.clock.now_ms()).then(|| {
            let mut question = question.clone();
            question.session.pending = None;
            question
        })
    }

    /// What is told where an answer comes too late, or else beside whatever is told.
    pub(super) fn told_too_late(&self, handover: Handover<'_>, watch: &mut StopWatch<'_>) -> Option<Response> {
        let (pending, tool) = waiting(handover)?;
        let question = handover.question;
        let consent = read_consent(&question.text, shown(tool, pending).as_str());
        let answers = match consent {
            Consent::Yes | Consent::Nod | Consent::Later | Consent::No | Consent::Unclear => true,
            Consent::Other => question.confirms.is_some(),
        };
        let step = || Step::failed(&tool.name, pending.args.clone(), "lapsed", LAPSED).with(Waits::Nothing);
        answers.then(|| self.tool_response(handover, step(), watch))
    }

    /// That something has lapsed, beside what is told.
    pub(super) fn with_lapse(response: Response) -> Response {
        let mut response = response;
        response.asides.insert(0, LAPSED.to_owned());
        response
    }

    /// What is told to a yes or a no where nothing waits; none where the words are anything else.
    pub(super) fn nothing_waits(&self, handover: Handover<'_>, watch: &mut StopWatch<'_>) -> Option<Response> {
        let question = handover.question;
        let proposals: Vec<&str> =
            handover.agents.policy.tools.iter().map(|tool| tool.words.confirm.as_str()).collect();
        let is_answer = !proposals.is_empty()
            && question.session.open_question.is_none()
            && is_answer_alone(&question.text, &proposals.join("\n"));
        let answers = question.session.pending.is_none() && (is_answer || question.confirms.is_some());
        let step = || Step::failed("", vouch_domain::ToolRecord::new(), "nothing_waits", NOTHING_WAITS);
        answers.then(|| self.tool_response(handover, step(), watch))
    }

    /// Goes on with what waits, where the words by themselves are for it.
    pub(super) async fn go_on(&self, handover: Handover<'_>, watch: &mut StopWatch<'_>) -> Option<Response> {
        let (pending, tool) = waiting(handover)?;
        let step = match pending.missing.is_empty() {
            true => self.answer_to_shown(handover, (pending, tool)).await?,
            false => self.answer_to_asked(handover, (pending, tool)).await?,
        };
        Some(self.tool_response(handover, step, watch))
    }

    /// Goes on with what lacks something, where the words are no other agent's question.
    pub(super) fn go_on_asking(
        &self,
        handover: Handover<'_>,
        routing: &Routing,
        watch: &mut StopWatch<'_>,
    ) -> Option<Response> {
        let (pending, tool) = waiting(handover)?;
        let policy = &handover.agents.policy;
        let is_theirs = routing.tool.as_ref() == Some(&pending.tool)
            || routing.confidence < policy.confidence_at_least
            || policy.agent(&routing.agent).is_none();
        if pending.missing.is_empty() || !is_theirs {
            return None;
        }
        let step = self.wait_for(tool, self.filled(handover, tool, Some(pending)));
        Some(self.tool_response(handover, step, watch))
    }

    /// What words are to what was shown for a yes.
    async fn answer_to_shown(
        &self,
        handover: Handover<'_>,
        (pending, tool): (&PendingCall, &ToolPolicy),
    ) -> Option<Step> {
        let question = handover.question;
        let consent = read_consent(&question.text, said_of_call(tool, &pending.args).as_str());
        if let Some(token) = question.confirms.as_ref().filter(|_| !consent.is_no()) {
            // A token does not speak against the words it comes with.
            return Some(match (pending.token.as_ref() == Some(token), consent.is_yes()) {
                (true, true) => self.run(handover, tool, pending.args.clone()).await.with(Waits::Nothing),
                (true, false) => self.asked_again(tool, pending, UNCLEAR),
                // What waits goes on waiting for its own yes.
                (false, _) => Step::failed(&tool.name, pending.args.clone(), "nothing_waits", NOTHING_WAITS),
            });
        }
        let is_last = is_shown(question, tool, pending);
        match consent {
            Consent::Yes if is_last => Some(self.run(handover, tool, pending.args.clone()).await.with(Waits::Nothing)),
            Consent::Nod if is_last && !pending.is_aside => {
                Some(self.run(handover, tool, pending.args.clone()).await.with(Waits::Nothing))
            }
            Consent::Yes | Consent::Nod => Some(self.asked_again(tool, pending, STILL_OPEN)),
            Consent::No => Some(withdrawn(tool, pending)),
            Consent::Later => Some(self.asked_again(tool, pending, POSTPONED)),
            Consent::Unclear => match self.changed(handover, (pending, tool), consent).await {
                Some(step) => Some(step),
                None => Some(self.asked_again(tool, pending, UNCLEAR)),
            },
            Consent::Other => self.changed(handover, (pending, tool), consent).await,
        }
    }

    /// The call with other input, where the words give some. What is asked or denied changes nothing of what was shown.
    async fn changed(
        &self,
        handover: Handover<'_>,
        (pending, tool): (&PendingCall, &ToolPolicy),
        consent: Consent,
    ) -> Option<Step> {
        let text = &handover.question.text;
        if is_a_question(text) || denies(text) {
            return None;
        }
        // "Make it 20" means the amount.
        let is_amount = |name: &&String| {
            tool.slots.iter().any(|slot| slot.name == **name && matches!(slot.source, SlotSource::Amount { .. }))
        };
        let amounts: Vec<String> = match consent {
            Consent::Unclear => pending.args.keys().filter(is_amount).cloned().collect(),
            Consent::Yes | Consent::Nod | Consent::Later | Consent::No | Consent::Other => Vec::new(),
        };
        let awaiting = PendingCall { missing: amounts, ..pending.clone() };
        let filled = self.filled(handover, tool, Some(&awaiting));
        let is_changed = filled.new.iter().any(|name| filled.args.get(name) != pending.args.get(name));
        match is_changed {
            true => Some(self.take_step(handover, tool, filled).await),
            false => None,
        }
    }

    /// What words are to a value that was asked for.
    async fn answer_to_asked(
        &self,
        handover: Handover<'_>,
        (pending, tool): (&PendingCall, &ToolPolicy),
    ) -> Option<Step> {
        let question = handover.question;
        if question.confirms.is_some() {
            return Some(Step::failed(&tool.name, pending.args.clone(), "nothing_waits", NOTHING_WAITS));
        }
        let filled = self.filled(handover, tool, Some(pending));
        if filled.new.iter().any(|name| pending.missing.contains(name)) {
            let step = self.take_step(handover, tool, filled).await;
            // With what was given there is nothing left to ask for.
            return Some(if step.has_failed() { step.with(Waits::Nothing) } else { step });
        }
        match read_consent(&question.text, shown(tool, pending).as_str()) {
            Consent::No => Some(withdrawn(tool, pending)),
            Consent::Yes | Consent::Nod | Consent::Later | Consent::Unclear => {
                Some(self.asked_again(tool, pending, STILL_OPEN))
            }
            Consent::Other => None,
        }
    }

    /// What waits, shown once more after a sentence.
    fn asked_again(&self, tool: &ToolPolicy, pending: &PendingCall, sentence: &str) -> Step {
        let step = match pending.missing.is_empty() {
            true => ToolStep::Waiting,
            false => ToolStep::Missing(pending.missing.clone()),
        };
        let again = PendingCall { is_aside: false, until_ms: Some(self.answer_until()), ..pending.clone() };
        Step::said(tool, pending.args.clone(), step, shown(tool, pending).after(sentence)).with(Waits::Again(again))
    }

    /// Until when a call waits that is shown now.
    pub(super) fn answer_until(&self) -> u64 {
        let timeout = self.agents.as_ref().map_or(0, |agents| agents.policy.answer_timeout.as_millis());
        self.clock.now_ms().saturating_add(u64::try_from(timeout).unwrap_or(u64::MAX))
    }
}

fn withdrawn(tool: &ToolPolicy, pending: &PendingCall) -> Step {
    Step::said(tool, pending.args.clone(), ToolStep::Withdrawn, Saying::plain(WITHDRAWN)).with(Waits::Nothing)
}

fn has_lapsed(pending: &PendingCall, now_ms: u64) -> bool {
    pending.until_ms.is_some_and(|until| until <= now_ms)
}

/// Whether what waits is what was shown last, where the asker sends what was said: a yes to something else, or to nothing, is not a yes
/// to this.
fn is_shown(question: &Question, tool: &ToolPolicy, pending: &PendingCall) -> bool {
    let last = question.conversation.iter().rev().find(|turn| turn.speaker == Speaker::Vouch);
    let is_shown = |turn: &Turn| turn.text.contains(said_of_call(tool, &pending.args).as_str());
    question.conversation.is_empty() || last.is_some_and(is_shown)
}
