//! How many passages of a length are embedded per second.

use std::time::Instant;

use serde::Serialize;
use vouch_domain::ports::Embedder;
use vouch_models::GteSmall;

use super::filler;
use vouch_app::{cli::Common, wiring};

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

/// Passages of 128 tokens, and documents as they are, cut by the embedder at 512; rounds are interleaved.
pub(super) async fn measure(common: &Common, names: &[String]) -> anyhow::Result<Vec<Rate>> {
    let passages: Vec<String> = filler::real_texts(common, names, 4_000)?;
    let step = (passages.len() / PASSAGES).max(1);
    let as_taken: Vec<String> = passages.iter().step_by(step).take(PASSAGES).cloned().collect();
    // Short lower-case words are one token each, so 126 of them and the two marks of the model make 128.
    let is_one_token = |word: &&str| word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let words: Vec<&str> = passages.iter().flat_map(|text| text.split_whitespace()).filter(is_one_token).collect();
    let cut: Vec<String> = words.chunks(126).take(PASSAGES).map(|words| words.join(" ")).collect();
    let mut kinds = Vec::new();
    for threads in std::collections::BTreeSet::from([1, wiring::threads()]) {
        let embedder = GteSmall::load(threads)?;
        embedder.embed(cut.iter().take(4).cloned().collect()).await?;
        kinds.push((threads, embedder));
    }
    let texts = [("128", cut), ("whole documents", as_taken)];
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
