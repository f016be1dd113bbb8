//! What a served request leaves behind: lines under its name with its route and fallbacks, and figures that add up.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    Place,
    embedding_server::EmbeddingServer,
    server::{LEAVE, Server},
};

const ASKED: &str = "How many days of paid annual leave do staff have?";
/// How long a server waits for a vocabulary that never answers.
const HURRY: (&str, &str) = ("VOUCH_TERMINOLOGY_TIMEOUT_MS", "150");
const UNKNOWN: &str = "How much does tea cost in the harbour?";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://terms.example/busbar> a skos:Concept ; skos:prefLabel \"busbar\"@en ;\n\
    skos:definition \"A conductor that several circuits are joined to.\"@en .\n";

fn ask(server: &Server, id: &str, query: &str) -> Value {
    let got = server.post("/v1/ask", &json!({ "query": query }).to_string(), &format!("x-request-id: {id}\r\n"));
    assert_eq!(got.status, 200, "{}", got.body);
    got.json()
}

fn event<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let found = lines.iter().find(|line| line["event"] == name);
    assert!(found.is_some(), "no {name} in {lines:#?}");
    found.expect("it is there")
}

fn flags(lines: &[Value]) -> Vec<&str> {
    let list = event(lines, "request_complete")["fallback_flags"].as_array().expect("a list");
    list.iter().filter_map(Value::as_str).collect()
}

/// Settings with a vocabulary that accepts connections and never answers.
fn silent_vocabulary() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, format!("terminology: {{ source: skosmos, skosmos_url: \"{url}/\" }}\n"))
}

/// A corpus embedded by a server that fails from then on, with variables of the environment.
fn without_vectors(rest: &str, variables: &[(&str, &str)]) -> Server {
    let embedder = EmbeddingServer::start();
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("vouch.yaml", format!("{}{rest}", embedder.settings()));
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    embedder.fail();
    Server::over_with(place, variables)
}

#[test]
fn obs_01_every_line_of_a_request_has_its_name_and_no_fallbacks() {
    let server = Server::start("");
    ask(&server, "obs-1", ASKED);
    let lines = server.log_of("obs-1");
    for name in ["request_start", "request_complete", "response_sent"] {
        let line = event(&lines, name);
        assert_eq!((&line["fallback_flags"], &line["level"]), (&json!([]), &"INFO".into()), "{line}");
        assert!(matches!(line["route"].as_str(), Some("tree" | "direct")), "{line}");
        assert!(line["timestamp"].as_str().is_some_and(|at| at.len() == 24 && at.ends_with('Z')), "{line}");
        assert!(line["elapsed_ms"].is_number() && line["component"].is_string(), "{line}");
    }
    let complete = event(&lines, "request_complete");
    assert_eq!((&complete["component"], &complete["outcome"]), (&"router".into(), &"answered".into()));
    assert!(complete["total_ms"].as_f64().is_some_and(|total| total > 0.0), "{complete}");
    let said = server.said.lock().expect("a lock").join("\n");
    assert!(!said.contains("paid annual leave"), "no question and no passage is in the log\n{said}");
}

#[test]
fn obs_02_a_vocabulary_that_is_late_is_among_the_fallbacks() {
    let (_silent, settings) = silent_vocabulary();
    let server = Server::start_with(&settings, &[HURRY]);
    let reply = ask(&server, "obs-2", "What is a busbar?");
    assert_eq!(reply["abstain_reason"], "terminology_timeout", "{reply}");
    let lines = server.log_of("obs-2");
    assert_eq!(flags(&lines), ["skosmos_timeout"]);
    let late = event(&lines, "timeout");
    assert_eq!((&late["component"], &late["level"]), (&"skosmos".into(), &"WARN".into()), "{late}");
    assert_eq!(server.figure("skosmos_timeout_total{backend=\"skosmos\"}"), Some(1.0));
    assert_eq!(server.figure("skosmos_lookup_total{backend=\"skosmos\"}"), Some(1.0));
    assert_eq!(server.figure("rag_abstention_total{reason=\"terminology_timeout\"}"), Some(1.0));
}

#[test]
fn obs_03_an_open_breaker_is_among_the_fallbacks() {
    let server = without_vectors("", &[]);
    for at in 0..6 {
        ask(&server, &format!("obs-3-{at}"), ASKED);
    }
    assert!(flags(&server.log_of("obs-3-5")).contains(&"circuit_open"));
    assert_eq!(server.figure("circuit_breaker_state{service=\"embeddings\"}"), Some(2.0));
    assert_eq!(server.figure("circuit_breaker_trip_total{service=\"embeddings\"}"), Some(1.0));
}

#[test]
fn obs_04_a_search_by_words_alone_is_among_the_fallbacks() {
    let server = without_vectors("", &[]);
    ask(&server, "obs-4", ASKED);
    let lines = server.log_of("obs-4");
    assert!(flags(&lines).contains(&"bm25_only"), "{lines:#?}");
    assert_eq!(event(&lines, "lane_failed")["component"], "retrieval");
    let text = server.get("/metrics").body;
    let sum = |name: &str| -> f64 {
        let own = text.lines().filter(|line| line.starts_with(&format!("{name}{{")));
        own.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok()).sum()
    };
    assert_eq!((sum("embedding_request_total"), sum("embedding_fail_total")), (1.0, 1.0), "{text}");
    assert_eq!((sum("embedding_fallback_total"), sum("retrieval_request_total")), (1.0, 1.0), "{text}");
}

#[test]
fn obs_05_every_fallback_of_a_request_is_listed() {
    let (_silent, settings) = silent_vocabulary();
    let server = without_vectors(&settings, &[HURRY]);
    ask(&server, "obs-5", "What is a busbar?");
    let lines = server.log_of("obs-5");
    let mut all = flags(&lines);
    all.sort_unstable();
    assert_eq!(all, ["bm25_only", "skosmos_timeout"], "{lines:#?}");
}

#[test]
fn obs_06_figures_are_what_was_asked() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("terms.ttl", TERMS);
    for words in [&["ingest", "docs"], &["vocab", "import"]] {
        let words: Vec<&str> = words.iter().copied().chain((words[0] == "vocab").then_some("terms.ttl")).collect();
        let ran = place.run(&words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    let server = Server::over(place);
    let before = server.figure("vouch_answers_total{surface=\"http\",outcome=\"answered\"}");
    assert_eq!(before, Some(0.0));
    for _ in 0..3 {
        ask(&server, "a", ASKED);
    }
    ask(&server, "b", UNKNOWN);
    ask(&server, "c", "What is a busbar?");
    ask(&server, "c", "What is a busbar?");
    ask(&server, "d", "What is a flux capacitor?");
    let unknown = json!({ "query": ASKED, "model": "no such model" }).to_string();
    assert_eq!(server.post("/v1/ask", &unknown, "").status, 400);
    assert_eq!(server.get("/v1/nothing").status, 404);
    let body = json!({ "query": ASKED }).to_string();
    assert_eq!(server.post("/v1/ask/stream", &body, "x-request-id: e\r\n").status, 200);
    server.log_of("e");
    for (series, count) in [
        ("vouch_answers_total{surface=\"http\",outcome=\"answered\"}", 6.0),
        ("vouch_answers_total{surface=\"http\",outcome=\"refused\"}", 2.0),
        ("vouch_answers_total{surface=\"http\",outcome=\"failed\"}", 1.0),
        ("vouch_failures_total{code=\"model_not_allowed\"}", 1.0),
        ("rag_abstention_total{reason=\"low_confidence\"}", 1.0),
        ("rag_abstention_total{reason=\"terminology_not_found\"}", 1.0),
        ("rag_abstention_total{reason=\"no_results\"}", 0.0),
        ("vouch_no_context_total", 1.0),
        ("skosmos_hit_total{backend=\"skosmos\"}", 1.0),
        ("skosmos_cache_hit_total{backend=\"cache\"}", 1.0),
        ("skosmos_timeout_total{backend=\"skosmos\"}", 0.0),
        ("vouch_cited_answers_total", 6.0),
        ("vouch_uncited_answers_total", 0.0),
        ("vouch_citation_compliance_ratio", 1.0),
        ("vouch_audit_writes_total{outcome=\"written\"}", 10.0),
        ("vouch_requests_total{surface=\"http\",path=\"/v1/ask\",status=\"200\"}", 7.0),
        ("vouch_requests_total{surface=\"http\",path=\"/v1/ask\",status=\"400\"}", 1.0),
        ("vouch_requests_total{surface=\"http\",path=\"unmatched\",status=\"404\"}", 1.0),
        ("vouch_requests_total{surface=\"http\",path=\"/v1/ask/stream\",status=\"200\"}", 1.0),
        ("vouch_store_documents", 1.0),
    ] {
        assert_eq!(server.figure(series), Some(count), "{series}\n{}", server.get("/metrics").body);
    }
    let text = server.get("/metrics").body;
    assert!(!text.contains("busbar") && !text.contains("annual leave"), "no words of anybody in a label\n{text}");
}

#[test]
fn a_stream_keeps_its_name_from_the_edge_to_the_store() {
    let server = Server::start("");
    let body = json!({ "query": ASKED }).to_string();
    server.post("/v1/ask/stream", &body, "x-request-id: told-1\r\n");
    let lines = server.log_of("told-1");
    for name in ["request_start", "request_complete", "response_sent"] {
        event(&lines, name);
    }
    let all = server.said.lock().expect("a lock").clone();
    let strays: Vec<&String> = all.iter().filter(|line| !line.contains("told-1")).collect();
    assert!(strays.is_empty(), "{strays:#?}");
}

#[test]
fn the_route_says_whether_there_are_several_collections() {
    let server = Server::start("");
    assert_eq!(ask(&server, "one", ASKED)["route"], "direct");
    drop(server);
    let place = Place::new();
    place.write("leave.md", LEAVE);
    place.write(
        "hours.md",
        "# Office Hours\n\nStaff on annual leave need not keep office hours. Hours are from 9 to 17.\n",
    );
    for (file, collection) in [("leave.md", "policies"), ("hours.md", "notices")] {
        let ran = place.run(&["ingest", file, "--collection", collection]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    let server = Server::over(place);
    assert_eq!(ask(&server, "two", ASKED)["route"], "tree");
    assert_eq!(event(&server.log_of("two"), "request_complete")["route"], "tree");
    for collection in ["policies", "notices"] {
        let series = format!("retrieval_request_total{{collection=\"{collection}\"}}");
        assert_eq!(server.figure(&series), Some(1.0), "{series}");
        let series = format!("retrieval_latency_ms_count{{collection=\"{collection}\"}}");
        assert_eq!(server.figure(&series), Some(1.0), "{series}");
    }
}

#[test]
fn a_question_nobody_waits_for_is_counted_and_said() {
    let server = Server::start("serve: { timeout_ms: 1 }\n");
    let got = server.post("/v1/ask", &json!({ "query": ASKED }).to_string(), "x-request-id: late-1\r\n");
    assert_eq!(got.status, 503, "{}", got.body);
    let lines = server.log_of("late-1");
    assert_eq!(event(&lines, "request_abandoned")["level"], "WARN");
    assert_eq!(server.figure("vouch_failures_total{code=\"abandoned\"}"), Some(1.0));
    assert_eq!(server.figure("vouch_answers_total{surface=\"http\",outcome=\"failed\"}"), Some(1.0));
}

#[test]
fn logs_can_be_text() {
    let server = Server::start("serve: { logs: text }\n");
    ask(&server, "plain-1", ASKED);
    let begun = Instant::now();
    while !server.said().contains("response_sent") {
        assert!(begun.elapsed() < Duration::from_secs(60), "no end of it: {}", server.said());
        std::thread::sleep(Duration::from_millis(10));
    }
    let said = server.said();
    assert!(said.contains("request_complete") && said.contains("plain-1"), "{said}");
    assert!(!said.starts_with('{') && !said.contains(ASKED), "{said}");
}

#[test]
fn what_was_asked_is_in_the_log_only_for_whoever_debugs() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let server = Server::over_with(place, &[("VOUCH_LOG", "warn,vouch=debug")]);
    ask(&server, "deep-1", ASKED);
    let lines = server.log_of("deep-1");
    assert_eq!(event(&lines, "request_start")["query"], ASKED);
}

#[test]
fn any_command_writes_its_lines_as_json_where_it_is_told_to() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let ran = place.run(&["ask", ASKED, "--log", "json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<Value> = ran.err.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let (start, complete) = (event(&lines, "request_start"), event(&lines, "request_complete"));
    assert_eq!(start["request_id"], complete["request_id"], "{lines:#?}");
    assert!(!ran.out.contains("request_id"), "the answer is on standard output, the lines are not: {}", ran.out);
    assert!(!place.run(&["ask", ASKED]).err.contains("request_start"), "without it there are only problems");
}
