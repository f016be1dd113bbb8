//! Lists, counts and numbered records of the sample architecture, through the binary: every condition counts, a record's
//! own fields answer for it, and what does not hold says so.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Place, server::Server};

fn profile(name: &str, file: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../profiles").join(name).join(file).display().to_string()
}

fn filled(name: &str) -> Server {
    let place = Place::new();
    let settings = std::fs::read_to_string(profile(name, "vouch.yaml")).expect("the profile's settings");
    place.write("vouch.yaml", settings);
    assert_eq!(place.run(&["ingest", &profile(name, "corpus")]).code, Some(0));
    assert_eq!(place.run(&["vocab", "import", &profile(name, "vocabulary.ttl")]).code, Some(0));
    Server::over(place)
}

fn ask(server: &Server, query: &str) -> Value {
    server.post("/v1/ask", &json!({ "query": query }).to_string(), "").json()
}

fn cited(reply: &Value) -> Vec<&str> {
    let citations = reply["citations"].as_array().into_iter().flatten();
    citations.filter_map(|citation| citation["document_id"].as_str()).collect()
}

fn notices(reply: &Value) -> String {
    reply["notices"].to_string()
}

#[test]
fn every_condition_of_a_list_counts_in_any_order() {
    let server = filled("architecture");
    let cases: &[(&str, &[&str])] = &[
        ("Show deprecated ADRs", &["adr-0008", "adr-0013"]),
        ("Which of the ADRs are deprecated?", &["adr-0008", "adr-0013"]),
        ("List all ADRs dated 2026", &["adr-0033", "adr-0034", "adr-0035"]),
        ("How many 2026 ADRs are there?", &["adr-0033", "adr-0034", "adr-0035"]),
        ("List proposed ADRs since 2026", &["adr-0033", "adr-0034", "adr-0035"]),
        ("Show ADRs that were rejected before 2024", &[]),
        ("How many ADRs about MQTT are there?", &["adr-0023"]),
        ("How many ADRs are there about MQTT?", &["adr-0023"]),
    ];
    for (question, expected) in cases {
        let reply = ask(&server, question);
        assert_eq!(reply["intent"], "list", "{question}: {reply}");
        let found = cited(&reply);
        if question.contains("MQTT") {
            assert!(found.contains(&"adr-0023") && found.len() < 32, "{question}: {found:?}");
        } else {
            assert_eq!(found, *expected, "{question}");
        }
    }
    assert_eq!(cited(&ask(&server, "Show ADRs")).len(), 32);
}

#[test]
fn two_kinds_in_one_are_both_listed() {
    let server = filled("architecture");
    for question in ["Security decisions and principles", "List security ADRs and principles"] {
        let reply = ask(&server, question);
        assert_eq!(reply["intent"], "list", "{question}: {reply}");
        let found = cited(&reply);
        let holds = |kind: &str| found.iter().any(|id| id.starts_with(kind));
        assert!(holds("adr-") && holds("principle-"), "{question}: {found:?}");
    }
    let whole = cited(&ask(&server, "Show me ADRs and policies")).len();
    assert_eq!(whole, cited(&ask(&server, "List ADRs")).len() + cited(&ask(&server, "List policies")).len());
    let neither = ask(&server, "Pumps and valves");
    assert_ne!(neither["intent"], "list", "{neither}");
}

#[test]
fn a_count_whose_condition_is_not_understood_is_not_given() {
    let server = filled("architecture");
    for question in [
        "How many ADRs written by left-handed people are there?",
        "How many ADRs has Ada signed?",
        "List the last five ADRs",
        "How many ADRs are not accepted?",
    ] {
        let reply = ask(&server, question);
        assert_ne!(reply["intent"], "list", "{question}");
        assert!(!reply["answer"].as_str().is_some_and(|answer| answer.contains("32")), "{question}: {reply}");
    }
}

#[test]
fn a_topic_is_matched_by_the_vocabulary_and_the_reply_says_so() {
    let server = filled("architecture");
    let reply = ask(&server, "List ADRs about authentication");
    let found = cited(&reply);
    assert!(found.contains(&"adr-0018") && found.contains(&"adr-0011"), "{found:?}");
    assert!(found.len() < 8, "{found:?}");
    assert!(notices(&reply).contains("ADR-0018"), "{}", notices(&reply));
}

#[test]
fn a_records_own_fields_answer_for_it() {
    let server = filled("architecture");
    for (question, part) in [
        ("Who owns ADR-0012?", "owner data.architecture@northmoor.example"),
        ("Is ADR-0010 still in force?", "superseded by ADR-0026"),
        ("When was ADR-0012 decided?", "2024-03-18"),
        ("What version is ADR-0018?", "version 1.1"),
        ("What is the title of ADR-0015?", "Encryption of Data in Transit"),
    ] {
        let reply = ask(&server, question);
        assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains(part)), "{question}: {reply}");
    }
}

#[test]
fn a_record_is_quoted_as_a_whole_or_on_what_was_asked() {
    let server = filled("architecture");
    let whole = ask(&server, "What does principle PR-07 say?");
    assert_eq!(cited(&whole).first(), Some(&"principle-07"), "{whole}");
    let about = ask(&server, "What does ADR-0012 say about IEC 61970?");
    assert!(about["answer"].as_str().is_some_and(|answer| answer.contains("IEC 61970-301")), "{about}");
    assert!(cited(&about).iter().all(|id| *id == "adr-0012"), "{about}");
    assert_eq!(ask(&server, "What does ADR-0012 say about whales?")["refused"], true);
    assert_eq!(ask(&server, "Who decided ADR-0012?")["refused"], true, "its owner is not who decided it");
}

#[test]
fn what_was_decided_is_told_by_the_decision_and_not_by_its_context() {
    let server = filled("architecture");
    for question in [
        "What is decided about TLS?",
        "What is decided about TLS versions?",
        "What is the TLS decision in ADRs?",
        "What did we decide about TLS?",
    ] {
        let reply = ask(&server, question);
        assert!(cited(&reply).contains(&"adr-0015"), "{question}: {reply}");
        assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("TLS 1.3")), "{question}: {reply}");
    }
    for question in ["What is decided about lunch?", "What is the decision on company cars?"] {
        assert_eq!(ask(&server, question)["outcome"], "refused", "{question}");
    }
}

const RECORDS: &str = "understand:\n  addresses:\n    - { kind: ADR, pattern: '(?i)\\bADR-(?P<number>\\d+)\\b', normal: 'ADR-{number:4}', lead_section: \
                       Decision }\n  kind_names: { ADR: [decision] }\n";

fn record(number: u32, title: &str, status: &str, sections: &str) -> String {
    format!(
        "---\nid: adr-{number}\ntitle: {title}\nkind: ADR\naddress: ADR-{number:04}\nstatus: {status}\n---\n\n{sections}\n"
    )
}

#[test]
fn what_was_rejected_replaced_or_is_not_in_its_section_is_not_what_was_decided() {
    let place = Place::new();
    place.write("vouch.yaml", RECORDS);
    let decision = |text: &str| format!("## Context\n\nTunnels were discussed.\n\n## Decision\n\n{text}");
    let records = [
        (7, "Tunnels everywhere", "rejected", decision("Every link runs through a tunnel of cast iron.")),
        (8, "Tunnels of lead", "Superseded by another", decision("Tunnels are made of lead.")),
        (
            9,
            "Tunnels by outcome",
            "accepted",
            "## Outcome\n\nTunnels of copper were considered and dropped.".to_owned(),
        ),
        (15, "Protected links", "accepted", decision("Links that leave the site run through tunnels of steel.")),
    ];
    for (number, title, status, sections) in records {
        place.write(&format!("docs/{number}.md"), record(number, title, status, &sections));
    }
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let ran = place.run(&["ask", "What is decided about tunnels?", "--json"]);
    let reply: Value = serde_json::from_str(&ran.out).expect("JSON");
    let answer = reply["answer"].as_str().unwrap_or_default();
    assert!(answer.contains("steel"), "{reply}");
    assert!(!answer.contains("iron") && !answer.contains("lead.") && !answer.contains("copper"), "{reply}");
}

#[test]
fn what_is_only_proposed_says_so() {
    let server = filled("architecture");
    let reply = ask(&server, "What is decided about key exchange?");
    assert!(cited(&reply).contains(&"adr-0033"), "{reply}");
    assert!(notices(&reply).contains("ADR-0033 is proposed, not decided."), "{}", notices(&reply));
}

#[test]
fn a_verse_that_is_named_is_looked_for_beyond_itself() {
    let server = filled("lectures");
    let reply = ask(&server, "What do the lectures say about the rule in CV 2.4?");
    assert!(cited(&reply).iter().any(|id| id.starts_with("lecture-")), "{reply}");
}

#[test]
fn ranges_of_verses_are_spelt_out_and_never_cut() {
    let server = filled("lectures");
    let ids = |from: u32, to: u32| (from..=to).map(|verse| format!("verses § 2.{verse}")).collect::<Vec<_>>();
    for (question, expected) in [
        ("CV 2.4-2.5", ids(4, 5)),
        ("CV 2.4-6", ids(4, 6)),
        ("CV 2.4 to 2.6", ids(4, 6)),
        ("What do verses 2.4 to 2.6 say?", ids(4, 6)),
    ] {
        assert_eq!(cited(&ask(&server, question)), expected, "{question}");
    }
    assert_eq!(ask(&server, "CV 2.4-3.1")["abstain_reason"], "entity_not_found");
}
