//! Settings of what is written and said.

use serde::{Deserialize, Serialize};
use vouch_engine::policy::{
    ComposePolicy, ConfidenceFormula, DecidePolicy, MarkerStyle, NoContextPolicy, OnEmptyOutline, OnFailure,
    OnUnsupported,
};

use super::in_millis;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComposeSettings {
    pub sentences_max: usize,
    pub writer_timeout_ms: u64,
    pub citations: MarkerStyle,
    pub on_failure: OnFailure,
    pub on_empty_outline: OnEmptyOutline,
    pub on_unsupported: OnUnsupported,
    pub out_of_corpus_disclaimer: Option<String>,
    pub out_of_corpus_below: f32,
    pub instructions: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecideSettings {
    pub refusal_message: String,
    pub confidence: ConfidenceFormula,
    pub confidence_at_least: Option<u32>,
    pub fallback_confidence_at_least: u32,
    pub route_below: Option<u32>,
    pub admin_email: Option<String>,
    pub suggestions_max: usize,
    pub stale_after_days: Option<u32>,
    pub sources_block: bool,
    pub no_context: Option<NoContextPolicy>,
}

impl Default for ComposeSettings {
    fn default() -> Self {
        let policy = ComposePolicy::default();
        Self {
            sentences_max: policy.sentences_max,
            writer_timeout_ms: in_millis(policy.writer_timeout),
            citations: policy.markers,
            on_failure: policy.on_failure,
            on_empty_outline: policy.on_empty_outline,
            on_unsupported: policy.on_unsupported,
            out_of_corpus_disclaimer: policy.out_of_corpus_disclaimer,
            out_of_corpus_below: policy.out_of_corpus_below,
            instructions: policy.instructions,
        }
    }
}

impl Default for DecideSettings {
    fn default() -> Self {
        let policy = DecidePolicy::default();
        Self {
            refusal_message: policy.refusal_message,
            confidence: policy.confidence,
            confidence_at_least: policy.confidence_at_least,
            fallback_confidence_at_least: policy.fallback_confidence_at_least,
            route_below: None,
            admin_email: None,
            suggestions_max: policy.suggestions_max,
            stale_after_days: policy.stale_after_days,
            sources_block: policy.sources_block,
            no_context: policy.no_context,
        }
    }
}
