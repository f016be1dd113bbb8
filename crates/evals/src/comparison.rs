//! Two reports → what changed between them, and whether it is a regression.

use std::collections::BTreeMap;

use crate::{
    report::{Line, Report},
    score::Verdict,
};

/// What changed from a baseline to a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Figures by name, before and after.
    pub figures: Vec<(String, f64, f64)>,
    /// Questions that are judged otherwise.
    pub flips: Vec<Flip>,
    /// What makes the two hard to compare, such as another golden set.
    pub notices: Vec<String>,
}

/// A question that is judged otherwise than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flip {
    /// Its name.
    pub id: String,
    /// The question.
    pub query: String,
    /// How it was judged, and how it is now.
    pub change: (String, String),
    /// Whether it passed before and does not now.
    pub is_worse: bool,
}

/// How much worse a report may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The most that precision may fall, overall and in a collection.
    pub precision: f64,
    /// The most that recall may fall.
    pub recall: f64,
}

/// Compares a report with a baseline.
#[must_use]
pub fn compare(baseline: &Report, current: &Report) -> Comparison {
    let mut figures = Vec::new();
    let mut add = |name: &str, before: f64, after: f64| figures.push((name.to_owned(), before, after));
    let (before, after) = (&baseline.metrics, &current.metrics);
    add("precision", before.overall.precision, after.overall.precision);
    add("recall", before.overall.recall, after.overall.recall);
    add("f1", before.overall.f1, after.overall.f1);
    add("hallucination", before.overall.hallucination.share, after.overall.hallucination.share);
    add("unanswerable answered", before.overall.answered_unanswerable.share, after.overall.answered_unanswerable.share);
    add("false refusal", before.overall.false_refusal.share, after.overall.false_refusal.share);
    add("abstention", before.abstention.total_rate, after.abstention.total_rate);
    for (name, own) in &before.by_collection {
        if let Some(now) = after.by_collection.get(name) {
            add(&format!("precision in {name}"), own.precision, now.precision);
            add(&format!("recall in {name}"), own.recall, now.recall);
        }
    }
    let mut notices = Vec::new();
    let mut other = |name: &str, one: &str, two: &str| {
        if one != two {
            notices.push(format!("{name}: {one} before, {two} now"));
        }
    };
    other("golden set", &baseline.meta.golden_set_hash, &current.meta.golden_set_hash);
    other("settings", &baseline.meta.config_hash, &current.meta.config_hash);
    other("corpus", &baseline.meta.corpus, &current.meta.corpus);
    Comparison { figures, flips: flips(baseline, current), notices }
}

/// By how many points a share changed; what differs by rounding alone did not.
#[must_use]
pub fn points(before: f64, after: f64) -> f64 {
    let change = (after - before) * 100.0;
    if change.abs() < 1e-6 { 0.0 } else { change }
}

fn flips(baseline: &Report, current: &Report) -> Vec<Flip> {
    let before: BTreeMap<&str, &Line> = baseline.questions.iter().map(|line| (line.id.as_str(), line)).collect();
    let flip = |line: &Line| {
        let old = before.get(line.id.as_str())?;
        let change = (told(old), told(line));
        let is_worse = passes(old) && !passes(line);
        (change.0 != change.1).then(|| Flip { id: line.id.clone(), query: line.query.clone(), change, is_worse })
    };
    current.questions.iter().filter_map(flip).collect()
}

fn passes(line: &Line) -> bool {
    matches!(line.verdict, Verdict::Right | Verdict::RightRefusal) && line.unmet.is_empty()
}

fn told(line: &Line) -> String {
    let verdict = match line.verdict {
        Verdict::Right => "right",
        Verdict::Beside => "beside",
        Verdict::FalseRefusal => "false refusal",
        Verdict::RightRefusal => "right refusal",
        Verdict::Overconfident => "answered although unanswerable",
    };
    match line.unmet.is_empty() {
        true => verdict.to_owned(),
        false => format!("{verdict}, but for {}", line.unmet.join(", ")),
    }
}

/// What is worse than the limits allow, a sentence each.
#[must_use]
pub fn regressions(comparison: &Comparison, limits: Limits) -> Vec<String> {
    let fallen = comparison.figures.iter().filter_map(|(name, before, after)| {
        let limit = match name.split(' ').next() {
            Some("precision") => limits.precision,
            Some("recall") => limits.recall,
            Some(_) | None => return None,
        };
        // Two shares that differ by rounding alone are the same.
        (before - after > limit + 1e-9).then(|| {
            format!(
                "{name} fell from {:.1} % to {:.1} %, more than {:.1} points",
                before * 100.0,
                after * 100.0,
                limit * 100.0
            )
        })
    });
    fallen.collect()
}
