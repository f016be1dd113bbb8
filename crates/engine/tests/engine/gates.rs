//! Every gate and limit of `judge`, each with a question that trips it and a near miss that does not.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::{Question, ports::KeptDocument};
use vouch_engine::{
    ask::{Engine, Response},
    decide::{Decision, RefusalReason},
    policy::{GatePolicy, Policies},
    retrieve::RetrievePorts,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeEmbedder, FakeJudge, FakePlainWords, ScriptedGenerator},
};

use crate::support::{
    engines::{engine_over, filled},
    ports::ports,
};

/// One of its four key words is asked for, so its relevance to "mast" is one half, exactly.
const HALF: &str = "mast lamp rope wind";
const HALF_TOO: &str = "wind mast rain snow";

async fn ask(documents: Vec<KeptDocument>, policies: Policies, text: &str) -> Response {
    ask_for(documents, policies, text, None).await
}

async fn ask_for(documents: Vec<KeptDocument>, policies: Policies, text: &str, most: Option<usize>) -> Response {
    let writer = Arc::new(ScriptedGenerator::saying(&[(HALF, &[1]), (HALF, &[2])]));
    let engine = Engine { writer, policies, ..engine_over(&filled(documents).await) };
    let reader = everyone();
    let question = Question { passages_max: most, ..Question::new(text, reader) };
    engine.ask(&question).await.expect("the question is walked")
}

fn one(id: &str, line: &str) -> KeptDocument {
    kept(card(id, &[]), &[line])
}

fn of_kind(id: &str, kind: &str, line: &str) -> KeptDocument {
    let mut card = card(id, &[]);
    card.kind = kind.to_owned();
    kept(card, &[line])
}

/// Policies with these gates alone, and no floor in their way.
fn gated(gates: Vec<GatePolicy>) -> Policies {
    let mut policies = Policies::default();
    policies.judge.relevance_floor = 0.0;
    policies.judge.gates = gates;
    policies
}

fn reason(response: &Response) -> Option<&RefusalReason> {
    match &response.decision {
        Decision::Answer(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            None
        }
        Decision::Refuse(refusal) => Some(&refusal.reason),
    }
}

/// The refusing gate's name and sentence, or nothing if the question was answered.
fn refusal(response: &Response) -> Option<(&'static str, String)> {
    reason(response).map(|reason| (reason.as_str(), reason.sentence()))
}

async fn check(documents: Vec<KeptDocument>, gate: GatePolicy, text: &str, expected: Option<(&'static str, &str)>) {
    let response = ask(documents, gated(vec![gate.clone()]), text).await;
    let expected = expected.map(|(name, sentence)| (name, sentence.to_owned()));
    assert_eq!(refusal(&response), expected, "{gate:?} on {text}");
}

fn dropped(response: &Response) -> Vec<(&str, &str)> {
    response.trace.dropped.iter().map(|one| (one.source_id.as_str(), one.reason.as_str())).collect()
}

fn used(response: &Response) -> Vec<String> {
    response.evidence.pieces().iter().map(|piece| piece.passage.source_id()).collect()
}

#[tokio::test]
async fn top1_refuses_a_best_passage_that_only_equals_its_figure() {
    let sentence = "gate top1: Top-1 similarity (0.50) not above threshold (0.5)";
    check(vec![one("a", HALF)], GatePolicy::Top1 { above: 0.5, sure_reading: None }, "mast", Some(("top1", sentence)))
        .await;
    check(vec![one("a", HALF)], GatePolicy::Top1 { above: 0.49, sure_reading: None }, "mast", None).await;
}

#[tokio::test]
async fn coverage_takes_one_strong_passage_or_a_fair_pair_of_the_main_kind() {
    let sentence = "gate coverage: Best passage (0.50) is below the coverage threshold (0.51)";
    let refused = Some(("coverage", sentence));
    let gate = |strong: f32, kind: Option<&str>| GatePolicy::Coverage {
        strong,
        fair: 0.5,
        fair_passages: 2,
        main_kind: kind.map(str::to_owned),
        sure_reading: None,
    };
    let pair = |kind: &str| vec![of_kind("a", "chapter", HALF), of_kind("b", kind, HALF_TOO)];
    check(vec![one("a", HALF)], gate(0.51, None), "mast", refused).await;
    check(vec![one("a", HALF)], gate(0.5, None), "mast", None).await;
    check(pair("note"), gate(0.51, None), "mast", None).await;
    check(pair("note"), gate(0.51, Some("chapter")), "mast", refused).await;
    check(pair("Chapter"), gate(0.51, Some("chapter")), "mast", None).await;
}

#[tokio::test]
async fn coverage_does_not_count_a_passage_below_fair() {
    let gate = GatePolicy::Coverage { strong: 0.9, fair: 0.5, fair_passages: 2, main_kind: None, sure_reading: None };
    let fifth = "mast rain snow hail fog"; // One in five words: a relevance of 0.45.
    let sentence = "gate coverage: Best passage (0.50) is below the coverage threshold (0.9)";
    check(vec![one("a", HALF), one("b", fifth)], gate, "mast", Some(("coverage", sentence))).await;
}

#[tokio::test]
async fn keywords_warns_of_missing_terms_and_lets_the_question_go_on() {
    let gates = || gated(vec![GatePolicy::Keywords { warn_below: 1.0 }]);
    let warned = ask(vec![one("a", HALF)], gates(), "mast lamp height").await;
    assert_eq!(warned.evidence.warnings(), ["Not in the evidence: height"]);
    assert_eq!(refusal(&warned), None);
    let reading = warned.trace.gates.first().expect("the gate was read");
    assert!(!reading.passed && (reading.reading - 2.0 / 3.0).abs() < 1e-6, "{reading:?}");
    let near_miss = ask(vec![one("a", HALF)], gates(), "mast lamps").await;
    assert!(near_miss.evidence.warnings().is_empty());
}

#[tokio::test]
async fn plain_words_are_warned_of_where_the_gate_fails_and_rare_ones_always() {
    let warned = |warn_below: f32| async move {
        let store = filled(vec![one("a", HALF)]).await;
        let retrieve = RetrievePorts { plain_words: Arc::new(FakePlainWords(&["tall"])), ..ports(&store) };
        let policies = gated(vec![GatePolicy::Keywords { warn_below }]);
        let engine = Engine { retrieve, policies, ..engine_over(&store) };
        let warnings = async |text: &str| {
            let response = engine.ask(&Question::new(text, everyone())).await.expect("the question is walked");
            response.evidence.warnings().to_vec()
        };
        (warnings("mast tall").await, warnings("mast tall zorb").await)
    };
    let (none, rare, both) = (Vec::<String>::new(), "Not in the evidence: zorb", "Not in the evidence: tall, zorb");
    assert_eq!(warned(0.3).await, (none, vec![rare.to_owned()]), "the gate passes");
    assert_eq!(warned(1.0).await, (vec!["Not in the evidence: tall".to_owned()], vec![both.to_owned()]));
}

#[tokio::test]
async fn query_coverage_refuses_where_too_few_terms_are_there_and_names_them() {
    let gate = || GatePolicy::QueryCoverage { at_least: 0.5 };
    let sentence = "gate query_coverage: Share of the question's terms in the evidence (0.33) is below 0.5; \
                    missing: height, colour";
    let refused = Some(("query_coverage", sentence));
    check(vec![one("a", HALF)], gate(), "mast height colour", refused).await;
    check(vec![one("a", HALF)], gate(), "mast height", None).await;
}

#[tokio::test]
async fn the_terms_of_titles_and_headings_count_as_evidence() {
    // The title is "About gauges", the section is "Facts".
    let gate = GatePolicy::QueryCoverage { at_least: 1.0 };
    check(vec![one("gauges", HALF)], gate, "gauge facts mast", None).await;
}

#[tokio::test]
async fn every_gate_is_read_and_the_first_that_fails_is_named() {
    let gates = vec![
        GatePolicy::Keywords { warn_below: 1.0 },
        GatePolicy::Top1 { above: 0.9, sure_reading: None },
        GatePolicy::Coverage { strong: 0.95, fair: 0.95, fair_passages: 1, main_kind: None, sure_reading: None },
        GatePolicy::QueryCoverage { at_least: 0.5 },
    ];
    let response = ask(vec![one("a", HALF)], gated(gates), "mast").await;
    let read: Vec<(&str, bool)> = response.trace.gates.iter().map(|gate| (gate.name.as_str(), gate.passed)).collect();
    assert_eq!(read, [("keywords", true), ("top1", false), ("coverage", false), ("query_coverage", true)]);
    assert_eq!(refusal(&response).map(|(name, _)| name), Some("top1"));
    assert_eq!(response.evidence.readings(), response.trace.gates);
    let top1 = response.trace.gates.get(1).expect("the second reading");
    assert_eq!((top1.reading, top1.raw, top1.threshold), (0.5, Some(0.5), 0.9));
}

#[tokio::test]
async fn a_refusal_carries_the_profiles_message_and_suggestions_within_their_limit() {
    let mut policies = gated(vec![GatePolicy::Top1 { above: 0.9, sure_reading: None }]);
    policies.decide.refusal_message = "No.".to_owned();
    policies.decide.suggestions_max = 1;
    let response = ask(vec![one("a", HALF), one("b", HALF_TOO)], policies, "mast").await;
    let Decision::Refuse(refusal) = &response.decision else { panic!("answered") };
    assert_eq!((refusal.message.as_str(), refusal.suggestions.len()), ("No.", 1));
}

#[tokio::test]
async fn an_empty_store_refuses_with_nothing_found() {
    for policies in [gated(Vec::new()), Policies::default()] {
        let response = ask(Vec::new(), policies.clone(), "mast").await;
        let sentence = "gate evidence: 0 passages found, at least 1 is needed";
        let gates = &policies.judge.gates;
        assert_eq!(refusal(&response), Some(("nothing_found", sentence.to_owned())), "{gates:?}");
    }
}

#[tokio::test]
async fn a_passage_below_the_floor_is_left_out_and_one_at_it_is_not() {
    let mut policies = gated(Vec::new());
    policies.judge.relevance_floor = 0.5;
    let documents = || vec![one("a", HALF), one("b", "mast rain snow hail fog")];
    let response = ask(documents(), policies.clone(), "mast").await;
    assert_eq!((used(&response), dropped(&response)), (vec!["a:0".to_owned()], vec![("b:0", "below the floor")]));
    policies.judge.relevance_floor = 0.51;
    let nothing = ask(documents(), policies, "mast").await;
    let sentence = "gate evidence: none of the 2 passages found is close enough";
    assert_eq!(refusal(&nothing), Some(("nothing_found", sentence.to_owned())));
}

#[tokio::test]
async fn what_half_a_search_does_not_find_may_be_there() {
    let store = filled(vec![one("a", HALF)]).await;
    let embedder = FakeEmbedder::named("fake");
    embedder.set_down(true);
    let retrieve = RetrievePorts { embedder: Arc::new(embedder), ..ports(&store) };
    let engine = Engine { retrieve, policies: gated(Vec::new()), ..engine_over(&store) };
    let response = engine.ask(&Question::new("penguin", everyone())).await.expect("the question is walked");
    let sentence = "gate evidence: no passage found, and a part of the search was down";
    assert_eq!(refusal(&response), Some(("nothing_found", sentence.to_owned())));
}

#[tokio::test]
async fn of_near_duplicates_the_first_is_used_and_a_lesser_likeness_is_none() {
    let words: Vec<String> = (0..39).map(|n| format!("word{n}")).collect();
    let long = format!("mast {}", words.join(" "));
    // 39 pairs of neighbours each; a changed last word leaves 38 of 40, a changed middle word 37 of 41.
    let last = format!("mast {} other", words.iter().take(38).cloned().collect::<Vec<_>>().join(" "));
    let changed = |at: &[usize]| {
        let swapped = (0..39).map(|n| if at.contains(&n) { format!("swap{n}") } else { format!("word{n}") });
        format!("mast {}", swapped.collect::<Vec<_>>().join(" "))
    };
    let cases = [(long.clone(), false), (last, false), (changed(&[10]), false), (changed(&[10, 20]), true)];
    for (second, is_used) in cases {
        let response = ask(vec![one("a", &long), one("b", &second)], gated(Vec::new()), &long).await;
        let expected = if is_used { vec![] } else { vec![("b:0", "near-duplicate")] };
        assert_eq!(dropped(&response), expected, "{second}");
    }
}

#[tokio::test]
async fn one_document_gives_no_more_than_its_limit() {
    let mut policies = gated(Vec::new());
    policies.judge.passages_per_document_max = 2;
    let talkative = kept(card("a", &[]), &["mast", "mast lamp", "mast rope snow"]);
    let response = ask(vec![talkative, one("b", HALF)], policies, "mast").await;
    assert_eq!(used(&response), ["a:0", "a:1", "b:0"]);
    assert_eq!(dropped(&response), [("a:2", "document limit")]);
}

#[tokio::test]
async fn the_asker_may_lower_the_number_of_passages_but_not_raise_it() {
    let documents = || vec![one("a", "mast"), one("b", "mast lamp"), one("c", "mast rope snow"), one("d", HALF)];
    for (asked, expected) in [(None, 3), (Some(2), 2), (Some(50), 3), (Some(0), 1)] {
        let mut policies = gated(Vec::new());
        policies.judge.passages_max = 3;
        let response = ask_for(documents(), policies, "mast", asked).await;
        let order = ["a:0", "b:0", "c:0", "d:0"];
        assert_eq!(used(&response), order[..expected], "{asked:?}");
        let left: Vec<(&str, &str)> = order[expected..].iter().map(|id| (*id, "passage limit")).collect();
        assert_eq!(dropped(&response), left, "{asked:?}");
    }
}

#[tokio::test]
async fn an_answer_less_sure_than_asked_for_is_refused_and_one_as_sure_is_not() {
    let free = ask(vec![one("a", HALF)], gated(Vec::new()), "mast").await;
    let Decision::Answer(answer) = &free.decision else { panic!("{:?}", free.decision) };
    let sure = answer.confidence().overall;
    for (least, is_refused) in [(sure - 1, false), (sure, false), (sure + 1, true)] {
        let mut policies = gated(Vec::new());
        policies.decide.confidence_at_least = Some(least);
        let response = ask(vec![one("a", HALF)], policies, "mast").await;
        assert_eq!(refusal(&response).map(|(gate, _)| gate), is_refused.then_some("confidence"), "{least}");
        let last = response.trace.gates.last().map(|gate| (gate.name.as_str(), gate.passed));
        assert_eq!(last, Some(("confidence", !is_refused)));
    }
}

#[tokio::test]
async fn an_answer_says_where_not_every_passage_was_read_in_time() {
    let writer = Arc::new(ScriptedGenerator::saying(&[(HALF, &[1])]));
    let (policies, late) = (gated(Vec::new()), Arc::new(FakeJudge::late()));
    let engine =
        Engine { writer, policies, passage_judge: Some(late), ..engine_over(&filled(vec![one("a", HALF)]).await) };
    let response = engine.ask(&Question::new("mast", everyone())).await.expect("the question is walked");
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    assert!(
        answer.notices().iter().any(|notice| notice.starts_with("Not every passage was read in time.")),
        "{answer:?}"
    );
}

#[tokio::test]
async fn the_trace_says_how_many_of_the_sentences_written_were_verified() {
    let written = ask(vec![one("a", HALF)], gated(Vec::new()), "mast").await;
    let gates: Vec<(&str, &str)> =
        written.trace.gates.iter().map(|gate| (gate.name.as_str(), gate.sentence.as_str())).collect();
    // The writer says it twice, the second time of a passage that there is not.
    assert_eq!(gates, [("verification", "1 of 2 sentences are verified; the others are not shown")]);
}

#[tokio::test]
async fn a_judge_that_is_sure_overrides_coverage_where_the_gate_says_so() {
    let gate =
        |sure_reading| GatePolicy::Coverage { strong: 0.9, fair: 0.9, fair_passages: 2, main_kind: None, sure_reading };
    // The judge of these engines finds the answer everywhere, with a probability of 0.9.
    let refused = Some(("coverage", "gate coverage: Best passage (0.50) is below the coverage threshold (0.9)"));
    check(vec![one("a", HALF)], gate(Some(0.9)), "mast", None).await;
    check(vec![one("a", HALF)], gate(Some(0.91)), "mast", refused).await;
    check(vec![one("a", HALF)], gate(None), "mast", refused).await;
}

#[tokio::test]
async fn a_judge_that_is_sure_overrides_top1_where_the_gate_says_so() {
    let gate = |sure_reading| GatePolicy::Top1 { above: 0.9, sure_reading };
    let refused = Some(("top1", "gate top1: Top-1 similarity (0.50) not above threshold (0.9)"));
    check(vec![one("a", HALF)], gate(Some(0.9)), "mast", None).await;
    check(vec![one("a", HALF)], gate(Some(0.91)), "mast", refused).await;
    check(vec![one("a", HALF)], gate(None), "mast", refused).await;
}

#[tokio::test]
async fn a_judge_that_is_sure_overrides_no_context_where_the_gate_says_so() {
    let gate = |hits_min, sure_reading| GatePolicy::NoContext { hits_min, mean_at_least: 0.9, sure_reading };
    let few = Some(("no_context", "gate no_context: 1 passages found, at least 3 are needed"));
    let far = Some(("no_context", "gate no_context: Mean relevance of 1 passages (0.50) is below 0.9"));
    for (hits_min, refused) in [(3, few), (1, far)] {
        check(vec![one("a", HALF)], gate(hits_min, Some(0.9)), "mast", None).await;
        check(vec![one("a", HALF)], gate(hits_min, Some(0.91)), "mast", refused).await;
        check(vec![one("a", HALF)], gate(hits_min, None), "mast", refused).await;
        let passed = ask(vec![one("a", HALF)], gated(vec![gate(hits_min, Some(0.9))]), "mast").await;
        let reading = passed.trace.gates.first().expect("the gate was read");
        assert!(reading.passed && reading.sentence.ends_with("; the judge is sure of the answer"), "{reading:?}");
    }
    // With nothing found there is nothing to be sure of.
    let nothing = ask(Vec::new(), gated(vec![gate(1, Some(0.0))]), "mast").await;
    assert!(reason(&nothing).is_some());
}

#[tokio::test]
async fn a_refusal_shows_what_comes_nearest_and_does_not_answer_with_it() {
    let refused = ask(vec![one("a", HALF)], gated(vec![GatePolicy::Answerability { at_least: 0.95 }]), "mast").await;
    let Decision::Refuse(refusal) = &refused.decision else { panic!("{:?}", refused.decision) };
    let nearest = refusal.nearest.as_ref().expect("a passage is near");
    assert_eq!(nearest.claims().iter().map(|claim| claim.text()).collect::<Vec<_>>(), [HALF]);
    assert_eq!(nearest.citations().len(), 1);
    // Of four key words one is shared: its relevance is below what counts as near.
    let far = "mast lamp rope wind rain snow";
    let refused = ask(vec![one("a", far)], gated(vec![GatePolicy::Answerability { at_least: 0.95 }]), "mast").await;
    let Decision::Refuse(refusal) = &refused.decision else { panic!("{:?}", refused.decision) };
    assert!(refusal.nearest.is_none(), "{refusal:?}");
}
