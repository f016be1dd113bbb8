//! The default file, `vouch.yaml` and the environment → `Settings`, strict about every key.
//!
//! Invariant: `default.yaml` is the manual; it holds every key with the value `Settings::default` has.

mod audit;
mod breakers;
mod check;
mod environment;
mod file;
mod models;
mod oidc;
mod serve;
mod thresholds;
mod writing;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use audit::AuditSettings;
pub use breakers::{BreakerSettings, CircuitBreakerSettings};
pub use file::{LoadedSettings, load, parse_text};
pub use models::{EmbedderJob, JobSettings, ModelSettings, ServerKind, ServerSettings};
pub use oidc::OidcSettings;
pub use serve::{LogForm, ServeSettings};
pub use thresholds::{ThresholdSettings, load as load_thresholds};
pub use writing::{ComposeSettings, DecideSettings, FailureName, StyleName, UnsupportedName, VerifySettings};

/// The commented default file.
pub const MANUAL: &str = include_str!("default.yaml");

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub profile: String,
    pub understand: UnderstandSettings,
    pub terminology: TerminologySettings,
    pub retrieve: RetrieveSettings,
    pub memory: MemorySettings,
    pub judge: JudgeSettings,
    pub models: ModelSettings,
    pub compose: ComposeSettings,
    pub verify: VerifySettings,
    pub decide: DecideSettings,
    pub circuit_breaker: CircuitBreakerSettings,
    pub ingest: IngestSettings,
    pub serve: ServeSettings,
    pub audit: AuditSettings,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnderstandSettings {
    pub question_chars_max: usize,
    pub addresses: Vec<AddressSettings>,
    pub kind_names: BTreeMap<String, Vec<String>>,
    pub rewrites: Vec<RewriteName>,
    pub rewrites_max: usize,
}

/// A rule that asks a question in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewriteName {
    Subject,
    Spelling,
    SubQuestion,
    Item,
    Synonym,
    Statement,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddressSettings {
    pub kind: Option<String>,
    pub pattern: String,
    pub normal: String,
    #[serde(default)]
    pub from_name: Option<String>,
    #[serde(default)]
    pub lead_section: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TerminologySettings {
    pub source: TermSource,
    pub language: String,
    pub timeout_ms: u64,
    pub cache_max: u64,
    pub cache_ttl_s: u64,
    pub skosmos_url: Option<String>,
    pub skosmos_vocabularies: Vec<String>,
}

/// Who says what a term means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermSource {
    Auto,
    None,
    SkosFile,
    Skosmos,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetrieveSettings {
    pub lane_limit: usize,
    pub dense_weight: f32,
    pub lexical_weight: f32,
    pub rewrite_weight: f32,
    pub rare_holders_max: usize,
    pub pool_max: usize,
    pub lane_timeout_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    pub pinned_at_least: f32,
    pub border_from: f32,
    pub border_judge_at_least: f32,
    pub note_at_least: f32,
    pub strong_note_at_least: f32,
    pub strong_references_min: usize,
    pub reference_relevance: f32,
    pub language: String,
    pub judge_timeout_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JudgeSettings {
    pub relevance_floor: f32,
    pub relevance_floor_unread: f32,
    pub thresholds: Option<ThresholdSettings>,
    pub duplicate_similarity: f32,
    pub passages_per_document_max: usize,
    pub passages_max: usize,
    pub kind_reserves: BTreeMap<String, usize>,
    pub kind_boost: f32,
    pub diversity: Option<DiversitySettings>,
    pub model: JudgeModel,
    pub read_max: usize,
    pub reading_weight: f32,
    pub read_timeout_ms: u64,
    pub gates: Vec<GateSettings>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiversitySettings {
    pub fetch: usize,
    pub keep: usize,
    pub relevance_share: f32,
}

/// Who reads passages and weighs claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeModel {
    BuiltIn,
    None,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "gate", rename_all = "snake_case", deny_unknown_fields)]
pub enum GateSettings {
    Top1 { above: f32 },
    Coverage { strong: f32, fair: f32, fair_passages: usize, main_kind: Option<String> },
    NoContext { hits_min: usize, mean_at_least: f32 },
    BailOut { below: f32 },
    Keywords { warn_below: f32 },
    QueryCoverage { at_least: f32 },
    Answerability { at_least: f32 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IngestSettings {
    pub passage_tokens: usize,
    pub batch_passages: usize,
    pub passages_max: usize,
    pub file_bytes_max: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profile: "default".to_owned(),
            understand: UnderstandSettings::default(),
            terminology: TerminologySettings::default(),
            retrieve: RetrieveSettings::default(),
            memory: MemorySettings::default(),
            judge: JudgeSettings::default(),
            models: ModelSettings::default(),
            compose: ComposeSettings::default(),
            verify: VerifySettings::default(),
            decide: DecideSettings::default(),
            ingest: IngestSettings::default(),
            circuit_breaker: CircuitBreakerSettings::default(),
            serve: ServeSettings::default(),
            audit: AuditSettings::default(),
        }
    }
}

impl Default for UnderstandSettings {
    fn default() -> Self {
        use RewriteName::{Item, Spelling, SubQuestion, Subject, Synonym};
        Self {
            question_chars_max: 4_000,
            addresses: Vec::new(),
            kind_names: BTreeMap::new(),
            rewrites: vec![Subject, Spelling, SubQuestion, Item, Synonym],
            rewrites_max: 4,
        }
    }
}

impl Default for TerminologySettings {
    fn default() -> Self {
        Self {
            source: TermSource::Auto,
            language: "en".to_owned(),
            timeout_ms: 300,
            cache_max: 5_000,
            cache_ttl_s: 600,
            skosmos_url: None,
            skosmos_vocabularies: Vec::new(),
        }
    }
}

impl Default for RetrieveSettings {
    fn default() -> Self {
        Self {
            lane_limit: 100,
            dense_weight: 1.0,
            lexical_weight: 0.5,
            rewrite_weight: 0.6,
            rare_holders_max: 3,
            pool_max: 60,
            lane_timeout_ms: 5_000,
        }
    }
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            pinned_at_least: 0.85,
            border_from: 0.70,
            border_judge_at_least: 0.50,
            note_at_least: 0.60,
            strong_note_at_least: 0.70,
            strong_references_min: 3,
            reference_relevance: 0.75,
            language: "en".to_owned(),
            judge_timeout_ms: 2_000,
        }
    }
}

impl Default for JudgeSettings {
    fn default() -> Self {
        Self {
            relevance_floor: 0.3,
            relevance_floor_unread: 0.45,
            thresholds: None,
            duplicate_similarity: 0.9,
            passages_per_document_max: 3,
            passages_max: 5,
            kind_reserves: BTreeMap::new(),
            kind_boost: 0.15,
            diversity: Some(DiversitySettings { fetch: 24, keep: 8, relevance_share: 0.5 }),
            model: JudgeModel::BuiltIn,
            read_max: 8,
            reading_weight: 0.01,
            read_timeout_ms: 2_000,
            gates: vec![
                GateSettings::Coverage { strong: 0.65, fair: 0.55, fair_passages: 2, main_kind: None },
                GateSettings::Keywords { warn_below: 1.0 },
                GateSettings::QueryCoverage { at_least: 0.5 },
                GateSettings::Answerability { at_least: 0.3 },
            ],
        }
    }
}

impl Default for IngestSettings {
    fn default() -> Self {
        Self { passage_tokens: 200, batch_passages: 64, passages_max: 20_000, file_bytes_max: 64 << 20 }
    }
}

#[cfg(test)]
mod tests {
    use super::{MANUAL, Settings};

    #[test]
    fn the_manual_holds_every_key_with_its_default() {
        let manual: Settings = serde_saphyr::from_str(MANUAL).expect("the manual is valid");
        assert_eq!(manual, Settings::default());
        let default = serde_json::to_value(Settings::default()).expect("settings serialise");
        let manual: serde_json::Value = serde_saphyr::from_str(MANUAL).expect("the manual is YAML");
        let keys = |value: &serde_json::Value| -> Vec<String> {
            let sections = value.as_object().expect("a map of sections");
            sections
                .iter()
                .flat_map(|(section, inner)| {
                    let keys = inner.as_object().map(|inner| inner.keys().cloned().collect::<Vec<_>>());
                    keys.unwrap_or_default().into_iter().map(move |key| format!("{section}.{key}"))
                })
                .collect()
        };
        assert_eq!(keys(&manual), keys(&default));
    }
}
