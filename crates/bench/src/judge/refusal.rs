//! The whole walk over a whole corpus: how many of the unanswerable questions are refused, how many of the answerable
//! ones are lost, and how both move with the figure of the answerability gate.

use futures::StreamExt;
use serde::Serialize;
use vouch_engine::{ask::Response, decide::Decision, trace::GateName};

use super::{Work, splits::Splits};
use crate::datasets::{self, DataSet};

const AT_ONCE: usize = 2;
const GATE: GateName = GateName::Answerability;

/// One set's figures.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) answerable: usize,
    pub(super) unanswerable: usize,
    /// The share of the unanswerable that were refused.
    pub(super) refused: f64,
    /// The share of the answerable that were refused.
    pub(super) lost: f64,
    /// The share of the answerable answered with one of the gold documents cited.
    pub(super) cited_gold: f64,
    /// The same shares for other figures of the gate.
    pub(super) curve: Vec<Point>,
}

/// Both shares at one figure of the gate.
#[derive(Debug, Serialize)]
pub(super) struct Point {
    pub(super) at_least: f32,
    pub(super) refused: f64,
    pub(super) lost: f64,
}

/// How one question ended.
struct Ended {
    is_answerable: bool,
    is_refused: bool,
    /// Refused by something else than the gate.
    is_refused_anyway: bool,
    reading: f32,
    cites_gold: bool,
}

pub(super) async fn measure(work: &Work<'_>, set: &DataSet, splits: &Splits) -> anyhow::Result<Option<Row>> {
    let held_out = |gold: &[String]| gold.iter().all(|id| splits.is_held_out(&set.name, id));
    let own = |golden: &&vouch_evals::golden::GoldenQuestion| {
        held_out(&golden.gold_ids) && golden.context_id.as_ref().is_none_or(|id| splits.is_held_out(&set.name, id))
    };
    let asked: Vec<_> = set.questions.iter().filter(own).take(work.questions_max).collect();
    if asked.iter().all(|golden| golden.answerable) || !asked.iter().any(|golden| golden.answerable) {
        return Ok(None);
    }
    let mut walks = futures::stream::iter(asked.into_iter().map(|golden| async move {
        let question = datasets::question(&golden.query, None);
        (golden, set.app.engine.ask(&question).await)
    }))
    .buffered(AT_ONCE);
    let mut ended = Vec::new();
    while let Some((golden, response)) = walks.next().await {
        ended.push(end(golden.answerable, &golden.gold_ids, &response?));
    }
    Ok(Some(row(&set.name, &ended)))
}

fn end(is_answerable: bool, gold: &[String], response: &Response) -> Ended {
    let gate = response.trace.gates.iter().find(|gate| gate.name == GATE);
    let cites_gold = match &response.decision {
        Decision::Refuse(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            false
        }
        Decision::Answer(answer) => {
            let mut cited = answer.text().citations().iter().map(|cited| cited.document().id.as_str());
            cited.any(|id| gold.iter().any(|known| known == id))
        }
    };
    let is_refused = matches!(response.decision, Decision::Refuse(_));
    let others_pass =
        response.trace.gates.iter().all(|gate| gate.passed || gate.name == GATE || gate.name == GateName::Keywords);
    let stopped_by_gate = gate.is_some_and(|gate| !gate.passed);
    Ended {
        is_answerable,
        is_refused,
        is_refused_anyway: !others_pass || (is_refused && !stopped_by_gate),
        reading: gate.map_or(1.0, |gate| gate.reading),
        cites_gold,
    }
}

fn row(set: &str, ended: &[Ended]) -> Row {
    let share = |wanted: bool, test: &dyn Fn(&Ended) -> bool| {
        let of: Vec<&Ended> = ended.iter().filter(|one| one.is_answerable == wanted).collect();
        of.iter().filter(|one| test(one)).count() as f64 / of.len().max(1) as f64
    };
    let point = |at_least: f32| {
        let refuses = |one: &Ended| one.is_refused_anyway || one.reading < at_least;
        Point { at_least, refused: share(false, &refuses), lost: share(true, &refuses) }
    };
    Row {
        set: set.to_owned(),
        answerable: ended.iter().filter(|one| one.is_answerable).count(),
        unanswerable: ended.iter().filter(|one| !one.is_answerable).count(),
        refused: share(false, &|one| one.is_refused),
        lost: share(true, &|one| one.is_refused),
        cited_gold: share(true, &|one| one.cites_gold),
        curve: (0..=19u8).map(|step| point(f32::from(step) / 20.0)).collect(),
    }
}
