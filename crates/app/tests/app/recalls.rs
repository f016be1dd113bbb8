//! Answers whose sources no longer say what was cited: found by the command and over HTTP, for those who may know.
#![expect(clippy::indexing_slicing, reason = "a reply of another form fails the test")]

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{Place, callers, replies, server::Server};

const ASKED: &str = "How many days of paid annual leave do staff have?";
const CITED: &str = "Staff have 26 days of paid annual leave a year.";
const LEAVE: &str = "# Annual Leave\n\n## Days\n\nStaff have 26 days of paid annual leave a year.\n\n## Forms\n\nUnused leave is carried \
                     over with form P-04.\n";
const MAST: &str = "# Mast\n\nThe mast of the relay station is 3 m tall.\n";

/// A folder with two documents, and a question on each that was answered.
fn answered(leave: &str) -> (Place, String) {
    let place = Place::new();
    place.write("docs/leave.md", leave);
    place.write("docs/mast.md", MAST);
    ingest(&place);
    let id = ask(&place, ASKED);
    ask(&place, "How tall is the mast of the relay station?");
    (place, id)
}

fn ingest(place: &Place) {
    let ran = place.run(&["ingest", "docs", "--prune-many"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

fn ask(place: &Place, query: &str) -> String {
    let reply = replies::json(&place.run(&["ask", query, "--json"]));
    assert_eq!(reply["outcome"], "answered", "{reply}");
    reply["request_id"].as_str().unwrap_or_default().to_owned()
}

fn recalls(place: &Place) -> Value {
    replies::json(&place.run(&["audit", "recalls", "--json"]))
}

/// The one answer that is listed, and the one source of it.
fn only(list: &Value) -> (&Value, &Value) {
    let recalls = list["recalls"].as_array().map(Vec::as_slice).unwrap_or_default();
    assert_eq!(recalls.len(), 1, "{list}");
    let sources = list["recalls"][0]["sources"].as_array().map(Vec::len);
    assert_eq!(sources, Some(1), "{list}");
    (&list["recalls"][0], &list["recalls"][0]["sources"][0])
}

#[test]
fn an_answer_is_recalled_once_its_sentence_has_changed() {
    let (place, id) = answered(LEAVE);
    assert_eq!(recalls(&place)["recalls"], json!([]), "nothing has changed");
    place.write("docs/leave.md", LEAVE.replace("26 days", "28 days"));
    ingest(&place);
    let list = recalls(&place);
    let (recall, source) = only(&list);
    assert_eq!((&recall["request_id"], &recall["query"]), (&json!(id), &json!(ASKED)));
    assert_eq!(recall["user_id"], "command line");
    assert_eq!((&source["reason"], &source["title"]), (&json!("changed"), &json!("Annual Leave")));
    let gone = json!([{
        "text": CITED, "in_its_place": "Staff have 28 days of paid annual leave a year.", "section": "Annual Leave › Days",
    }]);
    assert_eq!(source["sentences"], gone);
    assert_eq!((&source["version_then"]["number"], &source["version_now"]["number"]), (&json!(1), &json!(2)));
    let told = place.run(&["audit", "recalls"]).out;
    for words in [id.as_str(), CITED, "now:   Staff have 28 days", "version 1 then, version 2 now", "One answer relies"]
    {
        assert!(told.contains(words), "{words} in {told}");
    }
    // The answer of today rests on what stands today.
    ask(&place, ASKED);
    assert_eq!(only(&recalls(&place)).0["request_id"], json!(id));
    place.write("docs/leave.md", LEAVE);
    ingest(&place);
    let back = recalls(&place);
    assert_eq!(only(&back).1["sentences"][0]["text"], CITED.replace("26", "28"), "the old wording is back: {back}");
}

#[test]
fn a_sentence_that_only_moved_still_stands() {
    let (place, _) = answered(LEAVE);
    let moved = "# Annual Leave\n\n## Forms\n\nUnused leave is carried over with form P-05.\n\n## How many\n\nRead this first. Staff have\n26 \
                 days of paid annual leave a year. That is all.\n";
    place.write("docs/leave.md", moved);
    ingest(&place);
    let list = recalls(&place);
    assert_eq!(list["recalls"], json!([]), "{list}");
    assert_eq!(list["searched"], 2);
    assert!(place.run(&["audit", "recalls"]).out.starts_with("No answer relies"), "{list}");
}

#[test]
fn a_document_that_was_removed_superseded_or_withdrawn_recalls_its_answers() {
    let headed = |front: &str| format!("---\n{front}\n---\n{LEAVE}");
    for (front, reason, words) in [
        (Some("superseded_by: HR-12"), "superseded", "is superseded by HR-12"),
        (Some("status: withdrawn"), "withdrawn", "is no longer valid: its status is withdrawn"),
        (None, "removed", "was removed"),
    ] {
        let (place, id) = answered(LEAVE);
        match front {
            Some(front) => place.write("docs/leave.md", headed(front)),
            None => std::fs::remove_file(place.path("docs/leave.md")).expect("it is there"),
        }
        ingest(&place);
        let list = recalls(&place);
        let (recall, source) = only(&list);
        assert_eq!((&recall["request_id"], &source["reason"]), (&json!(id), &json!(reason)));
        assert_eq!(source["sentences"][0]["text"], CITED, "{list}");
        assert!(place.run(&["audit", "recalls"]).out.contains(words), "{words}");
    }
    let (place, _) = answered(&headed("superseded_by: HR-12"));
    place.write("docs/leave.md", headed("superseded_by: HR-12\nowner: mira"));
    ingest(&place);
    assert_eq!(recalls(&place)["recalls"], json!([]), "the asker was told so already");
}

#[test]
fn only_what_is_asked_for_is_listed_and_bad_days_are_refused() {
    let (place, _) = answered(LEAVE);
    place.write("docs/leave.md", LEAVE.replace("26 days", "28 days"));
    ingest(&place);
    let since = |day: &str| place.run(&["audit", "recalls", "--since", day, "--json"]);
    assert_eq!(replies::json(&since("2020-01-01"))["recalls"].as_array().map(Vec::len), Some(1));
    assert_eq!(replies::json(&since("2999-01-01"))["recalls"], json!([]));
    for day in ["yesterday", "2026-02-30", ""] {
        let ran = since(day);
        assert_eq!(ran.code, Some(2), "{day}");
        assert!(ran.err.contains("it must be a day such as"), "{}", ran.err);
    }
    let other = replies::json(&place.run(&["audit", "recalls", "--tenant", "fell", "--json"]));
    assert_eq!((&other["recalls"], &other["searched"]), (&json!([]), &json!(0)));
    let nothing = Place::new().run(&["audit", "recalls"]);
    assert_ne!(nothing.code, Some(0), "{}", nothing.out);
}

#[test]
fn over_http_an_admin_sees_the_tenants_recalls_and_a_caller_their_own() {
    let place = Place::new();
    place.write("docs/mast.md", MAST);
    ingest(&place);
    let admin = callers::key(&place, "default", Role::Admin, None);
    let [own, other] = [(); 2].map(|()| callers::key(&place, "default", Role::Reader, Some(&["hr"])));
    let server = Server::over(place);
    let keep = |text: &str, tags: Value| {
        let body = json!({"id": "hr/leave", "title": "Annual Leave", "text": text, "tags": tags, "open": true});
        assert_eq!(server.post("/v1/documents", &body.to_string(), &admin).status, 200);
    };
    keep(LEAVE, json!(["hr"]));
    let asked = server.post("/v1/ask", &json!({"query": ASKED}).to_string(), &own).json();
    assert_eq!(asked["outcome"], "answered", "{asked}");
    keep(&LEAVE.replace("26 days", "28 days"), json!(["hr"]));
    let list = |key: &str, rest: &str| server.get_with(&format!("/v1/recalls{rest}"), key).json();
    for key in [&admin, &own] {
        let list = list(key, "");
        let (recall, source) = only(&list);
        assert_eq!((&recall["request_id"], &source["reason"]), (&asked["request_id"], &json!("changed")));
        assert_eq!(source["sentences"][0]["in_its_place"], "Staff have 28 days of paid annual leave a year.");
    }
    assert_eq!(list(&other, "")["recalls"], json!([]), "nobody else's");
    let cut = list(&admin, "?limit=1");
    let next = cut["next"].as_str().map(|next| list(&admin, &format!("?before={next}")));
    assert!(next.is_none_or(|further| further["recalls"] == json!([])), "{cut}");
    keep("# Annual Leave\n\nThe codeword of the board is saltworks.\n", json!(["board"]));
    let told = list(&own, "");
    assert_eq!(only(&told).1["reason"], "removed", "what is no longer open to a reader looks as if it were gone");
    assert!(!told.to_string().contains("saltworks") && !told.to_string().contains("28 days"), "{told}");
    assert_eq!(only(&list(&admin, "")).1["reason"], "changed");
    for rest in ["?limit=0", "?limit=1001", "?since=soon", "?before=18446744073709551615", "?x=1"] {
        assert_eq!(server.get_with(&format!("/v1/recalls{rest}"), &admin).status, 400, "{rest}");
    }
    assert_eq!(server.get("/v1/recalls").status, 401);
}
