//! Questions that no example was made of → how many go to whose they are, and what the routing costs.

use std::time::Instant;

use serde::Deserialize;
use vouch_engine::{retrieve::RetrievePorts, route::Agents};

use super::{Row, count, lines};
use crate::datasets;
use vouch_app::console::tell;

const QUESTIONS: &str = include_str!("../../data/support/router.jsonl");

#[derive(Deserialize)]
struct Routed {
    query: String,
    agent: String,
}

pub(super) async fn measure(agents: &Agents, ports: &RetrievePorts) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let began = Instant::now();
    agents.router.route(&datasets::question("Where is the shop?", None), ports).await?;
    let fitting = began.elapsed();
    let questions: Vec<Routed> = lines(QUESTIONS)?;
    let began = Instant::now();
    for one in &questions {
        let routing = agents.router.route(&datasets::question(&one.query, None), ports).await?;
        count(&mut rows, ("router", &one.agent), routing.agent == one.agent);
    }
    let each = began.elapsed() / u32::try_from(questions.len().max(1))?;
    tell(&format!(
        "first question {:.0} ms, each after it {:.1} ms",
        fitting.as_secs_f64() * 1e3,
        each.as_secs_f64() * 1e3
    ));
    Ok(rows)
}
