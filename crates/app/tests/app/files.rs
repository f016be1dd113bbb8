//! `POST /v1/files`: files as they are over HTTP, as callers of several sorts.

use serde_json::Value;
use vouch_domain::Role;

use crate::support::{
    callers::key,
    server::{HttpReply, Server},
};

fn send(server: &Server, query: &str, bytes: &str, headers: &str) -> HttpReply {
    let length = bytes.len();
    server.send(&format!(
        "POST /v1/files?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {length}\r\n{headers}\r\n{bytes}"
    ))
}

fn reason(got: &HttpReply) -> String {
    got.json().get("detail").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[test]
fn a_file_is_read_by_its_ending_answered_from_and_replaced() {
    let server = Server::start("");
    let page = "<html><body><main><h1>Masts</h1><p>The mast of Ness is 27 metres high.</p></main></body></html>";
    let got = send(&server, "name=masts.html&kind=note", page, "");
    assert_eq!((got.status, &got.json()["added"]), (200, &Value::from(1)), "{}", got.body);
    let read = server.get("/v1/documents/masts.html").json();
    assert_eq!((&read["title"], &read["kind"]), (&"Masts".into(), &"note".into()), "{read}");
    let reply = server.post("/v1/ask", r#"{"query": "How high is the mast of Ness?"}"#, "").json();
    assert_eq!(reply["citations"][0]["document_id"], "masts.html", "{reply}");
    let again = send(&server, "name=masts.html&kind=note", page, "");
    assert_eq!(again.json()["unchanged"], 1, "{}", again.body);
    let changed = send(&server, "name=masts.html&kind=note&same_name=new_version", &page.replace("27", "28"), "");
    assert_eq!(changed.json()["updated"], 1, "{}", changed.body);
}

#[test]
fn what_cannot_be_read_is_a_sentence() {
    let server = Server::start("serve: { file_bytes_max: 4096 }\n");
    for (query, bytes, said) in [
        ("name=a.png", "png", "it is an image; name a program that reads images under ingest.convert"),
        ("name=noending", "words", "its format is not supported; Vouch reads .md, .txt, "),
        ("name=plan.doc", "old", "the old Word format cannot be read; save it as .docx"),
        ("name=~$plan.docx", "mark", "it is a lock file that Office keeps while a document is open"),
        ("name=empty.md", "", "no text"),
        ("name=bad.txt", "nul \0 inside", "it is a binary file"),
        ("name=..%2Fx.md", "# X\n\nWords.", "no slashes"),
        ("name=", "# X\n\nWords.", "1 to 255 characters"),
        ("nome=x.md", "# X", "name"),
    ] {
        let got = send(&server, query, bytes, "");
        assert!(got.status == 400 && reason(&got).contains(said), "{query}: {} {}", got.status, got.body);
    }
    let large = send(&server, "name=large.txt", &"words ".repeat(1_000), "");
    assert_eq!((large.status, reason(&large).as_str()), (413, "The body is larger than 4096 bytes."), "{}", large.body);
    let json = server.post("/v1/files?name=x.md", "{}", "");
    assert_eq!(json.status, 415, "{}", json.body);
}

#[test]
fn a_key_keeps_only_within_its_own_tags_whatever_a_file_says() {
    let server = Server::start("");
    let admin = key(&server.place, "default", Role::Admin, None);
    let hr = key(&server.place, "default", Role::Admin, Some(&["hr"]));
    let reader = key(&server.place, "default", Role::Reader, Some(&["hr"]));
    let words = "# Pay\n\nPay rises by two per cent.\n";
    let plans = "# Plans\n\nThe merger is off.\n";
    for (query, text, caller, status) in [
        ("name=pay.md", words, &reader, 403),
        ("name=pay.md", words, &hr, 403),
        ("name=pay.md&tags=board", words, &hr, 403),
        ("name=pay.md&tags=hr", words, &hr, 200),
        ("name=board.md&tags=board", plans, &admin, 200),
        ("name=board.md&tags=hr", "# Board\n\nThe board meets in May.\n", &hr, 403),
        ("name=own.md&tags=hr", "---\nid: board.md\n---\n# Pay\n\nPay falls.\n", &hr, 400),
        ("name=wide.md&tags=hr", "---\naccess: [board]\n---\n# Pay\n\nPay falls.\n", &hr, 400),
    ] {
        let got = send(&server, query, text, caller);
        assert_eq!(got.status, status, "{query}: {}", got.body);
    }
    let board = server.get_with("/v1/documents/board.md", &admin).json();
    assert_eq!(board["text"], plans, "{board}");
}
