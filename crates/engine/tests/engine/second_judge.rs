//! A model that judges: it is asked where it is to be, about what only the built-in judge rejects, and never about its own words.

use vouch_engine::trace::UnsupportedClaim;
use vouch_testkit::fakes::{FakeJudge, Script, ScriptedModel};

use crate::support::{Fixture, MODEL, job_model, numbered, other_rung, saying, shown};

const REWORDED: &str = "The year has 25 days of annual leave.";

#[expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
/// What was shown and left out where the built-in judge rejects everything and another model says this.
async fn judged(said: &str, second: &str, is_asked: bool) -> (Vec<String>, Vec<UnsupportedClaim>, usize) {
    let mut fixture = Fixture::with(&saying(said));
    fixture.claim_judge = FakeJudge::always(0.0, 0.1);
    fixture.policies.verify.ask_judge_model = is_asked;
    let (judge, model) = other_rung(second);
    fixture.model_registry.judge = Some(judge);
    let response = fixture.ask().await.expect("a decision");
    let left_out = response.trace.writer.as_ref().map(|report| report.left_out.clone()).unwrap_or_default();
    let is_answer = matches!(response.decision, vouch_engine::decide::Decision::Answer(_));
    let texts =
        if is_answer { shown(&response).into_iter().map(|(text, _)| text.to_owned()).collect() } else { vec![] };
    let mut asked = model.completion_requests();
    asked.retain(|asked| asked.messages.iter().any(|one| one.text.contains("SENTENCE:")));
    (texts, left_out, asked.len())
}

#[tokio::test]
async fn a_sentence_that_only_the_built_in_judge_rejects_passes_on_the_word_of_another_model() {
    let (leave, _) = numbered().await;
    let said = format!("{REWORDED} [^{leave}]");
    let (texts, _, asked) = judged(&said, "Yes.", true).await;
    assert_eq!((texts, asked), (vec![REWORDED.to_owned()], 1));
}

#[tokio::test]
async fn it_is_asked_only_where_the_settings_say_so() {
    let (leave, _) = numbered().await;
    let (texts, _, asked) = judged(&format!("{REWORDED} [^{leave}]"), "Yes.", false).await;
    assert_eq!((texts, asked), (Vec::new(), 0));
}

#[tokio::test]
async fn any_other_word_than_yes_is_none() {
    let (leave, _) = numbered().await;
    for second in ["no", "Yes, if one reads it so", "", "The sentence is right."] {
        let (texts, left_out, asked) = judged(&format!("{REWORDED} [^{leave}]"), second, true).await;
        assert_eq!((texts, asked), (Vec::new(), 1), "{second}");
        assert!(left_out.iter().any(|one| one.reason.contains("judge:3b")), "{second}: {left_out:?}");
    }
}

#[tokio::test]
async fn what_a_rule_objects_to_or_few_words_hold_is_not_asked_about() {
    let (leave, forms) = numbered().await;
    for lie in [
        format!("The year has 26 days of annual leave. [^{leave}]"),
        format!("Annual leave is not 25 days a year. [^{leave}]"),
        format!("Petra Vance keeps the leave calendar. [^{forms}]"),
        format!("Dogs are welcome in every office on Fridays. [^{leave}]"),
    ] {
        let (texts, _, asked) = judged(&lie, "yes", true).await;
        assert_eq!((texts, asked), (Vec::new(), 0), "{lie}");
    }
}

#[tokio::test]
async fn the_model_that_wrote_is_not_asked_by_whatever_name() {
    let (leave, _) = numbered().await;
    let written = saying(&format!("{REWORDED} [^{leave}]"));
    for name in [MODEL.to_owned(), format!("{MODEL}:latest"), MODEL.to_ascii_uppercase()] {
        let mut fixture = Fixture::with(&written);
        fixture.claim_judge = FakeJudge::always(0.0, 0.1);
        fixture.policies.verify.ask_judge_model = true;
        let same = ScriptedModel::named(&name, [Script::saying(["yes"])]);
        fixture.model_registry.judge = Some(vouch_engine::model_registry::JobModel { model: name, ..job_model(&same) });
        let response = fixture.ask().await.expect("a decision");
        let left_out = &response.trace.writer.as_ref().expect("a report").left_out;
        assert_eq!((same.completion_requests().len(), left_out.len()), (0, 1));
    }
}

#[tokio::test]
async fn it_is_asked_a_few_times_in_an_answer_and_no_more() {
    let (leave, _) = numbered().await;
    let ways =
        ["has", "had", "brings", "gives", "knows", "holds", "counts", "offers", "grants", "allows", "keeps", "shows"];
    let said: Vec<String> =
        ways.iter().map(|way| format!("The year {way} 25 days of annual leave. [^{leave}]")).collect();
    let (_, left_out, asked) = judged(&said.join(" "), "no", true).await;
    assert_eq!(left_out.len(), ways.len(), "{left_out:?}");
    assert_eq!(asked, 8);
}
