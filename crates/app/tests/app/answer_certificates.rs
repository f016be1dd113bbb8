//! `vouch ask --certificate` and `vouch verify`: what an answer rests on, and whether it still stands.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};

use crate::{
    support::{
        Place, Ran,
        model::{Manner, ModelServer},
        replies,
    },
    support_desk::desk,
};

const ASKED: &str = "How tall is the mast?";
const MAST: &str = "---\nid: mast\naccess: [crew]\n---\n# The mast\n\nThe mast is 10 metres tall. It stands on the quay.\n\n\
                    ## Paint\n\nThe boat shed beside it is painted by the carpenter every spring.\n";
const RECORD: &str = "---\nid: adr-1\nkind: ADR\naddress: ADR-0001\nstatus: accepted\n---\n# One Gateway\n\nAll calls pass \
                      the gateway.\n";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<https://t.example/busbar> a skos:Concept ;\n  \
                     skos:prefLabel \"Busbar\"@en ;\n  skos:definition \"A conductor that joins several circuits.\"@en .\n";
const SHED: &str = "---\nid: shed\n---\n# The boat shed\n\nThe boat shed key hangs behind the office door.\n";
const ENTRY: &str = "- id: key\n  kind: pinned\n  questions: [\"Where is the shed key?\"]\n  references: [shed]\n";

fn run(place: &Place, words: &[&str]) -> Ran {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran
}

fn place() -> Place {
    let place = Place::new();
    place.write("docs/mast.md", MAST);
    run(&place, &["ingest", "docs"]);
    run(&place, &["user", "add", "mira", "--email", "mira@quay.example", "--tags", "crew"]);
    place
}

/// Asks for a certificate, and reads it.
fn certified(place: &Place, question: &str, words: &[&str]) -> Value {
    run(place, &[&["ask", question, "--certificate", "answer.json"], words].concat());
    read(place)
}

fn read(place: &Place) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path("answer.json")).expect("a certificate")).expect("JSON")
}

/// Puts other words into a document and takes it in again.
fn edit(place: &Place, from: &str, to: &str) {
    let edited = MAST.replace(from, to);
    assert_ne!(edited, MAST);
    place.write("docs/mast.md", edited);
    run(place, &["ingest", "docs"]);
}

/// The exit code, and what is told of it as JSON.
fn verified(place: &Place) -> (Option<i32>, Value) {
    let ran = place.run(&["verify", "answer.json", "--json"]);
    (ran.code, replies::json(&ran))
}

/// What each source is, and how it stands.
fn standings(told: &Value) -> Vec<(&str, &str)> {
    let text = |source: &'static str, of: &'static str| move |one: &Value| (one[source].clone(), one[of].clone());
    let pairs = told["sources"].as_array().into_iter().flatten().map(text("kind", "standing"));
    let known = |word: &Value, words: &[&'static str]| words.iter().find(|own| *word == ***own).copied().unwrap_or("?");
    let kinds = ["document", "card", "term", "entry", "tool"];
    let all = ["unchanged", "quote_stands", "quote_gone", "unavailable", "unchecked"];
    pairs.map(|(kind, standing)| (known(&kind, &kinds), known(&standing, &all))).collect()
}

/// What has changed beside the sources.
fn changed(told: &Value) -> Vec<&str> {
    let all = told["circumstances"].as_array().into_iter().flatten();
    all.filter(|one| one["same"] == false).filter_map(|one| one["name"].as_str()).collect()
}

#[test]
fn a_certificate_says_what_the_answer_rests_on_and_holds_while_nothing_changes() {
    let place = place();
    let answer = certified(&place, ASKED, &["--json"]);
    let source = &answer["sources"][0];
    assert_eq!((&answer["format"], &answer["outcome"]), (&json!("vouch-answer/1"), &json!("answered")));
    assert_eq!((&source["id"], &source["hash"].as_str().map(str::len)), (&json!("mast"), &Some(64)));
    let quote = source["quotes"][0]["text"].as_str().expect("a quote");
    assert!(quote.contains("10 metres tall"), "{source}");
    let span = &source["quotes"][0]["span"];
    let length = span["end"].as_u64().zip(span["start"].as_u64()).map(|(end, start)| end - start);
    assert_eq!(length, u64::try_from(quote.chars().count()).ok());
    assert_eq!(answer["reader"], json!({ "tenant": "default", "user": null, "tags": null }));
    for place in ["/gates/0/reading", "/confidence/overall", "/state/store", "/circumstances/settings", "/digest"] {
        assert!(answer.pointer(place).is_some_and(|value| !value.is_null()), "{place}");
    }
    let ran = run(&place, &["verify", "answer.json"]);
    assert!(ran.out.contains("[^1] document  unchanged: The mast (mast)"), "{}", ran.out);
    assert!(ran.out.contains("It holds: the file is whole and every source is unchanged."), "{}", ran.out);
    let (code, told) = verified(&place);
    assert_eq!((code, changed(&told)), (Some(0), vec![]), "{told}");
}

#[test]
fn a_change_elsewhere_in_a_document_is_told_and_the_quote_stands() {
    let place = place();
    certified(&place, ASKED, &["--stream"]);
    edit(&place, "every spring", "every other year");
    let (code, told) = verified(&place);
    assert_eq!((code, standings(&told)), (Some(0), vec![("document", "quote_stands")]), "{told}");
    assert_eq!(changed(&told), ["documents"]);
    // Other lines and another place are not other words.
    edit(&place, "The mast is 10 metres tall.", "Much has changed.\n\nThe mast\nis 10 metres tall.");
    assert_eq!(verified(&place).0, Some(0));
}

#[test]
fn a_quote_that_was_edited_away_is_named_with_its_document() {
    let place = place();
    certified(&place, ASKED, &[]);
    edit(&place, "is 10 metres", "is 110 metres");
    let ran = place.run(&["verify", "answer.json"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("CHANGED (the quote is gone): The mast (mast); gone: \"The mast is 10"), "{}", ran.out);
    assert!(ran.out.contains("It does not hold: the quote is gone from The mast."), "{}", ran.out);
    // What is shown around the sentence that answers counts as well.
    edit(&place, "on the quay", "in the yard");
    let (code, told) = verified(&place);
    assert_eq!((code, standings(&told)), (Some(1), vec![("document", "quote_gone")]), "{told}");
    assert!(told["sources"][0]["missing"].to_string().contains("on the quay"), "{told}");
}

#[test]
fn a_heading_that_turns_what_stands_under_it_is_a_quote() {
    let place = Place::new();
    let text = "# Side work\n\n## What is not allowed\n\nSelling coffee on the ferry to passengers.\n";
    place.write("docs/work.md", text);
    run(&place, &["ingest", "docs"]);
    let answer = certified(&place, "What is said of selling coffee on the ferry?", &[]);
    assert!(answer["sources"].to_string().contains("{\"span\":null,\"text\":\"What is not allowed\"}"), "{answer}");
    place.write("docs/work.md", text.replace("not allowed", "welcome"));
    run(&place, &["ingest", "docs"]);
    let (code, told) = verified(&place);
    assert_eq!((code, &told["sources"][0]["missing"]), (Some(1), &json!(["What is not allowed"])), "{told}");
}

#[test]
fn what_was_removed_and_what_is_closed_to_the_reader_look_alike() {
    let told = |change: &dyn Fn(&Place)| {
        let place = place();
        certified(&place, ASKED, &["--user", "mira"]);
        assert_eq!(read(&place)["reader"], json!({ "tenant": "default", "user": "mira", "tags": null }));
        assert_eq!(verified(&place).0, Some(0));
        change(&place);
        let ran = place.run(&["verify", "answer.json"]);
        assert_eq!(ran.code, Some(1), "{}", ran.out);
        let about = |line: &&str| line.contains("document") || line.contains("does not hold");
        ran.out.lines().filter(about).filter(|line| !line.contains("generation")).map(str::to_owned).collect::<Vec<_>>()
    };
    let removed = told(&|place| {
        std::fs::remove_file(place.path("docs/mast.md")).expect("a file");
        run(place, &["ingest", "docs", "--prune-many"]);
    });
    let closed = told(&|place| drop(run(place, &["user", "add", "mira", "--email", "m@q.example", "--tags", "guest"])));
    let gone = told(&|place| drop(run(place, &["user", "remove", "mira"])));
    let sentence = "[^1] document  MISSING (removed, or no longer open to this reader): The mast (mast)";
    assert_eq!(removed.first().map(String::as_str), Some(sentence));
    assert_eq!(removed.len(), 2, "{removed:?}");
    let verdict = |lines: &[String]| lines.last().cloned();
    assert_eq!((verdict(&closed), verdict(&gone)), (verdict(&removed), verdict(&removed)));
    assert!(closed.contains(&sentence.to_owned()) && gone.contains(&sentence.to_owned()), "{closed:?} {gone:?}");
}

#[test]
fn a_file_that_was_changed_is_noticed_and_other_white_space_is_not() {
    let place = place();
    let answer = certified(&place, ASKED, &[]);
    let text = std::fs::read_to_string(place.path("answer.json")).expect("a certificate");
    place.write("answer.json", text.replace('\n', "\r\n    "));
    assert_eq!(verified(&place).0, Some(0));
    let words = answer["answer"].as_str().expect("an answer");
    let edits = [
        (words, "The mast is 99 metres tall."),
        ("\"passed\": true", "\"passed\": false"),
        ("\"request_id\": \"req", "\"request_id\": \"raq"),
        ("\"digest\": \"", "\"digest\": \"0"),
    ];
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        place.write("answer.json", text.replace(from, to));
        let (code, told) = verified(&place);
        assert_eq!((code, &told["whole"]), (Some(1), &json!(false)), "{from}: {told}");
    }
    assert!(place.run(&["verify", "answer.json"]).out.contains("the file was changed after it was written"));
}

#[test]
fn other_settings_are_told_and_change_no_quote() {
    let place = place();
    certified(&place, ASKED, &[]);
    place.write("vouch.yaml", "judge: { model: none, gates: [{ gate: keywords, warn_below: 1.0 }] }\n");
    let (code, told) = verified(&place);
    assert_eq!((code, changed(&told)), (Some(0), vec!["settings", "judge"]), "{told}");
}

#[test]
fn a_refusal_rests_on_its_gates_and_on_the_store() {
    let place = place();
    let refusal = certified(&place, "What does a submarine cost?", &[]);
    assert_eq!((&refusal["outcome"], &refusal["sources"]), (&json!("refused"), &json!([])), "{refusal}");
    assert!(refusal["gates"].as_array().is_some_and(|gates| gates.iter().any(|gate| gate["passed"] == false)));
    let (code, told) = verified(&place);
    assert_eq!(code, Some(0), "{told}");
    assert!(told["verdict"].as_str().is_some_and(|verdict| verdict.starts_with("It holds")), "{told}");
    edit(&place, "every spring", "every other year");
    let (code, told) = verified(&place);
    assert_eq!(code, Some(1), "{told}");
    assert!(told["verdict"].as_str().is_some_and(|verdict| verdict.contains("documents, so ask again")), "{told}");
}

#[test]
fn rows_terms_and_entries_of_the_memory_are_held_against_the_store_too() {
    let place = place();
    place.write("docs/adr.md", RECORD);
    place.write("docs/shed.md", SHED);
    place.write("terms.ttl", TERMS);
    place.write("memory.yaml", ENTRY);
    for words in [&["ingest", "docs"][..], &["vocab", "import", "terms.ttl"], &["memory", "import", "memory.yaml"]] {
        run(&place, words);
    }
    let stands = |question: &str, change: &dyn Fn()| {
        certified(&place, question, &[]);
        let (code, told) = verified(&place);
        let before: Vec<_> =
            standings(&told).into_iter().map(|(kind, standing)| format!("{kind} {standing}")).collect();
        assert_eq!(code, Some(0), "{question}: {told}");
        change();
        let (code, told) = verified(&place);
        let after: Vec<_> = standings(&told).into_iter().map(|(kind, standing)| format!("{kind} {standing}")).collect();
        (before.join(", "), code, after.join(", "))
    };
    let replace = |name: &str, text: &str, from: &str, to: &str, words: &[&str]| {
        place.write(name, text.replace(from, to));
        run(&place, words);
    };
    let row = stands("List all ADRs", &|| {
        replace("docs/adr.md", RECORD, "status: accepted", "status: deprecated", &["ingest", "docs"]);
    });
    assert_eq!(row, ("card unchanged".into(), Some(1), "card quote_gone".into()));
    let term = stands("What is a busbar?", &|| {
        replace("terms.ttl", TERMS, "several", "two", &["vocab", "import", "terms.ttl"]);
    });
    assert_eq!(term, ("term unchanged".into(), Some(1), "term quote_gone".into()));
    // A vocabulary that somebody else keeps is not asked.
    let text = std::fs::read_to_string(place.path("answer.json")).expect("a certificate");
    place.write("answer.json", text.replace("\"skos_file\",", "\"skosmos\","));
    assert_eq!(standings(&verified(&place).1), [("term", "unchecked")]);
    let entry = stands("Where is the shed key?", &|| {
        replace("memory.yaml", ENTRY, "[shed]", "[shed, mast]", &["memory", "import", "memory.yaml"]);
    });
    assert_eq!(
        entry,
        ("document unchanged, entry unchanged".into(), Some(0), "document unchanged, entry quote_stands".into())
    );
    run(&place, &["memory", "remove", "key"]);
    assert_eq!(standings(&verified(&place).1), [("document", "unchanged"), ("entry", "unavailable")]);
}

#[test]
fn a_model_that_wrote_is_named_and_not_asked_again() {
    let said = "The mast is 10 metres tall [^1].".to_owned();
    let server = ModelServer::start(Manner::Says(vec![said]));
    let place = place();
    place.write("vouch.yaml", server.settings(""));
    let answer = certified(&place, ASKED, &[]);
    assert_eq!((&answer["written_by"], &answer["circumstances"]["writer"]), (&json!("tiny:1b"), &json!("tiny:1b")));
    let asked = server.asked.lock().expect("a lock").len();
    assert!(asked > 0);
    assert_eq!(verified(&place).0, Some(0));
    assert_eq!(server.asked.lock().expect("a lock").len(), asked);
    std::fs::remove_file(place.path("vouch.yaml")).expect("a file");
    assert_eq!(changed(&verified(&place).1), ["settings", "writer"]);
}

#[test]
fn what_a_tool_said_cannot_be_checked() {
    let place = desk();
    let answer = certified(&place, "What does my plan cost?", &["--user", "u-1007"]);
    assert_eq!(answer["outcome"], "tool", "{answer}");
    assert!(answer["tools"][0]["output"].is_object(), "{answer}");
    let ran = place.run(&["verify", "answer.json"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("It cannot be determined whether it holds: cannot be checked offline:"), "{}", ran.out);
}

#[test]
fn files_that_are_no_certificate_end_with_2() {
    let place = place();
    certified(&place, ASKED, &[]);
    let text = std::fs::read_to_string(place.path("answer.json")).expect("a certificate");
    place.write("garbage.json", [0xff, 0xfe, 0]);
    place.write("torn.json", text.get(..text.len() / 2).unwrap_or_default());
    place.write("other.json", "{\"format\": \"vouch-certificate/1\"}");
    place.write("more.json", text.replacen('{', "{\"signed_by\": \"me\",", 1));
    place.write("twice.json", text.replacen('{', "{\"answer\": \"another\",", 1));
    place.write("huge.json", " ".repeat((16 << 20) + 1) + &text);
    place.write("deep.json", "[".repeat(1 << 20));
    let cases = [
        ("garbage.json", "is not text"),
        ("torn.json", "is not an answer certificate"),
        ("other.json", "is of another kind ('vouch-certificate/1', not 'vouch-answer/1')"),
        ("more.json", "unknown field `signed_by`"),
        ("twice.json", "duplicate field `answer`"),
        ("huge.json", "has more than 16777216 bytes"),
        ("deep.json", "is not an answer certificate"),
        ("nowhere.json", "cannot be read"),
        ("docs", "cannot be read"),
    ];
    for (name, fault) in cases {
        let ran = place.run(&["verify", name]);
        assert_eq!(ran.code, Some(2), "{name}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(name) && ran.err.contains(fault), "{name}: {}", ran.err);
    }
}

#[test]
fn nothing_is_asked_where_no_certificate_can_be_written() {
    let place = place();
    place.write("questions.jsonl", "{\"id\": 1, \"query\": \"How tall is the mast?\"}\n");
    for words in [
        &["ask", ASKED, "--certificate", "nowhere/answer.json"][..],
        &["ask", ASKED, "--certificate", "docs"],
        &["ask", "--batch", "questions.jsonl", "--certificate", "answer.json"],
    ] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.out);
        assert!(ran.out.is_empty() && ran.err.contains("cannot"), "{words:?}: {}", ran.err);
    }
    assert_eq!(run(&place, &["audit", "list", "--json"]).out.matches("request_id").count(), 0);
    // A question that fails leaves nothing behind.
    assert_eq!(place.run(&["ask", ASKED, "--model", "none", "--certificate", "answer.json"]).code, Some(2));
    let mut names: Vec<_> =
        std::fs::read_dir(place.path("")).expect("a folder").flatten().map(|one| one.file_name()).collect();
    names.sort();
    assert_eq!(names, [".vouch", "docs", "questions.jsonl"]);
}
