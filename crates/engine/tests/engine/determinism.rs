//! The same question on the same corpus has the same end, whenever it is asked and however the corpus came in.

use std::sync::Arc;

use vouch_domain::{Question, ports::KeptDocument};
use vouch_engine::{ask::Engine, decide::Decision, policy::Policies, retrieve::LaneChoice};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::ScriptedGenerator,
};

use crate::support::engines::{engine_over, filled};

/// The same words in another order each: no two are duplicates, all are equally near.
const TIED: &[(&str, &str)] = &[
    ("a", "mast lamp rope wind"),
    ("b", "wind rope lamp mast"),
    ("c", "rope mast wind lamp"),
    ("d", "lamp wind mast rope"),
];

fn tied() -> Vec<KeptDocument> {
    TIED.iter().map(|(id, line)| kept(card(id, &[]), &[line])).collect()
}

/// An engine whose documents came in one by one, in this order.
async fn engine(documents: Vec<KeptDocument>, policies: Policies) -> Engine {
    let lines: Vec<(&str, &[u32])> =
        TIED.iter().flat_map(|(_, line)| [(*line, &[1u32][..]), (*line, &[2][..]), (*line, &[3][..])]).collect();
    Engine { writer: Arc::new(ScriptedGenerator::saying(&lines)), policies, ..engine_over(&filled(documents).await) }
}

fn question(text: &str) -> Question {
    Question::new(text, everyone())
}

fn open_policies() -> Policies {
    let mut policies = Policies::default();
    policies.judge.gates = Vec::new();
    policies.judge.passages_max = 3;
    policies.compose.sentences_max = 100;
    policies
}

/// All of a decision that people and programs see; the catalogue's own numbers are not part of it.
fn shown(decision: &Decision) -> String {
    match decision {
        Decision::Refuse(refusal) => format!("{refusal:?}"),
        Decision::Clarify(clarification) => format!("{clarification:?}"),
        Decision::Refer(referral) => format!("{referral:?}"),
        Decision::General(answer) => format!("{answer:?}"),
        Decision::Tool(tool) => format!("{tool:?}"),
        Decision::Answer(answer) => {
            let cited = answer.text().citations().iter();
            let cited: Vec<_> = cited.map(|one| (one.marker(), one.source_id(), one.quote())).collect();
            format!("{:?} {cited:?} {:?} {:?}", answer.text().claims(), answer.confidence(), answer.notices())
        }
    }
}

/// Every order of four things.
fn orders() -> Vec<[usize; 4]> {
    let mut found = Vec::new();
    for code in 0..256usize {
        let order = [code % 4, code / 4 % 4, code / 16 % 4, code / 64];
        if (0..4).all(|n| order.contains(&n)) {
            found.push(order);
        }
    }
    found
}

fn in_order(order: [usize; 4]) -> Vec<KeptDocument> {
    let all = tied();
    order.iter().filter_map(|at| all.get(*at).cloned()).collect()
}

#[tokio::test]
async fn the_same_question_asked_twice_gives_the_same_response() {
    for (text, answers) in [("mast lamp rope wind", true), ("an unheard of subject", false)] {
        let mut policies = open_policies();
        policies.judge.relevance_floor = 0.3;
        let engine = engine(tied(), policies).await;
        let first = engine.ask(&question(text)).await.expect("the first answer");
        let second = engine.ask(&question(text)).await.expect("the second answer");
        assert_eq!(first, second, "{text}");
        assert_eq!(matches!(first.decision, Decision::Answer(_)), answers, "{text}");
    }
}

#[tokio::test]
async fn the_order_of_insertion_does_not_change_a_tied_decision() {
    let mut seen: Vec<String> = Vec::new();
    for order in orders() {
        let engine = engine(in_order(order), open_policies()).await;
        let response = engine.ask(&question("mast lamp rope wind")).await.expect("an answer");
        let used: Vec<String> = response.evidence.pieces().iter().map(|piece| piece.passage.source_id()).collect();
        assert_eq!(used, ["a:0", "b:0", "c:0"], "the document id decides: {order:?}");
        seen.push(shown(&response.decision));
    }
    assert_eq!(seen.len(), 24);
    seen.dedup();
    assert_eq!(seen.len(), 1, "{seen:#?}");
}

#[tokio::test]
async fn the_order_of_insertion_does_not_change_a_tied_search() {
    for order in orders() {
        let engine = engine(in_order(order), open_policies()).await;
        let found = engine.search(&question("mast lamp"), LaneChoice::All).await.expect("a search");
        let ids: Vec<String> = found.items().iter().map(|one| one.passage.source_id()).collect();
        assert_eq!(ids, ["a:0", "b:0", "c:0", "d:0"], "{order:?}");
    }
}

#[tokio::test]
async fn the_order_of_insertion_does_not_change_which_tied_passages_enter_the_pool() {
    for order in orders() {
        let mut policies = open_policies();
        policies.retrieve.pool_max = 2;
        let engine = engine(in_order(order), policies).await;
        let response = engine.ask(&question("mast lamp rope wind")).await.expect("an answer");
        let used: Vec<String> = response.evidence.pieces().iter().map(|piece| piece.passage.source_id()).collect();
        assert_eq!(used, ["a:0", "b:0"], "the document id decides: {order:?}");
    }
}

#[tokio::test]
async fn taking_a_document_in_again_does_not_change_a_tied_decision() {
    let once = engine(tied(), open_policies()).await;
    let twice = engine(tied().into_iter().chain(tied().into_iter().take(1)).collect(), open_policies()).await;
    let asked = question("mast lamp rope wind");
    let (once, twice) = (once.ask(&asked).await.expect("an answer"), twice.ask(&asked).await.expect("an answer"));
    assert_eq!(shown(&once.decision), shown(&twice.decision));
}
