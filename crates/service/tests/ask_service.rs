//! Nothing is replied that is not recorded, and what is replied is recorded.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use vouch_domain::{
    AuditScope, Fault, Question, Speaker, Turn,
    ports::{AuditTrail, Catalogue, LexicalIndex},
};
use vouch_engine::{
    ask::{AnswerSentence, Engine, Listener},
    breaker::Breaker,
    model_registry::ModelRegistry,
    policy::Policies,
    retrieve::RetrievePorts,
};
use vouch_service::{
    ask_service::{AskService, AskServiceError, AuditPolicy},
    circumstances::Circumstances,
    metrics::Metrics,
    question::AskRequest,
    surface::Surface,
    wire::{RecordedRequest, ReplySummary, Words, audited},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{TENANT, card, kept},
    fakes::{FakeEmbedder, FakePlainWords, FakeTrail, MemoryStore, ScriptedGenerator, StoppedClock},
};

const LEAVE: &str = "Annual leave is 25 days a year.";
const ASKED: &str = "How many days of annual leave are there a year?";

async fn engine() -> Engine {
    let store = Arc::new(MemoryStore::default());
    store.upsert(vec![kept(card("leave", &[]), &[LEAVE])]).await.expect("kept");
    LexicalIndex::refresh(store.as_ref()).await.expect("fresh");
    let mut policies = Policies::default();
    policies.judge.relevance_floor_unread = 0.0;
    policies.judge.gates = Vec::new();
    Engine {
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
        writer: Arc::new(ScriptedGenerator::saying(&[(LEAVE, &[1])])),
        model_registry: ModelRegistry::default(),
        agents: None,
        toolbox: None,
        directory: None,
        clock: Arc::new(StoppedClock::at(1_761_993_045_123)),
        policies,
    }
}

async fn ask_service(trail: &Arc<FakeTrail>, words: Words) -> AskService {
    let trail: Arc<dyn AuditTrail> = trail.clone();
    let circumstances = Circumstances { version: "9".to_owned(), ..Circumstances::default() };
    let audit_policy = AuditPolicy { words, check_timeout: Duration::from_secs(5), logs_questions: false };
    let metrics = Arc::new(Metrics::default());
    AskService {
        engine: Arc::new(engine().await),
        trail,
        sessions: None,
        circumstances,
        audit_policy,
        metrics,
        walks: None,
        copy: None,
    }
}

fn ask_request(text: &str) -> AskRequest {
    AskRequest {
        request_id: "req-1".to_owned(),
        asker: "mira".to_owned(),
        session_id: None,
        surface: Surface::Http,
        question: Question::new(text, everyone()),
        explains: false,
    }
}

/// Writes down what it hears.
#[derive(Default)]
struct Ear(Mutex<Vec<String>>);

impl Listener for Ear {
    fn on_sentence(&self, said: &AnswerSentence<'_>) {
        self.0.lock().expect("a lock").push(said.claim.text().to_owned());
    }
}

async fn entry(trail: &FakeTrail) -> Value {
    audited(&trail.entry(&AuditScope::for_tenant(TENANT), "req-1").await.expect("an answer").expect("an entry"))
}

#[tokio::test]
async fn where_the_trail_is_full_nothing_is_told() {
    let trail = Arc::new(FakeTrail::full_after(0));
    let ask_service = ask_service(&trail, Words::Kept).await;
    let error = ask_service.answer(&ask_request(ASKED)).await.err().expect("no reply");
    assert!(matches!(&error, AskServiceError::Unrecorded(cause) if cause.fault == Fault::Full), "{error:?}");
    assert!(!error.to_string().contains("25 days"));
}

#[tokio::test]
async fn where_the_trail_is_full_no_sentence_of_a_stream_is_told() {
    let (trail, ear) = (Arc::new(FakeTrail::full_after(0)), Ear::default());
    let ask_service = ask_service(&trail, Words::Kept).await;
    let error = ask_service.answer_streaming(&ask_request(ASKED), &ear).await.err().expect("no reply");
    assert!(matches!(error, AskServiceError::Unrecorded(_)));
    assert_eq!(*ear.0.lock().expect("a lock"), Vec::<String>::new());
}

#[tokio::test]
async fn a_stream_whose_end_cannot_be_written_has_no_last_word_and_its_beginning_is_kept() {
    let (trail, ear) = (Arc::new(FakeTrail::full_after(1)), Ear::default());
    let ask_service = ask_service(&trail, Words::Kept).await;
    assert!(ask_service.answer_streaming(&ask_request(ASKED), &ear).await.is_err());
    assert_eq!(*ear.0.lock().expect("a lock"), [LEAVE], "what had passed was told");
    assert_eq!(entry(&trail).await["outcome"], "begun");
}

#[tokio::test]
async fn a_stream_is_one_entry_and_ends_as_its_reply_does() {
    let (trail, ear) = (Arc::new(FakeTrail::default()), Ear::default());
    let ask_service = ask_service(&trail, Words::Kept).await;
    let answered = ask_service.answer_streaming(&ask_request(ASKED), &ear).await.expect("a reply");
    assert_eq!(trail.entries().len(), 1);
    assert_eq!(entry(&trail).await["reply"], answered.reply.answer.as_str());
}

#[tokio::test]
async fn the_record_has_every_field_of_the_document_under_its_name() {
    let trail = Arc::new(FakeTrail::default());
    let ask_service = ask_service(&trail, Words::Kept).await;
    let mut asked = ask_request(ASKED);
    asked.question.conversation = vec![Turn::new(Speaker::Asker, "Hello"), Turn::new(Speaker::Vouch, "Good morning.")];
    let answered = ask_service.answer(&asked).await.expect("a reply");
    assert!(answered.reply.trace.is_none(), "nobody asked for the trace");
    let entry = entry(&trail).await;
    assert_eq!(entry["timestamp"], "2025-11-01T10:30:45.123Z");
    assert_eq!((&entry["user_id"], &entry["turn"], &entry["tenant"]), (&"mira".into(), &2.into(), &TENANT.into()));
    assert_eq!(entry["scope"], serde_json::json!({"whole_tenant": true, "tags": []}));
    assert_eq!(entry["reply"], answered.reply.answer.as_str());
    assert_eq!(entry["asked"]["query"], ASKED);
    assert_eq!(entry["asked"]["chat_history"][1]["content"], "Good morning.");
    assert_eq!(entry["corpus"], serde_json::json!({"generation_before": 1, "generation_after": 1}));
    assert_eq!(entry["circumstances"]["version"], "9");
    for known in
        ["router_decision", "retrieval", "gates", "tools_called", "response", "trace", "auditor", "response_time_ms"]
    {
        assert!(!entry[known].is_null(), "{known} of {entry}");
    }
    for (pointer, value) in [
        ("/router_decision/route", "direct".into()),
        ("/router_decision/confidence", Value::Null),
        ("/router_decision/classification/category", answered.reply.intent.as_str().into()),
        ("/router_decision/classification/reasoning", Value::Null),
        ("/retrieval/query", ASKED.into()),
        ("/retrieval/no_context", false.into()),
        ("/retrieval/hits", 1.into()),
        ("/retrieval/sources/0/source_id", "leave:0".into()),
        ("/response/citations/0/source_id", "leave:0".into()),
        ("/response/citations/0/quote/end", LEAVE.len().into()),
        ("/auditor/unknown", serde_json::json!([])),
    ] {
        assert_eq!(entry.pointer(pointer), Some(&value), "{pointer} of {entry}");
    }
    for unknown in ["session_id", "agent", "failure"] {
        assert_eq!(entry.get(unknown), Some(&Value::Null), "{unknown} is there and not known");
    }
    assert!(entry["retrieval"]["mean_score"].is_number());
    assert_eq!(entry["trace"]["candidates"]["rows"][0][0], "leave:0");
    assert!(entry.pointer("/response/citations/0/snippet_full").is_none(), "the catalogue has the text");
}

#[tokio::test]
async fn where_words_are_left_out_neither_question_nor_answer_is_anywhere_in_the_entry() {
    let trail = Arc::new(FakeTrail::default());
    let ask_service = ask_service(&trail, Words::LeftOut).await;
    let mut asked = ask_request("How many days of annual leave has Ildikó?");
    asked.question.conversation = vec![Turn::new(Speaker::Asker, "Zsófia asked before.")];
    ask_service.answer(&asked).await.expect("a reply");
    let mut refused = ask_request("Who is Ildikó?");
    refused.question.passages_max = Some(1);
    ask_service.answer(&refused).await.expect("a reply");
    for entry in trail.entries() {
        for word in ["annual", "Annual", "Ildikó", "Zsófia", "25 days"] {
            assert!(!entry.record.contains(word), "{word}: {}", entry.record);
        }
        let recorded = RecordedRequest::read(&entry).expect("a record");
        assert!(recorded.question(TENANT).is_none());
        assert!(entry.record.contains("leave:0"), "identifiers and figures are kept: {}", entry.record);
    }
}

#[tokio::test]
async fn what_was_recorded_can_be_asked_again_and_compared() {
    let trail = Arc::new(FakeTrail::default());
    let ask_service = ask_service(&trail, Words::Kept).await;
    let mut asked = ask_request(ASKED);
    asked.question.passages_max = Some(3);
    asked.question.conversation =
        vec![Turn { sources: vec!["leave:0".to_owned()], ..Turn::new(Speaker::Vouch, "There is leave.") }];
    let answered = ask_service.answer(&asked).await.expect("a reply");
    let entry = trail.entries().pop().expect("an entry");
    let recorded = RecordedRequest::read(&entry).expect("a record");
    assert_eq!(recorded.question(TENANT).as_ref(), Some(&asked.question));
    let told = recorded.told(&entry);
    assert_eq!(told.differences(&ReplySummary::new(&answered.reply)), Vec::new());
    let mut other = answered.reply.clone();
    other.answer = "Something else.".to_owned();
    other.citations.clear();
    let what: Vec<&str> = told.differences(&ReplySummary::new(&other)).iter().map(|one| one.what).collect();
    assert_eq!(what, ["answer", "citations"]);
}

#[tokio::test]
async fn a_question_that_fails_is_written_down_too() {
    let trail = Arc::new(FakeTrail::default());
    let ask_service = ask_service(&trail, Words::Kept).await;
    assert!(matches!(ask_service.answer(&ask_request("  ")).await.err(), Some(AskServiceError::Ask(_))));
    let entry = entry(&trail).await;
    assert_eq!((&entry["outcome"], &entry["reason"]), (&"failed".into(), &"invalid_request".into()));
    assert!(entry["failure"]["sentence"].is_string() && entry["response"].is_null());
}

/// Compares a text with the one kept in a file; `UPDATE_KEPT=1` writes the file.
fn assert_kept(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept").join(name);
    if std::env::var_os("UPDATE_KEPT").is_some() {
        std::fs::write(&path, format!("{text}\n")).expect("a file");
    }
    let kept = std::fs::read_to_string(&path).expect("a kept file");
    assert_eq!(text, kept.trim_end_matches('\n'), "{name}: what is written has changed");
}

/// Entries outlive the program that wrote them: replay and people's own tools read them as they are.
#[tokio::test]
async fn entries_are_written_as_ever() {
    let written = async |words: Words, text: &str| {
        let trail = Arc::new(FakeTrail::default());
        let ask_service = ask_service(&trail, words).await;
        let mut asked = ask_request(text);
        asked.question.conversation =
            vec![Turn { sources: vec!["leave:0".to_owned()], ..Turn::new(Speaker::Vouch, "There is leave.") }];
        let _ = ask_service.answer(&asked).await;
        trail.entries().pop().expect("an entry").record
    };
    assert_kept("answered.json", &written(Words::Kept, ASKED).await);
    assert_kept("left_out.json", &written(Words::LeftOut, ASKED).await);
    assert_kept("refused.json", &written(Words::Kept, "Who painted the harbour wall?").await);
    assert_kept("failed.json", &written(Words::Kept, "  ").await);
    let (trail, ear) = (Arc::new(FakeTrail::full_after(1)), Ear::default());
    let ask_service = ask_service(&trail, Words::Kept).await;
    assert!(ask_service.answer_streaming(&ask_request(ASKED), &ear).await.is_err());
    assert_kept("begun.json", &trail.entries().pop().expect("an entry").record);
}

/// The reply with its trace, as clients read it.
#[tokio::test]
async fn replies_are_written_as_ever() {
    for (name, text) in [("reply.json", ASKED), ("reply_refused.json", "Who painted the harbour wall?")] {
        let trail = Arc::new(FakeTrail::default());
        let ask_service = ask_service(&trail, Words::Kept).await;
        let asked = AskRequest { explains: true, ..ask_request(text) };
        let reply = ask_service.answer(&asked).await.expect("a reply").reply;
        assert_kept(name, &serde_json::to_string(&reply).expect("JSON"));
    }
}
