//! The default file, `vouch.yaml` and the environment → `Settings`, strict about every key.
//!
//! Invariant: `default.yaml` is the manual; it holds every key with the value `Settings::default` has.

mod agents;
mod audit;
mod check;
mod dense;
mod environment;
mod figures;
mod file;
mod ingest;
mod models;
mod oidc;
mod serve;
mod store;
mod sources;
mod thresholds;
mod writing;

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};
use vouch_engine::{
    policy::{
        BoostPolicy, BreakerPolicy, DiversityPolicy, GatePolicy, JudgePolicy, MemoryPolicy, RetrievePolicy,
        TerminologyPolicy, UnderstandPolicy, UnknownTerm, VerifyPolicy,
    },
    trace::RewriteKind,
};

pub use agents::{
    AgentSettings, AgentsSettings, FallbackSettings, FieldSettings, RequirementSettings, SaySettings, SlotOrigin,
    SlotSettings, ToolSettings, ToolsSettings,
};
pub use audit::AuditSettings;
pub use dense::{DenseEngine, DenseSettings};
pub use figures::{AnswerFigures, with_figures};
pub use file::{LoadedSettings, load, parse_text, path as settings_path};
pub use ingest::{ConvertSettings, IngestSettings};
pub use models::{EmbedderJob, HelpingJob, JobSettings, ModelSettings, RerankerJob, ServerKind, ServerSettings};
pub use oidc::OidcSettings;
pub use serve::{LogForm, ServeSettings};
pub use sources::{BackgroundSettings, SourceKind, SourceSettings};
pub use store::{PostgresStoreSettings, SnapshotSettings, StoreSettings};
pub use thresholds::{ThresholdSettings, load as load_thresholds};
pub use writing::{ComposeSettings, DecideSettings};

/// The commented default file.
pub const MANUAL: &str = include_str!("default.yaml");

/// Everything that can be set. A section that a stage takes as it stands is the stage's own policy; the digest of the
/// whole is in every audit record, so the order of fields stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub profile: String,
    pub understand: UnderstandSettings,
    pub terminology: TerminologySettings,
    pub retrieve: RetrievePolicy,
    pub memory: MemoryPolicy,
    pub judge: JudgeSettings,
    pub models: ModelSettings,
    pub compose: ComposeSettings,
    pub verify: VerifyPolicy,
    pub decide: DecideSettings,
    pub agents: Option<AgentsSettings>,
    pub tools: ToolsSettings,
    pub circuit_breaker: CircuitBreakerSettings,
    pub ingest: IngestSettings,
    pub serve: ServeSettings,
    pub audit: AuditSettings,
    pub store: StoreSettings,
    pub sources: Vec<SourceSettings>,
    pub jobs: BackgroundSettings,
    // Left out where it is not set: the settings' digest in every trail is made of what is written here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<DenseSettings>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnderstandSettings {
    pub question_chars_max: usize,
    pub addresses: Vec<AddressSettings>,
    pub kind_names: BTreeMap<String, Vec<String>>,
    pub search_beyond_named: bool,
    pub rewrites: Vec<RewriteKind>,
    pub rewrites_max: usize,
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
    pub unknown: UnknownTerm,
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
pub struct JudgeSettings {
    pub relevance_floor: f32,
    pub relevance_floor_unread: f32,
    pub thresholds: Option<ThresholdSettings>,
    pub duplicate_similarity: f32,
    pub passages_per_document_max: usize,
    pub passages_max: usize,
    pub kind_reserves: BTreeMap<String, usize>,
    pub kind_boost: f32,
    pub boosts: BoostPolicy,
    pub diversity: Option<DiversityPolicy>,
    pub model: JudgeModel,
    pub read_max: usize,
    pub order: PassageOrder,
    pub reading_weight: f32,
    pub read_timeout_ms: u64,
    pub gates: Vec<GatePolicy>,
}

/// Who puts passages in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassageOrder {
    Blended,
    Reranked,
}

/// Who reads passages and weighs claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeModel {
    BuiltIn,
    None,
}

/// When a service that fails is no longer asked, and when again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CircuitBreakerSettings {
    pub embeddings: BreakerPolicy,
    pub llm: BreakerPolicy,
    pub skosmos: BreakerPolicy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profile: "default".to_owned(),
            understand: UnderstandSettings::default(),
            terminology: TerminologySettings::default(),
            retrieve: RetrievePolicy::default(),
            memory: MemoryPolicy::default(),
            judge: JudgeSettings::default(),
            models: ModelSettings::default(),
            compose: ComposeSettings::default(),
            verify: VerifyPolicy::default(),
            decide: DecideSettings::default(),
            agents: None,
            tools: ToolsSettings::default(),
            ingest: IngestSettings::default(),
            circuit_breaker: CircuitBreakerSettings::default(),
            serve: ServeSettings::default(),
            audit: AuditSettings::default(),
            store: StoreSettings::default(),
            sources: Vec::new(),
            jobs: BackgroundSettings::default(),
            dense: None,
        }
    }
}

impl Default for UnderstandSettings {
    fn default() -> Self {
        let policy = UnderstandPolicy::default();
        Self {
            question_chars_max: policy.question_chars_max,
            addresses: Vec::new(),
            kind_names: BTreeMap::new(),
            search_beyond_named: policy.search_beyond_named,
            rewrites: policy.rewrites,
            rewrites_max: policy.rewrites_max,
        }
    }
}

impl Default for TerminologySettings {
    fn default() -> Self {
        let policy = TerminologyPolicy::default();
        Self {
            source: TermSource::Auto,
            unknown: policy.unknown,
            language: policy.language,
            timeout_ms: in_millis(policy.timeout),
            cache_max: policy.cache_max,
            cache_ttl_s: policy.cache_ttl.as_secs(),
            skosmos_url: None,
            skosmos_vocabularies: Vec::new(),
        }
    }
}

impl Default for JudgeSettings {
    fn default() -> Self {
        let policy = JudgePolicy::default();
        Self {
            relevance_floor: policy.relevance_floor,
            relevance_floor_unread: policy.relevance_floor_unread,
            thresholds: None,
            duplicate_similarity: policy.duplicate_similarity,
            passages_per_document_max: policy.passages_per_document_max,
            passages_max: policy.passages_max,
            kind_reserves: BTreeMap::new(),
            kind_boost: policy.kind_boost,
            boosts: policy.boosts,
            diversity: policy.diversity,
            model: JudgeModel::BuiltIn,
            read_max: policy.read_max,
            order: PassageOrder::Blended,
            reading_weight: policy.reading_weight,
            read_timeout_ms: in_millis(policy.read_timeout),
            gates: policy.gates,
        }
    }
}

/// A time as the file writes it.
fn in_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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

    /// The digest of this text is in every audit record: other bytes would make every replay say that settings changed.
    #[test]
    fn settings_are_written_as_ever() {
        let profiles = ["book", "architecture", "lectures", "handbook", "support"];
        let mut written = format!("{}\n", serde_json::to_string(&Settings::default()).expect("settings serialise"));
        for profile in profiles {
            let path = format!("{}/../../profiles/{profile}/vouch.yaml", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(&path).expect("the profile's settings");
            let settings: Settings = serde_saphyr::from_str(&text).expect("valid settings");
            written.push_str(&serde_json::to_string(&settings).expect("settings serialise"));
            written.push('\n');
        }
        let path = format!("{}/src/settings/kept/written.jsonl", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_KEPT").is_some() {
            std::fs::write(&path, &written).expect("a folder to write in");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("the kept file"), written);
    }
}
