//! `vouch eval run`: every question of a golden set, several at once, and a report of how they went.

use std::{io::Write, path::Path, process::ExitCode, sync::Arc};

use anyhow::Context;
use async_trait::async_trait;
use futures::StreamExt;
use indicatif::{ProgressBar, ProgressDrawTarget};
use vouch_domain::{EmbedderIdentity, Embedding, Fault, PortError, RelevanceMap, ports::Embedder};
use vouch_evals::{
    bounds::Rate,
    comparison::{Comparison, compare},
    golden::GoldenQuestion,
    graded::Graded,
    page::page,
    report::Report,
};

use super::{
    asked, check, circumstances, open_filled, print, print_json, read, read_report,
    resume::{Heading, Resumed},
    tell, write,
};
use crate::{
    cli::{Common, EvalRunArgs},
    exit::Usage,
    kept_reports, render, settings,
    wiring::App,
};

/// How many questions are under way at once.
const AT_ONCE: usize = 4;

pub(super) async fn run(common: &Common, args: &EvalRunArgs) -> anyhow::Result<ExitCode> {
    let (questions, bytes) = read(&args.golden, args.split.as_deref())?;
    let baseline = args.baseline.as_deref().map(read_report).transpose()?;
    let mut app = open_filled(common)?;
    app.engine.be_patient();
    if let Some(path) = &args.thresholds {
        let figures = settings::load_thresholds(path).map_err(|error| Usage(format!("{error:#}")))?;
        let settings = format!("{} with {figures:?}", app.circumstances.settings);
        app.circumstances.settings = circumstances::short_digest(&blake3::hash(settings.as_bytes()));
        app.engine.policies.judge.thresholds = figures;
    }
    if args.embedder_down {
        app.engine.retrieve.embedder = Arc::new(DownEmbedder(app.engine.retrieve.embedder));
    }
    let mut meta = circumstances::meta(&app, &args.golden, (&questions, &bytes)).await?;
    meta.split.clone_from(&args.split);
    let heading = Heading::new(&meta, &circumstances::state(&app).await?, &questions);
    let kept = Kept { resume: args.resume.as_deref(), traces: args.traces.as_deref() };
    let graded = evaluate(&app, (&questions, &heading), kept).await?;
    let report = Report::new(meta, &graded);
    let report = match &baseline {
        Some(baseline) => report.against(baseline),
        None => report,
    };
    let tenants = questions.iter().map(|golden| golden.reader().tenant).collect();
    kept_reports::keep(app.folder(), report.clone(), tenants)?;
    let comparison = baseline.as_ref().map(|baseline| compare(baseline, &report));
    tell_files(args, &report, comparison.as_ref())?;
    if common.json {
        print_json(&report)?;
    } else {
        let failed = |one: &Graded| Some(format!("{}: {}: {}", one.id, one.reason()?, one.query));
        graded.iter().filter_map(failed).for_each(|line| tell(&line));
        print(&shown(&report))?;
        if let Some(comparison) = &comparison {
            print(&check::shown(comparison))?;
        }
    }
    let overall = &report.metrics.overall;
    let is_too_bold = args.max_answered_unanswerable.is_some_and(|limit| overall.answered_unanswerable.share > limit);
    let is_too_weak = args.min_right.is_some_and(|limit| overall.recall < limit);
    if is_too_bold || is_too_weak {
        tell("vouch: the golden set failed");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Where what was asked is kept; nowhere where nothing is named.
#[derive(Default)]
pub(super) struct Kept<'a> {
    pub(super) resume: Option<&'a Path>,
    pub(super) traces: Option<&'a Path>,
}

/// Asks every question that is not known yet; in the order of the set, however long each takes.
pub(super) async fn evaluate(
    app: &App,
    (questions, heading): (&[GoldenQuestion], &Heading),
    kept: Kept<'_>,
) -> anyhow::Result<Vec<Graded>> {
    let mut resumed = Resumed::open(kept.resume, heading)?;
    let cannot = || "cannot write the traces";
    let mut traces = kept.traces.map(std::fs::File::create).transpose().with_context(cannot)?;
    let all = u64::try_from(questions.len()).unwrap_or(u64::MAX);
    let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr());
    let known = std::mem::take(&mut resumed.known);
    let known = &known;
    let mut replies = futures::stream::iter(questions.iter().map(|golden| async move {
        match known.get(&golden.id) {
            Some(graded) => Ok((graded.clone(), None)),
            None => asked::ask(app, golden).await.map(|asked| (asked.graded, Some(asked.trace))),
        }
    }))
    .buffered(AT_ONCE);
    let mut graded = Vec::with_capacity(questions.len());
    while let Some(outcome) = replies.next().await {
        let (one, trace) = outcome?;
        if let Some(trace) = trace {
            resumed.add(&one)?;
            if let Some(file) = &mut traces {
                let line = serde_json::json!({ "trace_id": one.trace_id(), "trace": trace });
                writeln!(file, "{line}").with_context(cannot)?;
            }
        }
        graded.push(one);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(graded)
}

fn tell_files(args: &EvalRunArgs, report: &Report, comparison: Option<&Comparison>) -> anyhow::Result<()> {
    if let Some(path) = &args.output {
        write(path, &(serde_json::to_string_pretty(report)? + "\n"))?;
    }
    if let Some(path) = &args.write_baseline {
        write(path, &(serde_json::to_string_pretty(&report.clone().as_baseline())? + "\n"))?;
    }
    if let Some(path) = &args.html {
        let title = format!("Evaluation of {}", args.golden.display());
        write(path, &page(&title, report, comparison))?;
    }
    Ok(())
}

fn shown(report: &Report) -> String {
    let heading = ["", "questions", "precision", "recall", "F1", "wrong", "refused wrongly"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let metrics = &report.metrics;
    let all = [(&"all".to_owned(), &metrics.overall)];
    for (name, slice) in metrics.by_category.iter().chain(all) {
        let shares = [slice.right_of_answered.percent(), slice.right_of_answerable.percent()];
        let figures =
            [format!("{:.3}", slice.f1), slice.hallucination.part.to_string(), slice.false_refusal.part.to_string()];
        let row = [name.clone(), slice.count.to_string()].into_iter().chain(shares).chain(figures);
        rows.push(row.collect());
    }
    let overall = &metrics.overall;
    let rate = |name: &str, rate: &Rate| match rate.of {
        0 => format!("{name}: none\n"),
        _ => format!(
            "{name}: {} of {} ({}; 95 % interval {:.1} to {:.1})\n",
            rate.part,
            rate.of,
            rate.percent(),
            rate.low * 100.0,
            rate.high * 100.0
        ),
    };
    let mark = |is_met: bool| if is_met { "reached" } else { "missed" };
    let goals: String = report
        .goals
        .iter()
        .map(|goal| format!("{}: {}: {} ({})\n", mark(goal.is_met), goal.name, goal.reached, goal.wanted))
        .collect();
    let expected: String =
        metrics.expectations.iter().map(|(key, own)| rate(&format!("expected {key}"), own)).collect();
    format!(
        "{}\n{} questions, {} correct in every respect\n{}{}{}{}{expected}{goals}p50 {:.0} ms, p95 {:.0} ms, p99 \
         {:.0} ms\n",
        render::table(&rows),
        report.meta.total_queries,
        report.meta.pass_count,
        rate("answerable and answered correctly", &overall.right_of_answerable),
        rate("answerable and refused", &overall.false_refusal),
        rate("unanswerable and answered", &overall.answered_unanswerable),
        rate("wrong answers of both kinds", &overall.hallucination),
        metrics.latency.p50_ms,
        metrics.latency.p95_ms,
        metrics.latency.p99_ms
    )
}

/// An embedder that always fails.
struct DownEmbedder(Arc<dyn Embedder>);

#[async_trait]
impl Embedder for DownEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        self.0.identity()
    }

    fn relevance_map(&self) -> &RelevanceMap {
        self.0.relevance_map()
    }

    fn likeness_map(&self) -> &RelevanceMap {
        self.0.likeness_map()
    }

    async fn embed(&self, _: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        Err(PortError::new("embedder", Fault::Unavailable, "it is switched off for this evaluation (--embedder-down)"))
    }
}
