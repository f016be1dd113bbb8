//! What a curator set comes true: every phrase of the sample memory reaches its entry, what does not is named when it is kept, and what
//! people ask in other words finds its way to the entry and to the curator.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Place, server::Server};

fn profile(file: &str) -> String {
    format!("{}/../../profiles/lectures/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn run(place: &Place, words: &[&str]) -> String {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran.out
}

#[test]
fn every_phrase_of_the_sample_memory_reaches_its_entry_in_each_language() {
    let place = Place::new();
    place.write("vouch.yaml", std::fs::read_to_string(profile("vouch.yaml")).expect("the profile's settings"));
    run(&place, &["ingest", &profile("corpus")]);
    run(&place, &["vocab", "import", &profile("vocabulary.ttl")]);
    let kept: Value =
        serde_json::from_str(&run(&place, &["memory", "import", &profile("memory.yaml"), "--json"])).expect("JSON");
    assert_eq!((&kept["added"], &kept["asked"], &kept["unreached"]), (&json!(14), &json!(78), &json!([])), "{kept}");
    let entries: Vec<Value> = serde_json::from_str(&run(&place, &["memory", "list", "--json"])).expect("JSON");
    let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in &entries {
        for phrase in entry["phrases"].as_array().expect("phrases") {
            let references = entry["references"].as_array().expect("references").iter();
            let references = references.filter_map(|one| one.as_str().map(str::to_owned)).collect();
            expected.insert(phrase.as_str().expect("a phrase").to_owned(), references);
        }
    }
    assert_eq!(expected.len(), 78);
    // The import has asked each of them; every third is asked from outside as well.
    let lines: String =
        expected.keys().step_by(3).map(|phrase| format!("{}\n", json!({ "id": phrase, "query": phrase }))).collect();
    place.write("phrases.jsonl", lines);
    let replies = run(&place, &["ask", "--batch", "phrases.jsonl", "--json"]);
    assert_eq!(replies.lines().count(), 26);
    for line in replies.lines() {
        let reply: Value = serde_json::from_str(line).expect("a reply");
        let references = expected.get(reply["query"].as_str().expect("its query")).expect("a phrase");
        // CV 2.4 is kept under "verses § 2.4".
        let leads = |cited: &str| {
            let section = cited.rsplit("§ ").next().unwrap_or_default();
            references.iter().any(|own| own.ends_with(&format!(" {section}")))
        };
        let cited: Vec<&str> =
            reply["citations"].as_array().into_iter().flatten().filter_map(|one| one["document_id"].as_str()).collect();
        assert!(reply["outcome"] == "answered" && !cited.is_empty(), "{reply}");
        assert!(cited.iter().all(|cited| leads(cited)), "{references:?}: {reply}");
        assert_eq!(reply["confidence"]["overall"], 100, "{reply}");
    }
}

const PINNED: &str = "How much is the mooring fee?";

fn harbour() -> Place {
    let place = Place::new();
    place.write(
        "docs/fees.md",
        "---\nid: fees\n---\n# Harbour fees\n\n## Mooring\n\nA boat at the quay pays nine crowns a day.\n\n## Winter\n\nFrom November a \
         boat on land pays two crowns.\n",
    );
    place.write("docs/clerks.md", "---\nid: clerks\naccess: [clerks]\n---\n# Clerks\n\nClerks have keys.\n");
    run(&place, &["ingest", "docs"]);
    place
}

#[test]
fn what_does_not_reach_its_entry_is_named_when_it_is_kept() {
    let place = harbour();
    run(&place, &["memory", "add", "a-fee", "--phrase", PINNED, "--reference", "Harbour fees"]);
    let words = ["memory", "add", "b-fee", "--phrase", "how much is the MOORING fee", "--reference", "fees", "--json"];
    let kept: Value = serde_json::from_str(&run(&place, &words)).expect("JSON");
    assert_eq!(kept["unreached"][0]["entry"], "b-fee", "{kept}");
    assert!(kept["unreached"][0]["reason"].as_str().is_some_and(|reason| reason.contains("'a-fee'")), "{kept}");
    run(&place, &["memory", "remove", "b-fee"]);
    place.write(
        "memory.yaml",
        "- {id: keys, kind: pinned, questions: [Who has keys?], references: [clerks]}\n\
         - {id: keys-of-clerks, kind: pinned, questions: [Who holds keys?], references: [clerks], tags: [clerks]}\n",
    );
    let ran = place.run(&["memory", "import", "memory.yaml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("asked 2 phrases: 1 do not reach their entry"), "{}", ran.out);
    assert!(ran.err.contains("\"Who has keys?\" does not reach 'keys': not everyone"), "{}", ran.err);
    // The same over HTTP.
    let server = Server::over(place);
    let entry = json!({ "id": "keys", "phrases": ["Who has keys?"], "references": ["clerks"] });
    let kept = server.post("/v1/memory", &entry.to_string(), "").json();
    assert_eq!((&kept["asked"], &kept["unreached"][0]["phrase"]), (&json!(1), &json!("Who has keys?")), "{kept}");
}

#[test]
fn a_question_near_an_entry_offers_it_and_its_words_reach_the_curator_and_then_the_entry() {
    let server = Server::over(harbour());
    let entry = json!({ "id": "fee", "phrases": [PINNED], "references": ["Harbour fees \"Mooring\""] });
    let kept = server.post("/v1/memory", &entry.to_string(), "").json();
    assert_eq!((&kept["asked"], &kept["unreached"]), (&json!(1), &json!([])), "{kept}");
    // A name that nothing holds keeps it from the entry, which is offered.
    let asked = "How much is the mooring fee for the ship Gwendolyn?";
    let refused = server.post("/v1/ask", &json!({ "query": asked }).to_string(), "").json();
    let offered = &refused["suggestions"][0];
    let expected = json!({ "label": format!("Did you mean \"{PINNED}\"?"), "query": PINNED, "kind": "question" });
    assert_eq!(offered, &expected, "{refused}");
    let body = json!({ "query": PINNED, "instead_of": refused["request_id"] }).to_string();
    let reply = server.post("/v1/ask", &body, "").json();
    assert_eq!(
        reply["answer"], "A boat at the quay pays nine crowns a day. [^1]",
        "the passage that was named: {reply}"
    );
    let waiting = server.get("/v1/unanswered").json();
    let wording = &waiting["wordings"][0];
    assert_eq!((&wording["query"], &wording["entry"], &wording["chosen"]), (&json!(asked), &json!("fee"), &json!(1)));
    if refused["outcome"] != "answered" {
        let question = &waiting["topics"][0]["questions"][0];
        assert_eq!((&question["query"], &question["near"]["id"]), (&json!(asked), &json!("fee")), "{waiting}");
    }
    // One click, and the words reach it.
    let added = server.post("/v1/wordings", &json!({ "entry": "fee", "text": asked }).to_string(), "").json();
    assert_eq!((&added["entry"]["phrases"], &added["unreached"]), (&json!([PINNED, asked]), &json!([])), "{added}");
    let again = server.post("/v1/ask", &json!({ "query": asked }).to_string(), "").json();
    assert_eq!(again["answer"], reply["answer"], "{again}");
    let waiting = server.get("/v1/unanswered").json();
    assert_eq!((&waiting["wordings"], &waiting["topics"]), (&json!([]), &json!([])), "{waiting}");
    let nobody = server.post("/v1/wordings", &json!({ "entry": "nobody", "text": asked }).to_string(), "");
    assert_eq!(nobody.status, 404);
}

#[test]
fn an_answer_marked_as_unhelpful_reaches_the_curator_with_its_conversation_until_it_is_pinned() {
    let server = Server::over(harbour());
    let history =
        json!([{ "role": "user", "content": "Do boats pay?" }, { "role": "assistant", "content": "They do." }]);
    let question = "What does a boat on land pay in winter?";
    let ask = json!({ "query": question, "chat_history": history }).to_string();
    let ids: Vec<String> = (0..2)
        .map(|_| server.post("/v1/ask", &ask, "").json()["request_id"].as_str().expect("an id").to_owned())
        .collect();
    for (id, helpful) in ids.iter().zip([false, true]) {
        let body = json!({ "request_id": id, "helpful": helpful, "comment": "In which month?" }).to_string();
        assert_eq!(server.post("/v1/feedback", &body, "").status, 200);
    }
    let unhelpful = server.get("/v1/unanswered").json()["unhelpful"].clone();
    let first = &unhelpful[0];
    assert_eq!((unhelpful.as_array().map(Vec::len), &first["query"]), (Some(1), &json!(question)), "{unhelpful}");
    assert_eq!((&first["conversation"], &first["comments"]), (&history, &json!(["In which month?"])), "{unhelpful}");
    assert!(first["answer"].as_str().is_some_and(|answer| !answer.is_empty()), "{unhelpful}");
    let entry = json!({ "id": "land", "phrases": [question], "references": ["fees \"Winter\""] }).to_string();
    assert_eq!(server.post("/v1/memory", &entry, "").status, 200);
    assert_eq!(server.get("/v1/unanswered").json()["unhelpful"], json!([]));
    // What the entry itself answers and does not help comes back.
    let id = server.post("/v1/ask", &json!({ "query": question }).to_string(), "").json()["request_id"].clone();
    let body = json!({ "request_id": id, "rating": 1 }).to_string();
    assert_eq!(server.post("/v1/feedback", &body, "").status, 200);
    assert_eq!(server.get("/v1/unanswered").json()["unhelpful"][0]["request_id"], id);
}
