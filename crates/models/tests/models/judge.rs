//! The built-in judge keeps both its contracts, and neither neighbours nor threads change what it says.
#![expect(clippy::expect_used, reason = "a judge that cannot be made is a broken test")]

use std::time::Duration;

use vouch_domain::ports::{ClaimJudge, ClaimPair, JudgedPassage, PassageJudge, Reranker};
use vouch_models::Judge;
use vouch_testkit::contracts;

const AMPLE: Duration = Duration::from_secs(600);
const QUESTION: &str = "How tall is mast 3?";

fn judge(threads: usize) -> Judge {
    Judge::load(threads).expect("the figures beside the weights are read")
}

/// Passages of different lengths, so that no two are run in the same shape.
fn passages() -> Vec<JudgedPassage> {
    let passage = |n: usize| JudgedPassage {
        heading: "Masts".to_owned(),
        text: format!("Mast {n} is {n}.5 metres tall.{}", " Rain falls into the gauge beside it.".repeat(n)),
    };
    (0..6).map(passage).collect()
}

fn pairs() -> Vec<ClaimPair> {
    let pair =
        |passage: JudgedPassage| ClaimPair { claim: "Mast 3 is 3.5 metres tall.".to_owned(), evidence: passage.text };
    passages().into_iter().map(pair).collect()
}

#[tokio::test]
async fn the_judge_is_a_passage_judge() {
    contracts::passage_judge::check(&judge(2)).await;
}

#[tokio::test]
async fn the_judge_is_a_reranker_and_fails_without_time() {
    contracts::reranker::check(&judge(2)).await;
    assert!(judge(2).scores(QUESTION, passages(), Duration::ZERO).await.is_err());
}

#[tokio::test]
async fn the_judge_is_a_claim_judge() {
    contracts::claim_judge::check(&judge(2)).await;
}

#[tokio::test]
async fn neighbours_change_no_reading_of_a_judge_that_remembers_nothing() {
    let together = judge(2).read(QUESTION, passages(), AMPLE).await.expect("read");
    let fresh = judge(2);
    for (passage, reading) in passages().into_iter().zip(together) {
        let alone = fresh.read(QUESTION, vec![passage], AMPLE).await.expect("read");
        assert_eq!(alone, vec![reading]);
    }
}

#[tokio::test]
async fn neighbours_change_no_support_of_a_judge_that_remembers_nothing() {
    let together = judge(2).weigh(pairs(), AMPLE).await.expect("weigh");
    let fresh = judge(2);
    for (pair, support) in pairs().into_iter().zip(together) {
        let alone = fresh.weigh(vec![pair], AMPLE).await.expect("weigh");
        assert_eq!(alone, vec![support]);
    }
}

#[tokio::test]
async fn the_number_of_threads_changes_no_reading() {
    let one = judge(1).read(QUESTION, passages(), AMPLE).await.expect("read");
    let two = judge(2).read(QUESTION, passages(), AMPLE).await.expect("read");
    assert_eq!(one, two);
}

#[tokio::test]
async fn the_number_of_threads_changes_no_support() {
    let one = judge(1).weigh(pairs(), AMPLE).await.expect("weigh");
    let two = judge(2).weigh(pairs(), AMPLE).await.expect("weigh");
    assert_eq!(one, two);
}
