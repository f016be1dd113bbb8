//! What `/healthz` and `/readyz` say of everything that answers depend on, to whom, and how often it is asked for that.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{
    Place, callers,
    embedding_server::EmbeddingServer,
    model::{Manner, ModelServer},
    server::{LEAVE, Server},
};

/// A model's server that is not there.
const NOBODY: &str = "    gone: { kind: openai, url: \"http://127.0.0.1:9/v1\" }\n";

/// How long a server waits for a vocabulary that never answers.
const HURRY: (&str, &str) = ("VOUCH_TERMINOLOGY_TIMEOUT_MS", "150");

/// What one report says of a dependency.
fn dependency<'a>(report: &'a Value, name: &str) -> &'a Value {
    let list = report["dependencies"].as_array().expect("a list");
    let found = list.iter().find(|one| one["name"] == name);
    assert!(found.is_some(), "no {name} in {report:#}");
    found.expect("it is there")
}

/// A report once everything in it has been found out.
fn settled(server: &Server, path: &str, headers: &str) -> Value {
    let begun = Instant::now();
    loop {
        let report = server.get_with(path, headers).json();
        let list = report.get("dependencies").and_then(Value::as_array).expect("a list");
        if list.iter().all(|one| one.get("state") != Some(&"unknown".into())) {
            return report;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "never known: {report:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A vocabulary server that takes connections and never answers, and how many came.
fn silent_vocabulary() -> (Arc<AtomicUsize>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let came: Arc<AtomicUsize> = Arc::default();
    let counting = Arc::clone(&came);
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming().flatten() {
            counting.fetch_add(1, Ordering::SeqCst);
            open.push(stream);
        }
    });
    (came, format!("terminology: {{ source: skosmos, skosmos_url: \"{url}/\" }}\n"))
}

/// A server whose embedder fails, whose vocabulary is silent, and whose writing model is not there.
fn in_trouble() -> (Server, Arc<AtomicUsize>) {
    let embedder = EmbeddingServer::start();
    let (came, terms) = silent_vocabulary();
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    let models = embedder.settings().replace("  embedder:", &format!("{NOBODY}  embedder:"));
    let writer = "  allowed:\n    \"tiny:1b\": { context_window: 4096, max_response: 256 }\n  answer: { server: gone, model: \"tiny:1b\" }\n";
    place.write("vouch.yaml", format!("{models}{writer}{terms}"));
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    embedder.fail();
    (Server::over_with(place, &[HURRY]), came)
}

#[test]
fn everything_that_is_configured_is_reported_and_all_is_well() {
    let model = ModelServer::start(Manner::Says(vec!["Nothing.".to_owned()]));
    let server = Server::start(&model.settings(""));
    for (path, status) in [("/readyz", "ready"), ("/healthz", "ok")] {
        let report = settled(&server, path, "");
        assert_eq!(report["status"], status, "{report:#}");
        for (name, is_required) in [
            ("keys", true),
            ("store", true),
            ("audit trail", true),
            ("disk", true),
            ("word index", false),
            ("vector index", false),
            ("embedder", false),
            ("judge", false),
            ("model for answer", false),
        ] {
            let one = dependency(&report, name);
            assert_eq!((&one["state"], &one["required"]), (&"up".into(), &is_required.into()), "{one}");
            assert!(one["sentence"].as_str().is_some_and(|sentence| sentence.ends_with('.')), "{one}");
        }
        assert_eq!(dependency(&report, "model for answer")["model"], "tiny:1b");
        assert!(dependency(&report, "embedder")["model"].is_string(), "{report:#}");
        assert_eq!(report["dependencies"].as_array().map(Vec::len), Some(9), "no vocabulary is configured: {report:#}");
    }
}

#[test]
fn what_answers_can_do_without_degrades_and_no_more() {
    let (server, _came) = in_trouble();
    let report = settled(&server, "/readyz", "");
    assert_eq!(report["status"], "degraded", "{report:#}");
    assert_eq!(server.get("/readyz").status, 200);
    for name in ["embedder", "vocabulary", "model for answer"] {
        assert_eq!(dependency(&report, name)["state"], "down", "{report:#}");
    }
    assert_eq!(dependency(&report, "vocabulary")["sentence"], "It did not answer in time.");
    assert_eq!(dependency(&report, "model for answer")["model"], "tiny:1b");
    let alive = settled(&server, "/healthz", "");
    assert_eq!((server.get("/healthz").status, &alive["status"]), (200, &json!("degraded")), "{alive:#}");
    assert_eq!(alive["dependencies"], report["dependencies"]);
    let got = server.post("/v1/ask", r#"{"query": "How many days of paid annual leave do staff have?"}"#, "");
    assert_eq!((got.status, &got.json()["outcome"]), (200, &"answered".into()), "{}", got.body);
}

#[test]
fn whoever_may_not_watch_learns_no_model_and_nobody_an_address() {
    let (server, _came) = in_trouble();
    let open = settled(&server, "/readyz", "").to_string();
    assert!(!open.contains("127.0.0.1") && !open.contains("http"), "{open}");
    let monitor = callers::key(&server.place, "default", Role::Monitor, None);
    let reader = callers::key(&server.place, "default", Role::Reader, None);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(dependency(&settled(&server, path, &monitor), "model for answer")["model"], "tiny:1b");
        for headers in ["", reader.as_str(), "Authorization: Bearer nobody\r\n"] {
            let report = settled(&server, path, headers);
            assert_eq!(dependency(&report, "model for answer")["state"], "down", "{report:#}");
            let text = report.to_string();
            assert!(!text.contains("tiny") && !text.contains("127.0.0.1") && !text.contains("gte"), "{text}");
        }
    }
}

#[test]
fn many_who_ask_after_its_health_do_not_become_many_calls() {
    let (server, came) = in_trouble();
    let begun = Instant::now();
    for _ in 0..100 {
        assert_eq!(server.get("/healthz").status, 200);
        assert_eq!(server.get("/readyz").status, 200);
    }
    // A look-up at such a server is two requests at once, and what it came to holds for ten seconds.
    let probes = 1 + usize::try_from(begun.elapsed().as_secs() / 10).expect("not for ever");
    let came = came.load(Ordering::SeqCst);
    assert!((1..=2 * probes).contains(&came), "{came} connections for {probes} probes");
}

#[test]
fn who_asks_learns_no_address_of_a_server_that_failed() {
    let embedder = EmbeddingServer::start();
    let settings = embedder.settings()
        + "terminology: { source: skosmos, skosmos_url: \"http://127.0.0.1:9/rest/v1\" }\ncompose: { on_failure: fail }\n";
    let settings = settings.replace(
        "  embedder:",
        "    gone: { kind: openai, url: \"http://127.0.0.1:9/v1\" }\n  allowed: { tiny: { context_window: 4096, max_response: 64 } }\n  \
         answer: { server: gone, model: tiny }\n  embedder:",
    );
    let server = Server::start(&settings);
    embedder.fail();
    for question in ["What is a mast?", "How many days of paid annual leave do staff have?"] {
        let asked = serde_json::json!({ "query": question, "explain": true }).to_string();
        let told = server.post("/v1/ask", &asked, "").body;
        assert!(!told.contains("127.0.0.1"), "{question}: {told}");
    }
}
