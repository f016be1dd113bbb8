//! The contract of `Reranker`.

use std::time::Duration;

use vouch_domain::ports::{JudgedPassage, Reranker};

use super::hostile;

const AMPLE: Duration = Duration::from_secs(600);
const QUESTION: &str = "How tall is the mast?";

/// Runs every clause.
pub async fn check(reranker: &dyn Reranker) {
    assert!(!reranker.name().trim().is_empty());
    every_passage_has_a_score_in_its_place(reranker).await;
    an_answer_scores_higher_than_another_subject(reranker).await;
    hostile_texts_have_a_score(reranker).await;
}

fn passage(heading: &str, text: &str) -> JudgedPassage {
    JudgedPassage { heading: heading.to_owned(), text: text.to_owned() }
}

async fn scores(reranker: &dyn Reranker, question: &str, passages: Vec<JudgedPassage>) -> Vec<f32> {
    let given = passages.len();
    let scores = reranker.scores(question, passages, AMPLE).await.expect("scores");
    assert_eq!(scores.len(), given, "one score a passage");
    assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
    scores
}

async fn every_passage_has_a_score_in_its_place(reranker: &dyn Reranker) {
    let passages = vec![
        passage("Masts", "The mast is 2.4 metres tall and stands on a base of concrete."),
        passage("Rain gauges", "The rain gauge is emptied every morning. Leaves are taken out of its funnel."),
        passage("", "Masts are painted white; the paint lasts six years."),
    ];
    let forwards = scores(reranker, QUESTION, passages.clone()).await;
    let backwards = scores(reranker, QUESTION, passages.into_iter().rev().collect()).await;
    assert_eq!(forwards, backwards.into_iter().rev().collect::<Vec<_>>(), "scores follow the order of the passages");
    assert!(scores(reranker, QUESTION, Vec::new()).await.is_empty());
}

async fn an_answer_scores_higher_than_another_subject(reranker: &dyn Reranker) {
    let other = "The rain gauge is emptied every morning at nine, and leaves are taken out of its funnel.";
    let passages = vec![passage("", other), passage("", "The mast is 2.4 metres tall.")];
    let scores = scores(reranker, QUESTION, passages).await;
    assert!(scores.last() > scores.first(), "{scores:?}");
}

async fn hostile_texts_have_a_score(reranker: &dyn Reranker) {
    let passages = hostile::texts().into_iter().map(|(_, text)| passage("Masts", &text)).collect();
    scores(reranker, QUESTION, passages).await;
    for (_, text) in hostile::texts() {
        scores(reranker, &text, vec![passage("Masts", "The mast is 2.4 metres tall.")]).await;
    }
}
