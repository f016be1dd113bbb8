//! Settings of what is written, checked and said.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ComposeSettings {
    pub(crate) sentences_max: usize,
    pub(crate) writer_timeout_ms: u64,
    pub(crate) citations: StyleName,
    pub(crate) on_failure: FailureName,
    pub(crate) out_of_corpus_disclaimer: Option<String>,
}

/// How a model cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StyleName {
    Footnote,
    SourceId,
}

/// What is done where a model cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailureName {
    Quote,
    Fail,
}

/// What becomes of a model's sentence that does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UnsupportedName {
    Drop,
    Repair,
    Refuse,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct VerifySettings {
    pub(crate) support_at_least: f32,
    pub(crate) support_timeout_ms: u64,
    pub(crate) unsupported: UnsupportedName,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DecideSettings {
    pub(crate) refusal_message: String,
    pub(crate) confidence_at_least: Option<u32>,
    pub(crate) fallback_confidence_at_least: u32,
    pub(crate) route_below: Option<u32>,
    pub(crate) admin_email: Option<String>,
    pub(crate) suggestions_max: usize,
    pub(crate) stale_after_days: Option<u32>,
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
