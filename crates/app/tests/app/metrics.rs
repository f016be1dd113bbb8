//! Figures as others read them: Prometheus, programs, `vouch metrics`, the dashboard, and a collector of traces.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::mpsc,
    time::Duration,
};

use serde_json::{Value, json};
use vouch_testkit::skip;

use crate::support::{Place, finish, promtool, server::Server};

const ASKED: &str = "How many days of paid annual leave do staff have?";
/// The one name the checker dislikes is not ours to choose.
const TOLERATED: &str = "retrieval_latency_ms metric names should not contain abbreviated units";

fn ask(server: &Server, headers: &str) {
    let got = server.post("/v1/ask", &json!({ "query": ASKED }).to_string(), headers);
    assert_eq!(got.status, 200, "{}", got.body);
}

#[test]
fn prometheus_own_checker_finds_nothing_wrong() {
    let tool = promtool::promtool().map_err(|reason| skip("the figures, by Prometheus' own checker", &reason));
    let Ok(tool) = tool else { return };
    let server = Server::start("");
    let fresh = server.get("/metrics");
    assert!(fresh.head.contains("content-type: text/plain; version=0.0.4"), "{}", fresh.head);
    ask(&server, "");
    let used = server.get("/metrics");
    for text in [&fresh.body, &used.body] {
        let said = promtool::complaints(&tool, text);
        assert_eq!(said, [TOLERATED], "{text}");
    }
    assert!(!promtool::complaints(&tool, "vouch_x 1\nvouch_x 1\n").is_empty(), "it can complain");
}

#[test]
fn every_family_is_explained_and_json_says_the_same() {
    let server = Server::start("");
    ask(&server, "");
    let text = server.get("/metrics").body;
    let json = server.get("/metrics.json").json();
    let families = json["metrics"].as_array().expect("a list");
    for family in families {
        let (name, kind) = (family["name"].as_str().expect("a name"), family["type"].as_str().expect("a type"));
        assert!(family["help"].as_str().is_some_and(|help| help.len() > 10), "{family}");
        assert!(
            text.contains(&format!("# TYPE {name} {kind}\n# "))
                || text.contains(&format!("# TYPE {name} {kind}\n{name}"))
        );
        assert!(!family["samples"].as_array().expect("samples").is_empty(), "{name} is counted from the start");
    }
    let samples: usize = families.iter().map(|family| family["samples"].as_array().map_or(0, Vec::len)).sum();
    let lines = text.lines().filter(|line| !line.starts_with('#')).count();
    assert!(lines.abs_diff(samples) <= BUCKETS_OF_ONE_MORE_PATH, "{lines} lines, {samples} samples");
    let answered = |family: &&Value| family["name"] == "vouch_cited_answers_total";
    assert_eq!(families.iter().find(answered).expect("it is there")["samples"][0]["value"], 1.0);
}

/// Asking for the one adds a line for having asked for the other.
const BUCKETS_OF_ONE_MORE_PATH: usize = 25;

#[test]
fn the_command_asks_the_server_or_counts_the_trail() {
    let mut server = Server::start("");
    ask(&server, "");
    server.post("/v1/ask", &json!({ "query": "What does tea cost?" }).to_string(), "");
    let url = format!("http://{}", server.address);
    let ran = server.place.run(&["metrics", "--dump", "--url", &url]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("running server"), "{}", ran.err);
    assert!(ran.out.contains("vouch_cited_answers_total 1\n"), "{}", ran.out);
    let ran = server.place.run(&["metrics", "--dump", "--url", &url, "--json"]);
    let json: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(json["metrics"].as_array().is_some_and(|families| families.len() > 30));
    let found = server.place.run(&["metrics", "--dump"]);
    assert!(found.err.contains("Metrics of the running server"), "it listens elsewhere than by default: {}", found.err);
    server.child.kill().expect("our own child can be ended");
    server.child.wait().expect("it ends");
    let named = server.place.run(&["metrics", "--dump", "--url", &url]);
    assert_eq!(named.code, Some(3), "a server that was named is not stood in for: {}", named.err);
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    server.place.write("vouch.yaml", format!("serve: {{ listen: \"{closed}\" }}\n"));
    let ran = server.place.run(&["metrics", "--dump"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("these figures are counted from the audit trail"), "{}", ran.err);
    assert!(ran.out.contains("vouch_trail_entries_total{outcome=\"answered\"} 1\n"), "{}", ran.out);
    assert!(ran.out.contains("vouch_trail_entries_total{outcome=\"refused\"} 1\n"), "{}", ran.out);
    let place = Place::new();
    place.write("vouch.yaml", format!("serve: {{ listen: \"{closed}\" }}\n"));
    let ran = place.run(&["metrics", "--dump"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(!place.path(".vouch/audit.sqlite").exists(), "looking makes no trail");
}

/// The figures that the trail holds; the rest belongs to a process alone.
const OF_TRAIL: &[&str] = &[
    "embedding_fail_total",
    "embedding_fallback_total",
    "embedding_request_total",
    "rag_abstention_total",
    "retrieval_latency_ms",
    "retrieval_request_total",
    "skosmos_hit_total",
    "vouch_answer_confidence",
    "vouch_answer_confidence_ratio",
    "vouch_answer_duration_seconds",
    "vouch_agent_questions_total",
    "vouch_answers_total",
    "vouch_auditor_identifiers_total",
    "vouch_auditor_markers_total",
    "vouch_citation_compliance_ratio",
    "vouch_cited_answers_total",
    "vouch_claims_checked_total",
    "vouch_fallbacks_total",
    "vouch_failures_total",
    "vouch_feedback_helpful_ratio",
    "vouch_feedback_rating_mean",
    "vouch_feedback_ratings_total",
    "vouch_feedback_total",
    "vouch_no_context_ratio",
    "vouch_no_context_total",
    "vouch_refusals_total",
    "vouch_router_confidence",
    "vouch_router_confidence_mean",
    "vouch_stage_duration_seconds",
    "vouch_stale_sources_total",
    "vouch_store_generation",
    "vouch_tool_calls_total",
    "vouch_tool_duration_seconds",
    "vouch_tool_success_ratio",
];

/// The samples of a family, in any order of labels; sums of times may differ in their last digit.
fn samples(figures: &Value, name: &str) -> BTreeSet<String> {
    let family = figures["metrics"].as_array().expect("families").iter().find(|family| family["name"] == name);
    let own = family.expect("every family is there")["samples"].as_array().expect("samples").iter();
    own.filter(|sample| !sample["name"].as_str().is_some_and(|name| name.ends_with("_sum")))
        .map(|sample| format!("{} {} {}", sample["name"], sample["labels"], sample["value"]))
        .collect()
}

#[test]
fn without_a_server_every_family_is_there_and_says_what_the_trail_holds() {
    let place = Place::new();
    place.write("docs/leave.md", crate::support::server::LEAVE);
    place.write(
        "terms.ttl",
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<http://terms.example/busbar> a skos:Concept ;\n\
         skos:prefLabel \"busbar\"@en ; skos:definition \"A conductor that several circuits are joined to.\"@en .\n",
    );
    for words in [&["ingest", "docs"][..], &["vocab", "import", "terms.ttl"][..]] {
        assert_eq!(place.run(words).code, Some(0));
    }
    let mut server = Server::over(place);
    let put = |query: &str, path: &str| {
        let got = server.post(path, &json!({ "query": query }).to_string(), "x-request-id: rated\r\n");
        assert_eq!(got.status, 200, "{}", got.body);
    };
    put(ASKED, "/v1/ask");
    put("What does tea cost?", "/v1/ask");
    put("What is a busbar?", "/v1/ask");
    put("What is a flux capacitor?", "/v1/ask");
    put("List documents about annual leave", "/v1/ask");
    put(ASKED, "/v1/ask/stream");
    let unknown = json!({ "query": ASKED, "model": "no such model" }).to_string();
    assert_eq!(server.post("/v1/ask", &unknown, "").status, 400);
    let rated = json!({ "request_id": "rated", "helpful": true, "rating": 4 }).to_string();
    assert_eq!(server.post("/v1/feedback", &rated, "").status, 200);
    let live = server.get("/metrics.json").json();
    server.child.kill().expect("our own child can be ended");
    server.child.wait().expect("it ends");
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    server.place.write("vouch.yaml", format!("serve: {{ listen: \"{closed}\" }}\n"));
    let ran = server.place.run(&["metrics", "--dump", "--json"]);
    let counted: Value = serde_json::from_str(&ran.out).expect("JSON");
    let names = |figures: &Value| -> BTreeSet<String> {
        let families = figures["metrics"].as_array().expect("families").iter();
        families.map(|family| family["name"].as_str().expect("a name").to_owned()).collect()
    };
    let missing: Vec<_> = names(&live).difference(&names(&counted)).cloned().collect();
    assert!(missing.is_empty(), "{missing:?}");
    for name in OF_TRAIL {
        assert_eq!(samples(&counted, name), samples(&live, name), "{name}");
    }
    assert_eq!(samples(&counted, "vouch_requests_total").len(), 1, "no request without a question is in the trail");
}

#[test]
fn a_changed_mind_is_one_word_still() {
    let server = Server::start("");
    ask(&server, "x-request-id: rated\r\n");
    let say = |is_helpful: bool| {
        let body = json!({ "request_id": "rated", "helpful": is_helpful }).to_string();
        assert_eq!(server.post("/v1/feedback", &body, "").status, 200);
    };
    let figure = |name: &str| server.figure(name).expect("a figure");
    for is_helpful in [true, true, false, false] {
        say(is_helpful);
    }
    let said = |name: &str| {
        figure(&format!("{name}{{rating=\"helpful\"}}")) + figure(&format!("{name}{{rating=\"unhelpful\"}}"))
    };
    assert_eq!(said("vouch_feedback_total"), 1.0, "one caller, one word");
    assert_eq!(said("vouch_feedback_changed_total"), 1.0);
    assert_eq!(figure("vouch_feedback_helpful_ratio"), 0.0, "what they say now");
    say(true);
    assert_eq!((said("vouch_feedback_total"), figure("vouch_feedback_helpful_ratio")), (1.0, 1.0));
}

#[test]
fn every_figure_of_the_dashboard_is_counted() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/grafana-dashboard.json");
    let text = std::fs::read_to_string(file).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let variables = dashboard["templating"]["list"].as_array().expect("variables");
    assert!(variables.iter().any(|variable| variable["type"] == "datasource"), "the data source can be chosen");
    let server = Server::start("");
    let counted = server.get("/metrics").body;
    let known: BTreeSet<&str> = counted
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    let mut named = BTreeSet::new();
    expressions(&dashboard, &mut named);
    assert!(named.len() >= 20, "{named:?}");
    for name in named {
        assert!(known.contains(name.as_str()), "{name} is on the dashboard and is not counted");
    }
}

#[test]
fn every_figure_of_the_alerts_is_counted_and_the_rules_are_sound() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/prometheus-rules.yml");
    let text = std::fs::read_to_string(&file).expect("the rules");
    let counted = Server::start("").get("/metrics").body;
    let is_figure = |word: &&str| word.starts_with("vouch_") || word.starts_with("circuit_breaker");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(is_figure);
    let named: BTreeSet<&str> = words.collect();
    assert!(named.len() >= 6, "{named:?}");
    for name in named {
        assert!(counted.contains(&format!("\n{name}")), "{name} is in the rules and is not counted");
    }
    match promtool::promtool() {
        Err(reason) => skip("the rules through promtool", &reason),
        Ok(tool) => {
            let ran = Command::new(tool).args(["check", "rules"]).arg(&file).output().expect("promtool runs");
            let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{said}");
        }
    }
}

#[test]
fn what_was_probably_wrong_is_estimated_from_what_askers_do() {
    let server = Server::start("");
    let put = |query: &str| server.post("/v1/ask", &json!({ "query": query }).to_string(), "").json();
    let refused = put("How many crates of annual leave do zebras have?");
    assert_eq!(refused["refused"], true, "{refused}");
    let answered = put("How many days of paid annual leave do staff have?");
    assert_eq!(answered["refused"], false, "{answered}");
    let rated = json!({ "request_id": answered["request_id"], "helpful": false });
    assert_eq!(server.post("/v1/feedback", &rated.to_string(), "").status, 200);
    assert_eq!(server.figure("vouch_answers_suspected_total{sign=\"feedback\"}"), Some(1.0));
    assert_eq!(server.figure("vouch_overconfidence_ratio"), Some(1.0));
    let rated = json!({ "request_id": refused["request_id"], "helpful": false });
    assert_eq!(server.post("/v1/feedback", &rated.to_string(), "").status, 200);
    assert_eq!(server.figure("vouch_refusals_suspected_total{sign=\"feedback\"}"), Some(1.0));
    assert_eq!(server.figure("vouch_false_refusal_ratio"), Some(1.0));
}

/// The names of figures in every query below a value.
fn expressions(value: &Value, named: &mut BTreeSet<String>) {
    if let Some(query) = value["expr"].as_str() {
        let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let prefixes = ["vouch_", "rag_", "skosmos_", "embedding_", "retrieval_", "circuit_breaker_"];
        named.extend(words.filter(|word| prefixes.iter().any(|own| word.starts_with(own))).map(str::to_owned));
    }
    match value {
        Value::Array(list) => list.iter().for_each(|one| expressions(one, named)),
        Value::Object(map) => map.values().for_each(|one| expressions(one, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn a_collector_receives_the_spans_of_a_question_below_its_callers() {
    let (endpoint, received) = collector();
    let server = Server::start(&format!("serve: {{ otlp_endpoint: \"{endpoint}\" }}\n"));
    let unsampled = "traceparent: 00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00\r\n";
    ask(&server, unsampled);
    ask(&server, "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nx-request-id: traced-1\r\n");
    let (head, body) = received.recv_timeout(Duration::from_secs(20)).expect("spans come");
    assert!(head.starts_with("POST /v1/traces "), "{head}");
    let body: Value = serde_json::from_str(&body).expect("JSON");
    let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans").clone();
    assert!(spans.iter().all(|span| span["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736"), "{spans:?}");
    let whole = spans.iter().find(|span| span["name"] == "question").expect("the whole");
    assert_eq!(whole["parentSpanId"], "00f067aa0ba902b7");
    assert!(whole["attributes"].to_string().contains("traced-1"), "{whole}");
    let judged = spans.iter().find(|span| span["name"] == "judge").expect("a stage");
    assert_eq!(judged["parentSpanId"], whole["spanId"]);
    assert!(!body.to_string().contains("annual leave"), "no words of the question leave");
}

#[test]
fn a_collector_that_is_gone_stops_nobody() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let server = Server::start(&format!("serve: {{ otlp_endpoint: \"http://{closed}\" }}\n"));
    ask(&server, "");
    ask(&server, "");
    let wrong = finish(Place::new().vouch(&["serve", "--config", "none.yaml"]));
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    let place = Place::new();
    place.write("vouch.yaml", "serve: { otlp_endpoint: \"localhost:4318\" }\n");
    let wrong = place.run(&["serve"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    assert!(wrong.err.contains("serve.otlp_endpoint"), "{}", wrong.err);
}

/// A collector of a few lines: what it is sent comes out at the other end.
fn collector() -> (String, mpsc::Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = sender.send(request(&mut stream));
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
        }
    });
    (endpoint, receiver)
}

fn request(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    let mut chunk = [0_u8; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_lowercase();
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return (head.to_owned(), body.to_owned());
            }
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return (String::new(), String::new()),
            Ok(read) => bytes.extend(chunk.iter().take(read)),
        }
    }
}
