//! Settings of what is written, checked and said.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComposeSettings {
    pub sentences_max: usize,
    pub writer_timeout_ms: u64,
    pub citations: StyleName,
    pub on_failure: FailureName,
    pub out_of_corpus_disclaimer: Option<String>,
}

/// How a model cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StyleName {
    Footnote,
    SourceId,
}

/// What is done where a model cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureName {
    Quote,
    Fail,
}

/// What becomes of a model's sentence that does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnsupportedName {
    Drop,
    Repair,
    Refuse,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifySettings {
    pub support_at_least: f32,
    pub support_timeout_ms: u64,
    pub unsupported: UnsupportedName,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecideSettings {
    pub refusal_message: String,
    pub confidence_at_least: Option<u32>,
    pub fallback_confidence_at_least: u32,
    pub route_below: Option<u32>,
    pub admin_email: Option<String>,
    pub suggestions_max: usize,
    pub stale_after_days: Option<u32>,
}

impl Default for ComposeSettings {
    fn default() -> Self {
        Self {
            sentences_max: 8,
            writer_timeout_ms: 30_000,
            citations: StyleName::Footnote,
            on_failure: FailureName::Quote,
            out_of_corpus_disclaimer: None,
        }
    }
}

impl Default for VerifySettings {
    fn default() -> Self {
        Self { support_at_least: 0.5, support_timeout_ms: 5_000, unsupported: UnsupportedName::Drop }
    }
}

impl Default for DecideSettings {
    fn default() -> Self {
        Self {
            refusal_message: "The documents do not contain enough to answer this question.".to_owned(),
            confidence_at_least: None,
            fallback_confidence_at_least: 50,
            route_below: None,
            admin_email: None,
            suggestions_max: 3,
            stale_after_days: Some(183),
        }
    }
}
