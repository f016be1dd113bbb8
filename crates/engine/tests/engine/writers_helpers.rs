//! Models beside the one that writes: an outline before it, and another that stands in where it fails.

use vouch_domain::{ModelError, Question};
use vouch_engine::policy::OnEmptyOutline;
use vouch_testkit::fakes::{Script, ScriptedModel, Step};

use crate::support::{Ear, Fixture, MODEL, answer, job_model, numbered, other_rung, question, refusal, saying};

#[tokio::test]
async fn an_outline_without_a_thesis_refuses_before_the_answer_model_runs() {
    let answer_model = saying("Annual leave is 25 days a year.");
    let planner = saying("THESIS: NONE\nNOTES: 1");
    let mut fixture = Fixture::with(&answer_model);
    fixture.model_registry.outline = Some(job_model(&planner));
    let response = fixture.ask().await.expect("a decision");
    assert_eq!(refusal(&response), "no_thesis");
    assert_eq!((planner.completion_requests().len(), answer_model.completion_requests().len()), (1, 0));
}

#[tokio::test]
async fn where_an_outline_is_empty_a_profile_may_have_the_documents_quoted() {
    let answer_model = saying("Annual leave is 25 days a year.");
    let mut fixture = Fixture::with(&answer_model);
    fixture.model_registry.outline = Some(job_model(&saying("THESIS: NONE\nNOTES: 1")));
    fixture.policies.compose.on_empty_outline = OnEmptyOutline::Quote;
    let response = fixture.ask().await.expect("a decision");
    assert_ne!(answer(&response).text().model(), MODEL);
    assert!(answer(&response).notices().iter().any(|notice| notice.contains("no answer in the passages")));
    assert_eq!(answer_model.completion_requests().len(), 0);
}

fn failing() -> ScriptedModel {
    let down = ModelError::Connection { sentence: "refused".to_owned() };
    ScriptedModel::named(MODEL, [Script::default().then(Step::Fail(down))])
}

#[tokio::test]
async fn another_model_stands_in_where_the_first_fails_and_the_reply_says_so() {
    let (leave, _) = numbered().await;
    let said = format!("Annual leave is 25 days a year [^{leave}].");
    let (stand_in, other) = other_rung(&said);
    let mut fixture = Fixture::with(&failing());
    fixture.model_registry.stand_in = Some(stand_in.clone());
    let ear = Ear::default();
    let response = fixture.engine().await.ask_streaming(&question(), &ear).await.expect("an answer");
    assert_eq!(answer(&response).text().model(), stand_in.model);
    assert_eq!(ear.heard(), answer(&response).text().with_markers());
    let report = response.trace.writer.as_ref().expect("a report");
    assert_eq!((report.model.as_str(), report.is_quoted_instead), (stand_in.model.as_str(), false));
    assert!(report.instead_of.as_ref().is_some_and(|first| first.starts_with(MODEL)), "{report:?}");
    let notices = answer(&response).notices().join(" ");
    assert!(notices.contains("in place of"), "{notices}");
    assert_eq!(other.completion_requests().len(), 1);
}

#[tokio::test]
async fn nobody_stands_in_for_a_model_that_was_asked_for_by_name_or_that_has_spoken() {
    let (leave, _) = numbered().await;
    let said = format!("Annual leave is 25 days a year [^{leave}].\nLeave forms");
    let broken = ModelError::Connection { sentence: "broken off".to_owned() };
    let spoke = ScriptedModel::named(MODEL, [Script::saying([said.as_str()]).then(Step::Fail(broken))]);
    for (model, named) in [(failing(), Some(MODEL.to_owned())), (spoke, None)] {
        let (stand_in, other) = other_rung("Annual leave is 25 days a year.");
        let mut fixture = Fixture::with(&model);
        fixture.model_registry.stand_in = Some(stand_in);
        let asked = Question { model: named, ..question() };
        let response = fixture.engine().await.ask(&asked).await.expect("an answer");
        assert!(response.trace.writer.as_ref().is_some_and(|report| report.failure.is_some()));
        assert_eq!(other.completion_requests().len(), 0);
    }
}

#[tokio::test]
async fn where_both_fail_the_documents_are_quoted() {
    let mut fixture = Fixture::with(&failing());
    fixture.model_registry.stand_in = Some(job_model(&failing()));
    let response = fixture.ask().await.expect("an answer");
    assert!(response.trace.writer.as_ref().is_some_and(|report| report.is_quoted_instead));
}
