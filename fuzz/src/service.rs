//! A service on fakes, made anew for every input, and what every response must be.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    body::{Body, to_bytes},
    http::{Request, header},
};
use serde_json::Value;
use tokio::runtime::Runtime;
use tower::ServiceExt;
use vouch_domain::{
    Caller, Role,
    ports::{Catalogue, LexicalIndex},
};
use vouch_engine::{
    ask::Engine,
    breaker::Breaker,
    ingest::{Comparing, Ingest},
    model_registry::ModelRegistry,
    policy::Policies,
    retrieve::RetrievePorts,
};
use vouch_formats::FileParser;
use vouch_server::{
    access_control::AccessControl, admission::Admission, readiness::Readiness, router::router, service::Service,
    service_slot::ServiceSlot,
};
use vouch_service::{
    admin_service::AdminService,
    ask_service::{AskService, AuditPolicy},
    circumstances::Circumstances,
    jobs::JobService,
    metrics::Metrics,
    tenant_locks::TenantLocks,
    wire::Words,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{
        FakeDirectory, FakeEmbedder, FakeJobs, FakeMemory, FakePlainWords, FakeSentQuestions, FakeTrail, MemoryStore,
        ScriptedGenerator, StoppedClock,
    },
};

/// What the one document says.
pub const LEAVE: &str = "Annual leave is 25 days a year.";
/// The header that names a request.
const REQUEST_ID: &str = "x-request-id";
/// More than the fuzzer makes.
const BODY_BYTES_MAX: usize = 1 << 20;
const TIMEOUT: Duration = Duration::from_secs(20);
const NOW_MS: u64 = 1_761_993_045_123;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime"));

/// What came back.
pub struct Told {
    /// The status.
    pub status: u16,
    /// The media type.
    pub media: String,
    /// The body as text.
    pub text: String,
}

impl Told {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("a body that is JSON")
    }
}

/// Sends a body and checks what holds for every response: it names the request, it comes from a server that is well, it is
/// text, and what is wrong is told as a problem with a code.
pub fn post(path: &str, body: &[u8]) -> Told {
    let told = RUNTIME.block_on(sent(path, body));
    assert!(told.status < 500, "{path} answers {}: {}", told.status, told.text);
    if told.media.starts_with("application/problem+json") {
        let problem = told.json();
        assert!(problem["code"].as_str().is_some_and(|code| !code.is_empty()), "{problem}");
        assert_eq!(problem["status"].as_u64(), Some(u64::from(told.status)), "{problem}");
        assert_eq!(problem["request_id"], "fuzz", "{problem}");
    }
    told
}

async fn sent(path: &str, body: &[u8]) -> Told {
    let request = Request::post(path)
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header(REQUEST_ID, "fuzz")
        .body(Body::from(body.to_vec()))
        .expect("a request");
    let response = router(ServiceSlot::new(service().await, None)).oneshot(request).await.expect("a response");
    assert_eq!(response.headers().get(REQUEST_ID).map(|id| id.as_bytes()), Some(&b"fuzz"[..]), "a nameless response");
    let status = response.status().as_u16();
    let media = response.headers().get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok());
    let media = media.unwrap_or_default().to_owned();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a whole body");
    Told { status, media, text: String::from_utf8(bytes.to_vec()).expect("a body that is text") }
}

async fn service() -> Service {
    let (store, clock) = (Arc::new(MemoryStore::default()), Arc::new(StoppedClock::at(NOW_MS)));
    store.upsert(vec![kept(card("leave", &[]), &[LEAVE])]).await.expect("a document");
    LexicalIndex::refresh(store.as_ref()).await.expect("an index");
    let embedder = Arc::new(FakeEmbedder::named("fake"));
    let memory = Arc::new(FakeMemory::default());
    let ingest = Ingest {
        parser: Arc::new(FileParser::default()),
        catalogue: store.clone(),
        lexical: store.clone(),
        dense: store.clone(),
        embedder: embedder.clone(),
        findings: Some(Comparing { findings: store.clone(), judge: None }),
        clock: clock.clone(),
        policy: Policies::default().ingest,
    };
    let mut policies = Policies::default();
    policies.judge.relevance_floor_unread = 0.0;
    policies.judge.gates = Vec::new();
    let engine = Engine {
        retrieve: RetrievePorts {
            catalogue: store.clone(),
            register: store.clone(),
            lexical: store.clone(),
            dense: store.clone(),
            embedder,
            breaker: Arc::new(Breaker::with_default_policy("embeddings", clock.clone())),
            plain_words: Arc::new(FakePlainWords::default()),
        },
        terms: None,
        memory: None,
        passage_judge: None,
        reranker: None,
        claim_judge: None,
        writer: Arc::new(ScriptedGenerator::saying(&[(LEAVE, &[1])])),
        model_registry: ModelRegistry::default(),
        agents: None,
        toolbox: None,
        directory: None,
        clock: clock.clone(),
        policies,
    };
    let ask_service = AskService {
        engine: Arc::new(engine),
        trail: Arc::new(FakeTrail::default()),
        sessions: None,
        circumstances: Circumstances::default(),
        audit_policy: AuditPolicy { words: Words::Kept, check_timeout: TIMEOUT, logs_questions: false },
        metrics: Arc::new(Metrics::default()),
        walks: None,
        copy: None,
    };
    let local = Caller {
        id: "local".to_owned(),
        person: None,
        name: None,
        reader: everyone(),
        role: Role::Admin,
        requests_per_minute: None,
    };
    let ask_service = Arc::new(ask_service);
    let access_control = AccessControl {
        authenticators: Vec::new(),
        key_ring: None,
        local,
        is_key_required: false,
        rate: Arc::default(),
        shared_rate: None,
        clock: clock.clone(),
    };
    Service {
        readiness: Readiness::new(&access_control, &ask_service, Arc::new(|| Ok(()))),
        ask_service,
        access_control,
        sign_in: None,
        admin_service: AdminService {
            ingest,
            register: store.clone(),
            versions: store.clone(),
            memory,
            directory: Arc::new(FakeDirectory::default()),
            questions: Arc::new(FakeSentQuestions::default()),
            findings: store,
            tenant_locks: TenantLocks::default(),
        },
        job_service: JobService { jobs: Arc::new(FakeJobs::default()), sources: Arc::default(), clock },
        certificate: Arc::new(None),
        evaluations: Arc::new(|_| Vec::new()),
        admission: Admission::new(4, 4, BODY_BYTES_MAX, BODY_BYTES_MAX),
        timeout: TIMEOUT,
        body_bytes_max: BODY_BYTES_MAX,
        file_bytes_max: BODY_BYTES_MAX,
        examples: Arc::default(),
        body_timeout: TIMEOUT,
    }
}
