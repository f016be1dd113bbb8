//! `vouch-bench fit-relevance`: labelled pairs → the monotone map from this embedder's cosines to the gates' scale.
//!
//! Anchors: the median cosine of a question and a passage of another question reads 0.1; the cosine that nine in
//! ten questions reach with the passage that answers them reads 0.7; the best tenth reads 0.95.

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context, bail};
use serde::Serialize;
use vouch_domain::{
    Embedding, PassageKey, RelevanceMap,
    ports::{DenseIndex, Embedder},
};
use vouch_engine::retrieve::{Lane, LaneChoice};

use crate::cli::BenchArgs;
use crate::datasets::{self, DataSet};
use vouch_app::{
    cli::Common,
    console::{load, print, tell},
    wiring,
};

/// Questions of one set that are used, spread evenly over it.
const QUESTIONS_MAX: usize = 400;
/// Unrelated passages a question is checked against.
const UNRELATED: usize = 3;

#[derive(Serialize)]
struct Fitted {
    fitted_on: Vec<SetFigures>,
    anchors: String,
    knots: Vec<(f32, f32)>,
}

#[derive(Serialize)]
struct SetFigures {
    set: String,
    pairs_relevant: usize,
    pairs_unrelated: usize,
    relevant_p10: f32,
    unrelated_median: f32,
}

pub(crate) async fn run(common: &Common, args: &BenchArgs, write: Option<&Path>) -> anyhow::Result<ExitCode> {
    let embedder: Arc<dyn Embedder> = wiring::embedder(&load(common)?)?;
    let (mut relevant, mut unrelated, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    for name in datasets::names(common, args)? {
        let set = datasets::open(common, args, &name, &embedder).await?;
        let (own_relevant, own_unrelated) = pairs(&set, &embedder).await?;
        if own_relevant.is_empty() || own_unrelated.is_empty() {
            tell(&format!("{name}: no labelled pairs, left out"));
            continue;
        }
        figures.push(SetFigures {
            set: name,
            pairs_relevant: own_relevant.len(),
            pairs_unrelated: own_unrelated.len(),
            relevant_p10: quantile(&own_relevant, 0.1),
            unrelated_median: quantile(&own_unrelated, 0.5),
        });
        relevant.extend(own_relevant);
        unrelated.extend(own_unrelated);
    }
    let knots = vec![
        (quantile(&unrelated, 0.01), 0.0),
        (quantile(&unrelated, 0.5), 0.1),
        (quantile(&relevant, 0.1), 0.7),
        (quantile(&relevant, 0.9), 0.95),
        (1.0, 1.0),
    ];
    if RelevanceMap::from_knots(knots.clone()).is_none() {
        bail!("the pairs give no rising map: {knots:?}");
    }
    let anchors = "unrelated 1st percentile 0, unrelated median 0.1, relevant 10th percentile 0.7, relevant 90th \
                   percentile 0.95";
    let fitted = Fitted { fitted_on: figures, anchors: anchors.to_owned(), knots };
    let text = format!("{}\n", serde_json::to_string_pretty(&fitted)?);
    print(&text)?;
    if let Some(path) = write {
        std::fs::write(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        tell(&format!("written to {}; rebuild to use it", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// A question, the passage that answers it, and how near the two are.
struct Pair {
    vector: Embedding,
    gold_ids: Vec<String>,
    passage: PassageKey,
    cosine: f32,
}

/// Cosines of questions with the best passage of a gold document, and with passages that answer questions far away in
/// the set; neighbours in a set are often about the same subject.
async fn pairs(set: &DataSet, embedder: &Arc<dyn Embedder>) -> anyhow::Result<(Vec<f32>, Vec<f32>)> {
    let pairs = relevant_pairs(set, embedder).await?;
    let relevant = pairs.iter().map(|pair| pair.cosine).collect();
    let mut unrelated = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        let far =
            (1..=UNRELATED).filter_map(|turn| pairs.get((at + turn * pairs.len() / (UNRELATED + 1)) % pairs.len()));
        let foreign: Vec<PassageKey> = far
            .filter(|other| other.gold_ids.iter().all(|id| !pair.gold_ids.contains(id)))
            .map(|other| other.passage)
            .collect();
        unrelated.extend(set.app.store.dense.cosines(&pair.vector, &foreign).await?.into_iter().flatten());
    }
    Ok((relevant, unrelated))
}

async fn relevant_pairs(set: &DataSet, embedder: &Arc<dyn Embedder>) -> anyhow::Result<Vec<Pair>> {
    let usable: Vec<_> =
        set.questions.iter().filter(|golden| golden.answerable && !golden.gold_ids.is_empty()).collect();
    let step = usable.len().div_ceil(QUESTIONS_MAX).max(1);
    let mut pairs = Vec::new();
    for golden in usable.into_iter().step_by(step) {
        let question = datasets::question(&golden.query, Some(1_000));
        let found = set.app.engine.search(&question, LaneChoice::Only(Lane::Dense)).await?;
        let best = found
            .items()
            .iter()
            .find(|candidate| golden.gold_ids.iter().any(|gold| gold == candidate.passage.document.id.as_str()));
        let vector = embedder.embed(vec![golden.query.clone()]).await?.into_iter().next();
        let similarity = best.and_then(|best| Some((best.passage.key, best.similarity?.cosine?)));
        if let (Some((passage, cosine)), Some(vector)) = (similarity, vector) {
            pairs.push(Pair { vector, gold_ids: golden.gold_ids.clone(), passage, cosine });
        }
    }
    Ok(pairs)
}

pub(crate) fn quantile(values: &[f32], share: f64) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index below the length")]
    let at = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(at).copied().unwrap_or(f32::NAN)
}
