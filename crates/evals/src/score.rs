//! A golden question and what was answered → whether that is right.

use serde::{Deserialize, Serialize};
use vouch_engine::{
    ask::Response,
    decide::{Decision, ToolReply, ToolStep, UnsureOutcome},
    verify::VerifiedText,
};

use crate::{expectation::folded, golden::GoldenQuestion};

/// What became of one golden question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// Judges one response.
#[must_use]
pub fn grade(golden: &GoldenQuestion, response: &Response) -> Verdict {
    match (&response.decision, golden.answerable) {
        (Decision::Tool(tool), _) => grade_tool(golden, tool),
        (Decision::Answer(_) | Decision::General(_), false) => Verdict::Overconfident,
        (Decision::Refuse(_) | Decision::Clarify(_), false) => Verdict::RightRefusal,
        // A person is named, and what the documents say is shown beside: whoever reads it takes it for the answer.
        (Decision::Refer(referral), is_answerable) => match (&referral.unsure, is_answerable) {
            (UnsureOutcome::Answer(_), false) => Verdict::Overconfident,
            (UnsureOutcome::Answer(answer), true) => said_right(golden, Some(answer.text())),
            (UnsureOutcome::Refusal(_), false) => Verdict::RightRefusal,
            (UnsureOutcome::Refusal(_), true) => Verdict::FalseRefusal,
        },
        // What was said without a source has not answered.
        (Decision::Refuse(_) | Decision::General(_), true) => Verdict::FalseRefusal,
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
    let (gold, all) = (&golden.gold_answers, &golden.expected.must_contain);
    // What must be said is all there; of the ways to say the answer one is enough, where a line gives any.
    let holds_all = all.iter().all(|part| said.contains(&folded(part)));
    let holds_one = gold.iter().any(|gold| said.contains(&folded(gold))) || (gold.is_empty() && !all.is_empty());
    let holds_none = !golden.expected.must_not_contain.iter().any(|part| said.contains(&folded(part)));
    let is_right = holds_all && holds_one && holds_none;
    if is_right { Verdict::Right } else { Verdict::Beside }
}
