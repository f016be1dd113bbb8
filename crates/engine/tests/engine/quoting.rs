//! A model's sentences that may not be shown, and the documents' own that are shown in their place.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_engine::{ask::Response, decide::Decision, policy::OnUnsupported};
use vouch_testkit::{
    corpus::{card, kept},
    fakes::{FakeJudge, Script, ScriptedModel},
};

use crate::support::{Ear, Fixture, LEAVE, MODEL, answer, question, refusal, saying};

const RULES: &str = "Staff may carry over five days if the manager agrees. The company matches what employees pay in, up to 6%. \
                     Parking is free on Sundays. There is no overtime pay above grade four. Drivers rest for eleven hours. \
                     Notice is usually four weeks.";

/// A model that says this of one document, and what is shown where the judge believes everything.
async fn asked(said: &str, change: impl Fn(&mut Fixture)) -> Response {
    let mut fixture = Fixture { quotes: &[], ..Fixture::with(&saying(said)) };
    fixture.documents = vec![kept(card("rules", &[]), &[RULES])];
    fixture.claim_judge = FakeJudge::always(1.0, 1.0);
    fixture.policies.compose.on_unsupported = OnUnsupported::Quote;
    change(&mut fixture);
    fixture.ask().await.expect("a decision")
}

fn texts(response: &Response) -> Vec<(&str, bool)> {
    answer(response).text().claims().iter().map(|claim| (claim.text(), claim.is_quoted())).collect()
}

#[tokio::test]
async fn what_lost_its_condition_hedge_or_bound_is_shown_as_its_source_says_it() {
    for (said, source) in [
        ("Staff may carry over five days [^1].", "Staff may carry over five days if the manager agrees."),
        ("Notice is four weeks [^1].", "Notice is usually four weeks."),
        ("The company matches what employees pay in [^1].", "The company matches what employees pay in, up to 6%."),
        ("Parking is free only on Sundays [^1].", "Parking is free on Sundays."),
        ("Drivers must rest for eleven hours [^1].", "Drivers rest for eleven hours."),
        (
            "Employees match what the company pays in, up to 6% [^1].",
            "The company matches what employees pay in, up to 6%.",
        ),
        ("Drivers rest for twelve hours [^1].", "Drivers rest for eleven hours."),
    ] {
        let response = asked(said, |_| {}).await;
        assert_eq!(texts(&response), [(source, true)], "{said}");
        let report = response.trace.writer.as_ref().expect("a report");
        assert_eq!((report.replaced.len(), report.left_out.len()), (1, 0), "{said}");
        assert!(answer(&response).notices().iter().any(|notice| notice.contains("are quoted")), "{said}");
    }
}

#[tokio::test]
async fn a_model_that_keeps_to_its_source_is_shown_in_its_own_words() {
    let response =
        asked("Drivers rest eleven hours [^1]. There is no overtime pay above grade four [^1].", |_| {}).await;
    let expected = [("Drivers rest eleven hours.", false), ("There is no overtime pay above grade four.", false)];
    assert_eq!(texts(&response), expected);
}

#[tokio::test]
async fn what_no_sentence_speaks_of_is_left_out_and_nothing_is_quoted_for_it() {
    let said = "Drivers rest eleven hours [^1]. Llamas graze behind the canteen every Thursday [^1].";
    let judge = |fixture: &mut Fixture| fixture.claim_judge = FakeJudge::always(1.0, 0.4);
    let response = asked(said, judge).await;
    assert!(texts(&response).iter().all(|(text, _)| !text.contains("Llamas")), "{:?}", texts(&response));
    assert_eq!(response.trace.writer.as_ref().map(|report| report.left_out.len()), Some(1));
}

#[tokio::test]
async fn a_source_is_quoted_once_however_often_a_model_points_at_it() {
    let said = "Notice is four weeks [^1]. Notice is always four weeks [^1]. Notice is usually four weeks [^1].";
    assert_eq!(texts(&asked(said, |_| {}).await), [("Notice is usually four weeks.", true)]);
}

#[tokio::test]
async fn two_facts_in_one_sentence_are_quoted_as_the_two_they_are() {
    let said = "Parking costs nothing on Sundays, and drivers get eleven hours of rest [^1].";
    let expected = [("Parking is free on Sundays.", true), ("Drivers rest for eleven hours.", true)];
    assert_eq!(texts(&asked(said, |_| {}).await), expected);
}

#[tokio::test]
async fn where_nothing_is_left_of_a_reply_the_documents_are_quoted_as_without_a_model() {
    for on_unsupported in [OnUnsupported::Quote, OnUnsupported::Drop, OnUnsupported::Repair, OnUnsupported::Refuse] {
        let mut fixture = Fixture::with(&ScriptedModel::named(MODEL, vec![Script::saying(["Llamas may vote."]); 2]));
        fixture.claim_judge = FakeJudge::always(1.0, 0.0);
        fixture.policies.compose.on_unsupported = on_unsupported;
        let ear = Ear::default();
        let response = fixture.engine().await.ask_streaming(&question(), &ear).await.expect("a decision");
        assert!(texts(&response).iter().any(|(text, _)| *text == LEAVE), "{on_unsupported:?}");
        assert!(response.trace.writer.as_ref().is_some_and(|report| report.is_quoted_instead));
        assert!(answer(&response).notices().iter().any(|notice| notice.contains("quoted instead")));
        assert_eq!(ear.heard(), answer(&response).text().with_markers());
    }
}

#[tokio::test]
async fn where_the_documents_have_nothing_either_it_is_refused() {
    let response = asked("Llamas may vote [^1].", |fixture| fixture.claim_judge = FakeJudge::always(1.0, 0.0)).await;
    assert_eq!(refusal(&response), "nothing_verified");
}

#[tokio::test]
async fn whoever_has_a_model_is_told_no_less_than_without() {
    let mut fixture = Fixture::with(&saying("Mira Holt keeps the leave calendar."));
    fixture.policies.compose.on_unsupported = OnUnsupported::Quote;
    let ear = Ear::default();
    let response = fixture.engine().await.ask_streaming(&question(), &ear).await.expect("an answer");
    let all = answer(&response).text().with_markers();
    assert!(
        all.contains("Mira Holt keeps the leave calendar.") && all.contains("Annual leave is 25 days a year."),
        "{all}"
    );
    assert_eq!(all.matches("Mira Holt").count(), 1, "{all}");
    assert_eq!(ear.heard(), all);
}

#[tokio::test]
async fn an_example_of_the_prompt_is_no_answer() {
    let said = "A key to the boat shed costs 12 crowns [^1]. The deposit is paid back if the key is returned within a year [^1].";
    let response = asked(said, |fixture| fixture.claim_judge = FakeJudge::always(1.0, 0.4)).await;
    assert_eq!(refusal(&response), "nothing_verified");
}

#[tokio::test]
async fn a_fragment_is_never_shown_itself() {
    for said in ["Eleven hours [^1].", "Yes [^1].", "It's fine [^1].", "6% [^1]."] {
        let response = asked(said, |_| {}).await;
        let shown = match &response.decision {
            Decision::Answer(answer) => answer.text().with_markers(),
            Decision::Refuse(_)
            | Decision::Clarify(_)
            | Decision::Refer(_)
            | Decision::General(_)
            | Decision::Tool(_) => String::new(),
        };
        let bare = said.trim_end_matches(" [^1].");
        assert!(!shown.lines().any(|line| line.trim_start().starts_with(bare)), "{said}: {shown}");
    }
}
