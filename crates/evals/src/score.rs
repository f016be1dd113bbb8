//! Golden questions and what was answered → counts and shares, overall and by category.

use std::collections::BTreeMap;

use serde::Serialize;
use vouch_engine::{
    ask::Response,
    decide::{Decision, ToolReply, ToolStep, UnsureOutcome},
    verify::VerifiedText,
};

use crate::golden::GoldenQuestion;

/// What became of one golden question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Answerable, answered, and a gold answer is in the answer.
    Right,
    /// Answerable and answered without a gold answer.
    Beside,
    /// Answerable and refused.
    FalseRefusal,
    /// Unanswerable and refused.
    RightRefusal,
    /// Unanswerable and answered.
    Overconfident,
}

/// Counts of verdicts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Answered with a gold answer.
    pub right: usize,
    /// Answered without one.
    pub beside: usize,
    /// Refused although answerable.
    pub false_refusals: usize,
    /// Refused as it should be.
    pub right_refusals: usize,
    /// Answered although unanswerable.
    pub overconfident: usize,
}

/// How questions were cited or routed, of those whose action is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RoutingCounts {
    /// How many.
    pub asked: usize,
    /// Cited where they should be, or routed where they should be.
    pub right_action: usize,
    /// Routed to a person or to the desk, rightly or not.
    pub routed: usize,
    /// Of these, to one of those who may be named.
    pub right_owner: usize,
    /// Of these, with a right answer shown beside.
    pub right_beside: usize,
}

impl RoutingCounts {
    /// Adds one question and its response; one without an expected action counts nowhere.
    pub fn add(&mut self, golden: &GoldenQuestion, response: &Response) {
        let Some(expected) = &golden.expected.action else { return };
        self.asked += 1;
        let action = match &response.decision {
            Decision::Answer(_) => "CITE",
            Decision::Refer(_) => "ROUTE",
            Decision::Refuse(_) | Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => "",
        };
        self.right_action += usize::from(action == expected);
        let Decision::Refer(referral) = &response.decision else { return };
        self.routed += 1;
        let owners = golden.expected.owners.as_deref().unwrap_or_default();
        self.right_owner += usize::from(owners.contains(&referral.target.owner_user_id));
        if let UnsureOutcome::Answer(answer) = &referral.unsure {
            self.right_beside += usize::from(said_right(golden, Some(answer.text())) == Verdict::Right);
        }
    }
}

/// Counts and the shares that follow from them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// All questions.
    pub questions: usize,
    /// Counts of all.
    pub counts: Counts,
    /// Share of answerable questions answered with a gold answer.
    pub right_share: f64,
    /// Share of answerable questions refused.
    pub false_refusal_share: f64,
    /// Share of unanswerable questions answered.
    pub overconfident_share: f64,
    /// Counts by category.
    pub by_category: BTreeMap<String, Counts>,
    /// How they were cited or routed; none where the set does not say how they should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing: Option<RoutingCounts>,
    /// How many went to the agent they should; none where the set does not say which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<AgentCounts>,
}

/// Whose questions they were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AgentCounts {
    /// Questions with an expected agent.
    pub asked: usize,
    /// With the agent that should have them.
    pub right: usize,
}

impl AgentCounts {
    /// Adds one question and its response; one without an expected agent counts nowhere.
    pub fn add(&mut self, golden: &GoldenQuestion, response: &Response) {
        let Some(expected) = &golden.expected.agent else { return };
        self.asked += 1;
        let agent = response.trace.routing.as_ref().map(|routing| &routing.agent);
        self.right += usize::from(agent == Some(expected));
    }
}

/// Judges one response.
#[must_use]
pub fn grade(golden: &GoldenQuestion, response: &Response) -> Verdict {
    match (&response.decision, golden.answerable) {
        (Decision::Tool(tool), _) => grade_tool(golden, tool),
        (Decision::Answer(_) | Decision::General(_), false) => Verdict::Overconfident,
        (Decision::Refuse(_) | Decision::Clarify(_) | Decision::Refer(_), false) => Verdict::RightRefusal,
        // What was said without a source, or left to a person, has not answered.
        (Decision::Refuse(_) | Decision::Refer(_) | Decision::General(_), true) => Verdict::FalseRefusal,
        (Decision::Answer(answer), true) => said_right(golden, Some(answer.text())),
        // What asks back without anything to choose from has not answered either.
        (Decision::Clarify(asked), true) if asked.text.is_none() && asked.options.is_empty() => Verdict::FalseRefusal,
        // A choice between meanings is right where the meaning sought is among them.
        (Decision::Clarify(clarification), true) => said_right(golden, clarification.text.as_ref()),
    }
}

/// A tool is right where it is the one that was meant, and says everything that is to be said or waits where it should.
fn grade_tool(golden: &GoldenQuestion, tool: &ToolReply) -> Verdict {
    let is_meant = golden.expected.tool.as_ref() == Some(&tool.tool);
    let said = folded(tool.text());
    let says_all = golden.gold_answers.iter().all(|gold| said.contains(&folded(gold)));
    let should_wait = golden.expected.outcome.as_deref() == Some("pending");
    let is_right = match &tool.step {
        ToolStep::Ran { .. } => is_meant && says_all && !should_wait,
        ToolStep::Missing(_) | ToolStep::Waiting => is_meant && should_wait,
        ToolStep::Withdrawn | ToolStep::Failed { .. } => false,
    };
    match (golden.answerable, is_right, &tool.step) {
        (true, true, _) => Verdict::Right,
        (true, false, ToolStep::Failed { .. } | ToolStep::Withdrawn) => Verdict::FalseRefusal,
        (true, false, _) => Verdict::Beside,
        (false, _, ToolStep::Ran { is_found: true }) => Verdict::Overconfident,
        (false, _, _) => Verdict::RightRefusal,
    }
}

fn said_right(golden: &GoldenQuestion, text: Option<&VerifiedText>) -> Verdict {
    let claims = text.map(VerifiedText::claims).unwrap_or_default();
    let said: Vec<String> = claims.iter().map(|claim| claim.text().to_owned()).collect();
    let said = folded(&said.join(" "));
    let is_right = golden.gold_answers.iter().any(|gold| said.contains(&folded(gold)));
    if is_right { Verdict::Right } else { Verdict::Beside }
}

/// Adds up verdicts.
#[must_use]
pub fn report(verdicts: &[(String, Verdict)]) -> Report {
    let mut report = Report { questions: verdicts.len(), ..Report::default() };
    for (category, verdict) in verdicts {
        count(&mut report.counts, *verdict);
        count(report.by_category.entry(category.clone()).or_default(), *verdict);
    }
    let counts = &report.counts;
    let answerable = counts.right + counts.beside + counts.false_refusals;
    let unanswerable = counts.right_refusals + counts.overconfident;
    report.right_share = share(counts.right, answerable);
    report.false_refusal_share = share(counts.false_refusals, answerable);
    report.overconfident_share = share(counts.overconfident, unanswerable);
    report
}

fn count(counts: &mut Counts, verdict: Verdict) {
    match verdict {
        Verdict::Right => counts.right += 1,
        Verdict::Beside => counts.beside += 1,
        Verdict::FalseRefusal => counts.false_refusals += 1,
        Verdict::RightRefusal => counts.right_refusals += 1,
        Verdict::Overconfident => counts.overconfident += 1,
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn folded(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
