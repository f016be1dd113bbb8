//! `vouch-bench judge`: answerability, claims, altered sentences, order and speed, each beside its floor, on the parts
//! of the data sets the judge has neither learnt from nor was tuned on.

mod altered;
mod answerability;
mod claims;
pub(super) mod pairs;
mod refusal;
mod rerank;
mod speed;
mod splits;

use std::{process::ExitCode, sync::Arc};

use serde::Serialize;
use vouch_domain::ports::{ClaimJudge, Embedder, PassageJudge};
use vouch_models::{GteSmall, Judge};

use super::datasets;
use crate::cli::{JudgeArgs, JudgePart};
use vouch_app::{
    cli::Common,
    console::{load, print, print_json, tell},
    render, wiring,
};

/// What every part of the benchmark is told.
pub(super) struct Work<'a> {
    pub(super) common: &'a Common,
    pub(super) questions_max: usize,
}

/// Everything that was measured.
#[derive(Debug, Default, Serialize)]
struct Report {
    answerability: Vec<answerability::Row>,
    claims: Vec<claims::Row>,
    altered: Vec<altered::Row>,
    refusal: Vec<refusal::Row>,
    rerank: Vec<rerank::Row>,
    speed: Vec<speed::Row>,
}

pub(super) async fn run(common: &Common, args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let policies = load(common)?.policies;
    let judge = Judge::load(wiring::threads())?;
    let reader: Arc<dyn PassageJudge> = Arc::new(judge.clone());
    let weigher: Arc<dyn ClaimJudge> = Arc::new(judge);
    let splits = splits::Splits::read()?;
    let work = Work { common, questions_max: args.questions };
    let wants = |part: JudgePart| args.parts.is_empty() || args.parts.contains(&part);
    let mut report = Report::default();
    if wants(JudgePart::Speed) {
        report.speed = speed::measure(&reader).await?;
    }
    if wants(JudgePart::Claims) {
        for name in claims::sets(&common.data, &args.bench.sets)? {
            tell(&format!("claims of {name}"));
            report.claims.push(claims::measure(&work, &name, &weigher, &policies.verify, &splits).await?);
        }
    }
    let with_corpus = [JudgePart::Answerability, JudgePart::Altered, JudgePart::Refusal, JudgePart::Rerank];
    if with_corpus.into_iter().any(wants) {
        let embedder: Arc<dyn Embedder> = Arc::new(GteSmall::load(wiring::threads())?);
        let has_corpus = |name: &String| common.data.join(name).join("corpus.jsonl").is_file();
        let sets: Vec<String> = args.bench.sets.iter().filter(|name| has_corpus(name)).cloned().collect();
        let bench = crate::cli::BenchArgs { sets, ..args.bench.clone() };
        for name in datasets::names(common, &bench)? {
            tell(&format!("passages of {name}"));
            if wants(JudgePart::Altered) {
                report.altered.extend(altered::measure(&work, &name, &weigher, &policies.verify, &splits).await?);
            }
            if !wants(JudgePart::Answerability) && !wants(JudgePart::Refusal) && !wants(JudgePart::Rerank) {
                continue;
            }
            let set = datasets::open(common, &bench, &name, &embedder).await?;
            if wants(JudgePart::Answerability) {
                report.answerability.extend(answerability::measure(&work, &set, &reader, &splits).await?);
            }
            if wants(JudgePart::Refusal) {
                report.refusal.extend(refusal::measure(&work, &set, &splits).await?);
            }
            if wants(JudgePart::Rerank) {
                report.rerank.extend(rerank::measure(&work, &set, &reader, &policies.judge, &splits).await?);
            }
        }
    }
    if common.json {
        print_json(&report)?;
    } else {
        print(&shown(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(report: &Report) -> String {
    let tables = [
        answerability_table(report),
        claims_table(report),
        altered_table(report),
        refusal_table(report),
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
    let names = ["claims", "held out", "yes", "no", "AUROC", "judge alone", "floor", "bal. acc."];
    let mut table = vec![header(&names)];
    table.extend(report.claims.iter().map(|row| {
        let held_out = if row.is_held_out { "yes" } else { "no" };
        let mut line =
            vec![row.set.clone(), held_out.to_owned(), row.supported.to_string(), row.unsupported.to_string()];
        line.extend([row.auroc, row.judge_auroc, row.floor_auroc, row.balanced_accuracy].map(figure));
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

fn rerank_table(report: &Report) -> Vec<Vec<String>> {
    let mut table = vec![header(&["nDCG@10", "queries", "fused", "judge", "blended", "blended by weight"])];
    table.extend(report.rerank.iter().map(|row| {
        let figures = [row.fused, row.judge, row.blended].map(|value| format!("{value:.4}"));
        let point = |point: &rerank::Point| format!("{}: {:.4}", point.reading_weight, point.blended);
        let curve: Vec<String> = row.curve.iter().map(point).collect();
        [vec![row.set.clone(), row.queries.to_string()], figures.to_vec(), vec![curve.join("  ")]].concat()
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
