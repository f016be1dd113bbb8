//! What a trail of requests holds → figures under the names a running server gives them, where no server runs.

use std::fmt::Write;

use super::{Snapshot, abstention::Abstention};
use crate::outcome::Outcome;

/// Figures of a trail: what came of requests, why, and how often.
#[must_use]
pub fn from_trail(entries: &[(String, Option<String>, u64)]) -> Snapshot {
    let mut text = String::new();
    let mut family = |name: &str, help: &str, label: &str, counts: Vec<(String, u64)>| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter");
        for (value, count) in summed(counts) {
            let value = value.replace('\\', "_").replace('"', "\\\"").replace('\n', "_");
            let _ = writeln!(text, "{name}{{{label}=\"{value}\"}} {count}");
        }
    };
    let refused = || {
        entries
            .iter()
            .filter(|(outcome, _, _)| matches!(Outcome::parse(outcome), Some(Outcome::Refused | Outcome::Routed)))
    };
    let reasons = |(_, reason, count): &(String, Option<String>, u64)| Some((reason.clone()?, *count));
    let outcomes = entries.iter().map(|(outcome, _, count)| (outcome.clone(), *count)).collect();
    family("vouch_trail_entries_total", "Requests in the audit trail, by outcome.", "outcome", outcomes);
    let abstained = refused().filter_map(|entry| {
        let (reason, count) = reasons(entry)?;
        Some((Abstention::recorded(&reason).as_str().to_owned(), count))
    });
    let known = Abstention::ALL.iter().map(|reason| (reason.as_str().to_owned(), 0));
    let help = "Questions that were not answered, by reason.";
    family("rag_abstention_total", help, "reason", known.chain(abstained).collect());
    let help = "Questions that were not answered, by the gate or rule that stopped them.";
    family("vouch_refusals_total", help, "reason", refused().filter_map(reasons).collect());
    let failed = entries
        .iter()
        .filter(|(outcome, _, _)| Outcome::parse(outcome) == Some(Outcome::Failed))
        .filter_map(reasons)
        .collect();
    family("vouch_failures_total", "Questions that failed with an error, by code.", "code", failed);
    Snapshot::read(&text)
}

fn summed(counts: Vec<(String, u64)>) -> std::collections::BTreeMap<String, u64> {
    let mut sums = std::collections::BTreeMap::new();
    for (value, count) in counts {
        *sums.entry(value).or_insert(0) += count;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::from_trail;

    #[test]
    fn a_trail_is_counted_under_the_names_a_server_uses() {
        let entry = |outcome: &str, reason: Option<&str>, count| (outcome.to_owned(), reason.map(str::to_owned), count);
        let text = from_trail(&[
            entry("answered", None, 4),
            entry("refused", Some("coverage"), 2),
            entry("refused", Some("answerability"), 1),
            entry("refused", Some("terminology_timeout"), 1),
            entry("failed", Some("llm_timeout"), 1),
        ])
        .text();
        for line in [
            "vouch_trail_entries_total{outcome=\"refused\"} 4\n",
            "rag_abstention_total{reason=\"low_confidence\"} 3\n",
            "rag_abstention_total{reason=\"terminology_timeout\"} 1\n",
            "rag_abstention_total{reason=\"no_results\"} 0\n",
            "vouch_failures_total{code=\"llm_timeout\"} 1\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
