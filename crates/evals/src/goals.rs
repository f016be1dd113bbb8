//! What answers are meant to reach, and whether a report does.

use serde::{Deserialize, Serialize};

use crate::metrics::Metrics;

/// Right answers among the answers, at least.
const PRECISION: f64 = 0.85;
/// Answerable questions answered rightly, at least.
const RECALL: f64 = 0.80;
/// By how much more may be refused than in the first baseline.
const ABSTENTION_CHANGE: f64 = 0.05;
/// How long 95 of 100 questions about a term may take, in milliseconds.
const TERM_MS: f64 = 100.0;

/// One thing to reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// Its name.
    pub name: String,
    /// What was meant to be reached, in words.
    pub wanted: String,
    /// What was reached, in words.
    pub reached: String,
    /// Whether that is enough.
    pub is_met: bool,
}

/// What a report reaches, and by how much more is refused than in a baseline, as a share of the same questions.
#[must_use]
pub fn goals(metrics: &Metrics, more_refused: Option<f64>) -> Vec<Goal> {
    let goal = |name: &str, wanted: String, reached: String, is_met: bool| Goal {
        name: name.to_owned(),
        wanted,
        reached,
        is_met,
    };
    let overall = &metrics.overall;
    let over = |least: f64| format!("over {:.0} %", least * 100.0);
    let mut goals = vec![
        goal("precision", over(PRECISION), overall.right_of_answered.percent(), overall.precision > PRECISION),
        goal("recall", over(RECALL), overall.right_of_answerable.percent(), overall.recall > RECALL),
    ];
    let terms = &metrics.terminology_hallucination;
    if terms.of > 0 {
        let told = format!("{} of {}", terms.part, terms.of);
        goals.push(goal("terms defined without the vocabulary", "none".to_owned(), told, terms.part == 0));
        let time = metrics.latency.term_p95_ms;
        goals.push(goal(
            "95 of 100 questions about a term",
            format!("under {TERM_MS:.0} ms"),
            format!("{time:.0} ms"),
            time < TERM_MS,
        ));
    }
    if let Some(change) = more_refused {
        let told = format!("{:+.1} points", change * 100.0);
        let wanted = format!("under {:.0} points", ABSTENTION_CHANGE * 100.0);
        goals.push(goal("more refused than before", wanted, told, change < ABSTENTION_CHANGE));
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::goals;
    use crate::metrics::Metrics;

    fn met(metrics: &Metrics, more_refused: Option<f64>) -> Vec<bool> {
        goals(metrics, more_refused).into_iter().map(|goal| goal.is_met).collect()
    }

    #[test]
    fn every_goal_is_met_or_missed_by_its_own_figure() {
        let mut metrics = Metrics::default();
        metrics.overall.precision = 0.86;
        metrics.overall.recall = 0.8;
        assert_eq!(met(&metrics, None), [true, false], "more than 80 % is meant");
        metrics.terminology_hallucination = crate::bounds::Rate::new(1, 9);
        metrics.latency.term_p95_ms = 20.0;
        assert_eq!(met(&metrics, Some(0.06)), [true, false, false, true, false]);
    }
}
