//! What an answer is written, checked and decided by.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{NoContextPolicy, time};

/// How an answer is written.
#[derive(Debug, Clone, PartialEq)]
pub struct ComposePolicy {
    /// How many sentences an answer may have.
    pub sentences_max: usize,
    /// How long the writer may take.
    pub writer_timeout: Duration,
    /// How a model cites.
    pub markers: MarkerStyle,
    /// How a model's window is shared out.
    pub budget: BudgetPolicy,
    /// What is done where a model cannot be asked.
    pub on_failure: OnFailure,
    /// What is done where an outline finds nothing to say in the evidence.
    pub on_empty_outline: OnEmptyOutline,
    /// What becomes of a model's sentence that does not pass.
    pub on_unsupported: OnUnsupported,
    /// What is said before an answer from general knowledge; none is given where absent.
    pub out_of_corpus_disclaimer: Option<String>,
    /// What a writing model is told beside the usual instructions.
    pub instructions: Option<String>,
    /// General knowledge is asked only where the best passage is less relevant than this.
    pub out_of_corpus_below: f32,
}

impl Default for ComposePolicy {
    fn default() -> Self {
        Self {
            sentences_max: 8,
            writer_timeout: Duration::from_secs(30),
            markers: MarkerStyle::default(),
            budget: BudgetPolicy::default(),
            on_failure: OnFailure::default(),
            on_empty_outline: OnEmptyOutline::default(),
            on_unsupported: OnUnsupported::default(),
            out_of_corpus_disclaimer: None,
            instructions: None,
            out_of_corpus_below: 0.40,
        }
    }
}

/// How a writer cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkerStyle {
    /// `[^1]`, minted for the turn.
    #[default]
    Footnote,
    /// `[SourceId: annual-leave:2]`, as the service of the handbook profile has it.
    SourceId,
}

/// What is done where a model cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The evidence's own sentences are quoted, and that is said.
    #[default]
    Quote,
    /// The failure is reported.
    Fail,
}

/// What is done where an outline finds nothing to say in the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnEmptyOutline {
    /// The question is refused before the model writes.
    #[default]
    Refuse,
    /// The model does not write either; what the documents answer without one is shown.
    Quote,
}

/// How a model's window is shared out, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetPolicy {
    /// The most the evidence may take.
    pub context_max: usize,
    /// The most the conversation may take, and never more than a third of what is left.
    pub history_max: usize,
    /// The most the answer may take.
    pub response_max: usize,
    /// The least that is kept for the instructions.
    pub system_reserved: usize,
}

impl Default for BudgetPolicy {
    fn default() -> Self {
        Self { context_max: 1_200, history_max: 400, response_max: 1_024, system_reserved: 500 }
    }
}

/// What a sentence must pass to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyPolicy {
    /// How well a claim must be supported, 0 to 1, after rules and judge.
    pub support_at_least: f32,
    /// How long the judge may weigh the claims of one answer.
    #[serde(rename = "support_timeout_ms", with = "time::millis")]
    pub support_timeout: Duration,
    /// Whether the model that judges is asked about a sentence that the built-in judge alone rejects; never the one that wrote it.
    pub ask_judge_model: bool,
}

impl Default for VerifyPolicy {
    fn default() -> Self {
        Self { support_at_least: 0.5, support_timeout: Duration::from_secs(30), ask_judge_model: false }
    }
}

/// What becomes of a model's sentence that does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUnsupported {
    /// The sentence of the documents that it rests on is shown in its place; where there is none, it is left out.
    #[default]
    Quote,
    /// It is left out, and that is said.
    Drop,
    /// The model may say it again once, told which words failed; what fails again is quoted.
    Repair,
    /// Nothing that the model wrote is shown.
    Refuse,
}

/// How the confidence of an answer is reckoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceFormula {
    /// As the chance that what is shown answers what was asked, fitted on questions whose answers are known.
    #[default]
    Chance,
    /// As 30 parts retrieval, 40 parts coverage of the question, 30 parts judge.
    Weighted,
}

/// What is said in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidePolicy {
    /// The sentence every refusal starts with.
    pub refusal_message: String,
    /// How certain an answer is said to be.
    pub confidence: ConfidenceFormula,
    /// An answer less certain than this, of 100, is not shown; any is where absent.
    pub confidence_at_least: Option<u32>,
    /// The same while a part of the search is down.
    pub fallback_confidence_at_least: u32,
    /// Where questions go that are not answered with enough certainty; nowhere if absent.
    pub route: Option<ReferralPolicy>,
    /// How many suggestions a refusal offers.
    pub suggestions_max: usize,
    /// A cited document older than this many days gets a notice; none if absent.
    pub stale_after_days: Option<u32>,
    /// Whether an answer ends with the list of its sources.
    pub sources_block: bool,
    /// What is said and asked for where the documents do not answer; a refusal is told where absent.
    pub no_context: Option<NoContextPolicy>,
}

impl Default for DecidePolicy {
    fn default() -> Self {
        Self {
            refusal_message: "The documents do not contain enough to answer this question.".to_owned(),
            confidence: ConfidenceFormula::default(),
            confidence_at_least: None,
            fallback_confidence_at_least: 50,
            route: None,
            suggestions_max: 3,
            stale_after_days: Some(183),
            sources_block: false,
            no_context: None,
        }
    }
}

/// Where questions go that are not answered with enough certainty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferralPolicy {
    /// An answer less certain than this, of 100, goes to a person too.
    pub below: u32,
    /// Who is asked where no owner is found.
    pub admin_email: String,
}
