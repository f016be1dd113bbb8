//! What was measured, as tables.

use vouch_app::render;

use super::{Report, refusal, rerank};

pub(super) fn shown(report: &Report) -> String {
    let tables = [
        answerability_table(report),
        claims_table(report),
        altered_table(report),
        refusal_table(report),
        gold_removed_table(report),
        written_table(report),
        rerank_table(report),
        speed_table(report),
    ];
    let mut text = String::new();
    for table in tables.iter().filter(|table| table.len() > 1) {
        text.push_str(&render::table(table));
        text.push('\n');
    }
    text
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn answerability_table(report: &Report) -> Vec<Vec<String>> {
    let names = ["answerable?", "yes", "no", "AUROC", "floor", "bal. acc.", "@5%", "@10%", "@15%", "@20% lost"];
    let mut table = vec![header(&names)];
    table.extend(report.answerability.iter().map(|row| {
        let mut line = vec![row.set.clone(), row.answerable.to_string(), row.unanswerable.to_string()];
        line.extend([row.auroc, row.floor_auroc, row.balanced_accuracy].map(figure));
        line.extend(row.refused_at.iter().copied().map(figure));
        line
    }));
    table
}

fn claims_table(report: &Report) -> Vec<Vec<String>> {
    let names =
        ["claims", "held out", "yes", "no", "AUROC", "judge alone", "floor", "bal. acc.", "kept", "shown", "decided"];
    let mut table = vec![header(&names)];
    table.extend(report.claims.iter().map(|row| {
        let held_out = if row.is_held_out { "yes" } else { "no" };
        let mut line =
            vec![row.set.clone(), held_out.to_owned(), row.supported.to_string(), row.unsupported.to_string()];
        line.extend([row.auroc, row.judge_auroc, row.floor_auroc, row.balanced_accuracy].map(figure));
        line.extend([row.kept, row.shown, row.decided_accuracy].map(|share| figure(Some(share))));
        line
    }));
    table
}

fn altered_table(report: &Report) -> Vec<Vec<String>> {
    let names = ["altered", "untouched", "rejected", "by judge", "altered", "caught", "by judge", "by kind"];
    let mut table = vec![header(&names)];
    table.extend(report.altered.iter().map(|row| {
        let kinds: Vec<String> =
            row.caught_by_kind.iter().map(|(kind, count)| format!("{kind} {}/{}", count.caught, count.made)).collect();
        vec![
            row.set.clone(),
            row.untouched.to_string(),
            figure(Some(row.untouched_rejected)),
            figure(Some(row.untouched_rejected_by_judge)),
            row.altered.to_string(),
            figure(Some(row.caught)),
            figure(Some(row.caught_by_judge)),
            kinds.join(", "),
        ]
    }));
    table
}

fn refusal_table(report: &Report) -> Vec<Vec<String>> {
    let names = ["whole walk", "answerable", "lost", "gold cited", "unanswerable", "refused", "refused/lost by gate"];
    let mut table = vec![header(&names)];
    table.extend(report.refusal.iter().map(|row| {
        let point = |point: &refusal::Point| format!("{:.2}: {:.2}/{:.2}", point.at_least, point.refused, point.lost);
        let curve: Vec<String> = row.curve.iter().step_by(2).map(point).collect();
        vec![
            row.set.clone(),
            row.answerable.to_string(),
            figure(Some(row.lost)),
            figure(Some(row.cited_gold)),
            row.unanswerable.to_string(),
            figure(Some(row.refused)),
            curve.join("  "),
        ]
    }));
    table
}

fn gold_removed_table(report: &Report) -> Vec<Vec<String>> {
    let mut table = vec![header(&[
        "gold removed",
        "questions",
        "refused",
        "of the rest",
        "lost where it is there",
        "found elsewhere",
    ])];
    table.extend(report.gold_removed.iter().map(|row| {
        let figures = [row.refused, row.refused_of_rest, row.lost].map(|share| figure(Some(share)));
        [vec![row.set.clone(), row.questions.to_string()], figures.to_vec(), vec![row.elsewhere.to_string()]].concat()
    }));
    table
}

fn written_table(report: &Report) -> Vec<Vec<String>> {
    let mut table = vec![header(&["written by a model", "true", "kept", "lost to rules", "false", "shown"])];
    table.extend(report.written.iter().map(|row| {
        let counts = [row.true_ones, row.kept, row.lost_to_rules, row.false_ones, row.shown];
        [vec![row.half.clone()], counts.map(|count| count.to_string()).to_vec()].concat()
    }));
    table
}

fn rerank_table(report: &Report) -> Vec<Vec<String>> {
    let names = [
        "nDCG@10",
        "queries",
        "fused",
        "judge",
        "blended",
        "reranked",
        "ms blended",
        "ms reranked",
        "blended by weight",
    ];
    let mut table = vec![header(&names)];
    table.extend(report.rerank.iter().map(|row| {
        let figures = [row.fused, row.judge, row.blended, row.reranked].map(|value| format!("{value:.4}"));
        let times = [row.blended_ms, row.reranked_ms].map(|value| format!("{value:.1}"));
        let point = |point: &rerank::Point| format!("{}: {:.4}", point.reading_weight, point.blended);
        let curve: Vec<String> = row.curve.iter().map(point).collect();
        [vec![row.set.clone(), row.queries.to_string()], figures.to_vec(), times.to_vec(), vec![curve.join("  ")]]
            .concat()
    }));
    table
}

fn speed_table(report: &Report) -> Vec<Vec<String>> {
    let mut table = vec![header(&["pairs of 160 tokens", "median ms", "fastest", "slowest"])];
    table.extend(report.speed.iter().map(|row| {
        let figures = [row.median_ms, row.fastest_ms, row.slowest_ms].map(|value| format!("{value:.1}"));
        [vec![row.pairs.to_string()], figures.to_vec()].concat()
    }));
    table
}
