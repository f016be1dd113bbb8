//! nDCG@10 of the fused order, of the judge's alone and of both blended over the passages the judge reads, and of the whole
//! pool put in order by short readings, with the time that blending and reranking take.

use std::time::{Duration, Instant};

use serde::Serialize;
use vouch_domain::ports::{JudgedPassage, PassageJudge, Reading, Reranker};
use vouch_engine::{
    judge::{blend, passage},
    policy::{JudgePolicy, Policies},
    retrieve::{Candidate, LaneChoice},
};
use vouch_evals::ranking::ndcg;
use vouch_models::Judge;

use super::{Work, splits::Splits};
use crate::datasets::{self, DataSet};

const K: usize = 10;
const PASSAGES: usize = 100;
const WEIGHTS: [f32; 6] = [0.005, 0.01, 0.02, 0.04, 0.08, 0.15];
const DEADLINE: Duration = Duration::from_secs(600);

/// One set's figures.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) queries: usize,
    pub(super) fused: f64,
    pub(super) judge: f64,
    pub(super) blended: f64,
    /// The whole pool in the order of short readings.
    pub(super) reranked: f64,
    /// The judge's time for what blending takes: the best read in full.
    pub(super) blended_ms: f64,
    /// Its time for what reranking takes: the pool in short, then the best in full.
    pub(super) reranked_ms: f64,
    /// The blended figure for other weights of the judge's word.
    pub(super) curve: Vec<Point>,
}

/// The blended figure at one weight.
#[derive(Debug, Serialize)]
pub(super) struct Point {
    pub(super) reading_weight: f32,
    pub(super) blended: f64,
}

pub(super) async fn measure(
    work: &Work<'_>,
    set: &DataSet,
    judge: &Judge,
    policies: &Policies,
    splits: &Splits,
) -> anyhow::Result<Option<Row>> {
    let (policy, pool_max) = (&policies.judge, policies.retrieve.pool_max);
    let is_held_out = |gold: &[String]| !gold.is_empty() && gold.iter().all(|id| splits.is_held_out(&set.name, id));
    let asked = set.questions.iter().filter(|golden| golden.answerable && is_held_out(&golden.gold_ids));
    let (mut queries, mut sums, mut curve) = (0usize, [0.0; 4], [0.0; WEIGHTS.len()]);
    let mut spent = [Duration::ZERO; 2];
    for golden in asked.take(work.questions_max) {
        queries += 1;
        let question = datasets::question(&golden.query, Some(PASSAGES));
        let found = set.app.engine.search(&question, LaneChoice::All).await?;
        let given = found.items().iter().take(policy.read_max).map(passage).collect();
        let begun = Instant::now();
        let readings = judge.read(&golden.query, given, DEADLINE).await?;
        let read_in = begun.elapsed();
        let pool: Vec<&Candidate> = found.items().iter().take(pool_max).collect();
        let short: Vec<JudgedPassage> = pool.iter().map(|one| passage(one)).collect();
        let begun = Instant::now();
        let scores = judge.scores(&golden.query, short, DEADLINE).await?;
        for (sum, took) in spent.iter_mut().zip([read_in, begun.elapsed() + read_in]) {
            *sum += took;
        }
        let mut reranked: Vec<(&Candidate, f32)> = pool.into_iter().zip(scores).collect();
        reranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let read: Vec<(&Candidate, Reading)> =
            found.items().iter().zip(readings).filter_map(|(one, reading)| Some((one, reading?))).collect();
        let rest: Vec<&Candidate> = found.items().iter().skip(read.len()).collect();
        let order = |score: &dyn Fn(&(&Candidate, Reading)) -> f32| -> Vec<String> {
            let mut read = read.clone();
            read.sort_by(|a, b| score(b).total_cmp(&score(a)));
            datasets::documents(read.into_iter().map(|(one, _)| one).chain(rest.iter().copied()))
        };
        let rankings = [
            datasets::documents(found.items().iter()),
            order(&|(_, reading)| reading.relevant),
            order(&|(one, reading)| blend(one.fused_score, *reading, policy)),
            datasets::documents(reranked.iter().map(|(one, _)| *one).chain(found.items().iter().skip(pool_max))),
        ];
        for (sum, reading_weight) in curve.iter_mut().zip(WEIGHTS) {
            let policy = JudgePolicy { reading_weight, ..policy.clone() };
            let ranking = order(&|(one, reading)| blend(one.fused_score, *reading, &policy));
            *sum += ndcg(&ranking, &golden.gold_ids, K);
        }
        for (sum, ranking) in sums.iter_mut().zip(&rankings) {
            *sum += ndcg(ranking, &golden.gold_ids, K);
        }
    }
    let mean = |sum: f64| sum / queries.max(1) as f64;
    let [fused, judged, blended, reranked] = sums.map(mean);
    let [blended_ms, reranked_ms] = spent.map(|spent| mean(spent.as_secs_f64() * 1_000.0));
    let curve = WEIGHTS.into_iter().zip(curve);
    let curve = curve.map(|(reading_weight, sum)| Point { reading_weight, blended: mean(sum) }).collect();
    let set = set.name.clone();
    let row = Row { set, queries, fused, judge: judged, blended, reranked, blended_ms, reranked_ms, curve };
    Ok((queries > 0).then_some(row))
}
