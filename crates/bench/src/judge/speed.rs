//! Milliseconds for 8 and for 30 pairs of 160 tokens, none of them read before.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Serialize;
use vouch_domain::ports::{JudgedPassage, PassageJudge};

const ROUNDS: usize = 15;
/// A question of ten tokens and a passage of 147, with the three marks between them.
const QUESTION: &str = "how many days does the supplier have to answer it";
const PASSAGE_WORDS: usize = 145;
const WORDS: &[&str] = &[
    "water", "house", "light", "paper", "stone", "river", "table", "green", "north", "small", "table", "glass",
    "metal", "field", "night", "early", "white", "heavy", "round", "sharp",
];

/// The time of so many pairs.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) pairs: usize,
    pub(super) median_ms: f64,
    pub(super) fastest_ms: f64,
    pub(super) slowest_ms: f64,
}

pub(super) async fn measure(judge: &Arc<dyn PassageJudge>) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut seed = 1usize;
    for pairs in [8, 30] {
        let mut times = Vec::new();
        for round in 0..=ROUNDS {
            let passages: Vec<JudgedPassage> = (0..pairs).map(|_| passage(&mut seed)).collect();
            let began = Instant::now();
            judge.read(QUESTION, passages, Duration::from_secs(600)).await?;
            // The first round reads the weights.
            if round > 0 {
                times.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
        times.sort_by(f64::total_cmp);
        let at = |place: usize| times.get(place).copied().unwrap_or_default();
        rows.push(Row { pairs, median_ms: at(ROUNDS / 2), fastest_ms: at(0), slowest_ms: at(ROUNDS - 1) });
    }
    Ok(rows)
}

fn passage(seed: &mut usize) -> JudgedPassage {
    let mut words = Vec::with_capacity(PASSAGE_WORDS);
    for _ in 0..PASSAGE_WORDS {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words.push(WORDS.get((*seed >> 33) % WORDS.len()).copied().unwrap_or("water"));
    }
    JudgedPassage { heading: String::new(), text: words.join(" ") + "." }
}
