//! `/v1/documents`, `/v1/memory` and `/v1/terms` over HTTP, as callers of several sorts.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::Write,
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{
    Place,
    callers::key,
    embedding_server::EmbeddingServer,
    server::{self, HttpReply, Server},
};

const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://e/carry> a skos:Concept ; skos:prefLabel \"carry-over\"@en ; skos:definition \"Leave kept for the next year.\"@en .\n";

fn delete(server: &Server, path: &str, headers: &str) -> HttpReply {
    server.send(&format!("DELETE {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"))
}

fn post(server: &Server, path: &str, body: &Value, headers: &str) -> HttpReply {
    server.post(path, &body.to_string(), headers)
}

fn document(id: &str, text: &str, tags: &[&str]) -> Value {
    json!({ "id": id, "title": format!("About {id}"), "text": text, "tags": tags })
}

fn ids(got: &HttpReply) -> Vec<String> {
    let listed = got.json();
    let cards = listed.get("documents").and_then(Value::as_array).expect("a page");
    cards.iter().filter_map(|card| card.get("document_id")?.as_str().map(str::to_owned)).collect()
}

fn counts(got: &HttpReply) -> (u64, u64, u64, u64) {
    let told = got.json();
    let count = |name: &str| told.get(name).and_then(Value::as_u64).expect("a count");
    (count("added"), count("updated"), count("unchanged"), count("failed"))
}

#[test]
fn a_document_is_taken_in_answered_from_read_and_taken_out() {
    let server = Server::start("");
    let tea = "The price of tea is four euros a tin.";
    let got = post(&server, "/v1/documents", &json!({ "id": "shop/tea é", "text": tea, "kind": "note" }), "");
    assert_eq!((got.status, counts(&got)), (200, (1, 0, 0, 0)), "{}", got.body);
    let again = post(&server, "/v1/documents", &json!([{ "id": "shop/tea é", "text": tea, "kind": "note" }]), "");
    assert_eq!((again.status, counts(&again)), (200, (0, 0, 1, 0)), "{}", again.body);
    let found = post(&server, "/v1/search", &json!({ "query": "price of tea" }), "").json();
    assert_eq!(found["hits"][0]["document_id"], "shop/tea é", "{found}");
    for path in ["/v1/documents/shop/tea%20%C3%A9", "/v1/documents/shop%2Ftea%20%c3%a9"] {
        let read = server.get(path);
        assert_eq!(read.status, 200, "{}", read.body);
        assert_eq!((&read.json()["text"], &read.json()["kind"]), (&tea.into(), &"note".into()));
    }
    assert_eq!(ids(&server.get("/v1/documents")), ["docs/leave.md", "shop/tea é"]);
    assert_eq!(ids(&server.get("/v1/documents?kind=NOTE")), ["shop/tea é"]);
    assert_eq!(ids(&server.get("/v1/documents?collection=nothing")), Vec::<String>::new());
    assert_eq!(ids(&server.get("/v1/documents?words=SHOP%20TE")), ["shop/tea é"]);
    assert_eq!(ids(&server.get("/v1/documents?words=shop%20leave")), Vec::<String>::new());
    assert_eq!(server.get(&format!("/v1/documents?words={}", "x".repeat(201))).status, 400);
    let first = server.get("/v1/documents?limit=1");
    assert_eq!((ids(&first), &first.json()["next"]), (vec!["docs/leave.md".to_owned()], &"docs/leave.md".into()));
    let last = server.get("/v1/documents?limit=1&after=docs%2Fleave.md");
    assert_eq!((ids(&last), &last.json()["next"]), (vec!["shop/tea é".to_owned()], &Value::Null));
    let total = |path: &str| server.get(path).json()["total"].clone();
    assert_eq!([total("/v1/documents?limit=1"), total("/v1/documents?kind=note&limit=1")], [json!(2), json!(1)]);
    assert_eq!(total("/v1/documents?limit=1&after=docs%2Fleave.md"), Value::Null, "it was told with the first page");
    let gone = delete(&server, "/v1/documents/shop/tea%20%C3%A9", "");
    assert_eq!((gone.status, &gone.json()["removed"]), (200, &1.into()), "{}", gone.body);
    assert_eq!(server.get("/v1/documents/shop/tea%20%C3%A9").status, 404);
    assert_eq!(delete(&server, "/v1/documents/shop/tea%20%C3%A9", "").status, 404);
    let found = post(&server, "/v1/search", &json!({ "query": "price of tea" }), "").body;
    assert!(!found.contains("four euros"), "{found}");
}

#[test]
fn a_bad_document_is_reported_and_the_rest_goes_on() {
    let server = Server::start("");
    let sent = json!([
        { "id": "good", "text": "Boats are kept in the shed." },
        { "id": "bad", "text": 7 },
        { "id": "bare", "text": "  " },
        { "text": "Nobody." },
        { "id": "good", "text": "Once more." },
        { "id": "odd", "text": "Odd.", "tenant": "other" },
    ]);
    let got = post(&server, "/v1/documents", &sent, "");
    assert_eq!((got.status, counts(&got)), (207, (1, 0, 0, 5)), "{}", got.body);
    let told = got.json();
    let places: Vec<u64> =
        told["failures"].as_array().expect("failures").iter().filter_map(|one| one["index"].as_u64()).collect();
    assert_eq!(places, [1, 2, 3, 4, 5]);
    assert_eq!(told["failures"][1]["document_id"], "bare");
    assert!(told["failures"][4]["reason"].to_string().contains("tenant"), "{told}");
    let none = post(&server, "/v1/documents", &json!({ "id": "bare", "text": "..." }), "");
    assert_eq!((none.status, &none.json()["code"]), (400, &"invalid_request".into()), "where nothing is taken in");
    assert!(none.json()["detail"].to_string().contains("it contains no text"), "{}", none.body);
    let many: Vec<Value> = (0..1_001).map(|n| document(&n.to_string(), "x", &[])).collect();
    for (body, status) in [(json!("text"), 400), (json!(many), 400), (json!([]), 200)] {
        assert_eq!(post(&server, "/v1/documents", &body, "").status, status);
    }
}

#[test]
fn changes_of_one_tenant_keep_no_other_waiting() {
    let (place, embedder) = (Place::new(), EmbeddingServer::start());
    embedder.never_answer("lamp");
    let gates = "judge: { model: none, gates: [{ gate: query_coverage, at_least: 0.5 }] }\n";
    place.write("vouch.yaml", gates.to_owned() + &embedder.settings());
    place.write("docs/leave.md", server::LEAVE);
    assert_eq!(place.run(&["ingest", "docs", "--tenant", "b"]).code, Some(0));
    let (busy, other) = (key(&place, "a", Role::Admin, None), key(&place, "b", Role::Reader, None));
    let monitor = key(&place, "a", Role::Monitor, None);
    let server = Server::over(place);
    let begin = |path: &str, body: &Value| {
        let (body, mut stream) = (body.to_string(), TcpStream::connect(&server.address).expect("a connection"));
        let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n{busy}");
        let sent = write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len());
        sent.expect("someone to tell");
        stream.set_read_timeout(Some(Duration::from_millis(1))).expect("a deadline");
        stream
    };
    let under_way = |wanted: usize| {
        let begun = Instant::now();
        while !server
            .get_with("/metrics", &monitor)
            .body
            .contains(&format!("vouch_requests_in_flight {}\n", wanted + 1))
        {
            assert!(begun.elapsed() < Duration::from_secs(20), "{wanted} requests are under way");
        }
    };
    // Its vectors never come, and four more changes wait for that.
    let long = json!({ "id": "long", "text": "The lamp of the pier is lit at dusk." });
    let mut changes = vec![begin("/v1/documents", &long)];
    under_way(1);
    let entry =
        |number: usize| json!({ "id": format!("m{number}"), "phrases": ["Which lamp?"], "references": ["long"] });
    changes.extend((0..4).map(|number| begin("/v1/memory", &entry(number))));
    under_way(5);
    let asked = json!({ "query": "How many days of paid annual leave do staff have?" });
    let got = post(&server, "/v1/ask", &asked, &other);
    assert!(got.status == 200 && got.body.contains("26 days"), "{}", got.body);
    let is_answered = |stream: &TcpStream| stream.peek(&mut [0]).is_ok();
    assert!(!changes.iter().any(is_answered), "the other tenant was answered only when the changes were made");
}

#[test]
fn a_key_of_a_part_keeps_what_that_part_alone_sees() {
    let place = Place::new();
    place.write("docs/leave.md", server::LEAVE);
    place.write("docs/hr.md", "---\naccess: [hr]\n---\n# Pay\n\nPay comes on the last day.\n");
    place.write("docs/both.md", "---\naccess: [hr, board]\n---\n# Bonus\n\nA bonus is decided in March.\n");
    place.write("docs/board.md", "---\naccess: [board]\n---\n# Merger\n\nThe merger is secret.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let hr = key(&place, "default", Role::Admin, Some(&["hr"]));
    let reader = key(&place, "default", Role::Reader, None);
    let other = key(&place, "other", Role::Admin, None);
    let server = Server::over(place);
    assert_eq!(server.get("/v1/documents").status, 401);
    let listed = |caller: &str| ids(&server.get_with("/v1/documents", caller));
    assert_eq!(listed(&hr), ["docs/both.md", "docs/hr.md", "docs/leave.md"]);
    assert_eq!(listed(&other), Vec::<String>::new());
    let both = server.get_with("/v1/documents/docs/both.md", &hr).json();
    assert_eq!(both["tags"], json!(["hr"]), "tags that are not the caller's are none of their business");
    for (path, status) in [
        ("/v1/documents/docs/board.md", 404),
        ("/v1/documents/docs/both.md", 403),
        ("/v1/documents/docs/leave.md", 403),
    ] {
        assert_eq!(delete(&server, path, &hr).status, status, "{path}");
        assert_eq!(delete(&server, path, &other).status, 404, "{path}");
        assert_eq!(delete(&server, path, &reader).status, 403, "{path}");
    }
    let sent = json!([
        document("new", "Ours.", &["hr"]),
        document("docs/hr.md", "Pay comes on Friday.", &[" hr "]),
        document("open", "For everybody.", &[]),
        document("wide", "Too wide.", &["hr", "board"]),
        document("docs/board.md", "The merger is off.", &["hr"]),
        document("docs/leave.md", "No leave.", &["hr"]),
        document("docs/both.md", "No bonus.", &["hr"]),
        document("blank", "Blank tags.", &["", " "]),
    ]);
    let got = post(&server, "/v1/documents", &sent, &hr);
    assert_eq!((got.status, counts(&got)), (207, (1, 1, 0, 6)), "{}", got.body);
    let read = |path: &str| server.get_with(path, &reader).body;
    assert!(read("/v1/documents/docs/board.md").contains("The merger is secret."));
    assert!(read("/v1/documents/docs/leave.md").contains("26 days"));
    assert!(read("/v1/documents/docs/hr.md").contains("Friday"));
    assert_eq!(post(&server, "/v1/documents", &sent, &reader).status, 403);
    assert_eq!(counts(&post(&server, "/v1/documents", &document("new", "Theirs.", &[]), &other)).0, 1);
    assert!(read("/v1/documents/new").contains("Ours."), "tenants do not share ids");
    assert_eq!(delete(&server, "/v1/documents/docs/hr.md", &hr).status, 200);
}

#[test]
fn memory_is_listed_kept_and_taken_out_within_what_a_key_covers() {
    let place = Place::new();
    place.write("docs/leave.md", server::LEAVE);
    place.write("docs/board.md", "---\naccess: [board]\n---\n# Merger\n\nThe merger is secret.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let words = ["memory", "add", "pin", "--phrase", "What of the merger?", "--reference", "docs/board.md"];
    let ran = place.run(&words);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (whole, reader) = (key(&place, "default", Role::Admin, None), key(&place, "default", Role::Reader, None));
    let hr = key(&place, "default", Role::Admin, Some(&["hr"]));
    let server = Server::over(place);
    let entry = |id: &str, reference: &str, tags: &[&str]| json!({ "id": id, "phrases": ["Leave?"], "references": [reference], "tags": tags });
    for (body, caller, status) in [
        (entry("mine", "docs/leave.md", &["hr"]), &hr, 200),
        (entry("mine", "docs/leave.md", &["hr"]), &reader, 403),
        (entry("wide", "docs/leave.md", &[]), &hr, 403),
        (entry("pin", "docs/leave.md", &["hr"]), &hr, 403),
        (entry("seen", "docs/board.md", &["hr"]), &hr, 400),
        (entry("lost", "nobody", &[]), &whole, 400),
        (json!({ "id": "none", "phrases": [] }), &whole, 400),
        (json!({ "id": "note", "phrases": ["Leave?"], "note": "Be kind." }), &whole, 200),
    ] {
        let got = post(&server, "/v1/memory", &body, caller);
        assert_eq!(got.status, status, "{body}: {}", got.body);
    }
    let listed = |caller: &str| server.get_with("/v1/memory", caller).json()["entries"].clone();
    assert_eq!(listed(&whole)[2]["references"], json!(["docs/board.md"]), "{}", listed(&whole));
    assert_eq!(listed(&hr)[2]["references"], json!([]), "what they may not see is not named to them");
    for (id, caller, status) in
        [("pin", &hr, 403), ("nobody", &whole, 404), ("mine", &reader, 403), ("mine", &hr, 200), ("mine", &hr, 404)]
    {
        assert_eq!(delete(&server, &format!("/v1/memory/{id}"), caller).status, status, "{id}");
    }
}

#[test]
fn a_term_is_told_in_the_vocabularys_words() {
    let place = Place::new();
    place.write("terms.ttl", TERMS);
    let ran = place.run(&["vocab", "import", "terms.ttl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let server = Server::over(place);
    let told = server.get("/v1/terms?term=carry-over");
    assert_eq!(told.status, 200, "{}", told.body);
    assert!(told.json()["answer"].to_string().contains("Leave kept for the next year."), "{}", told.body);
    assert_eq!(server.get("/v1/terms?term=nonsense").json()["refused"], true);
    for path in ["/v1/terms", "/v1/terms?term=", "/v1/terms?term=%20", "/v1/terms?term=a&term=b", "/v1/terms?other=a"] {
        assert_eq!(server.get(path).status, 400, "{path}");
    }
    assert_eq!(Server::start("").get("/v1/terms?term=x").status, 404);
}
