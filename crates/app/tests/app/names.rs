//! Terms, lists and addresses through the binary: taken in, looked up, refused, and left alone by a bad file.
#![expect(clippy::panic, reason = "a broken test should stop where it breaks")]

use serde_json::Value;

use crate::support::{Place, Ran, finish, replies};

const TERMS: &str = r#"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix t: <https://terms.test/> .
t:grid a skos:ConceptScheme ; skos:prefLabel "Grid terms"@en .
t:busbar a skos:Concept ; skos:inScheme t:grid ; skos:prefLabel "Busbar"@en ; skos:altLabel "bus bar"@en ;
  skos:definition "A conductor that joins several circuits."@en .
t:model a skos:Concept ; skos:prefLabel "Common Information Model"@en ; skos:altLabel "CIM"@en ;
  skos:definition "A model of the grid."@en .
t:module a skos:Concept ; skos:prefLabel "Customer Interface Module"@en ; skos:altLabel "CIM"@en ;
  skos:definition "A part of a meter."@en .
"#;

const SETTINGS: &str = r#"
understand:
  addresses:
    - kind: ADR
      pattern: '(?i)\bADR[-. ]?(?P<number>\d+)\b'
      normal: 'ADR-{number:4}'
      lead_section: Decision
"#;

struct Team {
    place: Place,
}

impl Team {
    fn new() -> Self {
        let place = Place::new();
        place.write("vouch.yaml", SETTINGS);
        for (number, title, extra, decision) in [
            (9, "Old Exchange", "status: superseded\nsuperseded_by: ADR-0012\n", "Models travel as files."),
            (12, "CIM Standard", "status: accepted\n", "Every busbar is modelled in CIM."),
            (31, "Event Bus", "status: accepted\n", "Events travel over the bus."),
        ] {
            let text = format!(
                "---\nid: adr-{number}\ntitle: {title}\nkind: ADR\naddress: ADR-{number:04}\n{extra}---\n# {title}\n\n\
                 ## Context\n\nThere was a need.\n\n## Decision\n\n{decision}\n"
            );
            place.write(&format!("documents/{number}.md"), text);
        }
        let team = Self { place };
        assert_eq!(team.place.run(&["ingest", "documents"]).code, Some(0));
        team
    }

    fn json(&self, words: &[&str]) -> Value {
        let ran = self.place.run(&[words, &["--json"]].concat());
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err))
    }

    fn import(&self, name: &str, text: &str) -> Ran {
        self.place.write(name, text);
        self.place.run(&["vocab", "import", name])
    }
}

#[test]
fn a_search_by_address_for_what_is_no_address_finds_nothing() {
    let team = Team::new();
    let ran = team.place.run(&["search", "busbar", "--lane", "address", "--json"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "[]"), "{}", ran.err);
}

#[test]
fn a_term_is_defined_by_the_vocabulary_and_by_nothing_else() {
    let team = Team::new();
    let without = team.place.run(&["term", "busbar"]);
    assert_eq!(without.code, Some(2), "there is no vocabulary yet");
    assert_eq!(team.import("terms.ttl", TERMS).code, Some(0));
    let reply = team.json(&["ask", "What is a bus bar?"]);
    assert_eq!((&reply["outcome"], &reply["intent"]), (&Value::from("answered"), &Value::from("terminology")));
    assert_eq!(reply["answer"], "A conductor that joins several circuits. [^1]");
    assert_eq!(reply["citations"][0]["document_id"], "https://terms.test/busbar");
    assert_eq!(reply["citations"][0]["collection"], "Grid terms");
    assert_eq!(team.json(&["term", "BUSBAR"])["answer"], reply["answer"]);
    let unknown = team.json(&["ask", "What is FooBarBaz?"]);
    assert_eq!(
        (&unknown["refused"], &unknown["abstain_reason"]),
        (&Value::from(true), &Value::from("terminology_not_found"))
    );
    let several = team.json(&["ask", "What is CIM?"]);
    assert_eq!((&several["outcome"], &several["refused"]), (&Value::from("clarify"), &Value::from(false)));
    assert_eq!(several["suggestions"].as_array().map(Vec::len), Some(2));
    assert_eq!(several["claims"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_bad_file_names_its_line_and_leaves_the_vocabulary_as_it_was() {
    let team = Team::new();
    team.import("terms.ttl", TERMS);
    for (name, text) in [
        ("terms.ttl", "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\n<x> skos:prefLabel \"open .\n"),
        (
            "terms.rdf",
            "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n<broken>\n",
        ),
    ] {
        let output = team.import(name, text);
        let told = output.err;
        assert_eq!(output.code, Some(1), "{told}");
        assert!(told.contains(name) && told.contains("line "), "{told}");
    }
    assert_eq!(team.json(&["term", "busbar"])["outcome"], "answered");
}

#[test]
fn documents_by_address_and_by_kind() {
    let team = Team::new();
    for spelling in ["ADR-0012", "adr 12", "what does ADR.0012 decide?"] {
        let reply = team.json(&["ask", spelling]);
        assert_eq!(reply["citations"][0]["document_id"], "adr-12", "{spelling}");
        assert!(
            reply["answer"].as_str().is_some_and(|text| text.contains("Every busbar is modelled in CIM.")),
            "{reply}"
        );
    }
    let old = team.json(&["ask", "ADR-9"]);
    assert_eq!(old["notices"][0], "ADR-0009 is superseded by ADR-0012; read that first.");
    let missing = team.json(&["ask", "ADR-9999"]);
    assert_eq!(missing["abstain_reason"], "entity_not_found");
    assert_eq!(missing["suggestions"][0]["label"], "ADR-0031 (Event Bus)");
    let listed = team.json(&["list", "adrs"]);
    let ids: Vec<&str> =
        listed["citations"].as_array().expect("rows").iter().filter_map(|row| row["document_id"].as_str()).collect();
    assert_eq!(ids, ["adr-9", "adr-12", "adr-31"]);
    assert_eq!(listed["citations"][0]["quote"], Value::Null);
    assert_eq!(team.json(&["ask", "List ADRs"])["answer"], listed["answer"]);
    assert_eq!(team.place.run(&["list", "chapter"]).code, Some(2));
    let shown = team.json(&["show", "adr 31"]);
    assert_eq!((&shown["document_id"], &shown["status"]), (&Value::from("adr-31"), &Value::from("accepted")));
    let ran = team.place.run(&["show", "ADR-77"]);
    assert_eq!((ran.code, ran.out.contains("No document is called 'ADR-77'. Near it: ADR-0031")), (Some(0), true));
    let found = team.json(&["search", "busbar"]);
    let source = found[0]["source_id"].as_str().expect("a hit");
    let title = found[0]["title"].as_str().expect("its title");
    let (by_id, by_title) = (team.json(&["show", source]), team.json(&["show", &title.to_uppercase()]));
    assert_eq!(by_id, by_title);
    assert_eq!(by_id["document_id"], found[0]["document_id"]);
}

#[test]
fn the_doctor_checks_who_is_who() {
    let team = Team::new();
    let health = team.json(&["doctor"]);
    assert_eq!((&health["sound"], &health["identity_disagreements"]), (&Value::from(true), &Value::from(0)));
    assert_eq!(health["missing_successors"], Value::Array(Vec::new()));
    for (name, successor) in [("old", "New Rule"), ("older", "documents/new.md")] {
        let text = format!("---\nsuperseded_by: {successor}\n---\n# The {name} Rule\n\nThe gate is {name}.\n");
        team.place.write(&format!("documents/{name}.md"), text);
    }
    team.place.write("documents/new.md", "# New Rule\n\nThe gate is new.\n");
    assert_eq!(team.place.run(&["ingest", "documents"]).code, Some(0));
    assert_eq!(team.json(&["doctor"])["missing_successors"], Value::Array(Vec::new()), "by its title or its id");
    std::fs::remove_file(team.place.path("documents/12.md")).expect("removed");
    assert_eq!(team.place.run(&["ingest", "documents", "--prune-many"]).code, Some(0));
    assert_eq!(team.json(&["doctor"])["missing_successors"][0], "adr-9 names ADR-0012");
}

/// A server that takes connections and does as it is told with each.
fn server(answer: fn(std::net::TcpStream)) -> std::io::Result<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
    Ok(format!("terminology:\n  source: skosmos\n  skosmos_url: http://{address}/rest/v1\n"))
}

#[test]
fn a_skosmos_that_stalls_or_fails_is_an_honest_no_with_its_own_reason() {
    let team = Team::new();
    let stalled: fn(std::net::TcpStream) = |connection| {
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(600));
            drop(connection);
        });
    };
    let broken: fn(std::net::TcpStream) = |mut connection| {
        use std::io::{Read, Write};
        let _ = connection.read(&mut [0; 4096]);
        let _ = connection
            .write_all(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    };
    // A server that answers at once is given time to, also on a busy machine.
    for (answer, reason, timeout_ms) in
        [(stalled, "terminology_timeout", "300"), (broken, "terminology_error", "60000")]
    {
        team.place.write("skosmos.yaml", server(answer).expect("a server"));
        let asked = std::time::Instant::now();
        let mut command = team.place.vouch(&["ask", "What is a busbar?", "--config", "skosmos.yaml", "--json"]);
        command.env("VOUCH_TERMINOLOGY_TIMEOUT_MS", timeout_ms);
        let reply = replies::json(&finish(command));
        assert_eq!(
            (&reply["abstain_reason"], &reply["refused"]),
            (&Value::from(reason), &Value::from(true)),
            "{reply}"
        );
        assert!(
            reply["refusal_reason"].as_str().is_some_and(|told| told.contains("unable to verify \"busbar\"")),
            "{reply}"
        );
        assert_eq!(reply["suggestions"][0]["query"], "ADR-0012", "the document that mentions it is offered");
        assert!(asked.elapsed() < std::time::Duration::from_secs(300), "the server's ten minutes were not waited for");
    }
}
