//! How many passages of a length are embedded a second.

use std::time::Instant;

use serde::Serialize;
use vouch_domain::ports::Embedder;
use vouch_models::GteSmall;

use super::filler;
use crate::{cli::Common, wiring};

const PASSAGES: usize = 96;
const ROUNDS: usize = 3;

/// One measurement: the median of the rounds.
#[derive(Debug, Serialize)]
pub(super) struct Rate {
    pub(super) tokens: String,
    pub(super) threads: usize,
    pub(super) passages_per_second: f64,
    pub(super) ms_per_passage: f64,
}

/// Passages cut to words that make about 128 tokens, and passages as they are taken in; rounds are interleaved.
pub(super) async fn measure(common: &Common, names: &[String]) -> anyhow::Result<Vec<Rate>> {
    let passages: Vec<String> = filler::real_texts(common, names, 4_000)?;
    let step = (passages.len() / PASSAGES).max(1);
    let as_taken: Vec<String> = passages.iter().step_by(step).take(PASSAGES).cloned().collect();
    let words: Vec<&str> = passages.iter().flat_map(|text| text.split_whitespace()).collect();
    let cut: Vec<String> = words.chunks(96).take(PASSAGES).map(|words| words.join(" ")).collect();
    let mut kinds = Vec::new();
    for threads in std::collections::BTreeSet::from([1, wiring::threads()]) {
        let embedder = GteSmall::load(threads)?;
        embedder.embed(cut.iter().take(4).cloned().collect()).await?;
        kinds.push((threads, embedder));
    }
    let texts = [("about 128", cut), ("as taken in", as_taken)];
    let mut seconds = vec![Vec::new(); kinds.len() * texts.len()];
    for _ in 0..ROUNDS {
        let mut slots = seconds.iter_mut();
        for (_, embedder) in &kinds {
            for (_, texts) in &texts {
                let started = Instant::now();
                embedder.embed(texts.clone()).await?;
                slots.next().into_iter().for_each(|slot: &mut Vec<f64>| slot.push(started.elapsed().as_secs_f64()));
            }
        }
    }
    let mut seconds = seconds.into_iter();
    let mut rates = Vec::new();
    for (threads, _) in &kinds {
        for (name, texts) in &texts {
            let mut rounds = seconds.next().unwrap_or_default();
            rounds.sort_by(f64::total_cmp);
            let median = rounds.get(rounds.len() / 2).copied().unwrap_or(f64::NAN);
            rates.push(Rate {
                tokens: (*name).to_owned(),
                threads: *threads,
                passages_per_second: texts.len() as f64 / median,
                ms_per_passage: median * 1e3 / texts.len() as f64,
            });
        }
    }
    Ok(rates)
}
