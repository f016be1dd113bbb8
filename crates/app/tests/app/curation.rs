//! What an editor keeps beside an entry, and what the trail proposes to them.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};

use crate::support::{
    Place,
    model::{Manner, ModelServer},
    server::Server,
};

const NOTE: &str = "- id: first-turn\n  kind: note\n  triggers: [\"Who drinks first?\"]\n  note: The upper village comes \
                    first.\n  references: [turns]\n";

const PART: &str = "- id: part\n  kind: note\n  triggers: [\"Who waits?\"]\n  note: The others wait.\n  for_readers: true\n  references: ['turns \
                    \"upper village\"']\n";

fn place(settings: &str) -> Place {
    let place = Place::new();
    place.write("docs/turns.md", "---\nid: turns\n---\n# Turns\n\nThe upper village drinks first in spring.\n");
    place.write(
        "docs/fees.md",
        "---\nid: fees\naccess: [clerks]\n---\n# Fees\n\nThe mooring fee is nine crowns a day.\n",
    );
    place.write("vouch.yaml", settings);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    place
}

fn run(place: &Place, words: &[&str]) -> String {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran.out
}

/// The translations of the only entry.
fn translations(place: &Place) -> Value {
    let listed: Value = serde_json::from_str(&run(place, &["memory", "list", "--json"])).expect("JSON");
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    listed.pointer("/0/translations").expect("translations").clone()
}

#[test]
fn a_model_translates_beside_the_original_and_a_person_overrules_it() {
    let server = ModelServer::start(Manner::Says(vec![
        "1. Wie drinkt er eerst?\n".to_owned(),
        "2. Het bovendorp gaat voor.\n".to_owned(),
    ]));
    let place = place(&server.settings(""));
    place.write("memory.yaml", NOTE);
    run(&place, &["memory", "import", "memory.yaml"]);
    assert!(run(&place, &["memory", "translate", "--to", "nl"]).contains("translated 1, unchanged 0, failed 0"));
    let asked = server.asked.lock().expect("a lock").concat();
    assert!(asked.contains("Who drinks first?") && asked.contains("The upper village comes first."), "{asked}");
    let dutch = |by_model: bool, note: &str| json!([{ "language": "nl", "phrases": ["Wie drinkt er eerst?"], "note": note, "by_model": by_model }]);
    assert_eq!(translations(&place), dutch(true, "Het bovendorp gaat voor."));
    let told = run(&place, &["memory", "list", "--json"]);
    assert!(told.contains("Who drinks first?") && told.contains("The upper village comes first."), "{told}");
    // A second run changes nothing; what a person writes is theirs, and no model replaces it.
    assert!(run(&place, &["memory", "translate", "--to", "nl"]).contains("translated 0, unchanged 1"));
    let file = run(&place, &["memory", "export"]);
    let edited = file.replace("Het bovendorp gaat voor.", "Het bovendorp eerst.");
    let edited: String =
        edited.lines().filter(|line| !line.contains("translated_by_model")).map(|line| format!("{line}\n")).collect();
    assert_ne!(edited, file, "{file}");
    place.write("memory.yaml", edited);
    run(&place, &["memory", "import", "memory.yaml"]);
    assert_eq!(translations(&place), dutch(false, "Het bovendorp eerst."));
    assert!(run(&place, &["memory", "translate", "--to", "nl", "--again"]).contains("translated 0, unchanged 1"));
    assert_eq!(translations(&place), dutch(false, "Het bovendorp eerst."));
}

#[test]
fn a_translation_that_is_not_whole_is_not_kept_and_without_a_model_there_is_none() {
    let server = ModelServer::start(Manner::Says(vec!["1. Wie drinkt er eerst?".to_owned()]));
    let translated = place(&server.settings(""));
    translated.write("memory.yaml", NOTE);
    run(&translated, &["memory", "import", "memory.yaml"]);
    let ran = translated.run(&["memory", "translate", "--to", "nl"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.out.contains("did not translate every line of entry 'first-turn' (nl)"), "{}", ran.out);
    assert_eq!(translations(&translated), json!([]));
    let ran = place("").run(&["memory", "translate", "--to", "nl"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no model is configured"), "{}", ran.err);
}

#[test]
fn what_is_exported_can_be_imported_as_it_was() {
    let place = place("");
    place.write("memory.yaml", format!("{NOTE}- id: \"two: \\\"things\\\"\"\n  kind: pinned\n  questions: {{en: [\"Who is first?\"], nl: [\"Wie is eerst?\"]}}\n  references: [turns]\n  tags: [clerks]\n  translated_by_model: [nl]\n{PART}"));
    run(&place, &["memory", "import", "memory.yaml"]);
    let file = run(&place, &["memory", "export"]);
    let listed = run(&place, &["memory", "list", "--json"]);
    assert!(listed.contains("\"for_readers\":true") && listed.contains("upper village"), "{listed}");
    run(&place, &["memory", "remove", "first-turn", "two: \"things\"", "part"]);
    place.write("again.yaml", &file);
    run(&place, &["memory", "import", "again.yaml"]);
    assert_eq!(run(&place, &["memory", "list", "--json"]), listed);
    assert_eq!(run(&place, &["memory", "export"]), file);
}

#[test]
fn translations_are_kept_and_listed_over_http() {
    let server = Server::over(place(""));
    let dutch = json!({ "language": "nl", "phrases": ["Wie drinkt er eerst?"], "note": null, "by_model": false });
    let entry = json!({
        "id": "first", "phrases": ["Who drinks first?"], "references": ["turns"],
        "translations": [{ "language": "NL", "phrases": ["Wie drinkt er eerst?"] }],
    });
    assert_eq!(server.post("/v1/memory", &entry.to_string(), "").status, 200);
    let listed = server.get("/v1/memory").json();
    assert_eq!(listed["entries"][0]["translations"], json!([dutch]), "{listed}");
    let wrong =
        json!({ "id": "x", "phrases": ["y z"], "references": ["turns"], "translations": [{ "language": "?" }] });
    assert_eq!(server.post("/v1/memory", &wrong.to_string(), "").status, 400);
}

#[test]
fn wordings_of_one_question_are_one_proposal_and_another_name_is_another() {
    let place = place("");
    for question in [
        "How much is the mooring fee?",
        "How much is the fee for mooring?",
        "Who feeds the cat Rusty?",
        "Who feeds the cat Dusty?",
    ] {
        run(&place, &["ask", question]);
    }
    let proposed = run(&place, &["memory", "propose", "--asked-at-least", "1"]);
    assert!(
        proposed.contains("questions: [\"How much is the fee for mooring?\", \"How much is the mooring fee?\"]"),
        "{proposed}"
    );
    assert_eq!(proposed.matches("- id: ").count(), 3, "{proposed}");
    let first = run(&place, &["memory", "propose", "--asked-at-least", "1", "--limit", "1"]);
    assert_eq!(first.matches("- id: ").count(), 1, "{first}");
}

#[test]
fn questions_of_the_trail_are_proposed_and_none_is_kept_before_an_editor_accepts_it() {
    let place = place("");
    for question in [
        "Which village drinks first in spring?",
        "which village  drinks first in spring?",
        "Who feeds the harbour cat?",
        "Who feeds the harbour cat?",
        "Who feeds the harbour cat?",
        "How much is the mooring fee?",
        "How much is the mooring fee?",
        "Where is the sundial?",
    ] {
        run(&place, &["ask", question]);
    }
    let proposed = run(&place, &["memory", "propose"]);
    assert_eq!(run(&place, &["memory", "propose"]), proposed, "the same trail gives the same proposals");
    let line = |text: &str| {
        proposed.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {proposed}"))
    };
    assert!(line("Who feeds the harbour cat?") < line("Which village drinks first in spring?"), "{proposed}");
    assert!(proposed.contains("proposal: { asked: 3, ended: { \"refused\": 3 } }"), "{proposed}");
    assert!(proposed.contains("proposal: { asked: 2, ended: { \"answered\": 2 } }"), "{proposed}");
    assert!(proposed.contains("references: [\"turns\"]"), "{proposed}");
    assert!(!proposed.contains("sundial"), "it was asked once: {proposed}");
    let fee: String = proposed.lines().skip(line("id: \"how-much-is-the-mooring-fee\"")).take(6).collect();
    assert!(fee.contains("tags: [\"clerks\"]"), "who may not see its source does not see the entry: {proposed}");
    place.write("proposals.yaml", &proposed);
    let ran = place.run(&["memory", "import", "proposals.yaml"]);
    assert!(ran.out.contains("added 0") && ran.err.contains("left out 3 proposals"), "{}{}", ran.out, ran.err);
    let accepted: String =
        proposed.lines().filter(|line| !line.contains("\"answered\": 2")).map(|line| format!("{line}\n")).collect();
    place.write("proposals.yaml", accepted);
    assert!(run(&place, &["memory", "import", "proposals.yaml"]).contains("added 2"));
    let left = run(&place, &["memory", "propose"]);
    assert!(left.contains("harbour cat") && !left.contains("mooring"), "what is kept is not proposed again: {left}");
    assert!(run(&place, &["memory", "propose", "--unanswered", "--asked-at-least", "1"]).contains("sundial"));
}
