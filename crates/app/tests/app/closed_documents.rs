//! What was closed stays closed, through the binary: whatever was removed, restored, sent or taken in by itself meanwhile.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};

use crate::support::{
    Place, Ran,
    server::{HttpReply, Server},
};

const PAY: &str = "# Pay Day\n\nThe pay day of lock keepers is the 25th of each month.\n";
const LOCKS: &str = "# Locks\n\nThe gates of the lock are made of oak.\n";

fn run(place: &Place, words: &[&str], code: i32) -> Ran {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(code), "{words:?}: {}{}", ran.out, ran.err);
    ran
}

/// Who may see a document, in the words of `vouch show`; none where it is not there.
fn seen_by(place: &Place, id: &str) -> Option<Vec<String>> {
    let shown: Value = serde_json::from_str(&run(place, &["show", id, "--json"], 0).out).expect("JSON");
    let tags = shown.get("tags")?.as_array().expect("tags");
    Some(tags.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect())
}

fn place() -> Place {
    let place = Place::new();
    place.write("docs/pay.md", PAY);
    run(&place, &["ingest", "docs", "--tags", "hr"], 0);
    place
}

fn hr() -> Option<Vec<String>> {
    Some(vec!["hr".to_owned()])
}

#[test]
fn a_document_that_was_pruned_and_comes_back_is_seen_by_who_could_see_it() {
    let place = place();
    std::fs::remove_file(place.path("docs/pay.md")).expect("a file");
    let refused = run(&place, &["ingest", "docs", "--prune"], 1).err;
    assert!(
        refused.contains("nothing was removed: 1 of the 1 documents") && refused.contains("--prune-many"),
        "{refused}"
    );
    assert_eq!(seen_by(&place, "docs/pay.md"), hr(), "it is there still");
    run(&place, &["ingest", "docs", "--prune-many"], 0);
    assert_eq!(seen_by(&place, "docs/pay.md"), None);
    place.write("docs/pay.md", PAY);
    let back = run(&place, &["ingest", "docs"], 0).err;
    assert!(back.contains("1 document keeps the tags it was given before"), "{back}");
    assert_eq!(seen_by(&place, "docs/pay.md"), hr());
    run(&place, &["ingest", "docs", "--open"], 0);
    assert_eq!(seen_by(&place, "docs/pay.md"), Some(Vec::new()));
}

#[test]
fn a_prune_that_would_remove_more_than_a_third_is_refused_and_a_smaller_one_is_not() {
    let place = Place::new();
    for number in 0..6 {
        place.write(&format!("docs/{number}.md"), format!("# Lock {number}\n\nLock {number} has {number} gates.\n"));
    }
    run(&place, &["ingest", "docs"], 0);
    for number in 0..3 {
        std::fs::remove_file(place.path(&format!("docs/{number}.md"))).expect("a file");
    }
    let refused = run(&place, &["ingest", "docs", "--prune", "--json"], 1);
    let told: Value = serde_json::from_str(&refused.out).expect("JSON");
    assert_eq!((&told["removed"], &told["not_removed"]), (&json!(0), &json!(3)), "{told}");
    place.write("docs/0.md", "# Lock 0\n\nLock 0 has no gates.\n");
    let allowed = run(&place, &["ingest", "docs", "--prune"], 0);
    assert!(allowed.out.contains("removed 2"), "{}", allowed.out);
    // A folder that is not there removes nothing, whatever is said.
    run(&place, &["ingest", "gone", "--prune-many"], 1);
    assert!(run(&place, &["list"], 0).out.contains("document  4"));
}

#[test]
fn other_people_see_a_closed_document_only_once_it_is_opened_to_them() {
    let place = place();
    let told = run(&place, &["ingest", "docs", "--tags", "staff"], 0).err;
    assert!(told.contains("only the tags hr could see it before, so it stays with hr"), "{told}");
    assert_eq!(seen_by(&place, "docs/pay.md"), hr());
    place.write("docs/pay.md", format!("---\naccess: []\n---\n{PAY}"));
    run(&place, &["ingest", "docs"], 0);
    assert_eq!(seen_by(&place, "docs/pay.md"), hr(), "what a file says of itself opens nothing either");
    run(&place, &["ingest", "docs", "--tags", "staff", "--open"], 0);
    assert_eq!(seen_by(&place, "docs/pay.md"), Some(vec!["staff".to_owned()]));
}

#[test]
fn a_file_that_was_away_and_has_another_name_now_is_known_by_its_text() {
    let place = place();
    place.write("docs/locks.md", LOCKS);
    run(&place, &["ingest", "docs/locks.md", "--open"], 0);
    std::fs::remove_file(place.path("docs/pay.md")).expect("a file");
    run(&place, &["ingest", "docs", "--prune-many"], 0);
    place.write("docs/salaries.md", PAY);
    place.write("docs/weir.md", "# Weir\n\nThe weir is closed in March.\n");
    run(&place, &["ingest", "docs"], 0);
    assert_eq!(seen_by(&place, "docs/salaries.md"), hr());
    assert_eq!(seen_by(&place, "docs/weir.md"), Some(Vec::new()), "the folder has an open document");
}

#[test]
fn a_new_folder_in_a_closed_one_is_closed_as_well_and_opens_none_of_it() {
    let place = place();
    place.write("docs/new/deep/rota.md", LOCKS);
    let told = run(&place, &["ingest", "docs"], 0).err;
    assert_eq!(seen_by(&place, "docs/new/deep/rota.md"), hr(), "{told}");
    place.write("docs/weir.md", "# Weir\n\nThe weir is closed in March.\n");
    run(&place, &["ingest", "docs"], 0);
    assert_eq!(seen_by(&place, "docs/weir.md"), hr());
    place.write("other/oak.md", "# Oak\n\nOak is bought in May.\n");
    run(&place, &["ingest", "other"], 0);
    assert_eq!(seen_by(&place, "other/oak.md"), Some(Vec::new()), "another folder is another matter");
}

#[test]
fn a_document_whose_readers_are_named_where_nobody_reads_them_is_not_taken_in() {
    let place = Place::new();
    for (number, head) in [
        "---\ntitle: Heads\naccess: [hr]\n\n# Heads",
        "\n---\naccess: [hr]\n---\n# Heads",
        "----\naccess: [hr]\n----\n# Heads",
        "---\nAccess: [hr]\n---\n# Heads",
        "---\naccess:\n---\n# Heads",
    ]
    .into_iter()
    .enumerate()
    {
        place.write(&format!("docs/{number}.md"), format!("{head}\n\nThe code is Owlbarrow.\n"));
    }
    place.write("docs/rule.md", "---\n\n# A rule\n\nAccess: by the north door.\n");
    let told = run(&place, &["ingest", "docs"], 1).err;
    assert_eq!(told.matches("who may see it").count(), 4, "{told}");
    assert!(told.contains("'Access' in its front matter must be written 'access'"), "{told}");
    assert!(!run(&place, &["list"], 0).out.contains("document  6"));
    assert_eq!(seen_by(&place, "docs/rule.md"), Some(Vec::new()));
    assert_eq!(seen_by(&place, "docs/0.md"), None);
}

#[test]
fn lines_of_json_that_come_back_are_seen_by_who_could_see_them() {
    let place = Place::new();
    let line = |id: &str| format!("{{\"id\": \"{id}\", \"text\": \"Lock {id} is closed.\"}}\n");
    place.write("docs/all.jsonl", line("a") + &line("b") + &line("c"));
    run(&place, &["ingest", "docs", "--tags", "hr"], 0);
    place.write("docs/all.jsonl", line("b") + &line("c"));
    run(&place, &["ingest", "docs", "--prune"], 0);
    place.write("docs/all.jsonl", line("a") + &line("b") + &line("c") + &line("d"));
    run(&place, &["ingest", "docs"], 0);
    for id in ["a", "b", "d"] {
        assert_eq!(seen_by(&place, id), hr(), "{id}");
    }
}

#[test]
fn a_source_that_is_empty_removes_nothing_until_that_is_meant() {
    let place = Place::new();
    place.write("shelf/pay.md", PAY);
    let sources = |tags: &str| format!("sources: [{{name: shelf, folder: shelf{tags}}}]\n");
    place.write("vouch.yaml", sources(", tags: [hr]"));
    run(&place, &["sync"], 0);
    std::fs::remove_file(place.path("shelf/pay.md")).expect("a file");
    place.write("vouch.yaml", sources(""));
    let refused = run(&place, &["sync"], 1).err;
    assert!(refused.contains("`vouch sync shelf --prune-many`"), "{refused}");
    run(&place, &["sync", "shelf", "--prune-many"], 0);
    place.write("shelf/pay.md", PAY);
    run(&place, &["sync"], 0);
    assert_eq!(seen_by(&place, "shelf/pay.md"), hr(), "the tags of the source were taken off its settings");
    run(&place, &["sync", "--open"], 0);
    assert_eq!(seen_by(&place, "shelf/pay.md"), Some(Vec::new()));
}

#[test]
fn a_restored_backup_opens_nothing_that_was_closed_since() {
    let place = Place::new();
    place.write("docs/locks.md", LOCKS);
    run(&place, &["ingest", "docs"], 0);
    run(&place, &["store", "backup", "backup"], 0);
    place.write("docs/pay.md", PAY);
    run(&place, &["ingest", "docs", "--tags", "hr"], 0);
    let refused = run(&place, &["store", "restore", "backup", "--replace"], 1).err;
    assert!(refused.contains("1 document to more people") && refused.contains("--open"), "{refused}");
    assert_eq!(seen_by(&place, "docs/locks.md"), hr(), "nothing was restored");
    run(&place, &["store", "restore", "backup", "--replace", "--open"], 0);
    assert_eq!(seen_by(&place, "docs/locks.md"), Some(Vec::new()));
    assert_eq!(seen_by(&place, "docs/pay.md"), None, "the backup is older");
    run(&place, &["ingest", "docs"], 0);
    assert_eq!(seen_by(&place, "docs/pay.md"), hr());
}

fn send(server: &Server, query: &str, text: &str) -> HttpReply {
    let length = text.len();
    server.send(&format!(
        "POST /v1/files?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n{text}"
    ))
}

fn with_method(server: &Server, method: &str, path: &str, body: &Value) -> HttpReply {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    server.send(&format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

fn tags(server: &Server, id: &str) -> Value {
    server.get(&format!("/v1/documents/{id}")).json().get("tags").cloned().unwrap_or_default()
}

#[test]
fn what_comes_back_over_http_is_opened_by_a_word_of_its_own_alone() {
    let server = Server::start("");
    let warned = |got: &HttpReply| got.json()["warnings"].to_string().contains("`open`: true");
    assert_eq!(send(&server, "name=pay.md&tags=hr", PAY).status, 200);
    assert_eq!(with_method(&server, "DELETE", "/v1/documents/pay.md", &Value::Null).status, 200);
    let back = send(&server, "name=pay.md", PAY);
    assert!(back.status == 200 && warned(&back), "{}", back.body);
    assert_eq!(tags(&server, "pay.md"), json!(["hr"]));
    let opened = send(&server, "name=pay.md&open=true", PAY);
    assert_eq!((opened.status, tags(&server, "pay.md")), (200, json!([])), "{}", opened.body);

    let document = |more: Value| {
        let mut body = json!({ "id": "rota", "text": "The rota is on the wall." });
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        server.post("/v1/documents", &body.to_string(), "")
    };
    assert_eq!(document(json!({ "tags": ["hr"] })).status, 200);
    let wider = document(json!({ "tags": ["staff"] }));
    assert!(wider.status == 200 && warned(&wider), "{}", wider.body);
    assert_eq!(tags(&server, "rota"), json!(["hr"]));
    assert_eq!(with_method(&server, "DELETE", "/v1/documents/rota", &Value::Null).status, 200);
    assert_eq!(document(json!({})).status, 200);
    assert_eq!(tags(&server, "rota"), json!(["hr"]));
    assert_eq!(document(json!({ "open": true })).status, 200);
    assert_eq!(tags(&server, "rota"), json!([]));

    let path = "/v1/documents/rota";
    assert_eq!(with_method(&server, "PATCH", path, &json!({ "tags": ["hr"] })).status, 200);
    let refused = with_method(&server, "PATCH", path, &json!({ "tags": [] }));
    assert!(refused.status == 400 && refused.body.contains("`open`: true"), "{}", refused.body);
    let opened = with_method(&server, "PATCH", path, &json!({ "tags": [], "open": true }));
    assert_eq!((opened.status, &opened.json()["tags"]), (200, &json!([])), "{}", opened.body);
}
