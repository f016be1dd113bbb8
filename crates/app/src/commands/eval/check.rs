//! `vouch eval check`: a report against a baseline, and whether it is worse than allowed.

use std::process::ExitCode;

use vouch_evals::comparison::{Comparison, Limits, compare, points, regressions};

use super::{print, read_report, tell};
use crate::{
    cli::{Common, EvalCheckArgs},
    console::print_json,
    render,
};

pub(super) fn run(common: &Common, args: &EvalCheckArgs) -> anyhow::Result<ExitCode> {
    let (baseline, current) = (read_report(&args.baseline)?, read_report(&args.current)?);
    let comparison = compare(&baseline, &current);
    let limits = Limits { precision: args.precision_threshold, recall: args.recall_threshold };
    let regressions = regressions(&comparison, limits);
    if common.json {
        let flips = comparison.flips.iter().map(|flip| {
            serde_json::json!({
                "id": flip.id, "query": flip.query, "before": flip.change.0, "now": flip.change.1, "worse": flip.is_worse,
            })
        });
        print_json(&serde_json::json!({
            "passed": regressions.is_empty(),
            "regressions": regressions,
            "figures": comparison.figures,
            "shared": comparison.shared,
            "flips": flips.collect::<Vec<_>>(),
            "notices": comparison.notices,
        }))?;
    } else {
        print(&shown(&comparison))?;
        regressions.iter().for_each(|line| tell(&format!("vouch: {line}")));
    }
    Ok(if regressions.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What changed, for a person.
pub(super) fn shown(comparison: &Comparison) -> String {
    let mut rows = vec![["against the baseline", "before", "now", "points"].map(str::to_owned).to_vec()];
    for (name, before, after) in &comparison.figures {
        let shares = [before, after]
            .map(|share| share.map_or_else(|| "none".to_owned(), |share| format!("{:.1} %", share * 100.0)));
        let change = before.zip(*after).map(|(before, after)| format!("{:+.1}", points(before, after)));
        let change = change.unwrap_or_default();
        rows.push(std::iter::once(name.clone()).chain(shares).chain([change]).collect());
    }
    let flip = |flip: &vouch_evals::comparison::Flip| {
        let mark = if flip.is_worse { "worse" } else { "changed" };
        format!("{mark}: {}: {} -> {}: {}\n", flip.id, flip.change.0, flip.change.1, flip.query)
    };
    let flips: String = comparison.flips.iter().map(flip).collect();
    let notices: String = comparison.notices.iter().map(|notice| format!("note: {notice}\n")).collect();
    format!("{}\n{notices}{flips}{} questions have a different verdict\n", render::table(&rows), comparison.flips.len())
}
