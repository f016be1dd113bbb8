//! Settings of agents and of the tools they may use.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vouch_adapters::tools::{DatabaseDeclaration, HttpDeclaration, ServerDeclaration};
use vouch_domain::Reader;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentsSettings {
    #[serde(default = "confidence_at_least")]
    pub confidence_at_least: f32,
    #[serde(default = "tool_timeout_ms")]
    pub tool_timeout_ms: u64,
    /// How long what was asked back waits for an answer; a quarter of an hour if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_timeout_ms: Option<u64>,
    #[serde(default)]
    pub model_routes: bool,
    #[serde(default)]
    pub model_chooses_tools: bool,
    #[serde(default)]
    pub model_tells_outputs: bool,
    pub fallback: FallbackSettings,
    pub list: Vec<AgentSettings>,
    /// Further examples, one a line, by the name of the agent or tool they are for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub examples: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FallbackSettings {
    #[serde(default = "fallback_name")]
    pub name: String,
    pub message: String,
    #[serde(default)]
    pub examples: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    pub name: String,
    pub scope: String,
    pub examples: Vec<String>,
    #[serde(default)]
    pub collections: BTreeSet<String>,
    #[serde(default)]
    pub tools: Vec<String>,
    /// Sections of the settings that are its own, such as `judge` or `decide`; what they leave out is the profile's.
    #[serde(default)]
    pub settings: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsSettings {
    /// The tenants whose people the records are of: a name of one tenant is somebody else's in another.
    pub tenants: BTreeSet<String>,
    pub databases: BTreeMap<String, DatabaseDeclaration>,
    pub servers: BTreeMap<String, ServerDeclaration>,
    pub list: Vec<ToolSettings>,
}

impl Default for ToolsSettings {
    fn default() -> Self {
        let tenants = BTreeSet::from([Reader::DEFAULT_TENANT.to_owned()]);
        Self { tenants, databases: BTreeMap::new(), servers: BTreeMap::new(), list: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSettings {
    pub name: String,
    pub does: String,
    pub examples: Vec<String>,
    #[serde(default)]
    pub changes: bool,
    #[serde(default)]
    pub database: Option<String>,
    #[serde(default)]
    pub sql: Vec<String>,
    #[serde(default)]
    pub http: Option<HttpDeclaration>,
    pub input: Value,
    pub output: Value,
    #[serde(default = "rows_max")]
    pub rows_max: usize,
    #[serde(default = "timeout_ms")]
    pub timeout_ms: u64,
    #[serde(default)]
    pub list: Option<String>,
    #[serde(default)]
    pub not_found: Option<Map<String, Value>>,
    /// What must be so for it to do anything, looked up before it is shown for a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<RequirementSettings>,
    pub slots: Vec<SlotSettings>,
    #[serde(default)]
    pub fields: BTreeMap<String, FieldSettings>,
    pub say: SaySettings,
}

/// A statement that finds a row where a tool can do its work, and what is said where it finds none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequirementSettings {
    pub name: String,
    pub sql: String,
    pub otherwise: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotSettings {
    pub name: String,
    pub from: SlotOrigin,
    #[serde(default)]
    pub pattern: Option<String>,
    #[serde(default)]
    pub currency: Vec<String>,
    #[serde(default)]
    pub choices: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub asks: String,
    #[serde(default)]
    pub optional: bool,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotOrigin {
    Asker,
    Today,
    Pattern,
    Amount,
    Choice,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FieldSettings {
    Text,
    Money {
        currency: Vec<String>,
    },
    Date,
    State {
        #[serde(default)]
        words: BTreeMap<String, String>,
    },
    Count,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SaySettings {
    pub found: String,
    pub each: Option<String>,
    pub not_found: String,
    pub confirm: Option<String>,
}

fn confidence_at_least() -> f32 {
    0.7
}

fn tool_timeout_ms() -> u64 {
    5_000
}

fn fallback_name() -> String {
    "fallback".to_owned()
}

fn rows_max() -> usize {
    50
}

fn timeout_ms() -> u64 {
    2_000
}
