//! What the page looks things up by: the trail searched and over time, keys, evaluations, concepts, suggestions and wordings.

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{Place, callers, server::Server};

const ASKED: &str = "How many days of paid annual leave do staff have?";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://e/leave> a skos:Concept ; skos:prefLabel \"leave\"@en ; skos:narrower <http://e/carry> .\n\
    <http://e/carry> a skos:Concept ; skos:prefLabel \"carry-over\"@en ; skos:altLabel \"kept leave\"@en ; \
    skos:hiddenLabel \"carryover\"@en ; skos:definition \"Leave kept for the next year.\"@en .\n";

fn ask(server: &Server, query: &str) {
    assert_eq!(server.post("/v1/ask", &json!({ "query": query }).to_string(), "").status, 200);
}

fn queries(found: &Value) -> Vec<&str> {
    found["entries"].as_array().into_iter().flatten().filter_map(|entry| entry["query"].as_str()).collect()
}

#[test]
fn the_trail_is_searched_by_words_outcome_and_caller() {
    let server = Server::start("");
    for query in [ASKED, "What does tea cost?", "What does COFFEE cost?"] {
        ask(&server, query);
    }
    let found = |query: &str| server.get(&format!("/v1/audit?{query}")).json();
    assert_eq!(queries(&found("contains=coffee")), ["What does COFFEE cost?"]);
    assert_eq!(queries(&found("contains=does&limit=1")), ["What does COFFEE cost?"]);
    assert_eq!(queries(&found("outcome=answered")), [ASKED]);
    assert_eq!(queries(&found("outcome=refused&contains=leave")), Vec::<&str>::new());
    assert_eq!(queries(&found("user=somebody")), Vec::<&str>::new());
    assert_eq!(queries(&found("user=local")).len(), 3);
    // Page by page, from where the last one ended, down to the oldest.
    let first = found("limit=2");
    let next = first["next"].as_str().expect("there is more");
    let second = found(&format!("limit=2&before={next}"));
    assert_eq!((queries(&first).len(), queries(&second)), (2, vec![ASKED]));
    assert_eq!((&second["next"], &second["searched"]), (&Value::Null, &1.into()), "{second}");
    for wrong in ["limit=0", "limit=1001", "before=x", "other=1"] {
        assert_eq!(server.get(&format!("/v1/audit?{wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn how_it_went_over_time_adds_up() {
    let server = Server::start("");
    for query in [ASKED, ASKED, "What does tea cost?"] {
        ask(&server, query);
    }
    for hours in [1, 24, 168, 2160] {
        let told = server.get(&format!("/v1/history?hours={hours}")).json();
        let steps = told["steps"].as_array().expect("steps");
        assert!((1..=91).contains(&steps.len()), "{} steps of {hours} hours", steps.len());
        let sum = |path: &str| steps.iter().filter_map(|step| step.pointer(path)?.as_u64()).sum::<u64>();
        assert_eq!((sum("/asked"), sum("/outcomes/answered"), sum("/outcomes/refused")), (3, 2, 1), "{told}");
        let reasons = steps.iter().filter_map(|step| step["reasons"].as_object()).flat_map(|reasons| reasons.values());
        assert_eq!(reasons.filter_map(Value::as_u64).sum::<u64>(), 1);
        let last = steps.iter().rfind(|step| step["asked"] != 0).expect("a step with questions");
        assert!(last["p95_ms"].as_f64() >= last["median_ms"].as_f64(), "{last}");
        assert!(steps.iter().filter(|step| step["asked"] == 0).all(|step| step["median_ms"].is_null()));
    }
    assert_eq!(server.get("/v1/history?hours=0").status, 400);
    assert_eq!(server.get("/v1/history?hours=2161").status, 400);
}

#[test]
fn keys_are_shown_without_secrets_to_admins_of_the_whole_tenant_and_revoked_by_them() {
    let place = Place::new();
    let admin = callers::key(&place, "default", Role::Admin, None);
    let limited = callers::key(&place, "default", Role::Admin, Some(&["hr"]));
    let reader = callers::key(&place, "default", Role::Reader, None);
    let foreign = callers::key(&place, "fell", Role::Admin, None);
    let server = Server::over(place);
    let listed = server.get_with("/v1/keys", &admin);
    let keys = listed.json()["keys"].as_array().cloned().expect("keys");
    assert_eq!(keys.len(), 3, "those of other tenants are not shown: {keys:?}");
    for header in [&admin, &limited, &reader, &foreign] {
        let secret = header.trim().rsplit('_').next().expect("a secret");
        assert!(!listed.body.contains(secret), "{}", listed.body);
    }
    assert_eq!(server.get_with("/v1/keys", &limited).status, 403);
    assert_eq!(server.get_with("/v1/keys", &reader).status, 403);
    let id =
        keys.iter().find(|key| key["role"] == "reader").and_then(|key| key["id"].as_str()).expect("an id").to_owned();
    let revoke = |caller: &str| {
        let raw = format!("DELETE /v1/keys/{id} HTTP/1.1\r\nHost: localhost\r\n{caller}Connection: close\r\n\r\n");
        server.send(&raw).status
    };
    assert_eq!((revoke(&foreign), revoke(&reader), server.get_with("/v1/me", &reader).status), (404, 403, 200));
    assert_eq!((revoke(&admin), revoke(&admin), server.get_with("/v1/me", &reader).status), (200, 404, 401));
    let own =
        keys.iter().find(|key| key["tags"].is_null() && key["role"] == "admin").and_then(|key| key["id"].as_str());
    let raw = format!(
        "DELETE /v1/keys/{} HTTP/1.1\r\nHost: localhost\r\n{admin}Connection: close\r\n\r\n",
        own.expect("the admin's own")
    );
    assert_eq!(server.send(&raw).status, 403, "nobody locks themselves out by a slip");
    let after = server.get_with("/v1/keys", &admin).json();
    let state =
        after["keys"].as_array().into_iter().flatten().find(|key| key["id"] == id.as_str()).map(|key| &key["state"]);
    assert_eq!(state, Some(&"revoked".into()));
}

#[test]
fn the_last_evaluations_are_told_by_the_server() {
    let place = Place::new();
    place.write("documents/mast.md", "# The mast\n\nThe mast is 10 metres tall.\n");
    let golden = r#"{"id":"g1","query":"How tall is the mast?","category":"fact","split":"test","gold_answers":["10 metres tall"]}"#;
    place.write("golden.jsonl", format!("{golden}\n"));
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    for _ in 0..2 {
        assert_eq!(place.run(&["eval", "run", "--golden", "golden.jsonl"]).code, Some(0));
    }
    place.write(".vouch/evaluations/broken.json", "{");
    let server = Server::over(place);
    let listed = server.get("/v1/evaluations").json();
    let found = listed["evaluations"].as_array().expect("evaluations");
    assert_eq!(found.len(), 2, "what cannot be read hides nothing: {listed}");
    assert!(found[0]["name"].as_str() > found[1]["name"].as_str(), "newest first");
    assert_eq!((&found[0]["questions"], &found[0]["recall"]), (&1.into(), &1.0.into()));
    let one = server.get(&format!("/v1/evaluations/{}", found[0]["name"].as_str().expect("a name"))).json();
    assert_eq!(one["report"]["questions"][0]["verdict"], "right", "{one}");
    assert_eq!(server.get("/v1/evaluations/other").status, 404);
    assert_eq!(server.get("/v1/evaluations/..%2F..%2Fvouch").status, 404);
    let name = found[0]["name"].as_str().expect("a name").to_owned();
    let place = server.stop();
    let admin = callers::key(&place, "default", Role::Admin, None);
    let limited = callers::key(&place, "default", Role::Admin, Some(&["hr"]));
    let foreign = callers::key(&place, "fell", Role::Admin, None);
    let server = Server::over(place);
    let told = |caller: &str| server.get_with(&format!("/v1/evaluations/{name}"), caller).status;
    assert_eq!(
        (told(&admin), told(&limited), told(&foreign)),
        (200, 403, 404),
        "the questions of others are not shown"
    );
    assert_eq!(server.get_with("/v1/evaluations", &foreign).json()["evaluations"], json!([]));
}

#[test]
fn a_document_says_whether_it_has_times_that_its_text_does_not_hold() {
    let place = Place::new();
    place.write("docs/talk.vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nThe upper village drinks first.\n");
    place.write("docs/leave.md", "# Leave\n\nStaff have 26 days of leave.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let server = Server::over(place);
    let has_places = |id: &str| server.get(&format!("/v1/documents/{id}")).json()["has_places"].clone();
    assert_eq!((has_places("docs/talk.vtt"), has_places("docs/leave.md")), (true.into(), false.into()));
    let one = server.get("/v1/documents?id=docs%2Fleave.md").json();
    assert_eq!((&one["documents"][0]["document_id"], &one["next"]), (&"docs/leave.md".into(), &Value::Null));
    assert_eq!(server.get("/v1/documents?id=other").json()["documents"], json!([]));
}

fn termed() -> Server {
    let place = Place::new();
    place.write(
        "docs/adr.md",
        "---\naddress: ADR-0012\n---\n# CIM as the standard\n\nCIM is the standard for exchange.\n",
    );
    place.write("terms.ttl", TERMS);
    place.write(
        "memory.yaml",
        "- id: carry\n  kind: pinned\n  questions: [\"May I carry my leave over?\"]\n  references: [ADR-0012]\n",
    );
    for words in
        [["ingest", "docs"].as_slice(), &["vocab", "import", "terms.ttl"], &["memory", "import", "memory.yaml"]]
    {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    Server::over(place)
}

#[test]
fn a_vocabulary_is_looked_through_from_its_widest_concepts() {
    let server = termed();
    let top = server.get("/v1/concepts").json();
    let names: Vec<&Value> = top["concepts"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
    assert_eq!((names, &top["can_list"]), (vec![&Value::from("leave")], &true.into()), "{top}");
    let narrower = &top["concepts"][0]["narrower"];
    assert_eq!(*narrower, json!([{"uri": "http://e/carry", "name": "carry-over"}]));
    let one = server.get("/v1/concepts?term=http%3A%2F%2Fe%2Fcarry").json();
    let carry = &one["concepts"][0];
    assert_eq!(
        (&carry["definition"], &carry["broader"][0]["name"]),
        (&"Leave kept for the next year.".into(), &"leave".into())
    );
    let labels: Vec<&Value> = carry["labels"].as_array().into_iter().flatten().map(|one| &one["text"]).collect();
    assert_eq!(labels, ["carry-over", "kept leave"], "hidden names stay hidden");
    assert_eq!(server.get("/v1/concepts?term=kept+leave").json()["concepts"][0]["name"], "carry-over");
    assert_eq!(server.get("/v1/concepts?term=tea").json()["concepts"], json!([]));
    assert_eq!(server.get("/v1/concepts?term=+").status, 400);
    let none = Server::start("").get("/v1/concepts").json();
    assert_eq!((&none["backend"], &none["concepts"]), (&Value::Null, &json!([])), "there is no vocabulary");
}

#[test]
fn what_is_typed_is_gone_on_with_what_there_is() {
    let server = termed();
    let suggested = |typed: &str| server.get(&format!("/v1/suggestions?q={typed}")).json()["suggestions"].clone();
    let of = |text: &str, kind: &str, title: Value| json!({"text": text, "kind": kind, "title": title});
    assert_eq!(
        suggested("carry"),
        json!([of("May I carry my leave over?", "pinned", Value::Null), of("carry-over", "term", Value::Null)])
    );
    assert_eq!(suggested("adr-00"), json!([of("ADR-0012", "document", "CIM as the standard".into())]));
    assert_eq!(suggested("over+may"), json!([of("May I carry my leave over?", "pinned", Value::Null)]), "in any order");
    assert_eq!(suggested(""), json!([of("May I carry my leave over?", "pinned", Value::Null)]), "what can be asked");
    assert_eq!(suggested("%25_"), json!([]));
    assert_eq!(server.get(&format!("/v1/suggestions?q={}", "x".repeat(201))).status, 400);
}

#[test]
fn before_anything_is_typed_it_is_told_what_can_be_asked_and_that_is_answered() {
    let offered = |server: &Server| server.get("/v1/suggestions").json()["suggestions"].clone();
    let server = Server::start("");
    let titles = offered(&server);
    let title = titles[0]["text"].as_str().expect("a title");
    assert_eq!((titles.as_array().map(Vec::len), &titles[0]["kind"]), (Some(1), &json!("document")), "{titles}");
    let reply = server.post("/v1/ask", &json!({ "query": title }).to_string(), "").json();
    assert_eq!(reply["outcome"], "answered", "{reply}");
    let named = Server::start("serve: { examples: [\"How much leave is there?\"] }\n");
    assert_eq!(offered(&named), json!([{"text": "How much leave is there?", "kind": "example", "title": null}]));
}

#[test]
fn wordings_are_compared_with_a_question_before_they_are_kept() {
    let server = termed();
    let body = json!({"query": "May I carry over my leave?", "phrases": ["Can leave be carried over?", "What does tea cost?"]});
    let told = server.post("/v1/matches", &body.to_string(), "").json();
    let matches = told["matches"].as_array().expect("matches");
    let near: Vec<(&Value, &Value)> = matches.iter().map(|one| (&one["id"], &one["nearness"])).collect();
    assert_eq!(near[1], (&Value::Null, &"far".into()), "{told}");
    assert_eq!(near[2], (&"carry".into(), &"same".into()), "{told}");
    assert!(matches[0]["likeness"].as_f64() > matches[1]["likeness"].as_f64());
    assert!(told["same_from"].as_f64() > told["border_from"].as_f64());
    assert_eq!(server.get("/v1/audit").json()["entries"], json!([]), "nothing is recorded");
    assert_eq!(server.post("/v1/matches", r#"{"query": ""}"#, "").status, 400);
}
