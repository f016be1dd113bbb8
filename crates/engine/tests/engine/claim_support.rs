//! Rules and judge in one verdict on a claim: contradiction is told from silence, nothing is supported by nothing, and
//! the judge is never given more than a few windows.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use vouch_domain::{
    PortError,
    ports::{ClaimJudge, ClaimPair, Support},
};
use vouch_engine::{
    policy::{Policies, VerifyPolicy},
    verify::support::{ClaimVerdict, weigh},
};
use vouch_testkit::fakes::FakeJudge;

const EVIDENCE: &str = "The mast height is two metres.";
const OTHER_WORDS: &str = "The mast is two metres in height.";

type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, PortError>> + Send + 'a>>;

/// Weighs each window as it is told to, and notes what it was given.
struct NotingJudge {
    weighs: fn(&str) -> Option<Support>,
    given: Mutex<Vec<ClaimPair>>,
}

impl NotingJudge {
    fn weighing(weighs: fn(&str) -> Option<Support>) -> Arc<Self> {
        Arc::new(Self { weighs, given: Mutex::default() })
    }
}

impl ClaimJudge for NotingJudge {
    fn name(&self) -> &str {
        "noting"
    }

    fn weigh<'a, 'b>(&'a self, pairs: Vec<ClaimPair>, _: Duration) -> Reply<'b, Vec<Option<Support>>>
    where
        'a: 'b,
        Self: 'b,
    {
        let supports = pairs.iter().map(|pair| (self.weighs)(&pair.evidence)).collect();
        self.given.lock().expect("one test alone").extend(pairs);
        Box::pin(std::future::ready(Ok(supports)))
    }
}

/// The usual policy with time enough: no case here is about a deadline, and a busy machine must not change a verdict.
fn policy() -> VerifyPolicy {
    VerifyPolicy { support_timeout: Duration::from_secs(60), ..Policies::default().verify }
}

async fn weighed(claim: &str, evidence: &[&str], judge: impl ClaimJudge + 'static) -> ClaimVerdict {
    let judge: Arc<dyn ClaimJudge> = Arc::new(judge);
    weigh(claim, evidence, Some(&judge), &policy()).await
}

async fn weighed_by(judge: &Arc<NotingJudge>, claim: &str, evidence: &[&str]) -> ClaimVerdict {
    let judge: Arc<dyn ClaimJudge> = judge.clone();
    weigh(claim, evidence, Some(&judge), &policy()).await
}

fn support(supported: f32, contradicted: f32) -> Option<Support> {
    Some(Support { supported, contradicted, silent: 1.0 - supported - contradicted })
}

/// About 200 kB in 4,000 sentences, of which one tells the height.
fn long_evidence() -> String {
    let sentence = |n: usize| match n {
        1_000 => format!("{EVIDENCE} "),
        _ => format!("Entry {n} of the log is about rope and lamp oil. "),
    };
    (0..4_000).map(sentence).collect()
}

#[tokio::test]
async fn a_claim_word_for_word_is_supported_without_a_judge() {
    let weighed = weigh(EVIDENCE, &["It is red.", EVIDENCE], None, &policy()).await;
    assert_eq!((weighed.is_supported, weighed.score, weighed.judged), (true, 1.0, None));
    assert!(weighed.reasons.is_empty() && weighed.checks.first() == Some(&"verbatim"), "{weighed:?}");
}

#[tokio::test]
async fn other_words_are_not_supported_without_a_judge() {
    let weighed = weigh(OTHER_WORDS, &[EVIDENCE], None, &policy()).await;
    assert!(!weighed.is_supported && !weighed.is_contradicted, "{weighed:?}");
    assert_eq!(weighed.reasons, ["judge: none is configured"]);
}

/// A window about another mast does not lower the score; that the evidence says otherwise somewhere is told.
#[tokio::test]
async fn the_window_that_supports_best_gives_the_score() {
    let judge = NotingJudge::weighing(|window| match window.contains(EVIDENCE) {
        true => support(0.4, 0.1),
        false => support(0.02, 0.97),
    });
    let weighed = weighed_by(&judge, OTHER_WORDS, &[&long_evidence()]).await;
    assert_eq!(weighed.judged.map(|support| support.supported), Some(0.4));
    assert_eq!((weighed.is_supported, weighed.is_contradicted), (false, true));
    assert_eq!(weighed.reasons, ["judge: the passage contradicts the claim (0.97)"]);
}

/// However low the figure is set, what a rule objects to is not shown.
#[tokio::test]
async fn no_setting_shows_what_a_rule_objects_to() {
    let judge: Arc<dyn ClaimJudge> = Arc::new(FakeJudge::always(1.0, 1.0));
    let lenient = VerifyPolicy { support_at_least: 0.0, ..policy() };
    let weighed = weigh("The mast height is three metres.", &[EVIDENCE], Some(&judge), &lenient).await;
    assert!(!weighed.is_supported && !weighed.reasons.is_empty(), "{weighed:?}");
}

#[tokio::test]
async fn contradiction_by_the_judge_is_told_from_silence() {
    let silent = weighed(OTHER_WORDS, &[EVIDENCE], FakeJudge::always(0.0, 0.0)).await;
    assert_eq!((silent.is_supported, silent.is_contradicted), (false, false));
    assert_eq!(silent.reasons, ["judge: the passage does not say so (1.00)"]);
    let contradicted = weighed(OTHER_WORDS, &[EVIDENCE], FakeJudge::always(0.0, 0.0).contradicting()).await;
    assert_eq!((contradicted.is_supported, contradicted.is_contradicted), (false, true));
    assert_eq!(contradicted.reasons, ["judge: the passage contradicts the claim (1.00)"]);
}

#[tokio::test]
async fn shared_words_do_not_outvote_a_judge_that_finds_no_support() {
    let swapped = ("The pump feeds the boiler.", "The boiler feeds the pump.");
    for (claim, evidence) in [(OTHER_WORDS, EVIDENCE), swapped] {
        for judge in [FakeJudge::always(0.0, 0.1), FakeJudge::always(0.0, 0.1).contradicting()] {
            let weighed = weighed(claim, &[evidence], judge).await;
            assert!(!weighed.is_supported, "{claim}: {judge:?} and a score of {}", weighed.score);
        }
    }
}

#[tokio::test]
async fn contradiction_by_a_rule_is_told_from_silence() {
    let changed = weighed("The mast height is ten metres.", &[EVIDENCE], FakeJudge::always(0.0, 0.0)).await;
    assert!(changed.is_contradicted && !changed.is_supported, "{changed:?}");
    let missing = weighed("The rope of the boat is 88 feet long.", &[EVIDENCE], FakeJudge::always(0.0, 0.0)).await;
    assert!(!missing.is_contradicted && !missing.is_supported, "{missing:?}");
    let named = |weighed: &ClaimVerdict, words: &str| weighed.reasons.iter().any(|reason| reason.contains(words));
    assert!(named(&changed, "two metres") && named(&missing, "88"), "{changed:?} {missing:?}");
}

#[tokio::test]
async fn a_supported_claim_has_no_reasons_and_is_not_contradicted() {
    let weighed = weighed(OTHER_WORDS, &[EVIDENCE], FakeJudge::always(0.0, 0.9).contradicting()).await;
    assert!(weighed.is_supported && !weighed.is_contradicted && weighed.reasons.is_empty(), "{weighed:?}");
    assert_eq!(weighed.checks.last(), Some(&"judge"));
}

#[tokio::test]
async fn support_at_the_figure_is_enough_and_just_below_it_is_not() {
    let judge: Arc<dyn ClaimJudge> = Arc::new(FakeJudge::always(0.0, 0.9));
    let mut policy = policy();
    let score = weigh(OTHER_WORDS, &[EVIDENCE], Some(&judge), &policy).await.score;
    policy.support_at_least = score;
    assert!(weigh(OTHER_WORDS, &[EVIDENCE], Some(&judge), &policy).await.is_supported);
    policy.support_at_least = score + 0.001;
    let below = weigh(OTHER_WORDS, &[EVIDENCE], Some(&judge), &policy).await;
    assert!(!below.is_supported && below.reasons.len() == 1, "{below:?}");
}

#[tokio::test]
async fn an_empty_claim_and_empty_evidence_are_not_supported() {
    let cases: &[(&str, &[&str])] =
        &[("", &[]), ("", &[EVIDENCE]), (" \n", &[EVIDENCE]), ("", &[""]), (EVIDENCE, &[]), (EVIDENCE, &["", " \n"])];
    for (claim, evidence) in cases {
        let judged = weighed(claim, evidence, FakeJudge::always(1.0, 1.0)).await;
        let alone = weigh(claim, evidence, None, &policy()).await;
        for weighed in [judged, alone] {
            assert!(!weighed.is_supported && !weighed.is_contradicted, "{claim:?} on {evidence:?}: {weighed:?}");
            assert!(weighed.score < 0.01 && !weighed.reasons.is_empty(), "{claim:?} on {evidence:?}: {weighed:?}");
        }
    }
}

#[tokio::test]
async fn a_claim_is_not_supported_while_a_window_is_unread() {
    let judge = NotingJudge::weighing(|window| if window.contains("metres") { support(0.9, 0.0) } else { None });
    let weighed = weighed_by(&judge, OTHER_WORDS, &[&long_evidence()]).await;
    assert!(judge.given.lock().expect("one test alone").len() > 1, "more windows than one");
    assert_eq!((weighed.is_supported, weighed.judged), (false, None));
    assert_eq!(weighed.reasons, ["judge: no reading within the deadline"]);
}

#[tokio::test]
async fn the_most_supporting_window_decides() {
    let judge = NotingJudge::weighing(|window| support(if window.contains("metres") { 0.9 } else { 0.0 }, 0.0));
    let weighed = weighed_by(&judge, OTHER_WORDS, &[&long_evidence()]).await;
    assert!(weighed.is_supported, "{:?}", weighed.reasons);
}

#[tokio::test]
async fn where_no_window_supports_a_contradicting_one_is_heard() {
    let judge = NotingJudge::weighing(|window| support(0.05, if window.contains("metres") { 0.9 } else { 0.0 }));
    let weighed = weighed_by(&judge, OTHER_WORDS, &[&long_evidence()]).await;
    assert_eq!((weighed.is_supported, weighed.is_contradicted), (false, true), "{:?}", weighed.reasons);
}

#[tokio::test]
async fn long_evidence_and_long_claims_give_the_judge_a_few_small_windows() {
    let claim: String = (0..200).map(|n| format!("The mast {n} is not {n} metres tall in {}. ", 1900 + n)).collect();
    let cases = [
        ("sentences", claim, long_evidence()),
        ("words", "mast ".repeat(2_000), "mast ".repeat(40_000)),
        ("one word", "a".repeat(10_000), "b".repeat(200_000)),
        ("figures", "1 ".repeat(500), "2 ".repeat(100_000)),
        ("Chinese", "桅".repeat(3_300), "杆".repeat(66_000)),
        ("short sentences", "Mast is. ".repeat(1_100), "Rope is. ".repeat(22_000)),
        ("white space", "\n".repeat(10_000), " \n".repeat(100_000)),
    ];
    for (name, claim, evidence) in cases {
        let judge = NotingJudge::weighing(|_| support(0.0, 0.0));
        let weighed = weighed_by(&judge, &claim, &[&evidence]).await;
        assert!(!weighed.is_supported, "{name}");
        let given = judge.given.lock().expect("one test alone").clone();
        assert!(given.len() <= 4, "{name}: {} windows", given.len());
        let longest = given.iter().map(|pair| pair.evidence.chars().count()).max().unwrap_or(0);
        assert!(longest <= 2_600, "{name}: a window of {longest} characters");
    }
}
