//! The figures add up: whatever mix of questions is asked, every counter is what was sent, every share is what it says it is, and
//! the trail gives the same figures as the service that wrote it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

mod office;

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use office::{BILLING, CALL_MS, DESK, INVOICE, REFUND, TECHNICAL, ask_request, service};
use serde_json::Value;
use vouch_domain::{
    AuditScope, Opinion, PortError, Rating, SessionOwner, SessionState,
    ports::{AuditTrail, Sessions},
};
use vouch_engine::ask::{AnswerSentence, Listener};
use vouch_service::{
    ask_service::AskService,
    metrics::{Gauges, Metrics, Snapshot, TrailFigures},
    question::{AskOutcome, AskRequest},
    surface::Surface,
    wire::Words,
};
use vouch_testkit::{
    corpus::TENANT,
    fakes::{FakeSessions, FakeTrail},
};

/// Conversations in which somebody else has just taken what waits.
struct Claimed(FakeSessions);

#[async_trait]
impl Sessions for Claimed {
    async fn load(&self, owner: &SessionOwner, id: &str, now_ms: u64) -> Result<Option<SessionState>, PortError> {
        self.0.load(owner, id, now_ms).await
    }

    async fn save(&self, owner: &SessionOwner, id: &str, state: &SessionState, now_ms: u64) -> Result<(), PortError> {
        self.0.save(owner, id, state, now_ms).await
    }

    async fn carry(
        &self,
        owner: &SessionOwner,
        id: &str,
        state: &SessionState,
        now_ms: u64,
    ) -> Result<bool, PortError> {
        self.0.carry(owner, id, state, now_ms).await
    }

    async fn claim(&self, _: &SessionOwner, _: &str, _: &str, _: u64) -> Result<bool, PortError> {
        Ok(false)
    }
}

#[tokio::test]
async fn a_no_that_comes_too_late_is_not_told_that_nothing_was_done() {
    for (sessions, is_late) in [
        (Arc::new(FakeSessions::default()) as Arc<dyn Sessions>, false),
        (Arc::new(Claimed(FakeSessions::default())) as Arc<dyn Sessions>, true),
    ] {
        let service = AskService { sessions: Some(sessions), ..service(&Arc::default(), Words::Kept).await };
        let said = async |id: &str, text: &str| {
            let request = AskRequest { session_id: Some("s-1".to_owned()), ..ask_request(id, text) };
            service.answer(&request).await.expect("a reply").reply.answer
        };
        said("r-1", REFUND_ASKED).await;
        let answer = said("r-2", "no").await;
        assert_eq!(answer.contains("nothing was done"), !is_late, "{answer}");
        assert_eq!(answer.contains("carried out, withdrawn or has expired"), is_late, "{answer}");
    }
}

/// One sort of request: what is said, and what must come of it.
struct Kind {
    text: &'static str,
    /// The agent that is asked for.
    chosen: Option<&'static str>,
    /// Whether the tools know who asks.
    is_known: bool,
    /// What the conversation was begun with.
    after: Option<&'static str>,
    outcome: &'static str,
    agent: Option<&'static str>,
    /// The reason of a refusal or a failure.
    reason: Option<&'static str>,
    is_no_context: bool,
    stale: u64,
    call: Option<(&'static str, &'static str)>,
}

const PLAIN: Kind = Kind {
    text: "",
    chosen: None,
    is_known: true,
    after: None,
    outcome: "clarify",
    agent: None,
    reason: None,
    is_no_context: false,
    stale: 0,
    call: None,
};
const NOWHERE: &str = "Who painted the harbour wall?";
const REFUND_ASKED: &str = "Open refund case for invoice F-1.";

const KINDS: &[Kind] = &[
    Kind { text: "How long may a payment be delayed?", outcome: "answered", agent: Some(BILLING), ..PLAIN },
    Kind { text: "How long does a modem restart take?", outcome: "answered", agent: Some(TECHNICAL), ..PLAIN },
    Kind { text: "Which lamp of a modem blinks?", outcome: "answered", agent: Some(TECHNICAL), stale: 1, ..PLAIN },
    Kind {
        text: NOWHERE,
        chosen: Some(TECHNICAL),
        outcome: "refused",
        agent: Some(TECHNICAL),
        reason: Some("query_coverage"),
        is_no_context: true,
        ..PLAIN
    },
    Kind { text: NOWHERE, chosen: Some(BILLING), agent: Some(BILLING), is_no_context: true, ..PLAIN },
    Kind { outcome: "tool", agent: Some(BILLING), call: Some((INVOICE, "found")), ..asks("Show invoice F-1 status.") },
    Kind {
        outcome: "tool",
        agent: Some(BILLING),
        call: Some((INVOICE, "not_found")),
        ..asks("Show invoice F-9 status.")
    },
    Kind {
        outcome: "refused",
        agent: Some(BILLING),
        reason: Some("tool_failed"),
        call: Some((INVOICE, "failed")),
        ..asks("Show invoice F-5 status.")
    },
    Kind { agent: Some(BILLING), ..asks("Show my invoice status.") },
    Kind {
        is_known: false,
        outcome: "refused",
        agent: Some(BILLING),
        reason: Some("unknown_asker"),
        ..asks("Show invoice F-1 status.")
    },
    Kind { agent: Some(BILLING), ..asks(REFUND_ASKED) },
    // Who acts has the question, whoever a yes alone would have gone to.
    Kind {
        after: Some(REFUND_ASKED),
        outcome: "tool",
        agent: Some(BILLING),
        call: Some((REFUND, "found")),
        ..asks("yes")
    },
    Kind { after: Some(REFUND_ASKED), outcome: "tool", agent: Some(BILLING), ..asks("no") },
    Kind { agent: Some(DESK), ..asks("Sing a lullaby for penguins.") },
    Kind { ..asks("Hello!") },
    Kind { outcome: "failed", reason: Some("invalid_request"), ..asks("  ") },
];

const fn asks(text: &'static str) -> Kind {
    Kind { text, ..PLAIN }
}

/// Numbers that look drawn, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// Hears a stream to its end.
struct Ear;

impl Listener for Ear {
    fn on_sentence(&self, _: &AnswerSentence<'_>) {}
}

/// What was sent, under the names it must be counted by.
#[derive(Default)]
struct Sent {
    counts: BTreeMap<String, u64>,
    confidence: f64,
    routed: u64,
}

impl Sent {
    fn add(&mut self, name: impl Into<String>, by: u64) {
        *self.counts.entry(name.into()).or_default() += by;
    }

    fn of(&self, prefix: &str) -> u64 {
        self.counts.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, count)| count).sum()
    }

    /// A request of a kind that was sent over a surface, and what the router said of it.
    fn count(&mut self, kind: &Kind, surface: Surface, confidence: Option<f32>) {
        self.add(format!("vouch_answers_total{{surface=\"{surface}\",outcome=\"{}\"}}", kind.outcome), 1);
        self.add("vouch_no_context_total", u64::from(kind.is_no_context));
        self.add("vouch_cited_answers_total", u64::from(kind.outcome == "answered"));
        self.add("vouch_uncited_answers_total", 0);
        self.add("vouch_stale_sources_total", kind.stale);
        if let Some(agent) = kind.agent {
            self.add(format!("vouch_agent_questions_total{{agent=\"{agent}\"}}"), 1);
            self.add(format!("vouch_router_confidence_count{{agent=\"{agent}\"}}"), 1);
            self.confidence += f64::from(confidence.expect("who hands over says how surely"));
            self.routed += 1;
        }
        if let Some((tool, outcome)) = kind.call {
            self.add(format!("vouch_tool_calls_total{{tool=\"{tool}\",outcome=\"{outcome}\"}}"), 1);
            self.add(format!("vouch_tool_duration_seconds_count{{tool=\"{tool}\"}}"), 1);
        }
        match (kind.outcome, kind.reason) {
            ("refused", Some(reason)) => self.add(format!("vouch_refusals_total{{reason=\"{reason}\"}}"), 1),
            ("failed", Some(code)) => self.add(format!("vouch_failures_total{{code=\"{code}\"}}"), 1),
            _ => {}
        }
    }
}

async fn ask(service: &AskService, number: usize, kind: &Kind, dice: &mut Dice, sent: &mut Sent) {
    let id = format!("r{number}");
    if let Some(first) = kind.after {
        let begun = KINDS.iter().find(|one| one.text == first).expect("a kind");
        let mut asked = ask_request(&format!("{id}-first"), first);
        asked.session_id = Some(id.clone());
        let outcome = service.answer(&asked).await.expect("a reply");
        sent.count(begun, Surface::Http, outcome.response.trace.routing.map(|routing| routing.confidence));
    }
    let mut asked = ask_request(&id, kind.text);
    asked.session_id = Some(id.clone());
    asked.surface = if dice.below(2) == 0 { Surface::Http } else { Surface::Mcp };
    asked.question.agent = kind.chosen.map(str::to_owned);
    if !kind.is_known {
        asked.question.asker = None;
    }
    let outcome = match dice.below(2) {
        0 => service.answer(&asked).await,
        _ => service.answer_streaming(&asked, &Ear).await,
    };
    let told =
        outcome.as_ref().map_or(("failed", None), |one| (one.reply.outcome.as_str(), one.reply.agent.as_deref()));
    assert_eq!(told, (kind.outcome, kind.agent), "{:?}, a question in the {number}th request", kind.text);
    let confidence = outcome.as_ref().ok().and_then(|outcome| outcome.response.trace.routing.as_ref());
    sent.count(kind, asked.surface, confidence.map(|routing| routing.confidence));
}

/// Every sample under its name and labels, as the text has it.
fn figures(snapshot: &Snapshot) -> BTreeMap<String, f64> {
    let text = snapshot.text();
    let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once(' '));
    lines.map(|(name, value)| (name.to_owned(), value.parse().expect("a figure"))).collect()
}

async fn of_trail(trail: &FakeTrail) -> BTreeMap<String, f64> {
    let mut figures_of_trail = TrailFigures::default();
    let scope = AuditScope::for_tenant(TENANT);
    for entry in trail.entries() {
        figures_of_trail.add(&trail.entry(&scope, &entry.id).await.expect("an answer").expect("an entry"));
    }
    figures(&figures_of_trail.snapshot())
}

#[expect(clippy::cast_precision_loss, reason = "a thousand requests")]
fn assert_adds_up(sent: &Sent, found: &BTreeMap<String, f64>, whence: &str) {
    // What is not there equals nothing.
    let figure = |name: &str| found.get(name).copied().unwrap_or(f64::NAN);
    for (name, count) in &sent.counts {
        assert_eq!(figure(name), *count as f64, "{whence}: {name}");
    }
    for family in ["vouch_answers_total", "vouch_agent_questions_total", "vouch_refusals_total", "vouch_failures_total"]
    {
        let all: f64 = found.iter().filter(|(name, _)| name.starts_with(family)).map(|(_, figure)| figure).sum();
        assert_eq!(all, sent.of(family) as f64, "{whence}: {family} counts nothing else");
    }
    let (questions, calls) = (sent.of("vouch_answers_total"), sent.of("vouch_tool_calls_total"));
    let failed = sent.of("vouch_tool_calls_total{tool=\"get_invoice\",outcome=\"failed\"}");
    for (name, wanted) in [
        ("vouch_no_context_ratio", sent.of("vouch_no_context_total") as f64 / questions as f64),
        ("vouch_tool_success_ratio", 1.0 - failed as f64 / calls as f64),
        ("vouch_citation_compliance_ratio", 1.0),
        ("vouch_router_confidence_mean", sent.confidence / sent.routed as f64),
    ] {
        assert!((figure(name) - wanted).abs() < 1e-6, "{whence}: {name} is {} and not {wanted}", figure(name));
    }
    let spent: f64 = [INVOICE, REFUND]
        .iter()
        .map(|tool| figure(&format!("vouch_tool_duration_seconds_sum{{tool=\"{tool}\"}}")))
        .sum();
    assert!((spent - (calls * CALL_MS) as f64 / 1e3).abs() < 1e-6, "{whence}: {spent} seconds in tools");
}

/// The families that the trail must tell as the service does.
const OF_TRAIL: &[&str] =
    &["rag_abstention_total", "vouch_router_confidence", "vouch_answer_confidence", "vouch_tool_calls_total"];

#[tokio::test]
async fn a_thousand_mixed_requests_are_counted_as_they_were_sent() {
    for (words, requests, seed) in [(Words::Kept, 1_000, 20_261_117), (Words::LeftOut, 100, 7)] {
        let trail = Arc::new(FakeTrail::default());
        let service = service(&trail, words).await;
        let (mut dice, mut sent) = (Dice(seed), Sent::default());
        for number in 0..requests {
            // Each kind once, then whatever the dice say.
            let kind = KINDS.get(number).unwrap_or_else(|| KINDS.get(dice.below(KINDS.len())).expect("a kind"));
            ask(&service, number, kind, &mut dice, &mut sent).await;
        }
        let live = figures(&service.metrics.snapshot(&Gauges::default()));
        let recorded = of_trail(&trail).await;
        assert_adds_up(&sent, &live, "the service");
        assert_adds_up(&sent, &recorded, "the trail");
        for (name, figure) in live.iter().filter(|(name, _)| OF_TRAIL.iter().any(|family| name.starts_with(family))) {
            let told = recorded.get(name).copied().unwrap_or(f64::NAN);
            assert!((told - figure).abs() < 1e-6, "{name} is {figure} and {told} by the trail");
        }
    }
}

#[tokio::test]
async fn ratings_and_thumbs_are_the_same_by_the_trail() {
    let trail = Arc::new(FakeTrail::default());
    let service = service(&trail, Words::Kept).await;
    let scope = AuditScope::for_tenant(TENANT);
    let rated = |is_helpful: Option<bool>, stars: u8| Opinion { is_helpful, rating: Rating::new(stars) };
    for (id, opinions) in [
        ("a", vec![rated(None, 5)]),
        ("b", vec![rated(Some(true), 1), rated(Some(false), 2)]),
        ("c", vec![Opinion::thumb(true), rated(Some(true), 5)]),
    ] {
        service.answer(&ask_request(id, "How long may a payment be delayed?")).await.expect("a reply");
        for (at_ms, opinion) in (1..).zip(opinions) {
            let said = vouch_domain::Feedback { asker: "mira".to_owned(), at_ms, opinion, comment: None };
            let outcome = service.trail.comment(&scope, id, said).await.expect("said");
            service.metrics.feedback(id, opinion, outcome);
        }
    }
    let live = figures(&service.metrics.snapshot(&Gauges::default()));
    for (whence, found) in [("the service", &live), ("the trail", &of_trail(&trail).await)] {
        assert_eq!(found.get("vouch_feedback_rating_mean"), Some(&4.0), "{whence}: 5, 2 and 5");
        assert_eq!(found.get("vouch_feedback_helpful_ratio"), Some(&0.5), "{whence}: of two thumbs one is up");
    }
    let given = |stars: u8| live.get(&format!("vouch_feedback_ratings_total{{rating=\"{stars}\"}}")).copied();
    assert_eq!([1, 2, 3, 4, 5].map(given), [1.0, 0.0, 0.0, 0.0, 2.0].map(Some), "each caller's first");
}

/// Compliance is read off what leaves: a reply that lost its sources is not saved by what it rests on.
#[tokio::test]
async fn an_answer_that_leaves_without_its_sources_is_counted_as_uncited() {
    let trail = Arc::new(FakeTrail::default());
    let service = service(&trail, Words::Kept).await;
    let asked = ask_request("a", "How long may a payment be delayed?");
    let stripped: [fn(&mut AskOutcome); 2] = [|one| one.reply.citations.clear(), |one| one.reply.sources.clear()];
    for strip in stripped {
        let metrics = Metrics::default();
        let mut outcome = service.answer(&asked).await.expect("a reply");
        metrics.observe(Surface::Http, &outcome);
        strip(&mut outcome);
        metrics.observe(Surface::Http, &outcome);
        let found = figures(&metrics.snapshot(&Gauges::default()));
        assert_eq!(found.get("vouch_uncited_answers_total"), Some(&1.0));
        assert_eq!(found.get("vouch_citation_compliance_ratio"), Some(&0.5));
    }
    let scope = AuditScope::for_tenant(TENANT);
    for list in ["citations", "sources"] {
        let mut audited = trail.entry(&scope, "a").await.expect("an answer").expect("an entry");
        let mut record: Value = serde_json::from_str(&audited.entry.record).expect("JSON");
        let mut figures_of_trail = TrailFigures::default();
        figures_of_trail.add(&audited);
        *record.pointer_mut(&format!("/response/{list}")).expect("a list") = Value::Array(Vec::new());
        audited.entry.record = record.to_string();
        figures_of_trail.add(&audited);
        let found = figures(&figures_of_trail.snapshot());
        assert_eq!(found.get("vouch_citation_compliance_ratio"), Some(&0.5), "{list}");
    }
}
