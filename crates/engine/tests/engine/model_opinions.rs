//! What a model's own "no answer" and a second model's 0 do to an answer.

use vouch_domain::ModelError;
use vouch_engine::{
    decide::{Decision, Referral, UnsureOutcome},
    policy::{ConfidenceFormula, OnEmptyOutline, ReferralPolicy},
    trace::Fallback,
};
use vouch_testkit::fakes::{Script, ScriptedModel, Step};

use crate::support::{Ear, Fixture, MODEL, answer, numbered, other_rung, question, refusal, saying};

fn failing() -> ScriptedModel {
    let down = ModelError::Connection { sentence: "refused".to_owned() };
    ScriptedModel::named(MODEL, [Script::default().then(Step::Fail(down))])
}

#[tokio::test]
async fn a_model_that_finds_no_answer_counts_against_one_and_has_not_failed() {
    for formula in [ConfidenceFormula::Weighted, ConfidenceFormula::Chance] {
        let quoted = |model: ScriptedModel| async move {
            let mut fixture = Fixture::with(&model);
            fixture.policies.decide.confidence = formula;
            fixture.ask().await.expect("an answer")
        };
        let (failed, denied) = (quoted(failing()).await, quoted(saying("NO ANSWER")).await);
        let (of_failed, of_denied) = (answer(&failed), answer(&denied));
        assert_eq!(of_failed.text().with_markers(), of_denied.text().with_markers());
        let (before, after) = (of_failed.confidence().overall, of_denied.confidence().overall);
        assert!(after + 5 < before, "{formula:?}: {before} without a model's word, {after} with it");
        let notices = of_denied.notices().join(" ");
        assert!(notices.contains("The model found no answer in the passages"), "{notices}");
        let report = denied.trace.writer.as_ref().expect("a report");
        assert!(report.has_found_no_answer && report.failure.is_none(), "{report:?}");
        assert!(!denied.trace.fallbacks.contains(&Fallback::LlmUnavailable), "{:?}", denied.trace.fallbacks);
        assert!(failed.trace.fallbacks.contains(&Fallback::LlmUnavailable), "{:?}", failed.trace.fallbacks);
    }
}

#[tokio::test]
async fn an_outline_without_a_thesis_is_such_a_word_too() {
    let (planner, _) = other_rung("THESIS: NONE\nNOTES:");
    let mut fixture = Fixture::with(&saying("Anything."));
    fixture.model_registry.outline = Some(planner);
    fixture.policies.compose.on_empty_outline = OnEmptyOutline::Quote;
    let response = fixture.ask().await.expect("an answer");
    let notices = answer(&response).notices().join(" ");
    assert!(notices.contains("The model found no answer in the passages"), "{notices}");
}

#[tokio::test]
async fn what_the_judge_model_finds_not_supported_at_all_is_not_answered() {
    let (leave, _) = numbered().await;
    for formula in [ConfidenceFormula::Weighted, ConfidenceFormula::Chance] {
        let fixture = |score: &str| {
            let mut fixture = Fixture::with(&saying(&format!("Annual leave is 25 days a year [^{leave}].")));
            fixture.policies.decide.confidence = formula;
            fixture.model_registry.judge = Some(other_rung(score).0);
            fixture
        };
        assert!(matches!(fixture("1").ask().await.expect("an answer").decision, Decision::Answer(_)), "{formula:?}");
        let ear = Ear::default();
        let denied = fixture("0").engine().await.ask_streaming(&question(), &ear).await.expect("a decision");
        assert_eq!(
            (refusal(&denied), ear.heard().as_str()),
            ("confidence", ""),
            "nothing is told that is not answered"
        );
        let mut routed = fixture("0");
        routed.policies.decide.route = Some(ReferralPolicy { below: 60, admin_email: "a@b.example".to_owned() });
        let Decision::Refer(Referral { unsure: UnsureOutcome::Answer(unsure), .. }) =
            routed.ask().await.expect("a decision").decision
        else {
            unreachable!("{formula:?}: a person is asked")
        };
        assert_eq!(unsure.confidence().overall, 0);
    }
}
