//! `vouch-bench judge`: answerability, claims, altered sentences, order and speed, each beside its floor, on the parts
//! of the data sets the judge has neither learnt from nor was tuned on.

mod altered;
mod answerability;
mod claims;
mod gold_removed;
pub(super) mod pairs;
mod refusal;
mod rerank;
mod speed;
pub(crate) mod splits;
mod tables;
mod written;

use std::{process::ExitCode, sync::Arc};

use serde::Serialize;
use vouch_domain::ports::{ClaimJudge, Embedder, PassageJudge};
use vouch_models::{GteSmall, Judge};

use super::datasets;
use crate::cli::{JudgeArgs, JudgePart};
use vouch_app::{
    cli::Common,
    console::{load, print, print_json, tell},
    wiring,
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
    gold_removed: Vec<gold_removed::Row>,
    rerank: Vec<rerank::Row>,
    speed: Vec<speed::Row>,
    written: Vec<written::Row>,
}

pub(super) async fn run(common: &Common, args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let policies = load(common)?.policies;
    let judge = Judge::load(wiring::threads())?;
    let reader: Arc<dyn PassageJudge> = Arc::new(judge.clone());
    let weigher: Arc<dyn ClaimJudge> = Arc::new(judge.clone());
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
    if wants(JudgePart::Written) {
        report.written = written::measure(&weigher, &policies.verify).await?;
    }
    let with_corpus =
        [JudgePart::Answerability, JudgePart::Altered, JudgePart::Refusal, JudgePart::GoldRemoved, JudgePart::Rerank];
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
            if wants(JudgePart::GoldRemoved) {
                report.gold_removed.extend(gold_removed::measure(&work, &bench, &name, &embedder, &splits).await?);
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
                report.rerank.extend(rerank::measure(&work, &set, &judge, &policies, &splits).await?);
            }
        }
    }
    if common.json {
        print_json(&report)?;
    } else {
        print(&tables::shown(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}
