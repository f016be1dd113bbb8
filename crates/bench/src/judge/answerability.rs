//! A question beside its own passage: is the answer there? Floor: the best BM25 score of the corpus.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use vouch_domain::ports::{JudgedPassage, PassageJudge};
use vouch_engine::retrieve::{Lane, LaneChoice};
use vouch_evals::auroc::{auroc, best_balanced_accuracy, caught_at_false_refusal};

use super::{Work, splits::Splits};
use crate::datasets::{self, DataSet};

const DEADLINE: Duration = Duration::from_secs(600);
const FALSE_REFUSALS: [f64; 4] = [0.05, 0.10, 0.15, 0.20];

/// One set's figures.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) answerable: usize,
    pub(super) unanswerable: usize,
    pub(super) auroc: Option<f64>,
    pub(super) floor_auroc: Option<f64>,
    pub(super) balanced_accuracy: Option<f64>,
    /// The share of the unanswerable refused where 5, 10, 15 and 20 % of the answerable are refused too.
    pub(super) refused_at: Vec<Option<f64>>,
}

#[derive(Deserialize)]
struct Document {
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct LabelledQuestion {
    query: String,
    answerable: bool,
    context_id: Option<String>,
}

/// The figures of a set whose questions name their own passage, some of them unanswerable.
pub(super) async fn measure(
    work: &Work<'_>,
    set: &DataSet,
    judge: &Arc<dyn PassageJudge>,
    splits: &Splits,
) -> anyhow::Result<Option<Row>> {
    let folder = work.common.data.join(&set.name);
    let documents: BTreeMap<String, Document> =
        lines::<Document>(&folder.join("corpus.jsonl"))?.into_iter().map(|one| (one.id.clone(), one)).collect();
    let asked: Vec<LabelledQuestion> = lines(&folder.join("queries.jsonl"))?;
    let own = |asked: &LabelledQuestion| {
        let key = asked.context_id.clone()?;
        splits.is_held_out(&set.name, &key).then(|| documents.get(&key))?
    };
    let chosen: Vec<(&LabelledQuestion, &Document)> =
        asked.iter().filter_map(|asked| Some((asked, own(asked)?))).take(work.questions_max).collect();
    if !chosen.iter().any(|(asked, _)| asked.answerable) || chosen.iter().all(|(asked, _)| asked.answerable) {
        return Ok(None);
    }
    let (mut read, mut floor) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for (asked, document) in chosen {
        let passage = JudgedPassage { heading: document.title.clone(), text: document.text.clone() };
        let readings = judge.read(&asked.query, vec![passage], DEADLINE).await?;
        let reading = readings.into_iter().flatten().next().context("no reading")?;
        let [unanswerable, answerable] = &mut read;
        if asked.answerable { answerable } else { unanswerable }.push(reading.answerable);
        let [unanswerable, answerable] = &mut floor;
        if asked.answerable { answerable } else { unanswerable }.push(best_bm25(set, &asked.query).await?);
    }
    let ([unanswerable, answerable], [low, high]) = (read, floor);
    Ok(Some(Row {
        set: set.name.clone(),
        answerable: answerable.len(),
        unanswerable: unanswerable.len(),
        auroc: auroc(&answerable, &unanswerable),
        floor_auroc: auroc(&high, &low),
        balanced_accuracy: best_balanced_accuracy(&answerable, &unanswerable).map(|(accuracy, _)| accuracy),
        refused_at: FALSE_REFUSALS
            .iter()
            .map(|share| caught_at_false_refusal(&answerable, &unanswerable, *share).map(|(caught, _)| caught))
            .collect(),
    }))
}

async fn best_bm25(set: &DataSet, query: &str) -> anyhow::Result<f32> {
    let question = datasets::question(query, Some(1));
    let found = set.app.engine.search(&question, LaneChoice::Only(Lane::Lexical)).await?;
    let scores = found.items().iter().flat_map(|candidate| candidate.found_by.iter().map(|one| one.lane_score));
    Ok(scores.fold(0.0, f32::max))
}

pub(super) fn lines<T: serde::de::DeserializeOwned>(path: &std::path::Path) -> anyhow::Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    (1usize..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| serde_json::from_str(line).with_context(|| format!("{}, line {number}", path.display())))
        .collect()
}
