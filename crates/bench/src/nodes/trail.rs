//! The trails of all servers, and whether every request stands in them once.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use super::{load::Answer, node::Node};
use crate::client::{Client, HttpRequest, Target};

/// Entries of one page.
const PAGE: usize = 1_000;
/// How long entries may take to reach the trail of all servers.
const COMPLETE_WITHIN: Duration = Duration::from_secs(60);

/// An entry as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrailLine {
    pub(super) id: String,
    pub(super) outcome: String,
    pub(super) generation: Option<u64>,
}

/// The whole trail as one server tells it.
pub(super) async fn read(node: &Node) -> anyhow::Result<Vec<TrailLine>> {
    let place = node.place().with_context(|| format!("server {} is not there", node.number))?;
    let mut client = Client::new(&Target { address: place.address, key: None });
    let (mut lines, mut before) = (Vec::new(), String::new());
    loop {
        let reply = client.send(&HttpRequest::get(format!("/v1/audit?limit={PAGE}{before}"))).await?;
        if reply.status != 200 {
            bail!("server {} does not tell its trail: status {}", node.number, reply.status);
        }
        let page = reply.json();
        let entries = page.get("entries").and_then(|entries| entries.as_array()).map_or(&[][..], Vec::as_slice);
        lines.extend(entries.iter().map(|entry| {
            let text = |name: &str| entry.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
            let generation = entry.get("generation").and_then(serde_json::Value::as_u64);
            TrailLine { id: text("request_id"), outcome: text("outcome"), generation }
        }));
        match page.get("next").and_then(|next| next.as_str()) {
            Some(next) => before = format!("&before={next}"),
            None => return Ok(lines),
        }
    }
}

/// The trail as each server tells it, which is to be that of all of them. Waits until every answered request is there, or for as
/// long as that may take.
pub(super) async fn read_all(
    nodes: &[std::sync::Arc<Node>],
    answers: &[Answer],
) -> anyhow::Result<Vec<Vec<TrailLine>>> {
    let began = Instant::now();
    loop {
        let mut trails = Vec::new();
        for node in nodes {
            trails.push(read(node).await?);
        }
        if trails.iter().all(|trail| faults(answers, trail).is_empty()) || began.elapsed() > COMPLETE_WITHIN {
            return Ok(trails);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// What is wrong with a trail: an answered request that is missing, one that is there twice, or that names another outcome or another
/// generation than its reply.
pub(super) fn faults(answers: &[Answer], trail: &[TrailLine]) -> Vec<String> {
    let mut by_id: BTreeMap<&str, Vec<&TrailLine>> = BTreeMap::new();
    trail.iter().for_each(|line| by_id.entry(line.id.as_str()).or_default().push(line));
    let twice = by_id.iter().filter(|(_, lines)| lines.len() > 1);
    let mut faults: Vec<String> =
        twice.map(|(id, lines)| format!("request {id} stands {} times in the trail", lines.len())).collect();
    for answer in answers.iter().filter(|answer| answer.status == Ok(200)) {
        let Some(line) = by_id.get(answer.id.as_str()).and_then(|lines| lines.first()) else {
            faults.push(format!("request {} was answered and is not in the trail", answer.id));
            continue;
        };
        if line.outcome != answer.outcome {
            faults.push(format!(
                "request {} was told '{}', the trail says '{}'",
                answer.id, answer.outcome, line.outcome
            ));
        }
        if answer.generation.is_some() && answer.generation != line.generation {
            faults.push(format!(
                "the reply to {} names generation {:?}, the trail {:?}",
                answer.id, answer.generation, line.generation
            ));
        }
    }
    faults
}

/// Gives the answers whose replies name no generation that of their entry.
pub(super) fn fill_generations(answers: &mut [Answer], trails: &[Vec<TrailLine>]) {
    let known: BTreeMap<&str, Option<u64>> =
        trails.iter().flatten().map(|line| (line.id.as_str(), line.generation)).collect();
    for answer in answers.iter_mut().filter(|answer| answer.generation.is_none()) {
        answer.generation = known.get(answer.id.as_str()).copied().flatten();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: &str) -> Answer {
        Answer {
            id: id.to_owned(),
            node: 0,
            document: 0,
            sent: Duration::ZERO,
            ended: Duration::ZERO,
            status: Ok(200),
            generation: Some(4),
            outcome: "answered".to_owned(),
            is_cut: false,
            is_marked: false,
            figures: Vec::new(),
        }
    }

    fn line(id: &str, outcome: &str, generation: u64) -> TrailLine {
        TrailLine { id: id.to_owned(), outcome: outcome.to_owned(), generation: Some(generation) }
    }

    #[test]
    fn an_answered_request_must_stand_in_the_trail_once_as_it_was_told() {
        let told = [answer("a"), answer("b")];
        let right = || vec![line("a", "answered", 4), line("b", "answered", 4), line("of-a-cut-one", "begun", 4)];
        assert_eq!(faults(&told, &right()), Vec::<String>::new());
        for (wrong, index) in [(line("c", "answered", 4), 0), (line("a", "begun", 4), 0), (line("b", "answered", 5), 1)]
        {
            let mut trail = right();
            if let Some(one) = trail.get_mut(index) {
                *one = wrong;
            }
            assert_eq!(faults(&told, &trail).len(), 1, "{trail:?}");
        }
        assert_eq!(faults(&told, &[right(), vec![line("a", "answered", 4)]].concat()).len(), 1);
    }
}
