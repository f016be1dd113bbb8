//! What a passage's relevance gains for a product that it and the question name, and for its section title.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::{Question, ports::KeptDocument};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::{BoostPolicy, GatePolicy, Policies},
    trace::DropReason,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::ScriptedGenerator,
};

use crate::support::engines::{engine_over, filled};

/// One of its four key words is asked for, so its relevance to "mast" is one half, exactly.
const HALF: &str = "mast lamp rope wind";
const HALF_TOO: &str = "wind mast rain snow";

fn under(id: &str, title: &str, line: &str) -> KeptDocument {
    let mut document = kept(card(id, &[]), &[line]);
    for one in &mut document.passages {
        one.passage.section = [title.to_owned()].into();
    }
    document
}

fn boosts(names: &[&str], name: f32, section: f32) -> BoostPolicy {
    BoostPolicy { names: names.iter().map(|name| (*name).to_owned()).collect(), name, section }
}

async fn ask(documents: Vec<KeptDocument>, boosts: BoostPolicy, gate: GatePolicy, floor: f32) -> Response {
    let mut policies = Policies::default();
    policies.judge.relevance_floor = floor;
    policies.judge.boosts = boosts;
    policies.judge.gates = vec![gate];
    let writer = Arc::new(ScriptedGenerator::saying(&[(HALF, &[1])]));
    let engine = Engine { writer, policies, ..engine_over(&filled(documents).await) };
    engine.ask(&Question::new("mast", everyone())).await.expect("the question is walked")
}

/// The relevance and the raw figure that a gate of one passage reads, and the same as the trace shows them.
async fn read(title: &str, boosts: BoostPolicy) -> (f32, Option<f32>) {
    let response =
        ask(vec![under("a", title, HALF)], boosts, GatePolicy::Top1 { above: 0.52, sure_reading: None }, 0.0).await;
    let gate = response.trace.gates.first().expect("the gate was read").clone();
    assert_eq!(gate.passed, gate.reading > 0.52);
    let shown = response.trace.candidates.first().expect("a candidate");
    assert_eq!((shown.relevance, shown.cosine), (Some(gate.reading), gate.raw), "the trace shows what the gate reads");
    (gate.reading, gate.raw)
}

#[tokio::test]
async fn a_product_that_both_name_and_a_title_in_the_questions_words_raise_relevance() {
    let (plain, cosine) = read("Facts", BoostPolicy::default()).await;
    assert!((plain - 0.5).abs() < 1e-6 && cosine.is_some());
    for (title, own, expected) in [
        ("Facts", boosts(&["Mast"], 0.1, 0.0), 0.6),
        ("Facts", boosts(&["sail", "MAST"], 0.1, 0.05), 0.6),
        ("Facts", boosts(&["lamp"], 0.1, 0.0), 0.5),
        ("Facts", boosts(&["mas", "masts", "mast lamp"], 0.1, 0.0), 0.5),
        ("Facts", boosts(&["mast"], 0.0, 0.0), 0.5),
        ("Facts", boosts(&[], 0.1, 0.0), 0.5),
        ("The masts", boosts(&[], 0.1, 0.05), 0.55),
        ("Masts and lamps", boosts(&[], 0.1, 0.05), 0.5),
        ("", boosts(&[], 0.1, 0.05), 0.5),
        ("Masts", boosts(&["mast"], 0.1, 0.05), 0.65),
        ("Masts", boosts(&["mast"], 0.4, 0.3), 1.0),
    ] {
        let (relevance, raw) = read(title, own.clone()).await;
        assert!((relevance - expected).abs() < 1e-6, "{title:?}, {own:?}: {relevance}");
        assert_eq!(raw, cosine, "the cosine is as it was measured");
    }
}

#[tokio::test]
async fn the_mean_that_no_context_reads_is_of_boosted_passages() {
    let gate = || GatePolicy::NoContext { hits_min: 2, mean_at_least: 0.55, sure_reading: None };
    let documents = || vec![under("a", "Facts", HALF), under("b", "Facts", HALF_TOO)];
    let refused = ask(documents(), BoostPolicy::default(), gate(), 0.0).await;
    assert!(matches!(refused.decision, Decision::Refuse(_)), "{:?}", refused.decision);
    let answered = ask(documents(), boosts(&["mast"], 0.1, 0.0), gate(), 0.0).await;
    assert!(matches!(answered.decision, Decision::Answer(_)), "{:?}", answered.decision);
}

#[tokio::test]
async fn a_boost_lifts_nothing_over_the_floor() {
    let gate = GatePolicy::BailOut { below: 0.0 };
    let response = ask(vec![under("a", "Masts", HALF)], boosts(&["mast"], 0.4, 0.1), gate, 0.55).await;
    assert_eq!(response.trace.dropped.first().map(|dropped| dropped.reason), Some(DropReason::BelowFloor));
    assert!(response.evidence.pieces().is_empty());
}
