//! Every test the RAG service's own document asks for, by its name there.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::{
    ModelError, Person, Speaker, Topic, Turn,
    ports::{Directory, TokenCounter},
};
use vouch_engine::{
    ask::{AskError, Response},
    compose::budget::{Note, Room, Share, Wanted, share},
    decide::{Decision, Referral, RouteTarget, Unsure},
    ladder::{EstimatedTokens, Ladder},
    policy::{BudgetPolicy, MarkerStyle, RoutePolicy},
};
use vouch_testkit::{
    corpus::{TENANT, card, kept},
    fakes::{FakeDirectory, FakeJudge, Script, ScriptedModel},
};

use crate::support::{Desk, LEAVE, MODEL, allowed, answer, other_rung, question, refusal, rung, saying, shown};

const TRUE: &str = "Annual leave is 25 days a year [SourceId: leave:0].";

/// A desk in the style of the document.
fn service(said: &str) -> (Desk, ScriptedModel) {
    let model = saying(said);
    let mut desk = Desk::with(&model);
    desk.policies.compose.markers = MarkerStyle::SourceId;
    (desk, model)
}

fn routing(desk: &mut Desk, below: u32) {
    desk.policies.decide.route = Some(RoutePolicy { below, admin_email: "admin@acme.example".to_owned() });
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
    directory.keep_people(vec![mira]).await.expect("kept");
    directory.keep_topics(vec![topic]).await.expect("kept");
    directory
}

fn target(response: &Response) -> &RouteTarget {
    let Decision::Route(Referral { target, .. }) = &response.decision else { panic!("{:?}", response.decision) };
    target
}

/// A budget in words, so that every figure can be told by eye.
fn shared(history: &[Turn], window: usize, notes: &[(&str, f32)]) -> Result<Share, ModelError> {
    let count = |text: &str| text.split_whitespace().count();
    let room = Room { count: &count, window, response: 10 };
    let note = |(marker, (text, relevance)): (u32, &(&str, f32))| Note {
        marker,
        relevance: *relevance,
        text: (*text).to_owned(),
    };
    let notes = (1..).zip(notes).map(note).collect();
    let wanted = Wanted { system: "be true", question: "how long", history, notes };
    let policy = BudgetPolicy { context_max: 100, history_max: 60, response_max: 10, system_reserved: 10 };
    share(wanted, room, &policy)
}

fn said(speaker: Speaker, words: usize) -> Turn {
    Turn::of(speaker, vec!["word"; words].join(" "))
}

#[tokio::test]
async fn test_build_context_with_source_ids() {
    let (desk, model) = service(TRUE);
    desk.ask().await.expect("an answer");
    let prompt = model.dictations().first().expect("a dictation").messages.first().expect("a message").text.clone();
    let expected =
        format!("[SourceId: leave:0]\n[Document: About leave]\n[Page: N/A] [Section: Facts]\n---\n{LEAVE}\n---");
    assert!(prompt.contains(&expected), "{prompt}");
}

#[tokio::test]
async fn test_extract_citations_valid() {
    let (desk, _) = service(TRUE);
    let response = desk.ask().await.expect("an answer");
    assert_eq!(shown(&response), [("Annual leave is 25 days a year.", vec!["leave:0".to_owned()])]);
}

#[tokio::test]
async fn test_extract_citations_invalid() {
    let (desk, _) = service("Annual leave is 25 days a year [SourceId: leave:0] [SourceId: pay-bands:4].");
    let response = desk.ask().await.expect("an answer");
    let cited: Vec<String> = answer(&response).text().citations().iter().map(|one| one.source_id()).collect();
    assert_eq!(cited, ["leave:0"]);
    assert_eq!(response.trace.writer.as_ref().expect("a report").drops.as_slice(), [("unknown_source", 1)]);
}

#[tokio::test]
async fn test_calculate_coverage() {
    let (desk, _) = service(TRUE);
    let whole = answer(&desk.ask().await.expect("an answer")).confidence().coverage_score;
    assert!((whole - 1.0).abs() < 1e-6, "{whole}");
    // "a colleague's calendar" is a phrase the source does not have.
    let (mut desk, _) = service("Annual leave is 25 days a year in a colleague calendar [SourceId: leave:0].");
    desk.claim_judge = FakeJudge::always(1.0, 1.0);
    let part = answer(&desk.ask().await.expect("an answer")).confidence().coverage_score;
    assert!((0.5..1.0).contains(&part), "{part}");
}

#[tokio::test]
async fn test_calculate_confidence_hybrid() {
    let (mut desk, _) = service(TRUE);
    desk.ladder.judge = Some(other_rung("50").0);
    let confidence = *answer(&desk.ask().await.expect("an answer")).confidence();
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
    let (mut desk, _) = service(TRUE);
    desk.documents = vec![kept(card("leave", &[]), &[LEAVE]), kept(card("copy", &[]), &[LEAVE])];
    let response = desk.ask().await.expect("a decision");
    assert_eq!(response.evidence.pieces().len(), 1);
    assert_eq!(response.evidence.dropped().first().map(|dropped| dropped.reason), Some("near-duplicate"));
}

#[tokio::test]
async fn test_limit_per_document() {
    let (mut desk, _) = service(TRUE);
    let lines =
        ["Annual leave one.", "Leave forms two.", "Days of leave three.", "Signed leave four.", "Leave days five."];
    desk.documents = vec![kept(card("leave", &[]), &lines)];
    let response = desk.ask().await.expect("a decision");
    assert_eq!(response.evidence.pieces().len(), 3);
}

#[tokio::test]
async fn test_validate_model_allowed() {
    let model = saying(TRUE);
    let ladder = Desk::with(&model).ladder;
    let rung = ladder.writer(Some(MODEL)).await.expect("it is allowed").expect("a model");
    assert_eq!(rung.model, MODEL);
    assert!(ladder.writer(Some("extractive")).await.expect("it is allowed").is_none());
}

#[tokio::test]
async fn test_validate_model_not_allowed() {
    let model = saying(TRUE);
    let mut ladder: Ladder = Desk::with(&model).ladder;
    let Err(error) = ladder.writer(Some("gpt-9")).await.map(|_| ()) else { panic!("it is allowed") };
    assert_eq!(error.code(), "model_not_allowed");
    // Allowed, and not on the server.
    let other = allowed(4_096, 256, Arc::new(EstimatedTokens) as Arc<dyn TokenCounter>);
    ladder.allowed.insert("other:7b".to_owned(), other);
    let Err(error) = ladder.writer(Some("other:7b")).await.map(|_| ()) else { panic!("it is there") };
    assert_eq!(error.code(), "model_unavailable");
    // A name without its tag is the latest.
    let model = ScriptedModel::named("plain:latest", [Script::saying(["x"])]);
    let mut ladder = Desk::with(&model).ladder;
    ladder.allowed.insert("plain".to_owned(), allowed(4_096, 256, Arc::new(EstimatedTokens)));
    assert!(ladder.writer(Some("plain")).await.is_ok());
}

#[tokio::test]
async fn test_get_route_target_with_owner() {
    let (mut desk, _) = service("NO ANSWER");
    desk.directory = Some(people().await);
    routing(&mut desk, 60);
    let response = desk.ask().await.expect("a decision");
    let expected = RouteTarget {
        tag: "hr".to_owned(),
        owner_user_id: Some("mira".to_owned()),
        owner_email: Some("mira@acme.example".to_owned()),
        reason: "No verified answer (nothing_to_say), routing to hr owner".to_owned(),
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
        let (mut desk, _) = service("NO ANSWER");
        desk.directory = Some(directory);
        routing(&mut desk, 60);
        let response = desk.ask().await.expect("a decision");
        let target = target(&response);
        assert!(target.is_fallback && target.tag == "system", "{target:?}");
        assert_eq!(target.owner_email.as_deref(), Some("admin@acme.example"));
        assert!(target.reason.contains(why) && target.reason.ends_with("routing to admin"), "{target:?}");
    }
}

#[tokio::test]
async fn test_generate_full_pipeline() {
    let (mut desk, _) = service(TRUE);
    desk.directory = Some(people().await);
    routing(&mut desk, 60);
    let response = desk.ask().await.expect("an answer");
    assert!(answer(&response).confidence().overall >= 60, "{:?}", answer(&response).confidence());
    assert_eq!(answer(&response).text().with_markers(), "Annual leave is 25 days a year. [^1]");
}

#[tokio::test]
async fn test_generate_low_confidence_routes() {
    let (mut desk, _) = service(TRUE);
    desk.directory = Some(people().await);
    desk.ladder.judge = Some(other_rung("0").0);
    routing(&mut desk, 90);
    let response = desk.ask().await.expect("a decision");
    let Decision::Route(Referral { unsure: Unsure::Answer(answer), target }) = &response.decision else {
        panic!("{:?}", response.decision)
    };
    assert!(answer.confidence().overall < 90);
    assert_eq!(target.reason, format!("Low confidence: {}%, routing to hr owner", answer.confidence().overall));
}

#[tokio::test]
async fn test_generate_no_context() {
    let (mut desk, model) = service(TRUE);
    desk.documents = Vec::new();
    let response = desk.ask().await.expect("a decision");
    assert_eq!(refusal(&response), "nothing_found");
    assert_eq!(model.dictations().len(), 0, "the model is not asked without evidence");
}

#[tokio::test]
async fn test_generate_token_budget() {
    let (desk, model) = service(TRUE);
    let engine = desk.engine().await;
    let mut asked = question();
    asked.conversation =
        (0..200).map(|number| Turn::of(Speaker::Asker, format!("Question {number} on leave?"))).collect();
    engine.ask(&asked).await.expect("an answer");
    let messages = model.dictations().first().expect("a dictation").messages.clone();
    assert!(messages.len() > 3 && messages.len() < 120, "{}", messages.len());
    assert!(messages.iter().any(|message| message.text == "Question 199 on leave?"));
    // A question longer than the window is an error, and the documents are not quoted in its place.
    let (mut desk, _) = service(TRUE);
    let mut small = desk.ladder.answer.clone().expect("a model");
    small.allowed = allowed(600, 64, Arc::new(EstimatedTokens));
    desk.ladder.answer = Some(small);
    let mut long = question();
    long.text = format!("How many days of annual leave are there {}?", "and more ".repeat(200));
    let error = desk.engine().await.ask(&long).await.err();
    let Some(AskError::Model(error)) = error else { panic!("{error:?}") };
    assert_eq!(error.code(), "token_budget_exceeded");
}

#[tokio::test]
async fn test_health_check() {
    let model = saying(TRUE);
    assert!(rung(&model).check_available().await.is_ok());
    let mut absent = rung(&model);
    absent.model = "absent".to_owned();
    assert_eq!(absent.check_available().await.err().map(|error| error.code()), Some("model_unavailable"));
}

#[tokio::test]
async fn test_model_override() {
    let (desk, model) = service(TRUE);
    let engine = desk.engine().await;
    let mut asked = question();
    asked.model = Some(MODEL.to_owned());
    assert_eq!(answer(&engine.ask(&asked).await.expect("an answer")).text().model(), MODEL);
    asked.model = Some("extractive".to_owned());
    let quoted = engine.ask(&asked).await.expect("an answer");
    assert_ne!(answer(&quoted).text().model(), MODEL);
    assert_eq!(model.dictations().len(), 1);
    asked.model = Some("gpt-9".to_owned());
    assert!(matches!(engine.ask(&asked).await, Err(AskError::Model(ModelError::NotAllowed { .. }))));
}
