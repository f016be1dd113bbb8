//! One golden question and what became of it.

use serde::{Deserialize, Serialize};

use crate::{
    expectation::{Actual, Unmet, checked},
    golden::{Expected, GoldenQuestion},
    score::Verdict,
};

/// A question, what was done with it, and how that is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Graded {
    /// The question's name.
    pub id: String,
    /// The question.
    pub query: String,
    /// What sort of question it is.
    pub category: String,
    /// `tune` or `test`.
    pub split: String,
    /// Whether the corpus answers it.
    pub answerable: bool,
    /// What was expected.
    pub expected: Expected,
    /// The documents that answer it.
    pub gold: Vec<String>,
    /// The collections of these documents, else of those cited.
    pub collections: Vec<String>,
    /// How it is judged.
    pub verdict: Verdict,
    /// The keys of `expected` that were looked at.
    pub looked_at: Vec<String>,
    /// What does not agree with `expected`.
    pub unmet: Vec<Unmet>,
    /// What was done.
    pub actual: Actual,
    /// How sure the answer is, 0 to 100; none where nothing was answered.
    pub confidence: Option<u32>,
    /// How sure the judge was that a passage answers, where that gate was read.
    pub answerability: Option<f64>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: f64,
}

impl Graded {
    /// Judges what was done with a question.
    #[must_use]
    pub fn new(golden: &GoldenQuestion, verdict: Verdict, actual: Actual) -> Self {
        let checks = checked(&golden.expected, &actual);
        let mut looked_at: Vec<String> = checks.iter().map(|(key, _)| (*key).to_owned()).collect();
        looked_at.dedup();
        Self {
            id: golden.id.clone(),
            query: golden.query.clone(),
            category: golden.category.clone(),
            split: golden.split.clone(),
            answerable: golden.answerable,
            expected: golden.expected.clone(),
            gold: golden.gold_ids.clone(),
            collections: Vec::new(),
            verdict,
            looked_at,
            unmet: checks.into_iter().filter_map(|(_, unmet)| unmet).collect(),
            actual,
            confidence: None,
            answerability: None,
            elapsed_ms: 0.0,
        }
    }

    /// Whether it went as it should in every respect.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        matches!(self.verdict, Verdict::Right | Verdict::RightRefusal) && self.unmet.is_empty()
    }

    /// Under which name its trace is kept.
    #[must_use]
    pub fn trace_id(&self) -> String {
        format!("eval-{}", self.id)
    }

    /// Why it did not, as one word.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self.verdict {
            Verdict::Beside => Some("beside"),
            Verdict::FalseRefusal => Some("false_refusal"),
            Verdict::Overconfident => Some("answered_unanswerable"),
            Verdict::Right | Verdict::RightRefusal => self.unmet.first().map(|unmet| unmet.key.as_str()),
        }
    }
}
