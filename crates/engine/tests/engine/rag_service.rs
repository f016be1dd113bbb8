//! Every test the RAG service's own document asks for, by its name there.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::{
    ModelError, Person, Question, Speaker, Topic, Turn,
    ports::{Directory, TokenCounter},
};
use vouch_engine::{
    ask::{AskError, Response},
    compose::budget::{Allocation, BudgetRequest, ModelCapacity, Note, allocate},
    decide::{Decision, Referral, ReferralTarget, UnsureOutcome},
    model_registry::{EstimatedTokens, ModelRegistry},
    policy::{BudgetPolicy, ConfidenceFormula, MarkerStyle, ReferralPolicy},
    trace::{DropReason, Removal},
};
use vouch_testkit::{
    corpus::{TENANT, card, kept},
    fakes::{FakeDirectory, Script, ScriptedModel},
};

use crate::support::{
    Fixture, LEAVE, MODEL, allowed, answer, job_model, other_rung, question, reader, refusal, saying, shown,
};

const TRUE: &str = "Annual leave is 25 days a year [SourceId: leave:0].";

/// A desk in the style of the document.
fn service(said: &str) -> (Fixture, ScriptedModel) {
    let model = saying(said);
    let mut fixture = Fixture::with(&model);
    fixture.policies.compose.markers = MarkerStyle::SourceId;
    fixture.policies.decide.confidence = ConfidenceFormula::Weighted;
    (fixture, model)
}

fn routing(fixture: &mut Fixture, below: u32) {
    fixture.policies.decide.route = Some(ReferralPolicy { below, admin_email: "admin@acme.example".to_owned() });
}

/// A tenant where Mira answers for what is tagged `hr`.
async fn people() -> Arc<FakeDirectory> {
    let directory = Arc::new(FakeDirectory::default());
    let mira = Person {
        id: "mira".to_owned(),
        tenant: TENANT.to_owned(),
        email: "mira@acme.example".to_owned(),
        tags: ["hr".to_owned()].into(),
    };
    let topic = Topic { tag: "hr".to_owned(), tenant: TENANT.to_owned(), owner: Some("mira".to_owned()) };
    directory.upsert_people(vec![mira]).await.expect("kept");
    directory.upsert_topics(vec![topic]).await.expect("kept");
    directory
}

fn target(response: &Response) -> &ReferralTarget {
    let Decision::Refer(Referral { target, .. }) = &response.decision else { panic!("{:?}", response.decision) };
    target
}

/// A budget in words, so that every figure can be told by eye.
fn shared(history: &[Turn], window: usize, notes: &[(&str, f32)]) -> Result<Allocation, ModelError> {
    let count = |text: &str| text.split_whitespace().count();
    let room = ModelCapacity { count: &count, window, response: 10 };
    let note = |(marker, (text, relevance)): (u32, &(&str, f32))| Note {
        marker,
        relevance: *relevance,
        text: (*text).to_owned(),
    };
    let notes = (1..).zip(notes).map(note).collect();
    let wanted = BudgetRequest { system: "be true", question: "how long", history, notes };
    let policy = BudgetPolicy { context_max: 100, history_max: 60, response_max: 10, system_reserved: 10 };
    allocate(wanted, room, &policy)
}

fn said(speaker: Speaker, words: usize) -> Turn {
    Turn::new(speaker, vec!["word"; words].join(" "))
}

#[tokio::test]
async fn test_build_context_with_source_ids() {
    let (fixture, model) = service(TRUE);
    fixture.ask().await.expect("an answer");
    let prompt =
        model.completion_requests().first().expect("a dictation").messages.first().expect("a message").text.clone();
    let expected =
        format!("[SourceId: leave:0]\n[Document: About leave]\n[Page: N/A] [Section: Facts]\n---\n{LEAVE}\n---");
    assert!(prompt.contains(&expected), "{prompt}");
}

#[tokio::test]
async fn test_extract_citations_valid() {
    let (fixture, _) = service(TRUE);
    let response = fixture.ask().await.expect("an answer");
    assert_eq!(shown(&response), [("Annual leave is 25 days a year.", vec!["leave:0".to_owned()])]);
}

#[tokio::test]
async fn test_extract_citations_invalid() {
    let (fixture, _) = service("Annual leave is 25 days a year [SourceId: leave:0] [SourceId: pay-bands:4].");
    let response = fixture.ask().await.expect("an answer");
    let cited: Vec<String> = answer(&response).text().citations().iter().map(|one| one.source_id()).collect();
    assert_eq!(cited, ["leave:0"]);
    assert_eq!(response.trace.writer.as_ref().expect("a report").drops.as_slice(), [(Removal::UnknownSource, 1)]);
}

#[tokio::test]
async fn test_calculate_coverage() {
    let (fixture, _) = service(TRUE);
    let whole = answer(&fixture.ask().await.expect("an answer")).confidence().coverage_score;
    assert!((whole - 1.0).abs() < 1e-6, "{whole}");
    // What is shown says nothing of most of this question.
    let (fixture, _) = service(TRUE);
    let asked = "How is annual leave carried over for a colleague in Norway with two children?";
    let response = fixture.engine().await.ask(&Question::new(asked.to_owned(), reader())).await.expect("an answer");
    let part = answer(&response).confidence().coverage_score;
    assert!((0.2..0.9).contains(&part), "{part}");
}

#[tokio::test]
async fn test_calculate_confidence_hybrid() {
    let (mut fixture, _) = service(TRUE);
    fixture.model_registry.judge = Some(other_rung("50").0);
    let confidence = *answer(&fixture.ask().await.expect("an answer")).confidence();
    assert_eq!(confidence.judge_score, Some(50));
    let expected = 30.0 * confidence.retrieval_score + 40.0 * confidence.coverage_score + 30.0 * 0.5;
    assert!((f64::from(confidence.overall) - f64::from(expected)).abs() <= 0.5, "{confidence:?}, {expected}");
}

#[test]
fn test_truncate_history_overflow() {
    let history = [said(Speaker::Asker, 30), said(Speaker::Vouch, 30), said(Speaker::Asker, 5)];
    // 300 less 10, 10 and 10 leave 270; of these a third, and at most 60.
    let kept = shared(&history, 300, &[("note", 0.5)]).expect("it fits");
    assert_eq!(kept.history, history.get(1..).expect("two turns"));
    assert_eq!(kept.history_tokens, 30 + 5 + 16);
    // The share of history is a third of what is left, not the whole of it.
    let kept = shared(&history, 90, &[("note", 0.5)]).expect("it fits");
    assert_eq!(kept.history, history.get(2..).expect("one turn"));
}

#[test]
fn test_truncate_history_keeps_recent() {
    // The asker's last message stays although it is longer than the share of history, and what came after it may go.
    let history = [said(Speaker::Asker, 3), said(Speaker::Asker, 70), said(Speaker::Vouch, 70)];
    let kept = shared(&history, 300, &[("note", 0.5)]).expect("it fits");
    assert_eq!(kept.history, history.get(1..2).expect("one turn"));
    let none = shared(&history, 100, &[("note", 0.5)]);
    assert_eq!(none, Err(ModelError::TokenBudgetExceeded { needed: 108, available: 100 }));
}

#[test]
fn the_least_relevant_notes_go_first_and_none_at_all_is_an_error() {
    let notes = [("one two three four", 0.9), ("five six seven eight", 0.2), ("nine ten", 0.5)];
    let markers = |window: usize| {
        let kept = shared(&[], window, &notes).expect("something fits");
        (kept.notes.iter().map(|note| note.marker).collect::<Vec<_>>(), kept.context_tokens)
    };
    assert_eq!(markers(300), (vec![1, 2, 3], 34));
    assert_eq!(markers(30 + 33), (vec![1, 3], 22));
    assert_eq!(markers(30 + 12), (vec![1], 12));
    assert!(matches!(shared(&[], 30 + 11, &notes), Err(ModelError::Context { .. })));
    assert_eq!(shared(&[], 29, &notes), Err(ModelError::TokenBudgetExceeded { needed: 30, available: 29 }));
}

#[tokio::test]
async fn test_deduplicate_chunks() {
    let (mut fixture, _) = service(TRUE);
    fixture.documents = vec![kept(card("leave", &[]), &[LEAVE]), kept(card("copy", &[]), &[LEAVE])];
    let response = fixture.ask().await.expect("a decision");
    assert_eq!(response.evidence.pieces().len(), 1);
    assert_eq!(response.evidence.dropped().first().map(|dropped| dropped.reason), Some(DropReason::NearDuplicate));
}

#[tokio::test]
async fn test_limit_per_document() {
    let (mut fixture, _) = service(TRUE);
    let lines =
        ["Annual leave one.", "Leave forms two.", "Days of leave three.", "Signed leave four.", "Leave days five."];
    fixture.documents = vec![kept(card("leave", &[]), &lines)];
    let response = fixture.ask().await.expect("a decision");
    assert_eq!(response.evidence.pieces().len(), 3);
}

#[tokio::test]
async fn test_validate_model_allowed() {
    let model = saying(TRUE);
    let model_registry = Fixture::with(&model).model_registry;
    let job_model = model_registry.writer(Some(MODEL)).await.expect("it is allowed").expect("a model");
    assert_eq!(job_model.model, MODEL);
    assert!(model_registry.writer(Some("extractive")).await.expect("it is allowed").is_none());
}

#[tokio::test]
async fn test_validate_model_not_allowed() {
    let model = saying(TRUE);
    let mut model_registry: ModelRegistry = Fixture::with(&model).model_registry;
    let Err(error) = model_registry.writer(Some("gpt-9")).await.map(|_| ()) else { panic!("it is allowed") };
    assert_eq!(error.code(), "model_not_allowed");
    // Allowed, and not on the server.
    let other = allowed(4_096, 256, Arc::new(EstimatedTokens) as Arc<dyn TokenCounter>);
    model_registry.allowed.insert("other:7b".to_owned(), other);
    let Err(error) = model_registry.writer(Some("other:7b")).await.map(|_| ()) else { panic!("it is there") };
    assert_eq!(error.code(), "model_unavailable");
    // A name without its tag is the latest.
    let model = ScriptedModel::named("plain:latest", [Script::saying(["x"])]);
    let mut model_registry = Fixture::with(&model).model_registry;
    model_registry.allowed.insert("plain".to_owned(), allowed(4_096, 256, Arc::new(EstimatedTokens)));
    assert!(model_registry.writer(Some("plain")).await.is_ok());
}

#[tokio::test]
async fn test_get_route_target_with_owner() {
    let (mut fixture, _) = service("NO ANSWER");
    fixture.quotes = &[];
    fixture.directory = Some(people().await);
    routing(&mut fixture, 60);
    let response = fixture.ask().await.expect("a decision");
    let expected = ReferralTarget {
        tag: "hr".to_owned(),
        owner_user_id: Some("mira".to_owned()),
        owner_email: Some("mira@acme.example".to_owned()),
        reason: "Low confidence: 45%, no verified answer (nothing_to_say), routing to hr owner".to_owned(),
        is_fallback: false,
    };
    assert_eq!(target(&response), &expected);
}

#[tokio::test]
async fn test_get_route_target_fallback() {
    let nobody: Arc<FakeDirectory> = Arc::new(FakeDirectory::default());
    let gone = people().await;
    gone.remove_person(TENANT, "mira").await.expect("removed");
    let down: Arc<FakeDirectory> = Arc::new(FakeDirectory::down());
    for (directory, why) in [(nobody, "no owner"), (gone, "not found"), (down, "could not be looked up")] {
        let (mut fixture, _) = service("NO ANSWER");
        fixture.quotes = &[];
        fixture.directory = Some(directory);
        routing(&mut fixture, 60);
        let response = fixture.ask().await.expect("a decision");
        let target = target(&response);
        assert!(target.is_fallback && target.tag == "system", "{target:?}");
        assert_eq!(target.owner_email.as_deref(), Some("admin@acme.example"));
        assert!(target.reason.contains(why) && target.reason.ends_with("routing to admin"), "{target:?}");
    }
}

#[tokio::test]
async fn test_generate_full_pipeline() {
    let (mut fixture, _) = service(TRUE);
    fixture.directory = Some(people().await);
    routing(&mut fixture, 60);
    let response = fixture.ask().await.expect("an answer");
    assert!(answer(&response).confidence().overall >= 60, "{:?}", answer(&response).confidence());
    assert_eq!(answer(&response).text().with_markers(), "Annual leave is 25 days a year. [^1]");
}

#[tokio::test]
async fn test_generate_low_confidence_routes() {
    let (mut fixture, _) = service(TRUE);
    fixture.directory = Some(people().await);
    fixture.model_registry.judge = Some(other_rung("0").0);
    routing(&mut fixture, 90);
    let response = fixture.ask().await.expect("a decision");
    let Decision::Refer(Referral { unsure: UnsureOutcome::Answer(answer), target, .. }) = &response.decision else {
        panic!("{:?}", response.decision)
    };
    assert!(answer.confidence().overall < 90);
    assert_eq!(target.reason, format!("Low confidence: {}%, routing to hr owner", answer.confidence().overall));
}

#[tokio::test]
async fn test_generate_no_context() {
    let (mut fixture, model) = service(TRUE);
    fixture.documents = Vec::new();
    let response = fixture.ask().await.expect("a decision");
    assert_eq!(refusal(&response), "nothing_found");
    assert_eq!(model.completion_requests().len(), 0, "the model is not asked without evidence");
}

#[tokio::test]
async fn test_generate_token_budget() {
    let (fixture, model) = service(TRUE);
    let engine = fixture.engine().await;
    let mut asked = question();
    asked.conversation =
        (0..200).map(|number| Turn::new(Speaker::Asker, format!("Question {number} on leave?"))).collect();
    engine.ask(&asked).await.expect("an answer");
    let messages = model.completion_requests().first().expect("a dictation").messages.clone();
    assert!(messages.len() > 3 && messages.len() < 120, "{}", messages.len());
    assert!(messages.iter().any(|message| message.text == "Question 199 on leave?"));
    // A question longer than the window is an error, and the documents are not quoted in its place.
    let (mut fixture, _) = service(TRUE);
    let mut small = fixture.model_registry.answer.clone().expect("a model");
    small.allowed = allowed(600, 64, Arc::new(EstimatedTokens));
    fixture.model_registry.answer = Some(small);
    let mut long = question();
    long.text = format!("How many days of annual leave are there {}?", "and more ".repeat(200));
    let error = fixture.engine().await.ask(&long).await.err();
    let Some(AskError::Model(error)) = error else { panic!("{error:?}") };
    assert_eq!(error.code(), "token_budget_exceeded");
}

#[tokio::test]
async fn test_health_check() {
    let model = saying(TRUE);
    assert!(job_model(&model).check_available().await.is_ok());
    let mut absent = job_model(&model);
    absent.model = "absent".to_owned();
    assert_eq!(absent.check_available().await.err().map(|error| error.code()), Some("model_unavailable"));
}

#[tokio::test]
async fn test_model_override() {
    let (fixture, model) = service(TRUE);
    let engine = fixture.engine().await;
    let mut asked = question();
    asked.model = Some(MODEL.to_owned());
    assert_eq!(answer(&engine.ask(&asked).await.expect("an answer")).text().model(), MODEL);
    asked.model = Some("extractive".to_owned());
    let quoted = engine.ask(&asked).await.expect("an answer");
    assert_ne!(answer(&quoted).text().model(), MODEL);
    assert_eq!(model.completion_requests().len(), 1);
    asked.model = Some("gpt-9".to_owned());
    assert!(matches!(engine.ask(&asked).await, Err(AskError::Model(ModelError::NotAllowed { .. }))));
}
