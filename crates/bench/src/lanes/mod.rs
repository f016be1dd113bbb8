//! `vouch-bench lanes`: on a store of any size, whether exact and otherwise spelt words are always in the pool, and what
//! rewrites cost.
//!
//! The store is asked as it is; fifty passages of the benchmark's own are put into it for the spellings and taken out.

mod pairs;

use std::{collections::BTreeSet, path::Path, process::ExitCode, time::Instant};

use anyhow::Context;
use serde::Serialize;
use vouch_domain::{
    PassageKey, Question, RawDocument, Reader, SourceFormat,
    document::Labels,
    ports::{Catalogue, LexicalIndex},
};
use vouch_engine::{
    ingest::{IngestReport, IngestRun},
    retrieve::LaneChoice,
};

use super::speed::latency;
use pairs::PAIRS;
use vouch_app::{
    cli::Common,
    console::{open, print, print_json, tell},
    progress::Bar,
    wiring::App,
};

const RARE_TERMS: usize = 200;
const LETTERS_MIN: usize = 4;
/// Questions asked before the clock counts.
const WARM_UP: usize = 10;
const SOURCE: &str = "bench:spellings";

#[derive(Serialize)]
struct Figures {
    passages: u64,
    rare_terms: usize,
    rare_in_pool: usize,
    spellings: usize,
    spellings_in_pool: usize,
    spellings_missed: Vec<String>,
    ask: Vec<Timed>,
}

/// Asks of questions of three parts, with so many rewrites each.
#[derive(Serialize)]
struct Timed {
    rewrites_max: usize,
    rewrites_mean: f64,
    questions: usize,
    p50_ms: f64,
    p95_ms: f64,
}

pub(super) async fn run(common: &Common, questions: &Path, asked_max: usize) -> anyhow::Result<ExitCode> {
    let mut app = open(common)?;
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let passages = app.store.catalogue.counts(&reader).await?.passages;
    let text = std::fs::read_to_string(questions).with_context(|| format!("cannot read {}", questions.display()))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    tell(&format!("{passages} passages; rare words"));
    let (rare_terms, rare_in_pool) = rare(&app, &reader).await?;
    tell("spellings");
    let missed = spellings(&app, &reader).await?;
    let mut ask = Vec::new();
    for rewrites_max in [0, 1, 4] {
        tell(&format!("asking with {rewrites_max} rewrites"));
        app.engine.policies.understand.rewrites_max = rewrites_max;
        ask.push(timed(&app, &reader, &lines, asked_max).await?);
    }
    let figures = Figures {
        passages,
        rare_terms,
        rare_in_pool,
        spellings: PAIRS.len(),
        spellings_in_pool: PAIRS.len() - missed.len(),
        spellings_missed: missed,
        ask,
    };
    if common.json {
        print_json(&figures)?;
    } else {
        print(&shown(&figures))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Words that stand in one passage alone, drawn from passages spread over the store: how many were tried, and how many
/// have their passage in the pool.
async fn rare(app: &App, reader: &Reader) -> anyhow::Result<(usize, usize)> {
    let passages = app.store.catalogue.counts(reader).await?.passages;
    let (mut tried, mut found) = (BTreeSet::new(), 0);
    // A step that shares no factor with the count goes round the whole store.
    for turn in 0..passages.min(20_000) {
        if tried.len() >= RARE_TERMS {
            break;
        }
        let key = PassageKey(1 + (turn * 7_919) % passages.max(1));
        let Some(passage) = app.store.catalogue.passages(reader, &[key]).await?.into_iter().next() else { continue };
        let words = passage.passage.text.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| word.chars().count() >= LETTERS_MIN && !tried.contains(*word)) {
            if app.store.lexical.rare(reader, word, 1).await? != [key] {
                continue;
            }
            tried.insert(word.to_owned());
            let asked = format!("What do the documents say about {word} in general?");
            found += usize::from(pool(app, reader, &asked).await?.contains(&key));
            break;
        }
    }
    Ok((tried.len(), found))
}

/// The pool of a question.
async fn pool(app: &App, reader: &Reader, text: &str) -> anyhow::Result<Vec<PassageKey>> {
    let found = app.engine.search(&question(reader, text), LaneChoice::All).await?;
    Ok(found.items().iter().map(|candidate| candidate.passage.key).collect())
}

fn question(reader: &Reader, text: &str) -> Question {
    Question::new(text, reader.clone())
}

/// The pairs whose passage is not in the pool.
async fn spellings(app: &App, reader: &Reader) -> anyhow::Result<Vec<String>> {
    let lines: Vec<String> = PAIRS
        .iter()
        .enumerate()
        .map(|(number, (written, _))| {
            let text = format!("In the old book the word {written} stands beside a drawing of number {number}.");
            serde_json::json!({ "id": format!("{SOURCE}/{number}"), "text": text }).to_string()
        })
        .collect();
    ingest_files(app, &lines.join("\n")).await?;
    let mut missed = Vec::new();
    for (number, (written, typed)) in PAIRS.iter().enumerate() {
        let asked = format!("Where does one read about {typed}?");
        let found = app.engine.search(&question(reader, &asked), LaneChoice::All).await?;
        let wanted = format!("{SOURCE}/{number}");
        if found.items().iter().all(|candidate| candidate.passage.document.id.as_str() != wanted) {
            missed.push(format!("{written} as {typed}"));
        }
    }
    let ids: Vec<_> =
        (0..PAIRS.len()).filter_map(|number| vouch_domain::DocumentId::parse(&format!("{SOURCE}/{number}"))).collect();
    app.store.catalogue.remove(Reader::DEFAULT_TENANT, &ids).await?;
    Ok(missed)
}

async fn ingest_files(app: &App, text: &str) -> anyhow::Result<IngestReport> {
    let labels = Labels { tenant: Reader::DEFAULT_TENANT.to_owned(), ..Labels::default() };
    let raw = RawDocument {
        source: SOURCE.to_owned(),
        fallback_id: SOURCE.to_owned(),
        url: None,
        format: SourceFormat::JsonLines,
        bytes: text.as_bytes().to_vec(),
        labels,
    };
    let bar = Bar::start(0);
    let run = IngestRun {
        sees_all: true,
        tenant: Reader::DEFAULT_TENANT,
        roots: &[],
        source_exists: &|_| false,
        progress: &bar,
    };
    Ok(app.ingest.ingest(std::iter::once(Ok(raw)), &run).await?)
}

/// Asks three questions in one, as many times as told.
async fn timed(app: &App, reader: &Reader, lines: &[&str], asked_max: usize) -> anyhow::Result<Timed> {
    let three = |at: usize| {
        let part = |step: usize| lines.get((at + step * 37) % lines.len().max(1)).copied().unwrap_or_default();
        let asked: Vec<String> =
            (0..3).map(|step| format!("{}?", part(step).trim_end_matches(['?', '.', ' ']))).collect();
        asked.join(" ")
    };
    for at in 0..WARM_UP.min(lines.len()) {
        app.engine.ask(&question(reader, &three(at))).await?;
    }
    let (mut millis, mut rewrites) = (Vec::new(), 0);
    for at in 0..asked_max.min(lines.len()) {
        let asked = question(reader, &three(at + WARM_UP));
        let clock = Instant::now();
        let response = app.engine.ask(&asked).await?;
        millis.push(clock.elapsed().as_secs_f64() * 1e3);
        rewrites += response.trace.rewrites.len().saturating_sub(1);
    }
    let questions = millis.len();
    let figures = latency(millis);
    Ok(Timed {
        rewrites_max: app.engine.policies.understand.rewrites_max,
        rewrites_mean: rewrites as f64 / questions.max(1) as f64,
        questions,
        p50_ms: figures.p50_ms,
        p95_ms: figures.p95_ms,
    })
}

fn shown(figures: &Figures) -> String {
    let mut text = format!(
        "{} passages\nwords of one passage alone in the pool   {} of {}\nother spellings in the pool              {} of {}\n",
        figures.passages, figures.rare_in_pool, figures.rare_terms, figures.spellings_in_pool, figures.spellings
    );
    for missed in &figures.spellings_missed {
        text.push_str(&format!("    not: {missed}\n"));
    }
    for timed in &figures.ask {
        text.push_str(&format!(
            "ask, {:.1} rewrites on average             p50 {:.0} ms, p95 {:.0} ms ({} questions)\n",
            timed.rewrites_mean, timed.p50_ms, timed.p95_ms, timed.questions
        ));
    }
    text
}
