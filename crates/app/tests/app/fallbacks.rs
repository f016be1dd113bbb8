//! What stood in for what was down: the same words in the reply, the log, the figures and the trail, whatever is down
//! together and however the question ends.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{collections::BTreeSet, net::TcpListener};

use serde_json::{Value, json};

use crate::support::{
    Place,
    embedding_server::EmbeddingServer,
    replies,
    server::{LEAVE, Server},
};

const FLAGS: [&str; 7] = [
    "bm25_only",
    "dense_only",
    "circuit_open",
    "skosmos_timeout",
    "skosmos_error",
    "llm_unavailable",
    "not_read_in_time",
];
/// Services are asked however often they have failed, so that every question meets the same failures.
const PATIENT: &str = "circuit_breaker:\n  embeddings: { failure_threshold: 1000 }\n  llm: { failure_threshold: 1000 }\n  \
    skosmos: { failure_threshold: 1000 }\n";

/// Records have addresses.
const RECORDS: &str = "understand:\n  addresses:\n    - { kind: NORM, pattern: '(?i)\\bNORM-(?P<number>\\d{1,6})\\b', normal: 'NORM-{number:4}' }\n";
const RECORD: &str =
    "---\nkind: NORM\naddress: NORM-0012\n---\n# Common Model\n\nEvery exchange uses the common model.\n";

/// What is down.
#[derive(Debug, Clone, Copy)]
struct Trouble {
    /// The vocabulary does not answer in time.
    vocabulary: bool,
    /// The embedder fails.
    embedder: bool,
    /// The judge is given no time.
    judge: bool,
    /// The model that writes cannot be reached.
    model: bool,
}

impl Trouble {
    fn all() -> impl Iterator<Item = Self> {
        (0..16).map(|bits: u32| Self {
            vocabulary: bits & 1 != 0,
            embedder: bits & 2 != 0,
            judge: bits & 4 != 0,
            model: bits & 8 != 0,
        })
    }
}

/// A server in this trouble; the vocabulary is as silent as the listener.
fn server(trouble: Trouble, vocabulary: &TcpListener) -> Server {
    let embedder = EmbeddingServer::start();
    let mut settings = format!("{PATIENT}{RECORDS}");
    if trouble.embedder || trouble.model {
        let gone = "    gone: { kind: openai, url: \"http://127.0.0.1:9/v1\" }\n";
        let own = embedder.settings();
        let (servers, embedding) = own.split_at(own.find("  embedder:").expect("a job"));
        settings += &format!("{servers}{gone}");
        settings += if trouble.embedder { embedding } else { "" };
    }
    if trouble.model {
        settings += "  allowed:\n    \"tiny:1b\": { context_window: 4096, max_response: 256 }\n  answer: { server: gone, model: \"tiny:1b\" }\n";
    }
    if trouble.vocabulary {
        let url = format!("http://{}/", vocabulary.local_addr().expect("an address"));
        settings += &format!("terminology: {{ source: skosmos, skosmos_url: \"{url}\" }}\n");
    }
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("docs/model.md", RECORD);
    if trouble.judge {
        // Far more than any judge reads in a millisecond.
        let long = "Staff have many days of paid annual leave in the harbour, where tea costs little. ".repeat(30);
        for number in 0..8 {
            place.write(
                &format!("docs/harbour-{number}.md"),
                format!("# Harbour {number}\n\nThe year {number}. {long}\n"),
            );
        }
    }
    place.write("vouch.yaml", settings);
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    embedder.fail();
    let of_judge = trouble.judge.then_some(("VOUCH_JUDGE_READ_TIMEOUT_MS", "1"));
    let of_vocabulary = trouble.vocabulary.then_some(("VOUCH_TERMINOLOGY_TIMEOUT_MS", "100"));
    let hurry: Vec<(&str, &str)> = of_judge.into_iter().chain(of_vocabulary).collect();
    Server::over_with(place, &hurry)
}

fn words(value: Option<&Value>) -> BTreeSet<String> {
    let list = value.and_then(Value::as_array).cloned().unwrap_or_default();
    list.iter().filter_map(|word| Some(word.as_str()?.to_owned())).collect()
}

/// How often each flag was counted so far.
fn counts(server: &Server) -> Vec<f64> {
    let text = server.get("/metrics").body;
    let count = |flag: &str| {
        let series = format!("vouch_fallbacks_total{{flag=\"{flag}\"}} ");
        text.lines().find_map(|line| line.strip_prefix(series.as_str())?.parse().ok()).expect("a figure")
    };
    FLAGS.iter().map(|flag| count(flag)).collect()
}

/// The outcome and the flags of one request; the reply, the log, the figures and the trail must agree on them.
fn told(server: &Server, id: &str, query: &str) -> (String, BTreeSet<String>) {
    let before = counts(server);
    let got = server.post("/v1/ask", &json!({ "query": query }).to_string(), &format!("x-request-id: {id}\r\n"));
    assert_eq!(got.status, 200, "{}", got.body);
    let reply = got.json();
    let flags = words(reply.pointer("/retrieval_quality/fallback_reasons"));
    let counted = FLAGS.iter().zip(before).zip(counts(server)).filter(|((_, before), after)| *after == before + 1.0);
    let counted: BTreeSet<String> = counted.map(|((flag, _), _)| (*flag).to_owned()).collect();
    let lines = server.log_of(id);
    let complete = lines.iter().find(|line| line["event"] == "request_complete").expect("an end");
    let trail = replies::json(&server.place.run(&["audit", "show", id, "--json"]));
    assert_eq!(words(complete.get("fallback_flags")), flags, "the log, {query}: {lines:#?}");
    assert_eq!(counted, flags, "the figures, {query}");
    assert_eq!(words(trail.pointer("/trace/fallbacks")), flags, "the trail, {query}: {trail}");
    assert_eq!(reply.get("fallback_mode"), Some(&Value::from(!flags.is_empty())), "{reply}");
    let outcome = reply.get("outcome").and_then(Value::as_str).expect("an outcome");
    (outcome.to_owned(), flags)
}

fn check(trouble: Trouble) {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let server = server(trouble, &silent);
    let Trouble { vocabulary, embedder, judge, model } = trouble;
    let expect = |flags: &[(bool, &str)]| -> BTreeSet<String> {
        flags.iter().filter(|(is_up, _)| *is_up).map(|(_, flag)| (*flag).to_owned()).collect()
    };
    // Whatever the judge has not read is refused, so nobody writes; a refusal asks the vocabulary for terms to offer.
    let searched = expect(&[
        (embedder, "bm25_only"),
        (judge, "not_read_in_time"),
        (model && !judge, "llm_unavailable"),
        (vocabulary && judge, "skosmos_timeout"),
    ]);
    let outcome = if judge { "refused" } else { "answered" };
    let query = "How many days of paid annual leave do staff have?";
    assert_eq!(told(&server, "answer", query), (outcome.to_owned(), searched), "{trouble:?}");
    let refused = expect(&[(embedder, "bm25_only"), (judge, "not_read_in_time"), (vocabulary, "skosmos_timeout")]);
    let query = "How much does tea cost in the harbour?";
    assert_eq!(told(&server, "refusal", query), ("refused".to_owned(), refused), "{trouble:?}");
    // A list is read from the catalogue and its topic searched for, by the names that the vocabulary has for it too.
    let listed = expect(&[(embedder, "bm25_only"), (vocabulary, "skosmos_timeout")]);
    let query = "List documents about annual leave";
    assert_eq!(told(&server, "list", query), ("answered".to_owned(), listed.clone()), "{trouble:?}");
    // An address that nobody has is searched for nowhere; whether it is a term, the vocabulary is asked.
    let missing = expect(&[(vocabulary, "skosmos_timeout")]);
    let query = "What is NORM-9999?";
    assert_eq!(told(&server, "missing", query), ("refused".to_owned(), missing), "{trouble:?}");
    if vocabulary {
        let query = "What is a busbar?";
        assert_eq!(told(&server, "term", query), ("refused".to_owned(), listed), "{trouble:?}");
    }
}

#[test]
fn flags_are_the_same_in_reply_log_figures_and_trail() {
    Trouble::all().filter(|trouble| !trouble.judge).for_each(check);
}

#[test]
fn flags_are_the_same_where_the_judge_is_cut_short() {
    Trouble::all().filter(|trouble| trouble.judge).for_each(check);
}

/// The sum of a figure over its labels.
fn sum(text: &str, name: &str) -> f64 {
    let own = text.lines().filter(|line| line.starts_with(&format!("{name}{{")));
    own.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok()).sum()
}

#[test]
fn every_question_that_is_embedded_is_counted_however_it_ends() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let server = server(Trouble { vocabulary: true, embedder: false, judge: false, model: false }, &silent);
    let pin = json!({ "id": "leave", "phrases": ["Who gets leave?"], "references": ["docs/leave.md"] });
    let got = server.post("/v1/memory", &pin.to_string(), "");
    assert_eq!(got.status, 200, "{}", got.body);
    for (query, calls, searches) in [
        ("How many days of paid annual leave do staff have?", 1.0, 1.0),
        ("How much does tea cost in the harbour?", 1.0, 1.0),
        ("What is a busbar?", 1.0, 1.0),
        ("List documents about annual leave", 1.0, 1.0),
        ("Why does NORM-0012 speak of exchanges?", 1.0, 1.0),
        ("Who gets leave?", 1.0, 0.0),
        ("What is NORM-9999?", 0.0, 0.0),
        ("NORM-0012", 0.0, 0.0),
    ] {
        let before = server.get("/metrics").body;
        let got = server.post("/v1/ask", &json!({ "query": query }).to_string(), "");
        assert_eq!(got.status, 200, "{}", got.body);
        let after = server.get("/metrics").body;
        let more = |name: &str| sum(&after, name) - sum(&before, name);
        let services = |text: &str| {
            let series = "vouch_service_requests_total{service=\"embeddings\"} ";
            text.lines().find_map(|line| line.strip_prefix(series)?.parse::<f64>().ok()).expect("a figure")
        };
        assert_eq!(services(&after) - services(&before), calls, "calls: {query}");
        assert_eq!(more("embedding_request_total"), calls, "{query}\n{}", got.body);
        assert_eq!(more("retrieval_request_total"), searches, "{query}\n{}", got.body);
        assert_eq!(more("embedding_fail_total"), 0.0, "{query}");
    }
}
