//! The report of an evaluation: on what it was run, its figures, what went wrong, and a line for each question.
//!
//! Invariant: two runs over the same corpus, settings, models and questions give the same report but for its times.

use serde::{Deserialize, Serialize};

use crate::{
    expectation::{Actual, Unmet},
    goals::{Goal, goals},
    golden::Expected,
    graded::Graded,
    metrics::{Latency, Metrics, metrics},
    score::Verdict,
};

/// A report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// On what it was run.
    pub meta: Meta,
    /// Its figures.
    pub metrics: Metrics,
    /// What was meant to be reached, and whether it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Goal>,
    /// What went wrong.
    pub failures: Vec<Failure>,
    /// Every question in short.
    pub questions: Vec<Line>,
}

/// On what an evaluation was run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// When.
    pub timestamp: String,
    /// The program's version.
    pub version: String,
    /// The commit the golden set is of; null if it is in no repository.
    pub commit: Option<String>,
    /// A digest of the settings that decide answers.
    pub config_hash: String,
    /// The Git blob hash of the golden set.
    pub golden_set_hash: String,
    /// The version that stands beside the golden set in `golden.version`; null if none does.
    pub golden_set_version: Option<String>,
    /// The half that was asked; null for all.
    pub split: Option<String>,
    /// A digest of the corpus: its documents and what editors prepared.
    pub corpus: String,
    /// The embedder.
    pub embedder: String,
    /// The judge; null without one.
    pub judge: Option<String>,
    /// All questions.
    pub total_queries: usize,
    /// Those that went as they should in every respect.
    pub pass_count: usize,
    /// The others.
    pub fail_count: usize,
}

/// A question that did not go as it should.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Its name.
    pub id: String,
    /// The question.
    pub query: String,
    /// What was expected.
    pub expected: Expected,
    /// What was done.
    pub actual: Actual,
    /// Why it failed, as one word.
    pub reason: String,
    /// What does not agree with `expected`.
    pub unmet: Vec<Unmet>,
    /// Under which name its trace is kept.
    pub trace_id: String,
}

/// A question in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its name.
    pub id: String,
    /// The question.
    pub query: String,
    /// How it is judged.
    pub verdict: Verdict,
    /// The keys of `expected` that do not agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
    /// How sure the answer is; null where nothing was answered.
    pub confidence: Option<u32>,
}

impl Report {
    /// Adds up graded questions.
    #[must_use]
    pub fn new(meta: Meta, graded: &[Graded]) -> Self {
        let passed = graded.iter().filter(|one| one.is_passed()).count();
        let meta = Meta { total_queries: graded.len(), pass_count: passed, fail_count: graded.len() - passed, ..meta };
        let failure = |one: &Graded| {
            Some(Failure {
                id: one.id.clone(),
                query: one.query.clone(),
                expected: one.expected.clone(),
                actual: one.actual.clone(),
                reason: one.reason()?.to_owned(),
                unmet: one.unmet.clone(),
                trace_id: one.trace_id(),
            })
        };
        let line = |one: &Graded| Line {
            id: one.id.clone(),
            query: one.query.clone(),
            verdict: one.verdict,
            unmet: one.unmet.iter().map(|unmet| unmet.key.clone()).collect(),
            confidence: one.confidence,
        };
        let metrics = metrics(graded);
        Self {
            meta,
            goals: goals(&metrics, None),
            metrics,
            failures: graded.iter().filter_map(failure).collect(),
            questions: graded.iter().map(line).collect(),
        }
    }

    /// The same as a baseline: without times and without what only explains.
    #[must_use]
    pub fn as_baseline(mut self) -> Self {
        self.meta.timestamp = String::new();
        self.meta.commit = None;
        self.metrics.latency = Latency::default();
        self.goals = Vec::new();
        self.failures = Vec::new();
        self
    }
}
