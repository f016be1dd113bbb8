//! `--log json` and what the lines hold: every line is an object, whatever the command, and nobody's words are in them
//! unless the settings say so.

use std::fs::File;

use serde_json::{Value, json};

use crate::support::{
    Place, finish,
    server::{LEAVE, Server},
};

const ASKED: &str = "How many days of paid annual leave do staff have?";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://terms.example/busbar> a skos:Concept ; skos:prefLabel \"busbar\"@en ;\n\
    skos:definition \"A conductor that several circuits are joined to.\"@en .\n";

/// The lines of standard error, each of which must be an object with the fields that every line has.
fn lines(words: &[&str], text: &str) -> Vec<Value> {
    let line = |line: &str| {
        let read: Value = serde_json::from_str(line).unwrap_or_default();
        for field in ["timestamp", "level", "component", "event"] {
            assert!(read.get(field).is_some_and(Value::is_string), "{words:?}: no {field} in {line}");
        }
        read
    };
    text.lines().map(line).collect()
}

fn filled() -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("terms.ttl", TERMS);
    place.write("memory.yaml", "- {id: m1, kind: pinned, questions: [Who gets leave?], references: [docs/leave.md]}\n");
    let golden = json!({ "id": "g1", "query": ASKED, "split": "test", "must_contain": ["26"] });
    place.write("golden.jsonl", format!("{golden}\n"));
    place.write("questions.txt", format!("{ASKED}\n"));
    place
}

#[test]
fn with_log_json_every_line_of_every_command_is_an_object() {
    let place = filled();
    for words in [
        &["ask", "Is there anything?"][..],
        &["init", "fresh"],
        &["ingest", "docs"],
        &["ingest", "nothing-there"],
        &["vocab", "import", "terms.ttl"],
        &["vocab", "import", "memory.yaml"],
        &["memory", "import", "memory.yaml"],
        &["memory", "list"],
        &["ask", ASKED],
        &["ask", ASKED, "--model", "none"],
        &["chat"],
        &["search", "leave"],
        &["check", "Staff have leave.", "--evidence", "docs/leave.md"],
        &["term", "busbar"],
        &["list", "document"],
        &["show", "docs/leave.md"],
        &["show", "nothing"],
        &["user", "add", "mira", "--email", "mira@tarnside.example"],
        &["tag", "list"],
        &["key", "add", "ops"],
        &["audit", "list"],
        &["audit", "show", "nobody"],
        &["metrics", "--dump"],
        &["doctor"],
        &["store", "backup", "copy"],
        &["reembed"],
        &["completions", "bash"],
        &["eval", "run", "--golden", "golden.jsonl"],
        &["mcp"],
        &["demo", "--chat"],
        &["demo", "--chat", "--profile", "nothing"],
    ] {
        let mut command = place.vouch(&[words, &["--log", "json"]].concat());
        command.stdin(File::open(place.path("questions.txt")).expect("questions"));
        command.env("VOUCH_SERVE_LISTEN", "127.0.0.1:1");
        let ran = finish(command);
        let own = lines(words, &ran.err);
        assert!(ran.code == Some(0) || !own.is_empty(), "{words:?} fails without a word");
        let is_asked = ran.code == Some(0) && matches!(words[0], "ask" | "chat" | "demo");
        assert_eq!(own.iter().any(|line| line["event"] == "request_complete"), is_asked, "{words:?}: {}", ran.err);
    }
}

#[test]
fn a_server_with_log_json_writes_nothing_else() {
    let place = filled();
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let command = place.vouch(&["serve", "--listen", "127.0.0.1:0", "--log", "json"]);
    let server = Server::started(place, command);
    lines(&["serve"], &server.listening);
    assert_eq!(server.get("/readyz").status, 200);
    assert_eq!(server.post("/v1/ask", &json!({ "query": ASKED }).to_string(), "x-request-id: a\r\n").status, 200);
    server.log_of("a");
    lines(&["serve"], &server.said());
}

#[test]
fn questions_and_terms_are_in_the_log_where_the_settings_say_so() {
    for is_logged in [false, true] {
        let place = filled();
        place.write("vouch.yaml", format!("serve: {{ log_questions: {is_logged} }}\n"));
        for words in [&["ingest", "docs"][..], &["vocab", "import", "terms.ttl"][..]] {
            assert_eq!(place.run(words).code, Some(0));
        }
        let server = Server::over(place);
        let query = "What is a busbar?";
        let got = server.post("/v1/ask", &json!({ "query": query }).to_string(), "x-request-id: t\r\n");
        assert_eq!(got.status, 200, "{}", got.body);
        let own = server.log_of("t");
        let of = |event: &str| own.iter().find(|line| line["event"] == event).expect("a line");
        let told = |line: &Value, field: &str| line[field].as_str().map(str::to_owned);
        assert_eq!(told(of("request_start"), "query"), is_logged.then(|| query.to_owned()));
        assert_eq!(told(of("lookup_complete"), "term"), is_logged.then(|| "busbar".to_owned()));
        assert_eq!(server.said().contains("busbar"), is_logged, "{}", server.said());
        let ran = server.stop().run(&["ask", ASKED, "--log", "json"]);
        assert_eq!(ran.err.contains("annual leave"), is_logged, "{}", ran.err);
    }
}
