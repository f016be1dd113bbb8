//! Questions that no example was made of → how many go to whose they are, and what the routing costs.

use std::{collections::BTreeSet, time::Instant};

use serde::Deserialize;
use vouch_engine::{policy::AgentsPolicy, retrieve::RetrievePorts, route::Agents};

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
    let known = examples(&agents.policy);
    if let Some(known) = questions.iter().find(|one| known.contains(&folded(&one.query))) {
        anyhow::bail!("'{}' is an example of the profile, so it measures nothing", known.query);
    }
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

/// Every example, without capitals and marks.
fn examples(policy: &AgentsPolicy) -> BTreeSet<String> {
    let agents = policy.agents.iter().flat_map(|agent| &agent.examples);
    let tools = policy.tools.iter().flat_map(|tool| &tool.examples);
    agents.chain(tools).chain(&policy.fallback.examples).map(|example| folded(example)).collect()
}

fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
