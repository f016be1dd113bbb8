//! What the judge does to a question: the gate it feeds, the order it gives, the sentences it lets through, and how
//! the walk ends without it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use vouch_domain::{
    CharSpan, PortError, Question,
    ports::{ClaimJudge, JudgedPassage, KeptDocument, PassageJudge, Reading},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::{Decision, RefusalReason, VerifiedAnswer},
    policy::{GatePolicy, Policies},
    trace::{Fallback, JudgeReport},
    verify::Citation,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeJudge, ScriptedGenerator},
};

use crate::support::engines::{engine_over, filled};

const FACT: &str = "The mast height is two metres.";
const OTHER_WORDS: &str = "The mast is two metres in height.";
const QUESTION: &str = "What is the mast height?";

type Lines<'a> = &'a [(&'a str, &'a [u32])];
type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, PortError>> + Send + 'a>>;

/// Reads each passage as it is told to, and notes what it was given.
struct NotingJudge {
    reads: fn(&str) -> Option<Reading>,
    given: Mutex<Vec<String>>,
}

impl NotingJudge {
    fn reading(reads: fn(&str) -> Option<Reading>) -> Self {
        Self { reads, given: Mutex::default() }
    }
}

impl PassageJudge for NotingJudge {
    fn name(&self) -> &str {
        "noting"
    }

    fn read<'a, 'q, 'b>(
        &'a self,
        _: &'q str,
        passages: Vec<JudgedPassage>,
        _: Duration,
    ) -> Reply<'b, Vec<Option<Reading>>>
    where
        'a: 'b,
        'q: 'b,
        Self: 'b,
    {
        let readings = passages.iter().map(|passage| (self.reads)(&passage.text)).collect();
        self.given.lock().expect("one test alone").extend(passages.into_iter().map(|passage| passage.text));
        Box::pin(std::future::ready(Ok(readings)))
    }
}

/// A judge that never comes back.
struct HangingJudge;

impl PassageJudge for HangingJudge {
    fn name(&self) -> &str {
        "hanging"
    }

    fn read<'a, 'q, 'b>(&'a self, _: &'q str, _: Vec<JudgedPassage>, _: Duration) -> Reply<'b, Vec<Option<Reading>>>
    where
        'a: 'b,
        'q: 'b,
        Self: 'b,
    {
        Box::pin(std::future::pending())
    }
}

/// One question's scene; a test changes what it is about.
struct Scene<'a> {
    documents: Vec<KeptDocument>,
    passage_judge: Option<Arc<dyn PassageJudge>>,
    claim_judge: Option<Arc<dyn ClaimJudge>>,
    lines: Lines<'a>,
    policies: Policies,
    question: &'a str,
}

impl Scene<'_> {
    /// The fact alone, said word for word, with no gate and no judge.
    fn plain() -> Self {
        let mut policies = Policies::default();
        policies.judge.relevance_floor = 0.0;
        policies.judge.gates = Vec::new();
        let documents = vec![kept(card("mast", &[]), &[FACT])];
        let lines: Lines<'_> = &[(FACT, &[1])];
        Self { documents, passage_judge: None, claim_judge: None, lines, policies, question: QUESTION }
    }

    /// The same, with the gate of the judge.
    fn gated(judge: impl PassageJudge + 'static) -> Self {
        let mut scene = Self { passage_judge: Some(Arc::new(judge)), ..Self::plain() };
        scene.policies.judge.gates = vec![GatePolicy::Answerability { at_least: 0.5 }];
        scene
    }

    async fn ask(self) -> Response {
        let engine = Engine {
            passage_judge: self.passage_judge,
            claim_judge: self.claim_judge,
            writer: Arc::new(ScriptedGenerator::saying(self.lines)),
            policies: self.policies,
            ..engine_over(&filled(self.documents).await)
        };
        let text = self.question.to_owned();
        let question = Question::new(text, everyone());
        engine.ask(&question).await.expect("the question is walked")
    }
}

/// Three passages on the mast, the shortest of them nearest to the question: `a`, `b`, `c` when fused.
fn three(judge: Option<Arc<dyn PassageJudge>>) -> Scene<'static> {
    let one = |id: &str, line: &str| kept(card(id, &[]), &[line]);
    let documents = vec![one("a", "mast"), one("b", "mast lamp"), one("c", "mast rope snow")];
    let mut scene = Scene { documents, passage_judge: judge, question: "mast", ..Scene::plain() };
    scene.policies.judge.reading_weight = 0.15;
    scene
}

fn reading(relevant: f32) -> Option<Reading> {
    Some(Reading { answerable: 0.9, relevant, span: None })
}

/// Fond of the passage with snow, sure against every other.
fn likes_snow(text: &str) -> Option<Reading> {
    reading(f32::from(u8::from(text.contains("snow"))))
}

fn refusal(response: &Response) -> Option<(&'static str, String)> {
    let Decision::Refuse(refusal) = &response.decision else { return None };
    Some((refusal.reason.as_str(), refusal.reason.sentence()))
}

fn answer(response: &Response) -> &VerifiedAnswer {
    let answer = if let Decision::Answer(answer) = &response.decision { Some(answer) } else { None };
    answer.expect("an answer")
}

/// Why the only sentence was left out; nothing if it was shown.
fn left_out(response: &Response) -> Option<&str> {
    let Decision::Refuse(refusal) = &response.decision else { return None };
    let RefusalReason::NothingVerified(claims) = &refusal.reason else { return None };
    claims.first().map(|claim| claim.reason.as_str())
}

fn report(response: &Response) -> &JudgeReport {
    response.trace.judge.as_ref().expect("a report of the judge")
}

fn used(response: &Response) -> Vec<(u32, String)> {
    response.evidence.pieces().iter().map(|piece| (piece.marker, piece.passage.source_id())).collect()
}

fn order(ids: [&str; 3]) -> Vec<(u32, String)> {
    (1u32..).zip(ids).map(|(marker, id)| (marker, id.to_owned())).collect()
}

#[tokio::test]
async fn answerability_refuses_below_its_figure_and_passes_at_it() {
    let below = Scene::gated(FakeJudge::always(0.49, 0.0)).ask().await;
    let sentence = "gate answerability: The judge does not find the answer in any passage (0.49, below 0.5)";
    assert_eq!(refusal(&below), Some(("answerability", sentence.to_owned())));
    let at_it = Scene::gated(FakeJudge::always(0.5, 0.0)).ask().await;
    assert_eq!(refusal(&at_it), None);
    let gate = at_it.trace.gates.first().expect("the gate was read");
    assert_eq!((gate.reading, gate.threshold, gate.passed), (0.5, 0.5, true));
}

#[tokio::test]
async fn one_passage_with_the_answer_is_enough_for_the_gate() {
    let judge = NotingJudge::reading(|text| {
        Some(Reading { answerable: if text.contains("snow") { 0.9 } else { 0.1 }, relevant: 0.5, span: None })
    });
    let mut scene = three(Some(Arc::new(judge)));
    scene.policies.judge.gates = vec![GatePolicy::Answerability { at_least: 0.5 }];
    scene.lines = &[("mast lamp", &[2])];
    assert_eq!(refusal(&scene.ask().await), None);
}

#[tokio::test]
async fn the_gate_refuses_where_the_judge_is_down_or_late_and_the_trace_says_why() {
    let down = "gate answerability: No passage was read by the judge";
    let late = "gate reading: 0 of 1 passages could be read in time; ask again when the machine is less busy";
    let unread = "judge: 1 of 1 passages were not read within the deadline";
    let cases = [
        (FakeJudge::down(), ("answerability", down), "judge: the judge is down", false),
        (FakeJudge::late(), ("not_read_in_time", late), unread, true),
    ];
    for (judge, (word, sentence), failure, is_cut) in cases {
        let response = Scene::gated(judge).ask().await;
        assert_eq!(refusal(&response), Some((word, sentence.to_owned())), "{judge:?}");
        let report = report(&response);
        assert_eq!((report.failure.as_deref(), report.given), (Some(failure), 1), "{judge:?}");
        assert!(report.readings.is_empty(), "{judge:?}");
        assert_eq!(response.trace.fallbacks.contains(&Fallback::NotReadInTime), is_cut, "{judge:?}");
    }
}

#[tokio::test]
async fn a_judge_that_never_comes_back_is_not_waited_for() {
    let mut scene = Scene::gated(HangingJudge);
    scene.policies.judge.read_timeout = Duration::from_millis(20);
    let response = tokio::time::timeout(Duration::from_secs(20), scene.ask()).await.expect("the deadline holds");
    assert_eq!(refusal(&response).map(|(gate, _)| gate), Some("not_read_in_time"));
    assert!(response.trace.fallbacks.contains(&Fallback::NotReadInTime));
    assert_eq!(report(&response).failure.as_deref(), Some("judge: no answer within the deadline"));
}

#[tokio::test]
async fn a_judge_that_is_down_only_costs_its_gate() {
    let scene = Scene { passage_judge: Some(Arc::new(FakeJudge::down())), ..Scene::plain() };
    let response = scene.ask().await;
    assert_eq!(answer(&response).confidence().judge_score, None);
}

#[tokio::test]
async fn a_partly_late_judge_keeps_the_fused_order() {
    let partly = |text: &str| if text.contains("lamp") { None } else { likes_snow(text) };
    let response = three(Some(Arc::new(NotingJudge::reading(partly)))).ask().await;
    assert_eq!(used(&response), order(["a:0", "b:0", "c:0"]));
    let report = report(&response);
    let failure = "judge: 1 of 3 passages were not read within the deadline";
    assert_eq!((report.failure.as_deref(), report.readings.len()), (Some(failure), 2));
    assert!(response.trace.fallbacks.contains(&Fallback::NotReadInTime));
}

#[tokio::test]
async fn the_passage_the_judge_prefers_comes_first() {
    assert_eq!(used(&three(None).ask().await), order(["a:0", "b:0", "c:0"]), "the order without a judge");
    let response = three(Some(Arc::new(NotingJudge::reading(likes_snow)))).ask().await;
    assert_eq!(used(&response), order(["c:0", "a:0", "b:0"]));
    let report = report(&response);
    let read: Vec<&str> = report.readings.iter().map(|reading| reading.source_id.as_str()).collect();
    assert_eq!((read, report.failure.as_deref()), (vec!["c:0", "a:0", "b:0"], None));
}

#[tokio::test]
async fn a_judge_whose_word_has_no_weight_moves_nothing() {
    let mut scene = three(Some(Arc::new(NotingJudge::reading(likes_snow))));
    scene.policies.judge.reading_weight = 0.0;
    assert_eq!(used(&scene.ask().await), order(["a:0", "b:0", "c:0"]));
}

#[tokio::test]
async fn a_passage_that_was_not_read_never_stands_before_one_that_was() {
    // Sure against both it reads, so that their blended scores fall below the third's fused one.
    let mut scene = three(Some(Arc::new(NotingJudge::reading(|_| reading(0.0)))));
    scene.policies.judge.read_max = 2;
    scene.policies.judge.reading_weight = 100.0;
    let response = scene.ask().await;
    assert_eq!(used(&response), order(["a:0", "b:0", "c:0"]));
    let is_read: Vec<bool> = response.evidence.pieces().iter().map(|piece| piece.reading.is_some()).collect();
    assert_eq!(is_read, [true, true, false]);
}

#[tokio::test]
async fn the_judge_is_given_the_best_passages_and_no_more_than_its_limit() {
    for read_max in [1, 2, 3, 100] {
        let judge = Arc::new(NotingJudge::reading(|_| reading(0.5)));
        let mut scene = three(Some(judge.clone()));
        scene.policies.judge.read_max = read_max;
        let response = scene.ask().await;
        let given = judge.given.lock().expect("one test alone").clone();
        let best: Vec<&str> = ["mast", "mast lamp", "mast rope snow"].into_iter().take(read_max).collect();
        assert_eq!(given, best, "a limit of {read_max}");
        assert_eq!(report(&response).given, best.len(), "a limit of {read_max}");
    }
}

#[tokio::test]
async fn nothing_below_the_floor_is_given_to_the_judge() {
    let judge = Arc::new(NotingJudge::reading(|_| reading(0.5)));
    let mut scene = three(Some(judge.clone()));
    scene.policies.judge.relevance_floor = 0.99;
    scene.ask().await;
    assert_eq!(*judge.given.lock().expect("one test alone"), ["mast"]);
}

#[tokio::test]
async fn without_a_judge_there_is_no_report_and_no_score_of_one() {
    let response = Scene::plain().ask().await;
    assert_eq!((&response.trace.judge, answer(&response).confidence().judge_score), (&None, None));
    assert!(response.evidence.pieces().iter().all(|piece| piece.reading.is_none()));
}

#[tokio::test]
async fn with_a_judge_confidence_has_its_part() {
    let sure = Scene::gated(FakeJudge::always(0.9, 0.0)).ask().await;
    let less = Scene::gated(FakeJudge::always(0.6, 0.0)).ask().await;
    let (sure, less) = (answer(&sure).confidence(), answer(&less).confidence());
    assert_eq!((sure.judge_score, less.judge_score), (Some(90), Some(60)));
    assert!(sure.overall > less.overall, "{sure:?} {less:?}");
}

#[tokio::test]
async fn a_passage_that_would_answer_as_well_lowers_the_confidence() {
    let alone = Scene::gated(FakeJudge::always(0.9, 0.0)).ask().await;
    let mut scene = Scene::gated(FakeJudge::always(0.9, 0.0));
    scene.documents.push(kept(card("other", &[]), &["The mast height is nine metres elsewhere."]));
    let rivalled = scene.ask().await;
    let (alone, rivalled) = (answer(&alone).confidence(), answer(&rivalled).confidence());
    assert!(alone.overall > rivalled.overall, "{alone:?} {rivalled:?}");
}

/// Two lines, so that the passage does not begin where its document does; the judge sees the answer in the second.
fn two_lines(judge: FakeJudge, lines: Lines<'_>) -> Scene<'_> {
    let text = ["Größe: naïve 🌧.", "Ä mast. The mast height is two metres. It stands."];
    let mut scene = Scene { documents: vec![kept(card("mast", &[]), &text)], lines, ..Scene::plain() };
    scene.passage_judge = Some(Arc::new(judge));
    scene
}

fn cited(response: &Response) -> &Citation {
    answer(response).text().citations().first().expect("a citation")
}

#[tokio::test]
async fn the_highlight_is_where_the_judge_sees_the_answer_within_the_quote() {
    let response = two_lines(FakeJudge::reading(), &[(FACT, &[1])]).ask().await;
    let fact = CharSpan { start: 24, end: 54 };
    assert_eq!((cited(&response).quote(), cited(&response).highlight()), (Some(fact), Some(fact)));
    let whole: Lines<'_> = &[("Ä mast.", &[1]), ("It stands.", &[1])];
    let response = two_lines(FakeJudge::reading(), whole).ask().await;
    assert_eq!(
        (cited(&response).quote(), cited(&response).highlight()),
        (Some(CharSpan { start: 16, end: 65 }), Some(fact))
    );
}

#[tokio::test]
async fn there_is_no_highlight_outside_the_quote_nor_from_an_unsure_judge() {
    let elsewhere = two_lines(FakeJudge::reading(), &[("It stands.", &[1])]).ask().await;
    assert_eq!(cited(&elsewhere).highlight(), None);
    for (answerable, is_shown) in [(0.49, false), (0.5, true)] {
        let response = two_lines(FakeJudge::always(answerable, 0.0), &[(FACT, &[1])]).ask().await;
        assert_eq!(cited(&response).highlight().is_some(), is_shown, "{answerable}");
    }
}

/// One sentence in other words than the fact's, weighed by this judge.
async fn said(text: &str, judge: FakeJudge) -> Response {
    Scene { lines: &[(text, &[1])], claim_judge: Some(Arc::new(judge)), ..Scene::plain() }.ask().await
}

#[tokio::test]
async fn a_sentence_in_other_words_is_shown_where_the_judge_supports_it_and_else_left_out() {
    let shown = said(OTHER_WORDS, FakeJudge::always(0.9, 0.9)).await;
    let claim = answer(&shown).text().claims().first().expect("a claim");
    assert_eq!((claim.text(), claim.markers()), (OTHER_WORDS, &[1u32][..]));
    assert_eq!(claim.checks().last(), Some(&"judge"));
    assert!(!claim.checks().contains(&"verbatim") && claim.score() < 1.0, "{claim:?}");
    let refused = said(OTHER_WORDS, FakeJudge::always(0.9, 0.0)).await;
    assert_eq!(left_out(&refused), Some("judge: the passage does not say so (1.00)"));
}

#[tokio::test]
async fn a_changed_number_is_left_out_although_the_judge_supports_it() {
    for supported in [0.5, 0.9, 0.99, 1.0] {
        let response = said("The mast height is ten metres.", FakeJudge::always(0.9, supported)).await;
        let reason = "numbers: the claim says \"ten metres\", the passage says \"two metres\"";
        assert_eq!(left_out(&response), Some(reason), "{supported}");
    }
}

#[tokio::test]
async fn a_sentence_the_judge_has_no_time_for_is_left_out() {
    let late = said(OTHER_WORDS, FakeJudge::late()).await;
    assert_eq!(left_out(&late), Some("judge: no reading within the deadline"));
    assert!(late.trace.fallbacks.contains(&Fallback::NotReadInTime));
    let down = said(OTHER_WORDS, FakeJudge::down()).await;
    assert_eq!(left_out(&down), Some("judge: the judge is down"));
}
