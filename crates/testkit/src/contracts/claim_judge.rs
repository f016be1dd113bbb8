//! The contract of `ClaimJudge`.
//!
//! A judge that remembers must not have seen these texts before; and since memory hides what neighbours do to a support,
//! its own tests compare two fresh ones.

use std::time::Duration;

use vouch_domain::ports::{ClaimJudge, ClaimPair, Support};

use super::hostile;

const AMPLE: Duration = Duration::from_secs(600);
const CLAIM: &str = "The mast is 2.4 metres tall.";
const EVIDENCE: &str = "The mast is 2.4 metres tall. It stands on a base of concrete and is painted white.";
const UNRELATED: &str = "The rain gauge is emptied every morning at nine. Leaves are taken out of its funnel.";

/// Runs every clause.
pub async fn check(judge: &dyn ClaimJudge) {
    assert!(!judge.name().trim().is_empty());
    without_time_there_is_no_support_and_no_error(judge).await;
    every_pair_is_weighed_in_order_whatever_is_beside_it(judge).await;
    a_sentence_of_the_evidence_is_supported_by_it(judge).await;
    where_there_is_no_text_the_evidence_is_silent(judge).await;
    hostile_texts_have_a_support(judge).await;
}

fn pair(claim: &str, evidence: &str) -> ClaimPair {
    ClaimPair { claim: claim.to_owned(), evidence: evidence.to_owned() }
}

fn plain() -> Vec<ClaimPair> {
    vec![
        pair("The mast is painted white.", EVIDENCE),
        pair("The mast is painted white.", UNRELATED),
        pair("The gauge is never emptied.", UNRELATED),
        pair("The mast is painted white.", EVIDENCE),
        pair("Der Mast trägt eine Wetterhütte.", "Der Mast — 2,4 m — trägt eine Wetterhütte."),
    ]
}

/// Every pair's support, given time enough, each of them figures that fit together.
async fn weigh(judge: &dyn ClaimJudge, pairs: Vec<ClaimPair>, name: &str) -> Vec<Support> {
    let asked = pairs.len();
    let supports = judge.weigh(pairs, AMPLE).await.expect("weigh");
    assert_eq!(supports.len(), asked, "one support a pair");
    let supports: Vec<Support> =
        supports.into_iter().map(|support| support.expect("a support within ten minutes")).collect();
    for support in &supports {
        let figures = [support.supported, support.contradicted, support.silent];
        assert!(figures.iter().all(|figure| (0.0..=1.0).contains(figure)), "{name}: {support:?}");
        assert!((figures.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{name}: {support:?}");
    }
    supports
}

async fn without_time_there_is_no_support_and_no_error(judge: &dyn ClaimJudge) {
    let pairs = vec![
        pair("The screen is cleaned in spring.", "The screen on the mast is cleaned in spring."),
        pair("There are two masts.", "A second mast was put up behind the hut."),
    ];
    let supports = judge.weigh(pairs.clone(), Duration::ZERO).await.expect("weigh");
    assert_eq!(supports, vec![None, None]);
    assert!(judge.weigh(Vec::new(), Duration::ZERO).await.expect("weigh").is_empty());
    assert_eq!(weigh(judge, pairs, "late").await.len(), 2, "a support missed once can still be had");
}

async fn every_pair_is_weighed_in_order_whatever_is_beside_it(judge: &dyn ClaimJudge) {
    let together = weigh(judge, plain(), "plain").await;
    for (pair, support) in plain().into_iter().zip(&together) {
        let alone = weigh(judge, vec![pair], "plain").await;
        assert_eq!(alone.first(), Some(support), "a support must not depend on its neighbours");
    }
    assert_eq!(together.first(), together.get(3), "the same pair twice");
    assert_ne!(together.first(), together.get(1), "supports tell pairs apart");
    assert_eq!(together, weigh(judge, plain(), "plain").await, "asked again");
    let backwards = weigh(judge, plain().into_iter().rev().collect(), "plain").await;
    assert_eq!(together, backwards.into_iter().rev().collect::<Vec<_>>(), "supports follow the order of the pairs");
    assert!(weigh(judge, Vec::new(), "no pairs").await.is_empty());
}

async fn a_sentence_of_the_evidence_is_supported_by_it(judge: &dyn ClaimJudge) {
    let supports = weigh(judge, vec![pair(CLAIM, EVIDENCE), pair(CLAIM, UNRELATED)], "plain").await;
    let (own, other) = (supports.first().expect("a support"), supports.get(1).expect("a support"));
    assert!(own.supported > other.supported, "{own:?} {other:?}");
}

async fn where_there_is_no_text_the_evidence_is_silent(judge: &dyn ClaimJudge) {
    let silent = Support { supported: 0.0, contradicted: 0.0, silent: 1.0 };
    for (claim, evidence) in [(CLAIM, ""), (CLAIM, " \n\t"), ("", EVIDENCE), (" ", EVIDENCE), ("", "")] {
        let supports = weigh(judge, vec![pair(claim, evidence)], "no text").await;
        assert_eq!(supports, vec![silent], "{claim:?} {evidence:?}");
    }
}

async fn hostile_texts_have_a_support(judge: &dyn ClaimJudge) {
    for (name, hostile) in hostile::texts() {
        let pairs = vec![pair(CLAIM, &hostile), pair(&hostile, EVIDENCE), pair(&hostile, &hostile)];
        let together = weigh(judge, pairs.clone(), name).await;
        for (pair, support) in pairs.into_iter().zip(&together) {
            assert_eq!(weigh(judge, vec![pair], name).await.first(), Some(support), "{name}");
        }
    }
}
