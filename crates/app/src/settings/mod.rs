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

pub(crate) use audit::AuditSettings;
pub(crate) use breakers::{BreakerSettings, CircuitBreakerSettings};
pub(crate) use file::{Loaded, load, parse_text};
pub(crate) use models::{EmbedderJob, JobSettings, ModelSettings, ServerKind, ServerSettings};
pub(crate) use oidc::OidcSettings;
pub(crate) use serve::{LogForm, ServeSettings};
pub(crate) use thresholds::{ThresholdSettings, load as load_thresholds};
pub(crate) use writing::{ComposeSettings, DecideSettings, FailureName, StyleName, UnsupportedName, VerifySettings};

/// The commented default file.
pub(crate) const MANUAL: &str = include_str!("default.yaml");

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) profile: String,
    pub(crate) understand: UnderstandSettings,
    pub(crate) terminology: TerminologySettings,
    pub(crate) retrieve: RetrieveSettings,
    pub(crate) memory: MemorySettings,
    pub(crate) judge: JudgeSettings,
    pub(crate) models: ModelSettings,
    pub(crate) compose: ComposeSettings,
    pub(crate) verify: VerifySettings,
    pub(crate) decide: DecideSettings,
    pub(crate) circuit_breaker: CircuitBreakerSettings,
    pub(crate) ingest: IngestSettings,
    pub(crate) serve: ServeSettings,
    pub(crate) audit: AuditSettings,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct UnderstandSettings {
    pub(crate) question_chars_max: usize,
    pub(crate) addresses: Vec<AddressSettings>,
    pub(crate) kind_names: BTreeMap<String, Vec<String>>,
    pub(crate) rewrites: Vec<RewriteName>,
    pub(crate) rewrites_max: usize,
}

/// A rule that asks a question in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RewriteName {
    Subject,
    Spelling,
    SubQuestion,
    Item,
    Synonym,
    Statement,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddressSettings {
    pub(crate) kind: Option<String>,
    pub(crate) pattern: String,
    pub(crate) normal: String,
    #[serde(default)]
    pub(crate) from_name: Option<String>,
    #[serde(default)]
    pub(crate) lead_section: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TerminologySettings {
    pub(crate) source: TermSource,
    pub(crate) language: String,
    pub(crate) timeout_ms: u64,
    pub(crate) cache_max: u64,
    pub(crate) cache_ttl_s: u64,
    pub(crate) skosmos_url: Option<String>,
    pub(crate) skosmos_vocabularies: Vec<String>,
}

/// Who says what a term means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TermSource {
    Auto,
    None,
    SkosFile,
    Skosmos,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RetrieveSettings {
    pub(crate) lane_limit: usize,
    pub(crate) dense_weight: f32,
    pub(crate) lexical_weight: f32,
    pub(crate) rewrite_weight: f32,
    pub(crate) rare_holders_max: usize,
    pub(crate) pool_max: usize,
    pub(crate) lane_timeout_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MemorySettings {
    pub(crate) pinned_at_least: f32,
    pub(crate) border_from: f32,
    pub(crate) border_judge_at_least: f32,
    pub(crate) note_at_least: f32,
    pub(crate) strong_note_at_least: f32,
    pub(crate) strong_references_min: usize,
    pub(crate) reference_relevance: f32,
    pub(crate) language: String,
    pub(crate) judge_timeout_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct JudgeSettings {
    pub(crate) relevance_floor: f32,
    pub(crate) relevance_floor_unread: f32,
    pub(crate) thresholds: Option<ThresholdSettings>,
    pub(crate) duplicate_similarity: f32,
    pub(crate) passages_per_document_max: usize,
    pub(crate) passages_max: usize,
    pub(crate) kind_reserves: BTreeMap<String, usize>,
    pub(crate) kind_boost: f32,
    pub(crate) diversity: Option<DiversitySettings>,
    pub(crate) model: JudgeModel,
    pub(crate) read_max: usize,
    pub(crate) reading_weight: f32,
    pub(crate) read_timeout_ms: u64,
    pub(crate) gates: Vec<GateSettings>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiversitySettings {
    pub(crate) fetch: usize,
    pub(crate) keep: usize,
    pub(crate) relevance_share: f32,
}

/// Who reads passages and weighs claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JudgeModel {
    BuiltIn,
    None,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "gate", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum GateSettings {
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
pub(crate) struct IngestSettings {
    pub(crate) passage_tokens: usize,
    pub(crate) batch_passages: usize,
    pub(crate) passages_max: usize,
    pub(crate) file_bytes_max: u64,
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
