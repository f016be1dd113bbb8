//! This machine → the costs that a few minutes can measure: embedding, judging, scanning, and a round trip to a database.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio_postgres::NoTls;
use vouch_adapters::embedded::MadeVectors;
use vouch_app::console::tell;
use vouch_domain::ports::{Embedder, JudgedPassage, PassageJudge};
use vouch_models::{GteSmall, Judge};

use super::{service_time::ServiceTime, unit_costs::UnitCosts};
use crate::seed::Seed;

const ROWS: usize = 1_000_000;
const DIMENSIONS: usize = 384;
const ROUNDS: usize = 40;
/// As many as are kept of a scan.
const NEAREST: usize = 100;
const DEADLINE: Duration = Duration::from_secs(600);
/// Words of a passage that has about 128 and about 147 tokens: each of these is one.
const PASSAGE_WORDS: usize = 126;
const JUDGED_WORDS: usize = 147;
const WORDS: [&str; 16] = [
    "water", "house", "light", "paper", "stone", "river", "table", "green", "north", "small", "glass", "metal",
    "field", "night", "early", "white",
];

/// The same costs with what was measured in place of what was known.
pub(super) async fn measured(mut costs: UnitCosts, database: Option<&str>) -> anyhow::Result<UnitCosts> {
    tell("measuring the embedder");
    let embedder: Arc<dyn Embedder> = Arc::new(GteSmall::load(1)?);
    let mut seed = Seed::new(1);
    costs.embed_question = embedding(embedder.as_ref(), 12, &mut seed).await?;
    costs.embed_passage_ms = embedding(embedder.as_ref(), PASSAGE_WORDS, &mut seed).await?.mean_ms;
    tell("measuring the judge");
    costs.judge_pair = judging(&mut seed).await?;
    tell(&format!("scanning {ROWS} vectors"));
    costs.scan_ns_per_row = scanning()?;
    let mut names = vec!["embed_question", "embed_passage_ms", "judge_pair", "scan_ns_per_row"];
    if let Some(database) = database {
        costs.round_trip = round_trip(database).await?;
        names.push("round_trip");
    }
    for name in names {
        costs.sources.insert(name.to_owned(), "measured by `vouch-bench scale --measure`, one core".to_owned());
    }
    Ok(costs)
}

async fn embedding(embedder: &dyn Embedder, words: usize, seed: &mut Seed) -> anyhow::Result<ServiceTime> {
    let mut millis = Vec::new();
    for round in 0..=ROUNDS {
        let text = text(words, seed);
        let clock = Instant::now();
        embedder.embed(vec![text]).await?;
        // The first round reads the weights.
        if round > 0 {
            millis.push(clock.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(ServiceTime::of(&millis))
}

async fn judging(seed: &mut Seed) -> anyhow::Result<ServiceTime> {
    let judge: Arc<dyn PassageJudge> = Arc::new(Judge::load(1)?);
    let mut millis = Vec::new();
    for round in 0..=ROUNDS {
        let passage = JudgedPassage { heading: String::new(), text: text(JUDGED_WORDS, seed) };
        let clock = Instant::now();
        judge.read("how many days does the supplier have to answer it", vec![passage], DEADLINE).await?;
        if round > 0 {
            millis.push(clock.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(ServiceTime::of(&millis))
}

/// Processor time of one row; the time on the clock where the system does not tell it.
fn scanning() -> anyhow::Result<f64> {
    let times = MadeVectors::new(ROWS, DIMENSIONS).scan(1, ROUNDS, NEAREST)?;
    let elapsed: f64 = times.elapsed.iter().map(Duration::as_secs_f64).sum();
    #[expect(clippy::cast_precision_loss, reason = "a count of scans and of rows")]
    let (mean, rows) = (elapsed / times.elapsed.len().max(1) as f64, ROWS as f64);
    Ok(times.cpu.map_or(mean, |cpu| cpu.as_secs_f64()) * 1e9 / rows)
}

async fn round_trip(database: &str) -> anyhow::Result<ServiceTime> {
    let connected = tokio_postgres::connect(database, NoTls).await;
    let (client, connection) = connected.context("the database of --database cannot be reached")?;
    tokio::spawn(connection);
    let mut millis = Vec::new();
    for round in 0..=ROUNDS * 10 {
        let clock = Instant::now();
        client.query_one("SELECT 1", &[]).await?;
        if round > 0 {
            millis.push(clock.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(ServiceTime::of(&millis))
}

fn text(words: usize, seed: &mut Seed) -> String {
    let words: Vec<&str> = (0..words).filter_map(|_| WORDS.get(seed.below(WORDS.len())).copied()).collect();
    words.join(" ") + "."
}
