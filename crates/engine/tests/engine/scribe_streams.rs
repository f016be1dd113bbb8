//! A model that speaks, breaks off, hangs or goes on: sentences are told once they pass, and every failure ends in time.

use std::time::Duration;

use tokio::sync::Notify;
use vouch_domain::ModelError;
use vouch_engine::{
    ask::{AnswerSentence, AskError, Listener},
    decide::Decision,
    model_registry::JobModel,
    policy::{OnFailure, OnUnsupported},
};
use vouch_testkit::fakes::{FakeEmbedder, Script, ScriptedModel, Step};

use crate::support::{Ear, Fixture, MODEL, answer, job_model, numbered, question, refusal, saying, shown};

#[tokio::test]
async fn what_a_limit_cuts_off_is_not_shown_in_half() {
    let (leave, _) = numbered().await;
    let first = format!("Annual leave is 25 days a year [^{leave}]. ");
    let script = Script::saying([first.as_str(), "Leave is asked for on form HR-7."]).then(Step::Cut);
    let model = ScriptedModel::named(MODEL, [script]);
    let response = Fixture::with(&model).ask().await.expect("an answer");
    assert_eq!(shown(&response).len(), 1);
    assert!(answer(&response).notices().iter().any(|notice| notice.contains("may be incomplete")));
}

#[tokio::test]
async fn sentences_are_told_once_they_pass_and_join_to_the_answer() {
    let (leave, forms) = numbered().await;
    let said = format!(
        "Annual leave is 25 days a year [^{leave}]. Dogs may vote. Leave forms are signed by the line manager [^{forms}].\nLeave is asked for on form HR-7."
    );
    let pieces: Vec<String> = said.chars().map(|sign| sign.to_string()).collect();
    let model = ScriptedModel::named(MODEL, [Script::saying(pieces)]);
    let engine = Fixture::with(&model).engine().await;
    let ear = Ear::default();
    let response = engine.ask_streaming(&question(), &ear).await.expect("an answer");
    assert_eq!(ear.heard(), answer(&response).text().with_markers());
    assert_eq!(ear.0.lock().expect("a lock").len(), 3);
}

#[tokio::test]
async fn nothing_is_told_early_where_more_than_its_check_decides() {
    let (leave, _) = numbered().await;
    let said = format!("Annual leave is 25 days a year [^{leave}]. Dogs may vote.");
    for gate in [true, false] {
        let mut fixture = Fixture::with(&saying(&said));
        if gate {
            fixture.policies.decide.confidence_at_least = Some(100);
        } else {
            fixture.policies.compose.on_unsupported = OnUnsupported::Refuse;
        }
        let ear = Ear::default();
        let response = fixture.engine().await.ask_streaming(&question(), &ear).await.expect("a decision");
        if gate {
            assert!(matches!(response.decision, Decision::Refuse(_)), "{:?}", response.decision);
            assert_eq!(ear.heard(), "");
        } else {
            // What the model wrote is refused as a whole, and the documents are quoted.
            assert!(response.trace.writer.as_ref().is_some_and(|report| report.is_quoted_instead));
            assert_ne!(answer(&response).text().model(), MODEL);
            assert_eq!(ear.heard(), answer(&response).text().with_markers());
        }
    }
}

/// Says when it has heard something.
#[derive(Default)]
struct QuickEar(Notify);

impl Listener for QuickEar {
    fn on_sentence(&self, _: &AnswerSentence<'_>) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn a_sentence_is_told_as_soon_as_it_is_certain_enough_by_itself() {
    let (leave, _) = numbered().await;
    let said = format!("Annual leave is 25 days a year [^{leave}].\n");
    let alone = Fixture::with(&saying(&said)).ask().await.expect("an answer");
    let certain = answer(&alone).confidence().overall;
    for (least, is_early) in [(certain, true), (certain + 1, false)] {
        let script = Script::saying([said.as_str()]).then(Step::Hang);
        let model = ScriptedModel::named(MODEL, [script]);
        let mut fixture = Fixture::with(&model);
        // Only what is not told early waits for its end.
        let timeout = Duration::from_secs(if is_early { 60 } else { 1 });
        fixture.model_registry.answer = Some(JobModel { first_token_timeout: timeout, timeout, ..job_model(&model) });
        fixture.policies.decide.confidence_at_least = Some(least);
        let (engine, ear, asked) = (fixture.engine().await, QuickEar::default(), question());
        let is_told = tokio::select! {
            _ = engine.ask_streaming(&asked, &ear) => false,
            () = ear.0.notified() => true,
        };
        assert_eq!(is_told, is_early, "at {least}");
    }
}

#[tokio::test]
async fn what_is_added_takes_no_answer_away_streamed_or_not() {
    let (leave, forms) = numbered().await;
    // The second sentence has nothing to do with the question, and the answer as a whole is less certain for it.
    let said =
        format!("Annual leave is 25 days a year [^{leave}]. Leave forms are signed by the line manager [^{forms}].");
    let alone = Fixture::with(&saying(&format!("Annual leave is 25 days a year [^{leave}].")));
    let certain = alone.ask().await.expect("an answer");
    let least = answer(&certain).confidence().overall;
    let fixture = || {
        let mut fixture = Fixture::with(&saying(&said));
        fixture.policies.decide.confidence_at_least = Some(least);
        fixture
    };
    let whole = fixture().ask().await.expect("a decision");
    let ear = Ear::default();
    let streamed = fixture().engine().await.ask_streaming(&question(), &ear).await.expect("a decision");
    assert_eq!(answer(&whole), answer(&streamed));
    assert_eq!(ear.heard(), answer(&whole).text().with_markers());
}

#[tokio::test]
async fn nothing_is_told_early_where_a_weakened_search_may_still_refuse() {
    let (leave, _) = numbered().await;
    let mut fixture = Fixture::with(&saying(&format!("Annual leave is 25 days a year [^{leave}].")));
    fixture.embedder = FakeEmbedder::down();
    fixture.policies.decide.fallback_confidence_at_least = 100;
    let ear = Ear::default();
    let response = fixture.engine().await.ask_streaming(&question(), &ear).await.expect("a decision");
    assert_eq!(refusal(&response), "confidence");
    assert_eq!(ear.heard(), "");
}

#[tokio::test]
async fn a_server_that_fails_ends_in_a_quotation_or_an_error_as_the_profile_says() {
    let down = ModelError::Connection { sentence: "refused".to_owned() };
    let scripts = [
        Script::saying(["Annual leave is 25 days"]).failing_after(0, down.clone()),
        Script::saying(["Annual leave is 25 days a year. ", "Leave"]).failing_after(1, down.clone()),
        Script::silent(),
        Script::saying(["Annual leave"]).then(Step::Hang),
    ];
    for script in scripts {
        for on_failure in [OnFailure::Quote, OnFailure::Fail] {
            let model = ScriptedModel::named(MODEL, [script.clone()]);
            let mut fixture = Fixture::with(&model);
            fixture.policies.compose.on_failure = on_failure;
            let mut short = job_model(&model);
            (short.timeout, short.first_token_timeout) = (Duration::from_millis(200), Duration::from_millis(100));
            fixture.model_registry.answer = Some(short);
            let outcome =
                tokio::time::timeout(Duration::from_secs(20), fixture.ask()).await.expect("the deadline holds");
            match (on_failure, outcome) {
                (OnFailure::Quote, Ok(response)) => {
                    let report = response.trace.writer.as_ref().expect("a report");
                    assert!(report.is_quoted_instead && report.failure.is_some());
                    assert!(answer(&response).notices().iter().any(|notice| notice.contains("quoted instead")));
                }
                (OnFailure::Fail, Err(AskError::Model(error))) => {
                    assert!(matches!(error, ModelError::Connection { .. } | ModelError::Timeout { .. }), "{error}");
                }
                (_, other) => panic!("{script:?}: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn what_was_told_stays_told_where_the_model_breaks_off() {
    let down = ModelError::Connection { sentence: "broke off".to_owned() };
    let script = Script::saying(["Annual leave is 25 days a year. ", "Leave forms"]).failing_after(2, down);
    let model = ScriptedModel::named(MODEL, [script]);
    let ear = Ear::default();
    let response = Fixture::with(&model).engine().await.ask_streaming(&question(), &ear).await.expect("an answer");
    assert_eq!(ear.heard(), answer(&response).text().with_markers());
    assert!(answer(&response).notices().iter().any(|notice| notice.contains("broke off")));
}

#[tokio::test]
async fn an_endless_model_is_not_listened_to_forever() {
    let endless: Vec<String> = (0..200_000).map(|number| format!("Dogs may vote in ward {number}. ")).collect();
    let model = ScriptedModel::named(MODEL, [Script::saying(endless)]);
    let response = Fixture { quotes: &[], ..Fixture::with(&model) }.ask().await.expect("a decision");
    assert_eq!(refusal(&response), "nothing_verified");
    assert!(response.trace.writer.as_ref().expect("a report").left_out.len() <= 32);
}
