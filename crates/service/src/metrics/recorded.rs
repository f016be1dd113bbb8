//! A record of the trail, as far as figures can be counted from it. Entries of earlier versions lack some of it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Recorded {
    pub(super) surface: String,
    pub(super) asked: RecordedQuestion,
    pub(super) router_decision: Option<RecordedRouting>,
    pub(super) agent: Option<String>,
    pub(super) response: Option<RecordedResponse>,
    pub(super) trace: Option<RecordedTrace>,
    pub(super) auditor: Option<RecordedInspection>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedQuestion {
    /// None if words are not kept.
    pub(super) query: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedRouting {
    pub(super) confidence: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedResponse {
    pub(super) intent: String,
    pub(super) no_context: bool,
    pub(super) refused: bool,
    pub(super) grounded: bool,
    pub(super) citations: Vec<serde::de::IgnoredAny>,
    /// None in entries of versions that did not keep them apart from the citations.
    pub(super) sources: Option<Vec<serde::de::IgnoredAny>>,
    pub(super) stale_sources: Vec<serde::de::IgnoredAny>,
    pub(super) claims: Vec<serde::de::IgnoredAny>,
    pub(super) confidence: RecordedConfidence,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedConfidence {
    pub(super) overall: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedTrace {
    pub(super) lanes: Vec<RecordedLane>,
    pub(super) collections: Vec<String>,
    pub(super) embedded: Option<bool>,
    pub(super) lookup: Option<RecordedLookup>,
    pub(super) tools: Vec<RecordedCall>,
    pub(super) writer: Option<RecordedWriter>,
    pub(super) fallbacks: Vec<String>,
    pub(super) timings_ms: Vec<RecordedTiming>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedLane {
    pub(super) lane: String,
    pub(super) failure: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedLookup {
    pub(super) backend: String,
    pub(super) outcome: String,
    pub(super) cached: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedCall {
    pub(super) name: String,
    pub(super) outcome: String,
    pub(super) elapsed_ms: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedWriter {
    pub(super) drops: BTreeMap<String, u64>,
    pub(super) left_out: Vec<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedTiming {
    pub(super) stage: String,
    pub(super) elapsed_ms: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedInspection {
    pub(super) checked: u64,
    pub(super) unknown: Vec<RecordedUnknown>,
    pub(super) unfinished: Option<String>,
    pub(super) markers: Option<RecordedMarkers>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedUnknown {
    pub(super) kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedMarkers {
    pub(super) emitted: u64,
    pub(super) dropped: u64,
    pub(super) invented: u64,
}
