//! What a person sets of a document stays until a person or a newer statement of its source changes it; and a file is a new
//! version of a document only where somebody says so.

use serde_json::{Value, json};

use crate::support::server::{HttpReply, Server};

fn send(server: &Server, query: &str, text: &str) -> HttpReply {
    let length = text.len();
    server.send(&format!(
        "POST /v1/files?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n{text}"
    ))
}

fn patch(server: &Server, id: &str, body: &Value) -> Value {
    let body = body.to_string();
    let got = server.send(&format!(
        "PATCH /v1/documents/{id} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    assert_eq!(got.status, 200, "{}", got.body);
    got.json()
}

fn read(server: &Server, id: &str) -> Value {
    server.get(&format!("/v1/documents/{id}")).json()
}

fn ingest(server: &Server, counts: &str) -> String {
    let ran = server.place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with(counts), "{}", ran.out);
    ran.err
}

#[test]
fn what_a_person_sets_stays_until_the_file_says_something_else() {
    let server = Server::start("");
    let rows = "name,band\nmira,B2\nlena,B3\n";
    server.place.write("docs/bands.csv", rows);
    server.place.write("docs/pay.md", "---\nstatus: accepted\nversion: 1\n---\n# Pay\n\nPay rises by two per cent.\n");
    ingest(&server, "added 2, updated 0, unchanged 1");
    let wanted = json!({ "status": "withdrawn", "version": "2", "superseded_by": "POL-7", "topics": ["pay"] });
    for id in ["docs/pay.md", "docs/bands.csv"] {
        let card = patch(&server, id, &wanted);
        assert_eq!((&card["status"], &card["superseded_by"]), (&json!("withdrawn"), &json!("POL-7")), "{card}");
    }
    patch(&server, "docs/bands.csv", &json!({ "tags": ["hr"] }));
    let quiet = ingest(&server, "added 0, updated 0, unchanged 3");
    assert_eq!(quiet, "", "nothing is to be told");
    let pay = read(&server, "docs/pay.md");
    assert_eq!((&pay["status"], &pay["version"]), (&json!("withdrawn"), &json!("2")), "{pay}");
    let status = pay["edits"].as_array().expect("edits").iter().find(|edit| edit["field"] == "status");
    let status = status.expect("an edit of the status");
    assert_eq!((&status["value"], &status["stated"]), (&json!("withdrawn"), &json!("accepted")), "both are shown");
    let bands = read(&server, "docs/bands.csv");
    assert_eq!((&bands["tags"], &bands["has_places"]), (&json!(["hr"]), &json!(true)), "{bands}");
    let shown = server.place.run(&["show", "docs/pay.md"]);
    assert!(shown.out.contains("status set to 'withdrawn' by local (its source says 'accepted')"), "{}", shown.out);

    // New words leave what was set; a new statement ends it.
    server
        .place
        .write("docs/pay.md", "---\nstatus: accepted\nversion: 1\n---\n# Pay\n\nPay rises by three per cent.\n");
    ingest(&server, "added 0, updated 1");
    assert_eq!(read(&server, "docs/pay.md")["status"], "withdrawn");
    server.place.write("docs/pay.md", "---\nstatus: final\nversion: 1\n---\n# Pay\n\nPay rises by three per cent.\n");
    let told = ingest(&server, "added 0, updated 1");
    assert!(
        told.contains("status: the document itself now says 'final', which replaces what local had set: 'withdrawn'"),
        "{told}"
    );
    let pay = read(&server, "docs/pay.md");
    assert_eq!((&pay["status"], &pay["version"]), (&json!("final"), &json!("2")), "{pay}");
    let replaced = patch(&server, "docs/pay.md", &json!({ "version": null, "title": "Pay of all" }));
    assert_eq!((&replaced["version"], &replaced["title"]), (&Value::Null, &json!("Pay of all")), "{replaced}");
}

#[test]
fn a_file_of_a_name_that_is_taken_is_another_document_or_a_new_version_as_its_sender_says() {
    let server = Server::start("");
    let (first, second) = ("# Alpha\n\nAlpha is about locks.\n", "# Beta\n\nBeta is about weirs.\n");
    assert_eq!(send(&server, "name=README.md", first).status, 200);
    let asked = send(&server, "name=README.md", second);
    assert_eq!((asked.status, &asked.json()["code"]), (409, &json!("same_name")), "{}", asked.body);
    assert!(asked.json()["detail"].to_string().contains("'Alpha'"), "{}", asked.body);
    assert_eq!(read(&server, "README.md")["title"], "Alpha");
    let beside = send(&server, "name=README.md&same_name=another_document", second);
    assert_eq!(beside.json()["added"], 1, "{}", beside.body);
    let again = send(&server, "name=README.md", second);
    assert_eq!((again.status, &again.json()["unchanged"]), (200, &json!(1)), "it is known by now: {}", again.body);
    let listed = server.get("/v1/documents").json();
    let titles: Vec<&str> =
        listed["documents"].as_array().expect("a list").iter().filter_map(|card| card["title"].as_str()).collect();
    assert_eq!(titles, ["Alpha", "Beta", "Annual Leave"], "{listed}");
    let newer = send(&server, "name=README.md&same_name=new_version", "# Alpha and omega\n\nAlpha is about gates.\n");
    assert_eq!(newer.json()["updated"], 1, "{}", newer.body);
    assert_eq!(read(&server, "README.md")["title"], "Alpha and omega", "a new version brings its own title");
    let own_id = send(&server, "name=README.md", "---\nid: gamma\n---\n# Gamma\n\nGamma is about boats.\n");
    assert_eq!(own_id.json()["added"], 1, "a file that names its id is told by that: {}", own_id.body);
    assert_eq!(read(&server, "README.md")["title"], "Alpha and omega");
}
