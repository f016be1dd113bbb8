//! One golden question and what became of it.

use serde::{Deserialize, Serialize};

use crate::{
    expectation::{Actual, Check, ROUTES, Unmet, checked},
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

/// The keys that say where an answer comes from.
const SOURCES: [&str; 4] = ["route", "document_ids", "kinds", "source"];

/// An answer to a line that has no words to look for is right where it comes from where it should; none where the line does not say that
/// either.
fn by_sources(golden: &GoldenQuestion, checks: &[Check]) -> Option<Verdict> {
    let expected = &golden.expected;
    let has_words =
        [&golden.gold_answers, &expected.must_contain, &expected.must_not_contain].iter().any(|all| !all.is_empty());
    // That several collections were searched says nothing of where an answer is from.
    let is_reply_route = expected.route.as_ref().is_some_and(|route| ROUTES.contains(&route.as_str()));
    let is_source = |(key, _): &&Check| SOURCES.contains(key) && !(*key == "route" && is_reply_route);
    let mut of_sources = checks.iter().filter(is_source).peekable();
    if has_words || of_sources.peek().is_none() {
        return None;
    }
    Some(if of_sources.all(|(_, unmet)| unmet.is_none()) { Verdict::Right } else { Verdict::Beside })
}

impl Graded {
    /// Judges what was done with a question.
    #[must_use]
    pub fn new(golden: &GoldenQuestion, verdict: Verdict, actual: Actual) -> Self {
        let checks = checked(&golden.expected, &actual);
        let mut looked_at: Vec<String> = checks.iter().map(|(key, _)| (*key).to_owned()).collect();
        looked_at.dedup();
        let verdict = by_sources(golden, &checks).filter(|_| verdict == Verdict::Beside).unwrap_or(verdict);
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
