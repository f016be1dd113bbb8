//! Vocabulary first, through the binary: whatever a definition question looks like, a label of the vocabulary wins.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{Arc, Barrier},
};

use serde_json::{Value, json};

use crate::support::{Place, replies::ask, server::Server};

/// Every way to ask for a definition; `X` is the term.
const TEMPLATES: &[&str] = &[
    "What is X?",
    "what is X",
    "What is a X?",
    "What is the X?",
    "What's X?",
    "What are X?",
    "Define X",
    "Meaning of X",
    "meaning of X",
    "Definition of X",
    "What is the meaning of X?",
    "CIM term X",
    "Explain the term X",
    "Explain term X",
    "What does X mean?",
    "Explain X",
    "Tell me what X means",
    "Tell me what X is",
    "What exactly is X?",
    "What is X exactly?",
    "What do we mean by X?",
];

fn profile(file: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../profiles/architecture");
    folder.join(file).display().to_string()
}

/// The profile's corpus and vocabulary, taken in.
fn filled() -> Place {
    let place = Place::new();
    place.write("vouch.yaml", std::fs::read_to_string(profile("vouch.yaml")).expect("the profile's settings"));
    assert_eq!(place.run(&["ingest", &profile("corpus")]).code, Some(0));
    assert_eq!(place.run(&["vocab", "import", &profile("vocabulary.ttl")]).code, Some(0));
    place
}

/// Every label in the vocabulary's file, whatever its language.
fn labels() -> Vec<String> {
    let text = std::fs::read_to_string(profile("vocabulary.ttl")).expect("the profile's vocabulary");
    let is_label = |line: &&str| line.contains("skos:prefLabel \"") || line.contains("skos:altLabel \"");
    let mut labels: Vec<String> =
        text.lines().filter(is_label).flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned).collect();
    labels.sort();
    labels.dedup();
    labels
}

/// Whether a reply rests on the vocabulary alone: a definition, its meanings to choose from, or that it has none.
fn is_of_the_vocabulary(reply: &Value) -> bool {
    let cited = reply.get("citations").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_term = |citation: &Value| citation.get("kind") == Some(&json!("term"));
    let is_miss = reply.get("abstain_reason") == Some(&json!("terminology_not_found"));
    is_miss || (!cited.is_empty() && cited.iter().all(is_term))
}

#[test]
fn no_label_in_any_definition_question_is_answered_from_mentions() {
    let server = Server::over(filled());
    let labels = labels();
    assert!(labels.len() > 150, "{} labels", labels.len());
    let mut leaks = Vec::new();
    for label in &labels {
        for template in TEMPLATES {
            let asked = json!({ "query": template.replace('X', label) });
            let reply = server.post("/v1/ask", &asked.to_string(), "").json();
            if !is_of_the_vocabulary(&reply) {
                leaks.push(template.replace('X', label));
            }
        }
    }
    assert!(leaks.is_empty(), "{} of {}: {leaks:?}", leaks.len(), labels.len() * TEMPLATES.len());
}

#[test]
fn an_unknown_term_offers_the_nearest() {
    let place = filled();
    let reply = ask(&place, "What is FooBarBaz?", &[]);
    assert_eq!(reply["abstain_reason"], "terminology_not_found");
    let offered: Vec<&str> =
        reply["suggestions"].as_array().into_iter().flatten().filter_map(|one| one["query"].as_str()).collect();
    assert!(offered.contains(&"Define busbar"), "{offered:?}");
}

/// Answers every request with what a function makes of its first line.
fn skosmos(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || serve(stream, answer.as_ref()));
        }
    });
    format!("terminology:\n  source: skosmos\n  timeout_ms: 60000\n  skosmos_url: http://{address}/rest/v1\n")
}

fn serve(mut stream: TcpStream, answer: &dyn Fn(&str) -> String) {
    let mut head = [0_u8; 4096];
    let read = stream.read(&mut head).unwrap_or(0);
    let said = String::from_utf8_lossy(head.get(..read).unwrap_or_default()).into_owned();
    let body = answer(said.lines().next().unwrap_or_default());
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length";
    let _ = stream.write_all(format!("{head}: {}\r\n\r\n{body}", body.len()).as_bytes());
}

fn place_with(settings: &str) -> Place {
    let place = Place::new();
    place.write("vouch.yaml", settings);
    place.write("docs/tap.md", "# Taps\n\nThe tap of the transformer is changed at night.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    place
}

#[test]
fn a_miss_at_a_skosmos_server_is_one_round_trip() {
    // The server answers no search for the term before another has come, so whoever asks one after the other waits for ever.
    let both = Barrier::new(2);
    let settings = skosmos(move |line| {
        if line.contains("query=foobarbaz&") {
            both.wait();
        }
        r#"{"results": []}"#.to_owned()
    });
    let reply = ask(&place_with(&settings), "What is FooBarBaz?", &[]);
    assert_eq!(reply["abstain_reason"], "terminology_not_found", "{reply}");
}

#[test]
fn a_term_of_two_meanings_in_one_scheme_of_a_server_can_be_chosen() {
    let settings = skosmos(|line| {
        let hit = |uri: &str, meaning: &str| json!({ "uri": uri, "prefLabel": "Tap", "lang": "en", "vocab": "grid", "definition": [meaning] });
        let results = if line.contains("query=tap&") {
            vec![hit("http://t/1", "A point on a winding."), hit("http://t/2", "A valve with a handle.")]
        } else {
            Vec::new()
        };
        json!({ "results": results }).to_string()
    });
    let place = place_with(&settings);
    let reply = ask(&place, "What is a tap?", &[]);
    assert_eq!(reply["outcome"], "clarify", "{reply}");
    let options: Vec<&str> =
        reply["suggestions"].as_array().into_iter().flatten().filter_map(|one| one["query"].as_str()).collect();
    assert_eq!(options, ["Define Tap (A point on a winding)", "Define Tap (A valve with a handle)"]);
    for (query, meaning) in options.iter().zip(["A point on a winding.", "A valve with a handle."]) {
        let chosen = ask(&place, query, &[]);
        assert!(chosen["answer"].as_str().is_some_and(|answer| answer.starts_with(meaning)), "{chosen}");
    }
}

const THREE_TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <https://t.example/1> a skos:Concept ; skos:prefLabel \"tap\"@en ; skos:definition \"A point on a winding.\"@en .\n\
    <https://t.example/2> a skos:Concept ; skos:prefLabel \"bus\"@en ; skos:definition \"A node of the grid.\"@en .\n\
    <https://t.example/3> a skos:Concept ; skos:prefLabel \"gauge\"@en .\n";

#[test]
fn an_imported_vocabulary_takes_no_answer_of_the_documents_away_and_can_be_taken_out() {
    let place = Place::new();
    place.write("docs/travel.md", "# Travel by Car\n\nThe mileage rate is 67 cents for each mile driven.\n");
    place.write("terms.ttl", THREE_TERMS);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let answered = |notices: usize| {
        let reply = ask(&place, "What is the mileage rate?", &[]);
        assert_eq!(reply["outcome"], "answered", "{reply}");
        assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("67 cents")), "{reply}");
        let said = reply["notices"].as_array().into_iter().flatten().filter_map(Value::as_str);
        assert_eq!(
            said.filter(|notice| notice.contains("not a definition from the vocabulary")).count(),
            notices,
            "{reply}"
        );
    };
    answered(0);
    assert_eq!(place.run(&["vocab", "import", "terms.ttl"]).code, Some(0));
    answered(1);
    assert_eq!(ask(&place, "What is a tap?", &[])["citations"][0]["kind"], "term");
    let listed = place.run(&["vocab", "list"]);
    assert!(listed.out.trim_end().ends_with("terms.ttl: 3 concepts, 2 with a definition"), "{}", listed.out);
    let unknown = place.run(&["vocab", "remove", "others.ttl"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (Some(1), ""), "{}", unknown.err);
    let removed = place.run(&["vocab", "remove", "terms.ttl"]);
    assert!(removed.out.trim_end().ends_with("terms.ttl: 3 concepts removed"), "{}{}", removed.out, removed.err);
    assert_eq!(place.run(&["vocab", "list"]).out, "");
    answered(0);
}

#[test]
fn no_label_of_the_vocabulary_is_answered_with_low_confidence() {
    let server = Server::over(filled());
    for label in labels() {
        let reply = server.post("/v1/ask", &json!({ "query": format!("Define {label}") }).to_string(), "").json();
        let is_answered = reply["outcome"] == "answered";
        assert!(!is_answered || reply["confidence"]["overall"] == 100, "{label}: {reply}");
    }
}
