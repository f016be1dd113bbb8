//! What a check does not read to its end is not supported, whoever speaks for it.

use std::{
    sync::{Arc, mpsc},
    time::Duration,
};

use vouch_domain::ports::ClaimJudge;
use vouch_engine::{
    policy::{Policies, VerifyPolicy},
    reading::budget::Budget,
    verify::{
        checks::{Finding, Objection, UnreadReason},
        support::{ClaimVerdict, rule, weigh},
    },
};
use vouch_testkit::fakes::FakeJudge;

const EVIDENCE: &str = "The mast of Ness is 27 metres high. It was built in 1931 by Mira Holt.";

/// The verdict where the judge believes everything and hardly any support is asked for.
async fn verdict(claim: &str, evidence: &str, timeout: Duration) -> ClaimVerdict {
    let judge: Arc<dyn ClaimJudge> = Arc::new(FakeJudge::always(1.0, 1.0));
    let policy = VerifyPolicy { support_at_least: 0.0, support_timeout: timeout, ..Policies::default().verify };
    weigh(claim, &[evidence], Some(&judge), &policy).await
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_claim_too_long_to_be_read_is_not_supported() {
    for (claim, is_supported) in [
        ("The mast is high. ".repeat(100), true),
        ("The mast is high. ".repeat(101), false),
        ("the mast and ".repeat(600), true),
        ("the mast and ".repeat(700), false),
    ] {
        let verdict = verdict(&claim, EVIDENCE, MINUTE).await;
        assert_eq!(verdict.is_supported, is_supported, "{} bytes: {:?}", claim.len(), verdict.reasons);
        let is_said = verdict.reasons.iter().any(|reason| reason.contains("check its sentences one by one"));
        assert_eq!(is_said, !is_supported, "{:?}", verdict.reasons);
    }
}

#[tokio::test]
async fn a_long_claim_that_stands_there_word_for_word_is_supported() {
    let text = "The mast of Ness is high. ".repeat(1_000);
    let verdict = verdict(text.trim(), &text, MINUTE).await;
    assert!(verdict.is_supported && verdict.checks == ["verbatim"], "{:?}", verdict.reasons);
}

#[test]
fn rules_without_time_leave_a_claim_unsupported() {
    // The only thread for them is taken.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
    let runtime = runtime.expect("a runtime");
    let (free, held) = mpsc::channel::<()>();
    runtime.spawn_blocking(move || held.recv());
    let verdict = runtime.block_on(verdict("The mast is high.", EVIDENCE, Duration::from_millis(100)));
    drop(free);
    assert!(!verdict.is_supported);
    assert!(verdict.reasons.iter().any(|reason| reason.contains("deadline")), "{:?}", verdict.reasons);
}

#[test]
fn a_spent_or_cancelled_budget_leaves_a_claim_unread() {
    let claim = "Mira Holt built the mast of Ness in 1931, 27 metres high.";
    assert_eq!(rule(claim, &[EVIDENCE], &Budget::default()).checked.unread, None);
    for steps in [0, 10, 100, 300] {
        let unread = rule(claim, &[EVIDENCE], &Budget::with_steps(steps)).checked.unread;
        assert_eq!(unread, Some(UnreadReason::BudgetSpent), "{steps} steps");
    }
    let cancelled = Budget::default();
    cancelled.cancel();
    assert_eq!(rule(claim, &[EVIDENCE], &cancelled).checked.unread, Some(UnreadReason::BudgetSpent));
}

#[test]
fn a_cancelled_check_of_long_texts_stops_soon() {
    // For each of these letters every word of the evidence is tried as the first of those they stand for.
    let claim = format!("It is {}here. ", "of OZOZX ".repeat(55)).repeat(15);
    let evidence: String = (0..100_000).map(|number| format!("of Zq{number:06} ")).collect();
    let budget = Budget::with_steps(u64::MAX);
    let guard = budget.cancel_on_drop();
    let (end, ended) = mpsc::channel();
    std::thread::spawn(move || end.send(rule(&claim, &[&evidence], &budget).checked.unread));
    assert!(ended.recv_timeout(Duration::from_secs(1)).is_err(), "it ended before it was cancelled");
    drop(guard);
    assert_eq!(ended.recv_timeout(Duration::from_secs(120)), Ok(Some(UnreadReason::BudgetSpent)));
}

#[test]
fn a_claim_with_too_much_to_look_up_is_told_so() {
    let letters = || ('a'..='z').flat_map(|one| ('a'..='z').map(move |other| format!("Z{one}{other}")));
    let listed = |items: Vec<String>| (items.join(" and "), items.into_iter().rev().collect::<Vec<_>>().join(" or "));
    let (names, names_there) = listed(letters().take(61).collect());
    let (figures, figures_there) = listed((0..61).map(|number| (10_000 + 7 * number).to_string()).collect());
    let (quotations, _) = listed(vec!["\"the old red lamp\"".to_owned(); 101]);
    for (claim, evidence, sentence) in [
        (names, names_there, "names: the claim has more than 60 words of names in one sentence; check it in parts"),
        (figures, figures_there, "numbers: the claim has more than 60 figures in one sentence; check it in parts"),
        (
            quotations,
            "It is the old red lamp.".to_owned(),
            "quotations: the claim has more than 100 quotations; check it in parts",
        ),
    ] {
        let claim = format!("They listed {claim} there.");
        let checked = rule(&claim, &[&evidence], &Budget::default()).checked;
        let sentences: Vec<String> = checked.findings.iter().map(Finding::sentence).collect();
        assert_eq!(sentences, [sentence], "{claim}");
        assert!(
            checked.findings.iter().all(|one| one.objection == Objection::TooMany && checked.applied == [one.check])
        );
    }
}
