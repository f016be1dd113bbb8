//! Agents: whose question it is, what they read, and the tools they use.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use regex::Regex;
use vouch_domain::{
    DocumentCard, Effect, Question, SessionState, Speaker, ToolOutput, ToolValue, Turn, ports::KeptDocument,
};
use vouch_engine::{
    ask::{Agents, AskError, Engine, Response},
    decide::{Decision, ToolReply, ToolStep},
    policy::{
        AgentPolicy, AgentsPolicy, FallbackPolicy, FieldKind, NoContextPolicy, Policies, SlotPolicy, SlotSource,
        ToolPolicy, ToolWords,
    },
};
use vouch_testkit::{
    contracts::{everyone, toolbox::record},
    corpus::{TENANT, card, kept},
    fakes::{ArgKind, FakeTool, FakeToolbox, ScriptedGenerator},
};

use super::support::{engine_over, filled};

const FALLBACK: &str = "I can help with connections and with bills. To clarify: which is it?";
/// How long what was shown waits for a yes.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);
const NOT_FOUND: &str = "I couldn't find it.";

pub fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn pln() -> Vec<String> {
    texts(&["PLN", "zł"])
}

fn slot(name: &str, source: SlotSource, asks: &str) -> SlotPolicy {
    SlotPolicy { name: name.to_owned(), source, asks: asks.to_owned(), is_optional: false }
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}

fn user_id() -> SlotPolicy {
    slot("user_id", SlotSource::Asker(Some(pattern(r"\bu-\d+\b"))), "")
}

fn plan_tool() -> ToolPolicy {
    ToolPolicy {
        name: "get_plan".to_owned(),
        does: "looks up your plan".to_owned(),
        examples: texts(&["What does my plan cost?", "Which plan am I on?", "Is my plan active?", "my plan price"]),
        slots: vec![user_id()],
        fields: [
            ("price".to_owned(), FieldKind::Money { currency: pln() }),
            ("status".to_owned(), FieldKind::State([("on".to_owned(), "active".to_owned())].into())),
        ]
        .into(),
        words: ToolWords {
            found: "Your plan {plan} is {price} a month and {status}.".to_owned(),
            not_found: "You have no plan.".to_owned(),
            ..ToolWords::default()
        },
    }
}

fn refund_tool() -> ToolPolicy {
    let reasons = vec![("overcharge".to_owned(), texts(&["overcharged", "too much"]))];
    ToolPolicy {
        name: "open_case".to_owned(),
        does: "opens a case".to_owned(),
        examples: texts(&[
            "I want a refund",
            "I was overcharged by PLN 20",
            "Give me money back",
            "refund INV-11112222",
        ]),
        slots: vec![
            user_id(),
            slot("invoice", SlotSource::Pattern(pattern(r"(?i)INV-\d{8}")), "Which invoice?"),
            slot("reason", SlotSource::Choice(reasons), "Which reason?"),
            slot("amount", SlotSource::Amount { currency: pln() }, "Which amount?"),
            slot("day", SlotSource::Today, ""),
        ],
        fields: [("amount".to_owned(), FieldKind::Money { currency: pln() })].into(),
        words: ToolWords {
            found: "Case {case} is open for {invoice} over {amount}.".to_owned(),
            not_found: "There is no such invoice.".to_owned(),
            confirm: "I will open a case for {invoice} over {amount} ({reason}). Yes or no?".to_owned(),
            each: None,
            obstacles: [("amount".to_owned(), "{invoice} is for less than {amount}.".to_owned())].into(),
        },
    }
}

fn agent(name: &str, examples: &[&str], tools: &[&str], policies: Policies) -> AgentPolicy {
    AgentPolicy {
        name: name.to_owned(),
        scope: name.to_owned(),
        examples: texts(examples),
        collections: BTreeSet::from([name.to_owned()]),
        tools: texts(tools),
        policies: Box::new(policies),
    }
}

fn policies() -> Policies {
    let mut policies = Policies::default();
    policies.judge.relevance_floor = 0.0;
    policies.judge.gates = Vec::new();
    policies.decide.no_context =
        Some(NoContextPolicy { message: NOT_FOUND.to_owned(), details: texts(&["device model", "access type"]) });
    policies
}

pub fn desk() -> AgentsPolicy {
    let lines = ["The router lamp is red", "Wi-Fi is slow", "How do I reset the router?", "router lamp blinks"];
    let bills = ["How is a bill paid?", "When are bills sent?", "What is a late fee?", "Which fee is on a bill?"];
    AgentsPolicy {
        confidence_at_least: 0.5,
        fallback: FallbackPolicy {
            name: "fallback".to_owned(),
            message: FALLBACK.to_owned(),
            examples: texts(&["Who painted the Mona Lisa?", "Write a poem", "What is 2 plus 2?", "Tell me a joke"]),
        },
        agents: vec![
            agent("technical", &lines, &[], policies()),
            agent("billing", &bills, &["get_plan", "open_case"], policies()),
        ],
        tools: vec![plan_tool(), refund_tool()],
        model_routes: false,
        model_chooses_tools: false,
        model_tells_outputs: false,
        tool_timeout: Duration::from_secs(5),
        answer_timeout: ANSWER_TIMEOUT,
        tool_tenants: BTreeSet::from([TENANT.to_owned()]),
    }
}

/// Two tools of two customers: `u-1` has a plan, `u-2` has none.
pub fn tools() -> FakeToolbox {
    let case_args = [
        ("user_id", ArgKind::Id),
        ("invoice", ArgKind::Id),
        ("reason", ArgKind::Text),
        ("amount", ArgKind::Amount),
        ("day", ArgKind::Day),
    ];
    FakeToolbox::with_tools(vec![
        FakeTool::new("get_plan", Effect::Reads, &[("user_id", ArgKind::Id)], |args| {
            let is_found = args.get("user_id") == Some(&"u-1".into());
            let found =
                record([("plan", "M [^9]".into()), ("price", ToolValue::Number(45.0)), ("status", "on".into())]);
            ToolOutput { record: if is_found { found } else { record([]) }, is_found }
        }),
        FakeTool::new("open_case", Effect::Changes, &case_args, |args| {
            let mut case = args.clone();
            case.insert("case".to_owned(), "R1".into());
            ToolOutput { record: case, is_found: true }
        })
        // No invoice is for more than this.
        .unless(|args| {
            let is_more = matches!(args.get("amount"), Some(ToolValue::Number(amount)) if *amount > 500.0);
            is_more.then_some("amount")
        }),
    ])
}

fn articles() -> Vec<KeptDocument> {
    let in_collection =
        |id: &str, collection: &str| DocumentCard { collection: collection.to_owned(), ..card(id, &[]) };
    vec![
        kept(in_collection("lamp", "technical"), &["A red lamp means that the router has no light."]),
        kept(in_collection("fee", "billing"), &["A late fee is added to a bill after ten days."]),
    ]
}

pub async fn engine(toolbox: &Arc<FakeToolbox>) -> Engine {
    let said = [
        ("A red lamp means that the router has no light.", [1].as_slice()),
        ("A late fee is added to a bill after ten days.", [1].as_slice()),
    ];
    Engine {
        writer: Arc::new(ScriptedGenerator::saying(&said)),
        agents: Some(Agents::new(desk())),
        toolbox: Some(toolbox.clone()),
        policies: policies(),
        ..engine_over(&filled(articles()).await)
    }
}

pub fn from(asker: Option<&str>, text: &str, session: SessionState) -> Question {
    Question { asker: asker.map(str::to_owned), session, ..Question::new(text, everyone()) }
}

async fn ask(engine: &Engine, text: &str, session: SessionState) -> Response {
    engine.ask(&from(Some("u-1"), text, session)).await.expect("a response")
}

fn agent_of(response: &Response) -> &str {
    response.trace.routing.as_ref().map_or("", |routing| routing.agent.as_str())
}

pub fn tool(response: &Response) -> &ToolReply {
    let Decision::Tool(tool) = &response.decision else { panic!("{:?}", response.decision) };
    tool
}

fn asked_back(response: &Response) -> &str {
    let Decision::Clarify(clarification) = &response.decision else { panic!("{:?}", response.decision) };
    &clarification.question
}

fn spoken_with(agent: &str) -> SessionState {
    SessionState { agent: Some(agent.to_owned()), ..SessionState::default() }
}

#[tokio::test]
async fn a_question_goes_to_the_agent_whose_examples_it_is_like() {
    let engine = engine(&Arc::new(tools())).await;
    for (text, agent) in [("Why is the router lamp red?", "technical"), ("When is a bill sent?", "billing")] {
        let response = ask(&engine, text, SessionState::default()).await;
        assert_eq!(agent_of(&response), agent, "{text}");
        let routing = response.trace.routing.expect("a routing");
        assert!(routing.confidence >= 0.5 && !routing.reason.is_empty());
        assert_eq!(routing.considered.len(), 3, "every agent and the fallback");
        let sum: f32 = routing.considered.iter().map(|one| one.confidence).sum();
        assert!((sum - 1.0).abs() < 1e-3);
    }
}

#[tokio::test]
async fn what_is_nobodys_is_told_what_the_agents_do_and_searches_nothing() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let response = ask(&engine, "Who painted a joke poem?", SessionState::default()).await;
    assert_eq!((agent_of(&response), asked_back(&response)), ("fallback", FALLBACK));
    assert!(response.trace.lanes.is_empty() && response.evidence.pieces().is_empty());
    assert!(toolbox.calls().is_empty());
}

#[tokio::test]
async fn what_is_unsure_stays_with_the_agent_that_was_spoken_with() {
    let engine = engine(&Arc::new(tools())).await;
    let alone = ask(&engine, "and the other kettle?", SessionState::default()).await;
    assert_eq!(agent_of(&alone), "fallback");
    let kept = ask(&engine, "and the other kettle?", spoken_with("technical")).await;
    assert_eq!(agent_of(&kept), "technical");
    // A client that keeps its own history speaks with the agent of its last question.
    let said = Turn::new(Speaker::Asker, "Why is the router lamp red?");
    let question =
        Question { conversation: vec![said], ..from(None, "and the other kettle?", SessionState::default()) };
    assert_eq!(agent_of(&engine.ask(&question).await.expect("a response")), "technical");
    // What is sure is not kept back.
    let left = ask(&engine, "When are bills sent?", spoken_with("technical")).await;
    assert_eq!(agent_of(&left), "billing");
}

#[tokio::test]
async fn an_asker_may_choose_the_agent_and_no_other_than_there_are() {
    let engine = engine(&Arc::new(tools())).await;
    let choose = |agent: &str| Question {
        agent: Some(agent.to_owned()),
        ..from(None, "Tell me a joke", SessionState::default())
    };
    assert_eq!(agent_of(&engine.ask(&choose("billing")).await.expect("a response")), "billing");
    let Err(AskError::Agent(error)) = engine.ask(&choose("sales")).await else { panic!("an agent that is none") };
    assert_eq!(error.to_string(), "there is no agent 'sales'; available agents: technical, billing");
    let without = Engine { agents: None, ..engine };
    assert!(matches!(without.ask(&choose("billing")).await, Err(AskError::Agent(_))));
}

#[tokio::test]
async fn an_agent_reads_its_own_collections_alone() {
    let engine = engine(&Arc::new(tools())).await;
    let response = ask(&engine, "Why is the router lamp red?", SessionState::default()).await;
    let sources: Vec<String> = response.evidence.pieces().iter().map(|piece| piece.passage.source_id()).collect();
    assert_eq!(sources, ["lamp:0"]);
    assert!(response.trace.candidates.iter().all(|one| one.collection == "technical"), "nothing else was weighed");
}

#[tokio::test]
async fn where_nothing_is_found_details_are_asked_for_and_used() {
    let mut engine = engine(&Arc::new(tools())).await;
    engine.writer = Arc::new(ScriptedGenerator::saying(&[]));
    let first = ask(&engine, "The router is broken", SessionState::default()).await;
    assert_eq!(asked_back(&first), "I couldn't find it. To clarify, please share: device model, access type.");
    assert!(matches!(&first.decision, Decision::Clarify(asked) if asked.is_no_context && asked.text.is_none()));
    assert_eq!(first.session.open_question.as_deref(), Some("The router is broken"));
    let second = ask(&engine, "an A200, the lamp is red", first.session.clone()).await;
    let searched = &second.trace.rewrites.first().expect("a question").text;
    assert_eq!(searched, "The router is broken an A200, the lamp is red");
    let other = ask(&engine, "Which router lamp is red?", first.session).await;
    assert_eq!(other.trace.rewrites.first().expect("a question").text, "Which router lamp is red?");
}

#[tokio::test]
async fn a_tool_speaks_of_the_asker_in_the_profiles_words() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let response = ask(&engine, "What does my plan cost?", SessionState::default()).await;
    // What a store holds is no citation.
    assert_eq!(tool(&response).text(), "Your plan M (^9) is PLN 45.00 a month and active.");
    assert_eq!(tool(&response).step, ToolStep::Ran { is_found: true });
    let calls = toolbox.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls.first().and_then(|call| call.args.get("user_id")), Some(&"u-1".into()));
    let report = response.trace.tools.first().expect("a report");
    assert!(report.is_success() && report.is_found);
    let none =
        engine.ask(&from(Some("u-2"), "What does my plan cost?", SessionState::default())).await.expect("a response");
    assert_eq!(tool(&none).text(), "You have no plan.");
}

#[tokio::test]
async fn a_tool_needs_to_know_who_asks_and_looks_at_nobody_else() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let stranger =
        engine.ask(&from(None, "What does my plan cost?", SessionState::default())).await.expect("a response");
    assert!(matches!(tool(&stranger).step, ToolStep::Failed { reason: "unknown_asker", .. }));
    let other = ask(&engine, "What does my plan cost? I am u-2", SessionState::default()).await;
    assert!(matches!(tool(&other).step, ToolStep::Failed { reason: "anothers_records", .. }));
    assert!(toolbox.calls().is_empty());
}

/// What waits after a first question, with a token as a service gives it.
fn waiting(response: &Response) -> SessionState {
    let mut session = response.session.clone();
    if let Some(pending) = session.pending.as_mut().filter(|pending| pending.missing.is_empty()) {
        pending.token = Some("token".to_owned());
    }
    session
}

#[tokio::test]
async fn a_change_is_asked_for_piece_by_piece_shown_and_done_once_on_a_yes() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let first = ask(&engine, "I was overcharged by PLN 150", SessionState::default()).await;
    assert_eq!(tool(&first).text(), "Which invoice?");
    assert_eq!(tool(&first).step, ToolStep::Missing(texts(&["invoice"])));
    let second = ask(&engine, "It is inv-20251001.", waiting(&first)).await;
    let shown = "I will open a case for INV-20251001 over PLN 150.00 (overcharge). Yes or no?";
    assert_eq!((tool(&second).text(), &tool(&second).step), (shown, &ToolStep::Waiting));
    assert!(toolbox.calls().is_empty(), "nothing runs without a yes");
    let third = ask(&engine, "Yes, please.", waiting(&second)).await;
    assert_eq!(tool(&third).text(), "Case R1 is open for INV-20251001 over PLN 150.00.");
    assert_eq!((toolbox.calls().len(), &third.session.pending), (1, &None));
    let again = ask(&engine, "Yes", third.session).await;
    assert!(!matches!(again.decision, Decision::Tool(ToolReply { step: ToolStep::Ran { .. }, .. })));
    assert_eq!(toolbox.calls().len(), 1);
}

#[tokio::test]
async fn another_question_in_between_leaves_what_waits_where_it_is() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let first = ask(&engine, "I was overcharged by PLN 150", SessionState::default()).await;
    let between = ask(&engine, "But first: why is the router lamp red?", waiting(&first)).await;
    assert_eq!(agent_of(&between), "technical");
    assert!(matches!(between.decision, Decision::Answer(_)), "{:?}", between.decision);
    let on = ask(&engine, "INV-20251001", waiting(&between)).await;
    assert_eq!(tool(&on).step, ToolStep::Waiting);
    let changed = ask(&engine, "make it PLN 100", waiting(&on)).await;
    assert!(tool(&changed).text().contains("PLN 100.00"), "{}", tool(&changed).text());
    let taken_back = ask(&engine, "no", waiting(&changed)).await;
    assert_eq!((&tool(&taken_back).step, &taken_back.session.pending), (&ToolStep::Withdrawn, &None));
    assert!(toolbox.calls().is_empty());
}
