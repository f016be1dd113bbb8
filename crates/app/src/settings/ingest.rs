//! How documents are read, cut and kept.

use serde::{Deserialize, Serialize};
use vouch_engine::policy::IngestPolicy;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IngestSettings {
    pub passage_tokens: usize,
    pub batch_passages: usize,
    pub passages_max: usize,
    pub file_bytes_max: u64,
    pub parse_timeout_ms: u64,
    pub parse_memory_bytes_max: u64,
    pub convert: Vec<ConvertSettings>,
    pub access_from: Vec<String>,
}

/// A program of the site that reads files of other forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConvertSettings {
    pub endings: Vec<String>,
    pub command: Vec<String>,
    #[serde(default = "two_minutes")]
    pub timeout_ms: u64,
}

fn two_minutes() -> u64 {
    120_000
}

impl Default for IngestSettings {
    fn default() -> Self {
        let policy = IngestPolicy::default();
        Self {
            passage_tokens: policy.passage_tokens,
            batch_passages: policy.batch_passages,
            passages_max: policy.passages_max,
            file_bytes_max: 64 << 20,
            parse_timeout_ms: 60_000,
            parse_memory_bytes_max: 2 << 30,
            convert: Vec::new(),
            access_from: Vec::new(),
        }
    }
}
