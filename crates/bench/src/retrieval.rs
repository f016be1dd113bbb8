//! `vouch-bench retrieval`: nDCG@10 and recall@10 of the lanes alone and fused, document by document.

use std::{process::ExitCode, sync::Arc};

use serde::Serialize;
use vouch_domain::ports::Embedder;
use vouch_engine::retrieve::{Lane, LaneChoice};
use vouch_evals::ranking::{ndcg, recall};
use vouch_models::GteSmall;

use crate::cli::BenchArgs;
use crate::datasets::{self, DataSet};
use vouch_app::{
    cli::Common,
    console::{print, print_json},
    render, wiring,
};

const K: usize = 10;
/// Passages that are ranked before their documents are counted.
const PASSAGES: usize = 100;

const ROWS: [(&str, LaneChoice); 3] = [
    ("lexical", LaneChoice::Only(Lane::Lexical)),
    ("dense", LaneChoice::Only(Lane::Dense)),
    ("fused", LaneChoice::All),
];

#[derive(Serialize)]
struct Row {
    set: String,
    queries: usize,
    lane: &'static str,
    ndcg_at_10: f64,
    recall_at_10: f64,
}

pub(crate) async fn run(common: &Common, args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let embedder: Arc<dyn Embedder> = Arc::new(GteSmall::load(wiring::threads())?);
    let mut rows = Vec::new();
    for name in datasets::names(common, args)? {
        let set = datasets::open(common, args, &name, &embedder).await?;
        rows.extend(measure(&set).await?);
    }
    if common.json {
        print_json(&rows)?;
    } else {
        print(&shown(&rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn measure(set: &DataSet) -> anyhow::Result<Vec<Row>> {
    let mut sums = [(0.0, 0.0); ROWS.len()];
    let mut queries = 0;
    for golden in set.questions.iter().filter(|golden| golden.answerable && !golden.gold_ids.is_empty()) {
        queries += 1;
        let question = datasets::question(&golden.query, Some(PASSAGES));
        for ((_, choice), sum) in ROWS.iter().zip(&mut sums) {
            let ranking = datasets::documents(set.app.engine.search(&question, *choice).await?.items().iter());
            sum.0 += ndcg(&ranking, &golden.gold_ids, K);
            sum.1 += recall(&ranking, &golden.gold_ids, K);
        }
    }
    let mean = |sum: f64| if queries == 0 { 0.0 } else { sum / f64::from(queries) };
    let row = |((lane, _), sum): (&(&'static str, LaneChoice), &(f64, f64))| Row {
        set: set.name.clone(),
        queries: queries as usize,
        lane,
        ndcg_at_10: mean(sum.0),
        recall_at_10: mean(sum.1),
    };
    Ok(ROWS.iter().zip(&sums).map(row).collect())
}

fn shown(rows: &[Row]) -> String {
    let mut table = vec![["set", "queries", "lane", "nDCG@10", "recall@10"].map(str::to_owned).to_vec()];
    table.extend(rows.iter().map(|row| {
        let figures = [format!("{:.4}", row.ndcg_at_10), format!("{:.4}", row.recall_at_10)];
        [vec![row.set.clone(), row.queries.to_string(), row.lane.to_owned()], figures.to_vec()].concat()
    }));
    render::table(&table)
}
