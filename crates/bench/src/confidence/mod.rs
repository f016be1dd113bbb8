//! `vouch-bench fit-confidence`: answers of which it is known whether they are right → the weights of the chance, and how well it holds
//! on questions that were not fitted on.

mod asked;
mod fit;

use std::{collections::BTreeMap, path::Path, process::ExitCode, sync::Arc};

use anyhow::bail;
use serde::Serialize;
use vouch_domain::{language::key_words, ports::Embedder};
use vouch_engine::decide::{Decision, WEIGHED, signs};
use vouch_evals::auroc::auroc;
use vouch_models::GteSmall;

use crate::{cli::BenchArgs, datasets, judge::splits::Splits};
use asked::{Asked, Part};
use vouch_app::{
    cli::Common,
    console::{load, print, print_json},
    exit::Usage,
    render, wiring,
};

/// An answer that was shown: what is known of it, the chance it was given, and whether it is right.
struct Shown {
    part: Part,
    signs: [f32; WEIGHED],
    chance: f32,
    is_right: bool,
}

/// How well the chance holds on one set's part to report.
#[derive(Debug, Serialize)]
struct Row {
    set: String,
    fitted_on: usize,
    reported_on: usize,
    right: f64,
    mean_chance: f64,
    calibration_error: f64,
    auroc: Option<f64>,
}

/// The weights that fit best, and how well those in use hold.
#[derive(Debug, Serialize)]
struct Report {
    weights: [f64; WEIGHED],
    bias: f64,
    rows: Vec<Row>,
}

pub(crate) async fn run(common: &Common, args: &BenchArgs, per_part: usize) -> anyhow::Result<ExitCode> {
    let embedder: Arc<dyn Embedder> = Arc::new(GteSmall::load(wiring::threads())?);
    let splits = Splits::read()?;
    let mut sets: Vec<(String, Vec<Shown>)> = Vec::new();
    for name in &args.sets {
        let folder = common.data.join(name);
        if !folder.is_dir() {
            bail!(Usage(format!("{} is no folder", folder.display())));
        }
        let asked = asked::read(&folder, |document| splits.is_held_out(name, document), per_part)?;
        sets.push((name.clone(), shown(common, args, (name, &folder), asked, &embedder).await?));
    }
    let report = report(&sets)?;
    if common.json {
        print_json(&report)?;
    } else {
        print(&format!("weights {:.3?}, bias {:.3}\n", report.weights, report.bias))?;
        print(&table(&report.rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks every question of a set, and keeps what was answered.
async fn shown(
    common: &Common,
    args: &BenchArgs,
    (name, folder): (&str, &Path),
    asked: Vec<Asked>,
    embedder: &Arc<dyn Embedder>,
) -> anyhow::Result<Vec<Shown>> {
    let store = args.store.join(name.replace('/', "-"));
    let check = vouch_adapters::embedded::EmbedderCheck::Enforce;
    let app = wiring::build_with(&load(common)?, &store, check, Arc::clone(embedder))?;
    let [lines, files] = ["corpus.jsonl", "documents"].map(|name| folder.join(name));
    datasets::ingest_files(&app, if lines.is_file() { &lines } else { &files }).await?;
    let mut found = Vec::new();
    for one in asked {
        let mut question = datasets::question(&one.query, None);
        question.conversation = one.conversation();
        let response = app.engine.ask(&question).await?;
        let Decision::Answer(answer) = &response.decision else { continue };
        let signs = signs(answer.text(), &key_words(&one.query), &response.evidence);
        let (Some(weighed), Some(chance)) = (signs.weighed(), signs.chance()) else { continue };
        found.push(Shown { part: one.part, signs: weighed, chance, is_right: one.is_right(answer.text()) });
    }
    Ok(found)
}

fn report(sets: &[(String, Vec<Shown>)]) -> anyhow::Result<Report> {
    let mut sources: BTreeMap<&str, Vec<&Shown>> = BTreeMap::new();
    for (name, shown) in sets {
        let fitted = shown.iter().filter(|one| one.part == Part::Fit);
        sources.entry(name.split('/').next().unwrap_or(name)).or_default().extend(fitted);
    }
    let mut rows: Vec<fit::Row> = Vec::new();
    for fitted in sources.into_values() {
        // Every source counts alike, however many of its questions were answered.
        let weight = 1.0 / fitted.len().max(1) as f64;
        rows.extend(fitted.iter().map(|one| fit::Row { signs: one.signs, is_right: one.is_right, weight }));
    }
    if rows.is_empty() {
        bail!(Usage("nothing was answered: no question to fit on".to_owned()));
    }
    let fitted = fit::fit(&rows);
    let mut table: Vec<Row> = sets.iter().map(|(name, shown)| row(name, shown.iter())).collect();
    table.push(row("all", sets.iter().flat_map(|(_, shown)| shown)));
    Ok(Report { weights: fitted.weights, bias: fitted.bias, rows: table })
}

fn row<'a>(set: &str, shown: impl Iterator<Item = &'a Shown>) -> Row {
    let (fitted, reported): (Vec<&Shown>, Vec<&Shown>) = shown.partition(|one| one.part == Part::Fit);
    let all = reported.len().max(1) as f64;
    let of = |wanted: bool| -> Vec<f32> {
        reported.iter().filter(|one| one.is_right == wanted).map(|one| one.chance).collect()
    };
    let pairs: Vec<(f64, bool)> = reported.iter().map(|one| (f64::from(one.chance), one.is_right)).collect();
    Row {
        set: set.to_owned(),
        fitted_on: fitted.len(),
        reported_on: reported.len(),
        right: of(true).len() as f64 / all,
        mean_chance: pairs.iter().map(|(chance, _)| chance).sum::<f64>() / all,
        calibration_error: fit::calibration_error(&pairs),
        auroc: auroc(&of(true), &of(false)),
    }
}

fn table(rows: &[Row]) -> String {
    let heading = ["set", "fitted on", "reported on", "right", "mean chance", "calibration error", "AUROC"];
    let mut table = vec![heading.map(str::to_owned).to_vec()];
    table.extend(rows.iter().map(|row| {
        let shares = [Some(row.right), Some(row.mean_chance), Some(row.calibration_error), row.auroc];
        let counts = [row.fitted_on, row.reported_on].map(|count| count.to_string());
        let shares = shares.map(|share| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}")));
        std::iter::once(row.set.clone()).chain(counts).chain(shares).collect()
    }));
    render::table(&table)
}
