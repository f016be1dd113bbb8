//! The tools through the MCP package of PyPI, over standard input and output and over HTTP: a reader and an admin each way.
//! Says loudly where the package cannot be had.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use vouch_domain::AuditEntry;

use crate::support::conversations::{SAID, admin_tries, both, pinned_name, problem, tools, tries};

#[test]
fn the_same_tools_are_offered_both_ways_and_an_admins_only_to_admins() {
    let Some(said) = SAID.as_ref() else { return };
    let open = ["search", "fetch", "ask", "check", "define_term"];
    for reader in &said.readers {
        assert_eq!((&reader["server"], tools(reader)), (&"vouch".into(), open.to_vec()), "{reader}");
        assert!(reader["instructions"].as_str().is_some_and(|text| text.contains("ask")), "{reader}");
    }
    for admin in &said.admins {
        assert_eq!(
            tools(admin),
            [&open[..], &["pin_question", "add_note", "list_memory", "remove_entry", "wordings"]].concat()
        );
    }
    let versions: BTreeSet<&str> =
        said.readers.iter().chain(&said.admins).filter_map(|one| one["version"].as_str()).collect();
    assert_eq!(versions.len(), 2, "both lifecycles of the protocol are spoken: {versions:?}");
}

#[test]
fn every_tool_says_what_it_takes_and_gives_and_whether_it_changes_anything() {
    let Some(said) = SAID.as_ref() else { return };
    for tool in said.admins.iter().flat_map(|admin| admin["tools"].as_array().expect("tools")) {
        let name = tool["name"].as_str().expect("a name");
        let changes = ["pin_question", "add_note", "remove_entry", "wordings"].contains(&name);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert!(tool["outputSchema"]["properties"].is_object(), "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], !changes, "{tool}");
        assert!(tool["description"].as_str().is_some_and(|text| text.contains("Use it")), "{tool}");
        let arguments = tool["inputSchema"]["properties"].as_object().expect("arguments");
        assert!(arguments.values().all(|one| one["description"].is_string()), "{tool}");
    }
}

#[test]
fn an_admin_tries_and_adds_wordings_and_sees_what_was_not_answered() {
    let Some(said) = SAID.as_ref() else { return };
    let came = |name| both(&said.admins, &admin_tries(), name);
    for tried in came("tried") {
        let first = &tried["structured"]["tried"][0];
        assert_eq!((&first["text"], &first["matches"][0]["id"]), (&json!("tower doors"), &json!("door")), "{tried}");
    }
    for worded in came("worded") {
        let phrases = json!(["tower door", "Which door does the tower have?"]);
        assert_eq!(
            (&worded["structured"]["phrases"], &worded["structured"]["unreached"]),
            (&phrases, &json!([])),
            "{worded}"
        );
    }
    for refused in came("worded nowhere").into_iter().chain(came("worded wrongly")) {
        assert_eq!(refused["error"], true, "{refused}");
    }
    for waiting in came("waiting") {
        let topics = &waiting["structured"]["waiting"]["topics"];
        assert!(topics.as_array().is_some_and(|topics| !topics.is_empty()), "{waiting}");
    }
}

#[test]
fn an_admin_takes_an_entry_out_and_it_is_gone() {
    let Some(said) = SAID.as_ref() else { return };
    let came = |name| both(&said.admins, &admin_tries(), name);
    for (removed, again) in came("removed").into_iter().zip(came("removed again")) {
        assert_eq!(removed["structured"], serde_json::json!({ "id": "door", "removed": 1 }), "{removed}");
        assert_eq!(again["error"], true, "{again}");
    }
    for listed in came("listed after") {
        assert!(!listed.to_string().contains("tower door"), "{listed}");
    }
}

#[test]
fn passages_are_found_and_read_by_their_ids_and_addresses() {
    let Some(said) = SAID.as_ref() else { return };
    let came = |name| both(&said.readers, &tries(), name).map(|came| came["structured"].clone());
    for found in came("found") {
        let first = &found["results"][0];
        assert_eq!(
            (&first["id"], &first["url"]),
            (&"docs/leave.md:0".into(), &"https://handbook.example/leave".into())
        );
        assert!(first["title"].as_str().is_some_and(|title| title.starts_with("Annual Leave")), "{found}");
    }
    for passage in came("passage") {
        assert_eq!((&passage["id"], &passage["metadata"]["chunk_index"]), (&"docs/leave.md:0".into(), &0.into()));
        assert!(passage["text"].as_str().is_some_and(|text| text.contains("26 days")), "{passage}");
    }
    for (document, address) in came("document").into_iter().zip(came("address")) {
        assert_eq!(document, address);
        assert_eq!((&document["id"], &document["metadata"]["address"]), (&"docs/leave.md".into(), &"P-7".into()));
        assert_eq!(document["metadata"]["next_offset"], Value::Null);
    }
    for found in both(&said.readers, &tries(), "found") {
        let text: Value = serde_json::from_str(found["text"].as_str().expect("a text")).expect("JSON");
        assert_eq!(text, found["structured"], "clients that read text alone read the same");
    }
}

#[test]
fn what_is_hidden_is_not_found_in_the_words_of_what_is_not_there() {
    let Some(said) = SAID.as_ref() else { return };
    for missing in both(&said.readers, &tries(), "missing") {
        assert_eq!(problem(missing)["code"], "not_found");
    }
    for (name, id) in
        [("hidden address", "HR-1"), ("hidden document", "hr/salary.md"), ("hidden passage", "hr/salary.md:0")]
    {
        for (hidden, missing) in
            both(&said.readers, &tries(), name).into_iter().zip(both(&said.readers, &tries(), "missing"))
        {
            let told = problem(hidden)["detail"].as_str().map(|detail| detail.replace(id, "hr/nothing.md:0"));
            assert_eq!(told.as_deref(), problem(missing)["detail"].as_str());
        }
    }
    for seen in both(&said.admins, &admin_tries(), "seen") {
        assert!(seen["structured"]["text"].as_str().is_some_and(|text| text.contains("5200 crowns")), "{seen}");
    }
}

#[test]
fn a_question_is_answered_with_its_sources_in_words_and_as_an_object() {
    let Some(said) = SAID.as_ref() else { return };
    for came in
        both(&said.readers, &tries(), "answered").into_iter().chain(both(&said.readers, &tries(), "followed up"))
    {
        let (reply, text) = (&came["structured"], came["text"].as_str().expect("a text"));
        assert_eq!((&reply["outcome"], &came["error"]), (&"answered".into(), &false.into()), "{came}");
        assert_eq!(reply["citations"][0]["source_id"], "docs/leave.md:0");
        assert!(
            text.contains("26 days") && text.contains("[^1] Annual Leave") && text.contains("docs/leave.md:0"),
            "{text}"
        );
    }
    for came in both(&said.readers, &tries(), "answered") {
        assert!(came["structured"]["trace"]["gates"].is_array(), "{came}");
    }
}

#[test]
fn a_refusal_is_a_result() {
    let Some(said) = SAID.as_ref() else { return };
    for came in both(&said.readers, &tries(), "refused") {
        let reply = &came["structured"];
        assert_eq!(
            (&reply["outcome"], &reply["refused"], &came["error"]),
            (&"refused".into(), &true.into(), &false.into())
        );
        assert!(came["text"].as_str().is_some_and(|text| text.contains("Why: ") && !text.contains("5200")), "{came}");
    }
}

#[test]
fn a_claim_is_held_against_its_evidence() {
    let Some(said) = SAID.as_ref() else { return };
    for came in both(&said.readers, &tries(), "supported") {
        assert_eq!(came["structured"]["supported"], true, "{came}");
    }
    for came in both(&said.readers, &tries(), "contradicted") {
        assert_eq!(came["structured"]["supported"], false, "{came}");
        assert!(came["text"].as_str().is_some_and(|text| text.contains("27")), "{came}");
    }
}

#[test]
fn a_term_is_defined_in_the_vocabularys_words_or_not_at_all() {
    let Some(said) = SAID.as_ref() else { return };
    for came in both(&said.readers, &tries(), "defined") {
        assert_eq!(came["structured"]["outcome"], "answered", "{came}");
        assert!(came["text"].as_str().is_some_and(|text| text.contains("A conductor that joins several circuits.")));
    }
    for came in both(&said.readers, &tries(), "undefined") {
        assert_eq!((&came["structured"]["refused"], &came["error"]), (&true.into(), &false.into()), "{came}");
    }
}

#[test]
fn what_makes_no_sense_is_a_clean_error() {
    let Some(said) = SAID.as_ref() else { return };
    let names = ["no query", "a number", "an empty query", "a wish too many", "none wanted", "an empty term", "beyond"];
    for came in names.into_iter().flat_map(|name| both(&said.readers, &tries(), name)) {
        let problem = problem(came);
        assert_eq!(problem["code"], "invalid_request", "{problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
        assert!(problem["request_id"].as_str().is_some_and(|id| id.starts_with("req-")));
    }
    let [admins, none] = ["an admin's tool", "no tool"].map(|name| both(&said.readers, &tries(), name));
    for (admins, none) in admins.into_iter().zip(none) {
        assert_eq!((&admins["code"], &none["code"]), (&(-32602).into(), &(-32602).into()), "{admins} {none}");
        assert_eq!(admins["message"], none["message"], "what is for admins does not exist for others");
    }
}

#[test]
fn an_admin_pins_a_question_and_a_paraphrase_is_answered_from_the_pinned_source() {
    let Some(said) = SAID.as_ref() else { return };
    let came = |name| both(&said.admins, &admin_tries(), name);
    for before in came("before") {
        assert_eq!(before["structured"]["outcome"], "refused", "{before}");
    }
    for wrong in came("pinned to nothing") {
        assert!(problem(wrong)["detail"].as_str().is_some_and(|detail| detail.contains("docs/nothing.md")), "{wrong}");
    }
    for (pinned, again) in came("pinned").into_iter().zip(came("pinned again")) {
        let kept =
            |replaced: bool| json!({ "id": pinned_name(), "kind": "pinned", "replaced": replaced, "unreached": [] });
        assert_eq!((&pinned["structured"], &again["structured"]), (&kept(false), &kept(true)));
    }
    for after in came("after") {
        assert_eq!(after["structured"]["citations"][0]["document_id"], "docs/lamp.md", "{after}");
    }
}

#[test]
fn the_memory_is_listed_with_its_notes() {
    let Some(said) = SAID.as_ref() else { return };
    for wrong in both(&said.admins, &admin_tries(), "an empty note") {
        assert_eq!(problem(wrong)["code"], "invalid_request");
    }
    for came in both(&said.admins, &admin_tries(), "listed") {
        let listed = &came["structured"];
        let ids: Vec<&str> =
            listed["entries"].as_array().expect("entries").iter().filter_map(|one| one["id"].as_str()).collect();
        assert_eq!(ids, ["door", &pinned_name()], "{came}");
        assert_eq!(
            (&listed["total"], &listed["entries"][0]["note"][0]),
            (&2.into(), &"The door matters to visitors.".into())
        );
    }
    for came in both(&said.admins, &admin_tries(), "listed in part") {
        let listed = &came["structured"];
        assert_eq!((&listed["entries"][0]["id"], &listed["next_offset"]), (&pinned_name().into(), &Value::Null));
    }
}

#[test]
fn a_stranger_is_not_let_in() {
    let Some(said) = SAID.as_ref() else { return };
    assert!(said.stranger["failed"].is_string() && said.stranger["tools"].is_null(), "{}", said.stranger);
}

#[test]
fn every_question_and_term_is_in_the_audit_trail() {
    let Some(said) = SAID.as_ref() else { return };
    let written: Vec<(Value, &AuditEntry)> =
        said.trail.iter().map(|entry| (serde_json::from_str(&entry.record).expect("JSON"), entry)).collect();
    assert!(written.iter().all(|(record, _)| record["surface"] == "mcp"));
    let ids =
        [&said.readers, &said.admins].into_iter().flatten().flat_map(|one| one["calls"].as_array().expect("calls"));
    let told: BTreeSet<&str> = ids.filter_map(|came| came["structured"]["request_id"].as_str()).collect();
    assert_eq!(told.len(), 14, "each way three questions and two terms of a reader, two questions of an admin");
    for id in told {
        assert!(written.iter().any(|(_, entry)| entry.id == id), "{id}");
    }
    let outcomes = |outcome: &str| written.iter().filter(|(_, entry)| entry.outcome == outcome).count();
    assert!(outcomes("answered") >= 6 && outcomes("refused") >= 4);
    let term = |(record, _): &&(Value, &AuditEntry)| record["asked"]["query"] == "Define the term busbar";
    assert_eq!(written.iter().filter(term).count(), 2);
}
