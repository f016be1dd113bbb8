//! A reranker puts the whole pool in order, and the judge reads what it puts first; where it fails the fused order stands
//! and the reply says so.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use vouch_domain::{
    PortError, Question,
    ports::{JudgedPassage, Reranker},
};
use vouch_engine::{
    ask::{Engine, Response},
    policy::Policies,
    trace::{Fallback, RerankReport},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::FakeJudge,
};

use crate::support::engines::{engine_over, filled};

/// Gives each passage the score its text names, whatever is asked.
struct Fond(fn(&str) -> f32);

#[async_trait]
impl Reranker for Fond {
    fn name(&self) -> &str {
        "fond"
    }

    async fn scores(&self, _: &str, passages: Vec<JudgedPassage>, _: Duration) -> Result<Vec<f32>, PortError> {
        Ok(passages.iter().map(|passage| (self.0)(&passage.text)).collect())
    }
}

/// Asks for "mast" among three passages, the shortest of them nearest: `a`, `b`, `c` when fused. The judge reads one.
async fn asked(reranker: Option<Arc<dyn Reranker>>, change: impl FnOnce(&mut Engine)) -> Response {
    let one = |id: &str, line: &str| kept(card(id, &[]), &[line]);
    let documents = vec![one("a", "mast"), one("b", "mast lamp"), one("c", "mast rope snow")];
    let mut policies = Policies::default();
    policies.judge.relevance_floor = 0.0;
    policies.judge.gates = Vec::new();
    policies.judge.read_max = 1;
    let mut engine = Engine { reranker, policies, ..engine_over(&filled(documents).await) };
    change(&mut engine);
    engine.ask(&Question::new("mast".to_owned(), everyone())).await.expect("the question is walked")
}

fn order(response: &Response) -> Vec<(String, bool)> {
    let pieces = response.evidence.pieces().iter();
    pieces.map(|piece| (piece.passage.source_id(), piece.reading.is_some())).collect()
}

fn named(expected: [(&str, bool); 3]) -> Vec<(String, bool)> {
    expected.map(|(id, is_read)| (format!("{id}:0"), is_read)).to_vec()
}

fn report(response: &Response) -> &RerankReport {
    response.trace.reranker.as_ref().expect("a report of the reranker")
}

#[tokio::test]
async fn the_last_of_the_pool_comes_first_where_the_reranker_says_so_and_is_the_one_that_is_read() {
    let fused = asked(None, |_| {}).await;
    assert_eq!(order(&fused), named([("a", true), ("b", false), ("c", false)]));
    assert_eq!(fused.trace.reranker, None);
    let likes_snow = |text: &str| f32::from(u8::from(text.contains("snow")));
    let reranked = asked(Some(Arc::new(Fond(likes_snow))), |_| {}).await;
    assert_eq!(order(&reranked), named([("c", true), ("a", false), ("b", false)]), "equal scores keep the fused order");
    let expected = RerankReport { name: "fond".to_owned(), given: 3, failure: None, is_circuit_open: false };
    assert_eq!((report(&reranked), reranked.trace.fallbacks.as_slice()), (&expected, [].as_slice()));
}

#[tokio::test]
async fn no_score_is_too_low_to_stay_in_the_pool() {
    let dislikes_all = |text: &str| -1_000.0 - f32::from(u8::from(text == "mast"));
    let response = asked(Some(Arc::new(Fond(dislikes_all))), |_| {}).await;
    assert_eq!(order(&response), named([("b", true), ("c", false), ("a", false)]));
}

#[tokio::test]
async fn a_reranker_that_fails_or_gives_no_numbers_leaves_the_fused_order_and_a_flag() {
    let nothing = |_: &str| f32::NAN;
    let failing: [Arc<dyn Reranker>; 3] =
        [Arc::new(FakeJudge::down()), Arc::new(FakeJudge::late()), Arc::new(Fond(nothing))];
    for reranker in failing {
        let response = asked(Some(reranker), |_| {}).await;
        assert_eq!(order(&response), named([("a", true), ("b", false), ("c", false)]));
        assert!(report(&response).failure.is_some());
        assert_eq!(response.trace.fallbacks, [Fallback::NotReranked]);
    }
}

#[tokio::test]
async fn where_nobody_has_read_anything_the_higher_floor_holds() {
    let without_judge = |engine: &mut Engine| {
        engine.passage_judge = None;
        engine.policies.judge.relevance_floor_unread = 0.99;
    };
    let reranked = asked(Some(Arc::new(FakeJudge::reading())), without_judge).await;
    assert_eq!(reranked.evidence.pieces().len(), 3, "a reranker has read them");
    let failed = asked(Some(Arc::new(FakeJudge::down())), without_judge).await;
    assert!(failed.evidence.pieces().len() < 3, "{:?}", order(&failed));
}
