//! Two reports → what changed between them, and whether it is a regression.
//!
//! Invariant: figures of different questions are never held against each other.

use std::collections::BTreeMap;

use crate::{
    bounds::Rate,
    goals::goals,
    metrics::{Metrics, Slice},
    report::{Line, Report},
    score::Verdict,
};

/// A figure before and now; none where there is nothing that it could be a share of.
pub type FigureChange = (String, Option<f64>, Option<f64>);

/// What changed from a baseline to a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Figures by name, before and after, of the questions that both have asked.
    pub figures: Vec<FigureChange>,
    /// How many questions those are.
    pub shared: usize,
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

/// Compares a report with a baseline: like with like, so of the questions that both have asked.
#[must_use]
pub fn compare(baseline: &Report, current: &Report) -> Comparison {
    let (before, after) = shared(baseline, current);
    let all = baseline.questions.len().max(current.questions.len());
    let is_whole = before.len() == all;
    let mut figures: Vec<FigureChange> = if is_whole {
        of_whole(&baseline.metrics, &current.metrics)
    } else {
        let name = |((name, before), (_, after)): ((&str, Rate), (&str, Rate))| change(name, &before, &after);
        of_lines(&before).into_iter().zip(of_lines(&after)).map(name).collect()
    };
    if is_whole {
        let of_collections = baseline.metrics.by_collection.iter().filter_map(|(name, own)| {
            let now = current.metrics.by_collection.get(name)?;
            let precision = change(&format!("precision in {name}"), &own.right_of_answered, &now.right_of_answered);
            let recall = change(&format!("recall in {name}"), &own.right_of_answerable, &now.right_of_answerable);
            Some([precision, recall])
        });
        figures.extend(of_collections.flatten());
    }
    let mut notices = Vec::new();
    let mut other = |name: &str, one: &str, two: &str| {
        if one != two {
            notices.push(format!("other {name}: {one} before, {two} now"));
        }
    };
    let half = |split: &Option<String>| split.clone().unwrap_or_else(|| "all".to_owned());
    other("golden set", &baseline.meta.golden_set_hash, &current.meta.golden_set_hash);
    other("half", &half(&baseline.meta.split), &half(&current.meta.split));
    other("settings", &baseline.meta.config_hash, &current.meta.config_hash);
    other("corpus", &baseline.meta.corpus, &current.meta.corpus);
    if !is_whole {
        let (old, new) = (baseline.questions.len(), current.questions.len());
        notices
            .push(format!("compared: the {} questions in both reports, of {old} before and {new} now", before.len()));
    }
    Comparison { figures, shared: before.len(), flips: flips(&before, &after), notices }
}

impl Report {
    /// The same, with what was meant to be reached against a baseline.
    #[must_use]
    pub fn against(mut self, baseline: &Self) -> Self {
        self.goals = goals(&self.metrics, more_refused(baseline, &self));
        self
    }
}

/// By how much more is refused of the questions that both have asked; none where there is no such question.
fn more_refused(baseline: &Report, current: &Report) -> Option<f64> {
    let (before, after) = shared(baseline, current);
    if before.len() == baseline.questions.len().max(current.questions.len()) && !before.is_empty() {
        return Some(current.metrics.abstention.total_rate - baseline.metrics.abstention.total_rate);
    }
    let refused =
        |lines: &[&Line]| Rate::new(lines.iter().filter(|line| is_refused(line)).count(), lines.len()).known();
    Some(refused(&after)? - refused(&before)?)
}

/// The lines of the same questions in both reports, in one order. A question is the same where it has its name and its words.
fn shared<'a>(baseline: &'a Report, current: &'a Report) -> (Vec<&'a Line>, Vec<&'a Line>) {
    let known: BTreeMap<(&str, &str), &Line> =
        baseline.questions.iter().map(|line| ((line.id.as_str(), line.query.as_str()), line)).collect();
    let both = |line: &'a Line| Some((*known.get(&(line.id.as_str(), line.query.as_str()))?, line));
    current.questions.iter().filter_map(both).unzip()
}

fn change(name: &str, before: &Rate, after: &Rate) -> FigureChange {
    (name.to_owned(), before.known(), after.known())
}

fn of_whole(before: &Metrics, after: &Metrics) -> Vec<FigureChange> {
    let (old, new) = (&before.overall, &after.overall);
    let is_any = |slice: &Slice, figure: f64| (slice.count > 0).then_some(figure);
    vec![
        change("precision", &old.right_of_answered, &new.right_of_answered),
        change("recall", &old.right_of_answerable, &new.right_of_answerable),
        ("f1".to_owned(), is_any(old, old.f1), is_any(new, new.f1)),
        change("hallucination", &old.hallucination, &new.hallucination),
        change("unanswerable answered", &old.answered_unanswerable, &new.answered_unanswerable),
        change("false refusal", &old.false_refusal, &new.false_refusal),
        ("abstention".to_owned(), is_any(old, before.abstention.total_rate), is_any(new, after.abstention.total_rate)),
    ]
}

/// The figures that the verdicts alone give.
fn of_lines(lines: &[&Line]) -> Vec<(&'static str, Rate)> {
    let count = |verdict: Verdict| lines.iter().filter(|line| line.verdict == verdict).count();
    let (right, beside, refused) = (count(Verdict::Right), count(Verdict::Beside), count(Verdict::FalseRefusal));
    let (well_refused, bold) = (count(Verdict::RightRefusal), count(Verdict::Overconfident));
    vec![
        ("precision", Rate::new(right, right + beside + bold)),
        ("recall", Rate::new(right, right + beside + refused)),
        ("hallucination", Rate::new(beside + bold, lines.len())),
        ("unanswerable answered", Rate::new(bold, bold + well_refused)),
        ("false refusal", Rate::new(refused, right + beside + refused)),
        ("abstention", Rate::new(refused + well_refused, lines.len())),
    ]
}

fn is_refused(line: &Line) -> bool {
    matches!(line.verdict, Verdict::FalseRefusal | Verdict::RightRefusal)
}

/// By how many points a share changed; what differs by rounding alone did not.
#[must_use]
pub fn points(before: f64, after: f64) -> f64 {
    let change = (after - before) * 100.0;
    if change.abs() < 1e-6 { 0.0 } else { change }
}

fn flips(before: &[&Line], after: &[&Line]) -> Vec<Flip> {
    let flip = |(old, line): (&&Line, &&Line)| {
        let change = (told(old), told(line));
        let is_worse = passes(old) && !passes(line);
        (change.0 != change.1).then(|| Flip { id: line.id.clone(), query: line.query.clone(), change, is_worse })
    };
    before.iter().zip(after).filter_map(flip).collect()
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
    if comparison.shared == 0 {
        return vec!["the reports have no question in common, so nothing can be compared".to_owned()];
    }
    let fallen = comparison.figures.iter().filter_map(|(name, before, after)| {
        let limit = match name.split(' ').next() {
            Some("precision") => limits.precision,
            Some("recall") => limits.recall,
            Some(_) | None => return None,
        };
        let before = (*before)?;
        // Two shares that differ by rounding alone are the same. Where nothing is answered any more, nothing of it is right.
        let is_fallen = before - after.unwrap_or(0.0) > limit + 1e-9;
        let now = after.map_or_else(|| "none".to_owned(), |after| format!("{:.1} %", after * 100.0));
        is_fallen.then(|| {
            format!("{name} fell from {:.1} % to {now}, more than {:.1} points", before * 100.0, limit * 100.0)
        })
    });
    fallen.collect()
}
