//! The audit trail through the binary: every reply has its entry, whoever may see it sees it, and it can be asked again.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::io::Write;

use serde_json::{Value, json};
use vouch_adapters::embedded::{EmbeddedKeys, NewKey};
use vouch_domain::Role;

use crate::support::{
    Place, Ran,
    server::{LEAVE, Server},
};

const ASKED: &str = "How many days of paid annual leave do staff have?";
const ANSWER: &str =
    "Staff have 26 days of paid annual leave a year. [^1] Unused leave is carried over with form P-04. [^1]";

fn json_of(ran: &Ran) -> Value {
    assert!(!ran.out.is_empty(), "{}", ran.err);
    serde_json::from_str(&ran.out).expect("one line of JSON on standard output")
}

fn with_leave(settings: &str) -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("vouch.yaml", settings);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    place
}

fn id_of(reply: &Value) -> String {
    reply["request_id"].as_str().expect("a request id").to_owned()
}

fn shown(place: &Place, id: &str) -> Value {
    json_of(&place.run(&["audit", "show", id, "--json"]))
}

fn asks(query: &str) -> String {
    json!({ "query": query }).to_string()
}

/// The last event's reply.
fn streamed(body: &str) -> Value {
    let last = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().expect("an event");
    let last: Value = serde_json::from_str(last).expect("JSON");
    last.get("reply").expect("the last event has the reply").clone()
}

#[test]
fn every_reply_of_every_surface_has_its_entry_under_its_id() {
    let place = with_leave("");
    let mut replies = vec![json_of(&place.run(&["ask", ASKED, "--json"]))];
    let lines = place.run(&["ask", "What does tea cost?", "--stream", "--json"]);
    let done: Value = serde_json::from_str(lines.out.lines().next_back().expect("a line")).expect("JSON");
    replies.push(done["reply"].clone());
    place.write(
        "questions.jsonl",
        format!("{}\n{}\n", json!({"id": 1, "query": ASKED}), json!({"id": 2, "query": "Tea?"})),
    );
    let batch = place.run(&["ask", "--batch", "questions.jsonl", "--json"]);
    replies.extend(batch.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")));
    let mut chat = place.vouch(&["chat", "--json"]);
    let mut chat = chat.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().expect("chat");
    chat.stdin.take().expect("piped").write_all(format!("{ASKED}\nAnd sick leave?\n").as_bytes()).expect("asked");
    let chat = chat.wait_with_output().expect("it ends");
    let chat = String::from_utf8(chat.stdout).expect("text");
    replies.extend(chat.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")));
    let server = Server::over(place);
    replies.push(server.post("/v1/ask", &asks(ASKED), "").json());
    replies.push(streamed(&server.post("/v1/ask/stream", &asks(ASKED), "").body));
    assert_eq!(replies.len(), 8);
    for reply in &replies {
        let entry = shown(&server.place, &id_of(reply));
        assert_eq!((&entry["reply"], &entry["outcome"]), (&reply["answer"], &reply["outcome"]), "{entry}");
        assert_eq!(entry["auditor"]["unknown"], json!([]), "{entry}");
        assert_eq!(entry["auditor"]["unfinished"], Value::Null, "{entry}");
    }
    let session = shown(&server.place, &id_of(&replies[4]));
    assert_eq!((&session["session_id"], &session["turn"]), (&session["request_id"], &1.into()));
    let second = shown(&server.place, &id_of(&replies[5]));
    assert_eq!((&second["session_id"], &second["turn"]), (&session["request_id"], &2.into()));
    let listed = json_of(&server.place.run(&["audit", "list", "--limit", "3", "--json"]));
    let listed = listed["entries"].as_array().expect("entries").clone();
    assert_eq!(listed.len(), 3);
    assert_eq!((&listed[0]["request_id"], &listed[0]["surface"]), (&replies[7]["request_id"], &"http".into()));
    assert_eq!(listed[1]["query"], ASKED);
}

#[test]
fn two_requests_under_one_name_are_two_entries_and_the_newer_is_shown() {
    let server = Server::start("");
    let name = "x-request-id: twice\r\n";
    server.post("/v1/ask", &asks("What does tea cost?"), name);
    server.post("/v1/ask/stream", &asks(ASKED), name);
    let listed = server.get("/v1/audit?limit=10").json();
    let outcomes: Vec<&Value> =
        listed["entries"].as_array().expect("entries").iter().map(|one| &one["outcome"]).collect();
    assert_eq!(outcomes, ["answered", "refused"]);
    assert_eq!(server.get("/v1/audit/twice").json()["reply"], ANSWER);
}

#[test]
fn what_people_think_of_an_answer_is_kept_with_it() {
    let server = Server::start("");
    let id = id_of(&server.post("/v1/ask", &asks(ASKED), "").json());
    let said = |body: Value| server.post("/v1/feedback", &body.to_string(), "");
    assert_eq!(said(json!({"request_id": id, "helpful": true})).status, 200);
    let noted = said(json!({"request_id": id, "helpful": false, "comment": "It is 27 now."}));
    let wanted = json!({"request_id": id, "helpful": false, "rating": null, "comment": "It is 27 now."});
    assert_eq!(noted.json(), wanted);
    let entry = server.get(&format!("/v1/audit/{id}")).json();
    assert_eq!(entry["feedback"][0]["comment"], "It is 27 now.");
    assert_eq!(entry["feedback"].as_array().map(Vec::len), Some(1), "who speaks again replaces what they said");
    let told = server.place.run(&["audit", "show", &id]);
    assert!(told.out.contains("not helpful: It is 27 now.") && told.out.contains(ANSWER), "{}", told.out);
    for (body, status) in [
        (json!({"request_id": "nobody", "helpful": true}), 404),
        (json!({"request_id": id}), 400),
        (json!({"request_id": id, "comment": "Words alone."}), 400),
        (json!({"request_id": id, "helpful": "yes"}), 400),
        (json!({"request_id": id, "thumb": "sideways"}), 400),
        (json!({"request_id": id, "helpful": true, "thumb": "down"}), 400),
        (json!({"request_id": id, "rating": 0}), 400),
        (json!({"request_id": id, "rating": 6}), 400),
        (json!({"request_id": id, "rating": 3.5}), 400),
        (json!({"request_id": id, "helpful": true, "comment": "x".repeat(4_001)}), 400),
    ] {
        let got = said(body);
        assert_eq!(got.status, status, "{}", got.body);
    }
    for (path, status) in
        [("/v1/audit/nobody", 404), ("/v1/audit/%FF", 404), ("/v1/audit?limit=0", 400), ("/v1/audit?x=1", 400)]
    {
        assert_eq!(server.get(path).status, status, "{path}");
    }
}

#[test]
fn a_rating_is_kept_beside_a_thumb_and_without_one() {
    let server = Server::start("");
    let id = id_of(&server.post("/v1/ask", &asks(ASKED), "").json());
    for (body, helpful, rating, shown) in [
        (json!({"request_id": id, "rating": 2}), json!(null), json!(2), ": rated 2 of 5\n"),
        (json!({"request_id": id, "thumb": "up"}), json!(true), json!(null), ": helpful\n"),
        (
            json!({"request_id": id, "thumb": "down", "rating": 1}),
            json!(false),
            json!(1),
            ": not helpful, rated 1 of 5\n",
        ),
        (
            json!({"request_id": id, "helpful": true, "thumb": "up", "rating": 5}),
            json!(true),
            json!(5),
            ": helpful, rated 5 of 5\n",
        ),
    ] {
        let noted = server.post("/v1/feedback", &body.to_string(), "").json();
        assert_eq!((&noted["helpful"], &noted["rating"]), (&helpful, &rating), "{noted}");
        let entry = server.get(&format!("/v1/audit/{id}")).json();
        assert_eq!((&entry["feedback"][0]["helpful"], &entry["feedback"][0]["rating"]), (&helpful, &rating));
        let told = server.place.run(&["audit", "show", &id]);
        assert!(told.out.contains(shown), "{shown}: {}", told.out);
    }
}

/// A key's secret, as a header.
fn key(place: &Place, tenant: &str, role: Role) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let keys = EmbeddedKeys::open(&place.path(".vouch"), None).expect("keys");
    let (name, tenant) = ("test".to_owned(), tenant.to_owned());
    let new = NewKey { name, tenant, role, person: None, tags: None, per_minute: None, made_ms: 1, expires_ms: None };
    let (_, secret) = runtime.block_on(keys.make(new)).expect("a key");
    format!("Authorization: Bearer {secret}\r\n")
}

#[test]
fn only_who_asked_and_the_tenants_admins_see_an_entry() {
    let place = with_leave("");
    place.run(&["ingest", "docs", "--tenant", "tarn"]);
    let [mira, kees, admin] = [Role::Reader, Role::Reader, Role::Admin].map(|role| key(&place, "default", role));
    let [stranger, monitor] = [key(&place, "tarn", Role::Admin), key(&place, "default", Role::Monitor)];
    let server = Server::over(place);
    let id = id_of(&server.post("/v1/ask", &asks(ASKED), &mira).json());
    let path = format!("/v1/audit/{id}");
    for (who, status) in [(&mira, 200), (&admin, 200), (&kees, 404), (&stranger, 404), (&monitor, 403)] {
        assert_eq!(server.get_with(&path, who).status, status);
        let body = json!({"request_id": id, "helpful": true}).to_string();
        assert_eq!(server.post("/v1/feedback", &body, who).status, status);
    }
    assert_eq!(server.get(&path).status, 401);
    let hidden = server.get_with(&path, &kees).json();
    let nowhere = server.get_with("/v1/audit/nowhere", &kees).json();
    let detail =
        |problem: &Value| problem["detail"].as_str().expect("a sentence").replace(&id, "ID").replace("nowhere", "ID");
    assert_eq!(
        (detail(&hidden), &hidden["code"]),
        (detail(&nowhere), &nowhere["code"]),
        "the two cannot be told apart"
    );
    // Somebody else's request of the same name hides nothing and is not mistaken for one's own.
    let twice = format!("{kees}x-request-id: {id}\r\n");
    server.post("/v1/ask", &asks("What does tea cost?"), &twice);
    assert_eq!(server.get_with(&path, &mira).json()["reply"], ANSWER);
    assert_eq!(server.get_with(&path, &kees).json()["outcome"], "refused");
    let count = |who: &str| server.get_with("/v1/audit", who).json()["entries"].as_array().map(Vec::len);
    assert_eq!((count(&admin), count(&stranger)), (Some(2), Some(0)));
    assert_eq!(server.get_with("/v1/audit", &mira).status, 403);
    assert_eq!(server.place.run(&["audit", "show", &id, "--tenant", "tarn"]).code, Some(1));
}

#[test]
fn an_answer_of_the_past_is_given_again_word_for_word_though_its_document_has_changed() {
    let place = with_leave("");
    let first = json_of(&place.run(&["ask", ASKED, "--json"]));
    let same = place.run(&["audit", "replay", &id_of(&first), "--json"]);
    assert_eq!((same.code, &json_of(&same)["replayed_on"]), (Some(0), &"store".into()), "{}", same.out);
    assert_eq!(json_of(&same)["changed"], json!([]));

    place.write("docs/leave.md", LEAVE.replace("26 days", "31 days"));
    place.write(
        "docs/tea.md",
        "# Tea\n\nStaff have tea at four. Paid annual leave of staff is no reason to miss tea.\n",
    );
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let second = json_of(&place.run(&["ask", ASKED, "--json"]));
    assert_ne!(second["answer"], first["answer"], "the corpus has changed");

    let replayed = place.run(&["audit", "replay", &id_of(&first), "--json"]);
    let told = json_of(&replayed);
    assert_eq!((replayed.code, &told["same"], &told["differs"]), (Some(0), &true.into(), &json!([])), "{told}");
    assert_eq!(told["replayed_on"], "copy");
    let changed: Vec<&str> =
        told["changed"].as_array().expect("a list").iter().filter_map(|one| one["what"].as_str()).collect();
    assert_eq!(changed, ["generation"], "{told}");
    let entry = shown(&place, &id_of(&first));
    assert_eq!((&entry["reply"], &entry["corpus"]["generation_before"]), (&first["answer"], &told["generation"]));
    let left: Vec<String> = std::fs::read_dir(place.path(".vouch"))
        .expect("the folder")
        .map(|one| one.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("replay-"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "nothing of the copy stays");
    let after = json_of(&place.run(&["ask", ASKED, "--json"]));
    assert_eq!(after["answer"], second["answer"], "the store itself is as it was");
}

#[test]
fn what_differs_is_named_and_so_is_what_changed_since() {
    let place = with_leave("");
    let first = json_of(&place.run(&["ask", ASKED, "--json"]));
    place.write("vouch.yaml", "judge: { gates: [ { gate: top1, above: 0.999 } ] }\n");
    let replayed = place.run(&["audit", "replay", &id_of(&first), "--json"]);
    let told = json_of(&replayed);
    assert_eq!((replayed.code, &told["same"]), (Some(1), &false.into()), "{told}");
    let names = |key: &str| -> Vec<String> {
        told[key].as_array().expect("a list").iter().filter_map(|one| one["what"].as_str()).map(str::to_owned).collect()
    };
    assert_eq!(names("differs"), ["outcome", "reason", "answer", "citations", "nearest"]);
    assert_eq!(names("changed"), ["settings"]);
    assert_eq!(told["differs"][2]["then"], ANSWER);
    let shown = place.run(&["audit", "replay", &id_of(&first)]);
    assert!(shown.out.contains("then: answered") && shown.out.contains("settings: "), "{}", shown.out);
}

#[test]
fn a_server_that_runs_does_not_keep_the_past_from_being_asked_again() {
    let server = Server::start("");
    let id = id_of(&server.post("/v1/ask", &asks(ASKED), "").json());
    let told = json_of(&server.place.run(&["audit", "replay", &id, "--json"]));
    assert_eq!((&told["same"], &told["replayed_on"]), (&true.into(), &"copy".into()), "{told}");
}

#[test]
fn where_words_are_not_kept_there_is_no_question_and_no_replay() {
    let place = with_leave("audit: { record_questions: false }\n");
    let reply = json_of(&place.run(&["ask", ASKED, "--json"]));
    assert_eq!(reply["answer"], ANSWER);
    let entry = shown(&place, &id_of(&reply));
    assert_eq!(
        (&entry["asked"]["query"], &entry["reply"], &entry["outcome"]),
        (&Value::Null, &Value::Null, &"answered".into())
    );
    assert!(!entry.to_string().contains("26 days"), "{entry}");
    let replayed = place.run(&["audit", "replay", &id_of(&reply)]);
    assert_eq!(replayed.code, Some(1));
    assert!(replayed.err.contains("was not recorded"), "{}", replayed.err);
}

#[test]
fn a_trail_that_is_not_there_is_empty_and_is_not_made() {
    let place = Place::new();
    let listed = place.run(&["audit", "list", "--json"]);
    assert_eq!((listed.code, json_of(&listed)), (Some(0), json!({"entries": []})));
    assert_eq!(place.run(&["audit", "show", "req-1"]).code, Some(1));
    assert!(!place.path(".vouch").exists());
    for command in [
        &["audit", "--help"][..],
        &["audit", "list", "--help"],
        &["audit", "show", "--help"],
        &["audit", "replay", "--help"],
    ] {
        assert!(place.run(command).out.contains("Example:\n  vouch audit"), "{command:?}");
    }
}
