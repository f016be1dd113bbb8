//! A help desk in memory: two agents, a fallback, two tools and four documents, behind the service that counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    DocumentCard, Effect, Fault, PortError, Question, ToolCall, ToolOutput, ToolRecord, ToolValue,
    ports::{
        AuditTrail, Brief, Catalogue, DenseIndex, Generator, LexicalIndex, Manuscript, Sessions, Toolbox,
        WrittenSentence,
    },
};
use vouch_engine::{
    ask::{Agents, Engine},
    breaker::Breaker,
    model_registry::ModelRegistry,
    policy::{
        AgentPolicy, AgentsPolicy, FallbackPolicy, GatePolicy, NoContextPolicy, Policies, SlotPolicy, SlotSource,
        ToolPolicy, ToolWords,
    },
    retrieve::RetrievePorts,
};
use vouch_service::{
    ask_service::{AskService, AuditPolicy},
    circumstances::Circumstances,
    metrics::Metrics,
    question::AskRequest,
    surface::Surface,
    wire::Words,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{TENANT, card_of, kept},
    fakes::{
        ArgKind, FakeEmbedder, FakePlainWords, FakeSessions, FakeTool, FakeToolbox, FakeTrail, MemoryStore,
        StoppedClock,
    },
};

/// How long every call of a tool takes.
pub const CALL_MS: u64 = 20;
/// The agents, and who has what is nobody's.
pub const BILLING: &str = "billing";
pub const TECHNICAL: &str = "technical";
pub const DESK: &str = "desk";
/// The tools.
pub const INVOICE: &str = "get_invoice";
pub const REFUND: &str = "open_refund";
/// The invoice that there is, the one that is not there, and the one that the tool fails on.
const KNOWN: &str = "F-1";
const UNKNOWN: &str = "F-9";
const BROKEN: &str = "F-5";

/// Quotes the best passage.
struct Quoter;

#[async_trait]
impl Generator for Quoter {
    fn name(&self) -> &str {
        "quoter"
    }

    async fn write(&self, brief: Brief) -> Result<Manuscript, PortError> {
        let best = brief.pieces.first();
        let sentence = best.map(|piece| WrittenSentence::answer(piece.text.clone(), vec![piece.marker]));
        Ok(Manuscript { sentences: sentence.into_iter().collect(), model: self.name().to_owned() })
    }
}

/// Tools that take their time, and fail on one invoice.
struct Office {
    tools: FakeToolbox,
    clock: Arc<StoppedClock>,
}

#[async_trait]
impl Toolbox for Office {
    fn names(&self) -> Vec<String> {
        self.tools.names()
    }

    fn effect(&self, tool: &str) -> Option<Effect> {
        self.tools.effect(tool)
    }

    fn input_schema(&self, tool: &str) -> Option<String> {
        self.tools.input_schema(tool)
    }

    fn check(&self, call: &ToolCall) -> Result<(), String> {
        self.tools.check(call)
    }

    async fn obstacle(&self, call: &ToolCall, timeout: Duration) -> Result<Option<String>, PortError> {
        self.tools.obstacle(call, timeout).await
    }

    async fn call(&self, call: &ToolCall, timeout: Duration) -> Result<ToolOutput, PortError> {
        self.clock.advance(Duration::from_millis(CALL_MS));
        if call.args.get("invoice") == Some(&BROKEN.into()) {
            return Err(PortError::new("tools", Fault::Unavailable, "the office is closed"));
        }
        self.tools.call(call, timeout).await
    }
}

fn tools() -> FakeToolbox {
    let args = [("user", ArgKind::Id), ("invoice", ArgKind::Id)];
    let answer = |args: &ToolRecord| {
        let is_found = args.get("invoice").and_then(ToolValue::as_text) == Some(KNOWN);
        ToolOutput { record: ToolRecord::new(), is_found }
    };
    FakeToolbox::with_tools(vec![
        FakeTool::new(INVOICE, Effect::Reads, &args, answer),
        FakeTool::new(REFUND, Effect::Changes, &args, answer),
    ])
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn tool(name: &str, examples: &[&str]) -> ToolPolicy {
    let invoices = [KNOWN, UNKNOWN, BROKEN].map(|id| (id.to_owned(), vec![id.to_owned()]));
    let slot = |name: &str, source: SlotSource| SlotPolicy {
        name: name.to_owned(),
        source,
        asks: format!("Which {name}?"),
        is_optional: false,
    };
    ToolPolicy {
        name: name.to_owned(),
        does: "looks after invoices".to_owned(),
        examples: texts(examples),
        slots: vec![
            slot("user", SlotSource::Asker(None)),
            slot("invoice", SlotSource::Choice(invoices.into_iter().collect())),
        ],
        fields: BTreeMap::new(),
        words: ToolWords {
            found: "It is there.".to_owned(),
            each: None,
            not_found: "There is none.".to_owned(),
            confirm: "A refund will be opened for {invoice}.".to_owned(),
            ..ToolWords::default()
        },
    }
}

fn agent(name: &str, tools: &[&str], examples: &[&str]) -> AgentPolicy {
    let mut policies = policies();
    // Only one of the two asks back where its documents do not answer.
    if name == BILLING {
        let message = "Nothing was found.".to_owned();
        policies.decide.no_context = Some(NoContextPolicy { message, details: texts(&["the invoice"]) });
    }
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
    policies.judge.relevance_floor_unread = 0.0;
    policies.judge.gates = vec![GatePolicy::QueryCoverage { at_least: 0.3 }];
    policies
}

fn agents() -> AgentsPolicy {
    AgentsPolicy {
        confidence_at_least: 0.3,
        fallback: FallbackPolicy {
            name: DESK.to_owned(),
            message: "Billing and technical questions are answered here.".to_owned(),
            examples: texts(&["Sing a lullaby for penguins.", "Who won yesterday's football match?"]),
        },
        agents: vec![
            agent(BILLING, &[INVOICE, REFUND], &["How long may a payment be delayed?", "When is a payment due?"]),
            agent(TECHNICAL, &[], &["How long does a modem restart take?", "Which lamp of a modem blinks?"]),
        ],
        tools: vec![
            tool(INVOICE, &["Show invoice F-1 status.", "Show my invoice status."]),
            tool(REFUND, &["Open refund case for invoice F-1.", "Open refund case for my invoice."]),
        ],
        model_routes: false,
        model_chooses_tools: false,
        model_tells_outputs: false,
        tool_timeout: Duration::from_secs(5),
        answer_timeout: Duration::from_secs(600),
        tool_tenants: BTreeSet::from([TENANT.to_owned()]),
    }
}

fn documents() -> Vec<vouch_domain::ports::KeptDocument> {
    let old = |card: DocumentCard| DocumentCard { date: Some("2019-03-01".to_owned()), ..card };
    vec![
        kept(card_of(BILLING, "payments", &[]), &["A payment may be delayed by 14 days."]),
        kept(old(card_of(TECHNICAL, "lamps", &[])), &["The green lamp of the modem blinks during an update."]),
        kept(card_of(TECHNICAL, "restarts", &[]), &["A modem restart takes two minutes."]),
    ]
}

/// A service that writes to this trail.
pub async fn service(trail: &Arc<FakeTrail>, words: Words) -> AskService {
    let store = Arc::new(MemoryStore::default());
    store.upsert(documents()).await.expect("kept");
    LexicalIndex::refresh(store.as_ref()).await.expect("fresh");
    DenseIndex::refresh(store.as_ref()).await.expect("fresh");
    let clock = Arc::new(StoppedClock::at(1_761_993_045_123));
    let engine = Engine {
        retrieve: RetrievePorts {
            catalogue: store.clone(),
            register: store.clone(),
            lexical: store.clone(),
            dense: store,
            embedder: Arc::new(FakeEmbedder::named("fake")),
            breaker: Arc::new(Breaker::with_default_policy("embeddings", Arc::new(StoppedClock::at(0)))),
            plain_words: Arc::new(FakePlainWords::default()),
        },
        terms: None,
        memory: None,
        passage_judge: None,
        reranker: None,
        claim_judge: None,
        writer: Arc::new(Quoter),
        model_registry: ModelRegistry::default(),
        agents: Some(Agents::new(agents())),
        toolbox: Some(Arc::new(Office { tools: tools(), clock: clock.clone() })),
        directory: None,
        clock,
        policies: policies(),
    };
    let (trail, sessions): (Arc<dyn AuditTrail>, Arc<dyn Sessions>) =
        (trail.clone(), Arc::new(FakeSessions::default()));
    AskService {
        engine: Arc::new(engine),
        trail,
        sessions: Some(sessions),
        circumstances: Circumstances::default(),
        audit_policy: AuditPolicy { words, check_timeout: Duration::from_secs(5), logs_questions: false },
        metrics: Arc::new(Metrics::default()),
        walks: None,
        copy: None,
    }
}

/// A question of somebody whom the tools know.
pub fn ask_request(id: &str, text: &str) -> AskRequest {
    AskRequest {
        request_id: id.to_owned(),
        asker: "mira".to_owned(),
        session_id: None,
        surface: Surface::Http,
        question: Question { asker: Some("u-1".to_owned()), ..Question::new(text, everyone()) },
        explains: false,
    }
}
