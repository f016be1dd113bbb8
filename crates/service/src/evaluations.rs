//! Reports of evaluations that are kept beside the documents, as other programs see them.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Reads the report of a name, or all there are where none is named, newest first.
pub type ReadReports = Arc<dyn Fn(Option<&str>) -> Vec<KeptReport> + Send + Sync>;

/// A report under its name.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptReport {
    /// What it is asked for by.
    pub name: String,
    /// Whose documents were asked.
    pub tenants: Vec<String>,
    /// The report as it was written.
    pub report: Value,
}

impl KeptReport {
    /// Whether it is about a tenant alone: the questions of others are not shown to it.
    #[must_use]
    pub fn is_of(&self, tenant: &str) -> bool {
        !self.tenants.is_empty() && self.tenants.iter().all(|own| own == tenant)
    }
}

/// An evaluation in short.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Evaluation)]
pub struct EvaluationWire {
    /// What it is asked for by.
    pub name: String,
    /// When it was run.
    pub timestamp: Option<String>,
    /// The program's version.
    pub version: Option<String>,
    /// Version of the set of questions; null if it has none.
    pub golden_set_version: Option<String>,
    /// Hash of the set of questions.
    pub golden_set_hash: Option<String>,
    /// The half that was asked; null for all.
    pub split: Option<String>,
    /// Number of questions.
    pub questions: Option<u64>,
    /// Share of the answers that are right.
    pub precision: Option<f64>,
    /// Share of the answerable questions that are answered rightly.
    pub recall: Option<f64>,
    /// Share of the unanswerable questions that are answered.
    pub answered_unanswerable: Option<f64>,
}

impl EvaluationWire {
    /// What a report says in short; null where it does not say so.
    #[must_use]
    pub fn new(kept: &KeptReport) -> Self {
        let at = |path: &str| kept.report.pointer(path);
        let meta = |key: &str| at(&format!("/meta/{key}"))?.as_str().map(str::to_owned);
        let figure = |path: &str| at(path)?.as_f64();
        Self {
            name: kept.name.clone(),
            timestamp: meta("timestamp"),
            version: meta("version"),
            golden_set_version: meta("golden_set_version"),
            golden_set_hash: meta("golden_set_hash"),
            split: meta("split"),
            questions: at("/meta/total_queries").and_then(Value::as_u64),
            precision: figure("/metrics/overall/precision"),
            recall: figure("/metrics/overall/recall"),
            answered_unanswerable: figure("/metrics/overall/answered_unanswerable/share"),
        }
    }
}
