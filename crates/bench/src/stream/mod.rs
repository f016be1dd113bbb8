//! `vouch-bench stream`: how fast a model's bytes run the gauntlet, and how soon its first sentence is shown once it is said.

mod replay;

use std::{
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde::Serialize;
use vouch_domain::{Question, ports::Embedder};
use vouch_engine::{
    ask::{AnswerSentence, Engine, Listener},
    compose::markers::{MarkerStyle, MarkerTable},
    model_registry::{EstimatedTokens, JobModel, ModelLimits},
    verify::gauntlet::{CleanText, DropCounts, Gauntlet, SentenceCutter},
};
use vouch_evals::hostile::reword;

use super::datasets;
use crate::cli::BenchArgs;
use replay::Replay;
use vouch_app::{
    cli::Common,
    console::{load, print, print_json},
    render, wiring,
};

const MODEL: &str = "replayed";
const GAUNTLET_BYTES: usize = 256 << 20;
const QUESTIONS_MAX: usize = 40;
/// What models write, with one citation per sentence and now and then one that was never minted.
const TEXT: &str = "Up to five unused days of annual leave may be carried into the next leave year with form P-04. [^2] The form \
                    goes to the line manager before 15 December [^1], who answers within a week. Days that are not taken by \
                    then [^7] are lost, unless the manager has refused them in writing [see the form].\n";

#[derive(Serialize)]
struct Report {
    gauntlet_mb_per_s: f64,
    gauntlet_and_sentences_mb_per_s: f64,
    first_sentences: usize,
    p50_ms: f64,
    p95_ms: f64,
    max_ms: f64,
}

pub(super) async fn run(common: &Common, args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let (gauntlet, with_sentences) = (throughput(false), throughput(true));
    let embedder: Arc<dyn Embedder> = wiring::embedder(&load(common)?)?;
    let mut delays: Vec<f64> = Vec::new();
    for name in datasets::names(common, args)? {
        let set = datasets::open(common, args, &name, &embedder).await?;
        for golden in set.questions.iter().filter(|golden| golden.answerable).take(QUESTIONS_MAX) {
            let asked = datasets::question(&golden.query, None);
            delays.extend(first_sentence(&set.app.engine, &asked).await?.map(|delay| delay.as_secs_f64() * 1e3));
        }
    }
    delays.sort_by(f64::total_cmp);
    let at = |share: usize| delays.get(delays.len() * share / 100).or(delays.last()).copied().unwrap_or_default();
    let report = Report {
        gauntlet_mb_per_s: gauntlet,
        gauntlet_and_sentences_mb_per_s: with_sentences,
        first_sentences: delays.len(),
        p50_ms: at(50),
        p95_ms: at(95),
        max_ms: delays.last().copied().unwrap_or_default(),
    };
    if common.json {
        print_json(&report)?;
    } else {
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let from = "from its last word to its being shown";
        print(&render::table(&[
            row("gauntlet", format!("{gauntlet:.0} MB/s")),
            row("gauntlet and sentences", format!("{with_sentences:.0} MB/s")),
            row("first sentences", report.first_sentences.to_string()),
            row(
                from,
                format!("p50 {:.0} ms, p95 {:.0} ms, most {:.0} ms", report.p50_ms, report.p95_ms, report.max_ms),
            ),
        ]))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Megabytes per second on one core, in pieces of the size servers send.
fn throughput(cuts_sentences: bool) -> f64 {
    let marker_table =
        MarkerTable::from_names(MarkerStyle::Footnote, &[("1", 1), ("2", 2), ("3", 3)], &["leave-annual:2"]);
    let text = TEXT.repeat(1 << 10);
    let bytes = if cuts_sentences { GAUNTLET_BYTES / 8 } else { GAUNTLET_BYTES };
    let mut gauntlet = Gauntlet::new(marker_table.clone());
    let mut cutter = SentenceCutter::new(marker_table.own());
    let (mut clean, mut drops) = (CleanText::default(), DropCounts::default());
    let (mut done, started) = (0, Instant::now());
    while done < bytes {
        for piece in text.as_bytes().chunks(64) {
            gauntlet.push(piece, &mut clean);
            if cuts_sentences {
                std::hint::black_box(cutter.push(&mut clean, &mut drops));
            } else if clean.text.len() > 1 << 16 {
                clean.text.clear();
                clean.marks.clear();
            }
        }
        done += text.len();
    }
    std::hint::black_box(&clean);
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = done as f64 / started.elapsed().as_secs_f64() / 1e6;
    rate
}

/// When the first sentence was heard.
#[derive(Default)]
struct Ear(Mutex<Option<Instant>>);

impl Listener for Ear {
    fn on_sentence(&self, _: &AnswerSentence<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
    }
}

/// How long after its last word the first sentence of a replayed answer was heard; none if it did not pass.
async fn first_sentence(engine: &Engine, asked: &Question) -> anyhow::Result<Option<Duration>> {
    let quoted = Question { model: Some("extractive".to_owned()), ..asked.clone() };
    let truth = engine.ask(&quoted).await?;
    let mut said = truth.evidence.pieces().iter().flat_map(|piece| {
        reword(&piece.passage.passage.text).into_iter().map(|(_, other)| format!("{other} [^{}] ", piece.marker))
    });
    let (Some(first), Some(second)) = (said.next(), said.next()) else { return Ok(None) };
    let replay = Replay::new(&first, &second);
    let mut engine = engine.clone();
    let allowed =
        ModelLimits { context_window: 32_768, response_tokens_max: 1_024, counter: Arc::new(EstimatedTokens) };
    let (temperature, timeout) = (0.0, Duration::from_secs(60));
    let (server, model) = (Arc::new(replay.clone()), MODEL.to_owned());
    engine.model_registry.answer = Some(JobModel {
        server,
        model,
        allowed,
        temperature,
        first_token_timeout: timeout,
        gap_timeout: timeout,
        timeout,
    });
    let ear = Ear::default();
    engine.ask_streaming(asked, &ear).await?;
    let heard = *ear.0.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = replay.first_sentence_said();
    Ok(heard.zip(ended).filter(|(heard, ended)| heard >= ended).map(|(heard, ended)| heard - ended))
}
