//! `vouch-bench fit-likeness`: labelled pairs of questions → the map from this embedder's cosines to the scale the
//! memory's thresholds are on.
//!
//! Anchors: the median of two questions about the same document reads 0.49, their upper quarter begins at 0.60 and their
//! upper tenth at 0.70, from where on the judge decides; the nearer quarter of two wordings of one question reads 0.85.

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use vouch_domain::{RelevanceMap, ports::Embedder};

use crate::fit_relevance::quantile;
use vouch_app::{
    batch,
    cli::Common,
    console::{load, print, tell},
    wiring,
};

#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
    y: u8,
}

#[derive(Serialize)]
struct Fitted {
    fitted_on: String,
    pairs_same: usize,
    pairs_other: usize,
    same: Quantiles,
    other: Quantiles,
    anchors: String,
    knots: Vec<(f32, f32)>,
}

#[derive(Serialize)]
struct Quantiles {
    p10: f32,
    p50: f32,
    p90: f32,
    p99: f32,
}

pub(crate) async fn run(common: &Common, pairs: &Path, write: Option<&Path>) -> anyhow::Result<ExitCode> {
    let embedder: Arc<dyn Embedder> = wiring::embedder(&load(common)?)?;
    let (mut same, mut other) = (Vec::new(), Vec::new());
    for pair in batch::read::<Pair>(pairs)? {
        let vectors = embedder.embed(vec![pair.a, pair.b]).await?;
        let [left, right] = vectors.as_slice() else { bail!("a pair was not embedded") };
        let kind = if pair.y == 1 { &mut same } else { &mut other };
        kind.push(left.cosine(right));
    }
    let knots = vec![
        (quantile(&other, 0.01), 0.1),
        (quantile(&other, 0.5), 0.49),
        (quantile(&other, 0.75), 0.6),
        (quantile(&other, 0.9), 0.7),
        (quantile(&same, 0.75), 0.85),
        (1.0, 1.0),
    ];
    if RelevanceMap::from_knots(knots.clone()).is_none() {
        bail!("the pairs give no rising map: {knots:?}");
    }
    let fitted = Fitted {
        fitted_on: "SelQA: wordings of one question, and questions about one document".to_owned(),
        pairs_same: same.len(),
        pairs_other: other.len(),
        same: quantiles(&same),
        other: quantiles(&other),
        anchors: "other questions 1st percentile 0.1, median 0.49, 75th 0.6, 90th 0.7; same question 75th 0.85"
            .to_owned(),
        knots,
    };
    let text = format!("{}\n", serde_json::to_string_pretty(&fitted)?);
    print(&text)?;
    if let Some(path) = write {
        std::fs::write(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        tell(&format!("written to {}; rebuild to use it", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn quantiles(values: &[f32]) -> Quantiles {
    let at = |share: f64| quantile(values, share);
    Quantiles { p10: at(0.1), p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}
