//! A refusal that mends itself: a question without an answer goes to whoever answers for its topic, and their answer is cited from then on.

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{Place, callers, replies, server::Server};

const PEOPLE: &str = "\
tenants:
  default:
    people:
      - {id: mira, email: mira@tarnside.example, tags: [hr]}
      - {id: kees, email: kees@tarnside.example, tags: [it]}
    topics: [{tag: hr, owner: mira}, {tag: it}]
";
const DOCUMENT: &str = "---\naccess: [hr]\n---\n# Leave\n\nStaff have 26 days of annual leave a year.\n";
const QUESTION: &str = "How is sick pay computed during leave?";

/// The headers of callers: an admin, Mira, and Kees.
struct Callers {
    admin: String,
    mira: String,
    kees: String,
}

fn served() -> (Server, Callers) {
    let place = Place::new();
    place.write("docs/leave.md", DOCUMENT);
    place.write("people.yaml", PEOPLE);
    for words in [["ingest", "docs"].as_slice(), &["user", "import", "people.yaml"]] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    let own = |user: &str| {
        let made = replies::json(&place.run(&["key", "add", user, "--user", user, "--json"]));
        format!("Authorization: Bearer {}\r\n", made.get("secret").and_then(Value::as_str).unwrap_or_default())
    };
    let (mira, kees) = (own("mira"), own("kees"));
    let admin = callers::key(&place, "default", Role::Admin, None);
    (Server::over(place), Callers { admin, mira, kees })
}

fn ask(server: &Server, caller: &str) -> Value {
    server.post("/v1/ask", &json!({ "query": QUESTION }).to_string(), caller).json()
}

fn questions(server: &Server, caller: &str) -> Vec<Value> {
    let told = server.get_with("/v1/questions", caller).json();
    told.get("questions").and_then(Value::as_array).cloned().unwrap_or_default()
}

fn send(server: &Server, caller: &str, body: &Value) -> (u16, Value) {
    let sent = server.post("/v1/questions", &body.to_string(), caller);
    (sent.status, sent.json())
}

fn unanswered(server: &Server, admin: &str) -> Value {
    server.get_with("/v1/unanswered", admin).json()
}

#[test]
fn a_question_goes_to_its_owner_and_their_answer_is_cited_from_then_on() {
    let (server, Callers { admin, mira, kees }) = served();
    assert_eq!(ask(&server, &admin)["refused"], true);
    ask(&server, &admin);
    let open = unanswered(&server, &admin);
    let topic = &open["topics"][0];
    assert_eq!((&topic["topic"], &topic["owner"]["user_id"]), (&"hr".into(), &"mira".into()), "{open}");
    let listed = &topic["questions"][0];
    assert_eq!((&listed["query"], &listed["asked"], &listed["sent_to"]), (&QUESTION.into(), &2.into(), &Value::Null));

    let (status, sent) = send(&server, &admin, &json!({"query": QUESTION, "topic": "hr", "tags": ["hr"]}));
    assert_eq!((status, &sent["question"]["owner"]), (200, &"mira".into()), "{sent}");
    let (_, again) = send(&server, &admin, &json!({"query": QUESTION, "topic": "hr", "tags": ["hr"]}));
    assert_eq!(again["question"]["id"], sent["question"]["id"], "it is sent once");
    assert_eq!(unanswered(&server, &admin)["topics"][0]["questions"][0]["sent_to"], "mira");
    assert_eq!((questions(&server, &mira).len(), questions(&server, &admin).len()), (1, 1));
    assert_eq!(questions(&server, &kees), Vec::<Value>::new(), "what was sent to others is not shown");

    let id = sent["question"]["id"].as_str().expect("an id");
    let path = format!("/v1/questions/{id}/answer");
    let answer = json!({"text": "Sick pay is computed from the last three months, also during leave."}).to_string();
    assert_eq!(server.post(&path, &answer, &kees).status, 404, "to others it does not exist");
    assert_eq!(server.post(&path, r#"{"text": "  "}"#, &mira).status, 400);
    let answered = server.post(&path, &answer, &mira);
    assert_eq!(answered.status, 200, "{}", answered.body);
    let document = answered.json()["question"]["document_id"].as_str().expect("a document").to_owned();

    let reply = ask(&server, &mira);
    assert_eq!(reply["outcome"], "answered", "{reply}");
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("last three months")), "{reply}");
    assert_eq!(reply["citations"][0]["document_id"], document, "it is cited as every source is");
    assert_eq!(unanswered(&server, &admin)["topics"], json!([]), "what was mended is not listed");
    assert_eq!(ask(&server, &kees)["outcome"], "refused", "who may not see the topic sees no answer");

    // What was told wrongly is told anew, in the same place.
    let second = json!({"text": "Sick pay is computed from the last six months, also during leave."}).to_string();
    assert_eq!(server.post(&path, &second, &mira).status, 200);
    assert!(ask(&server, &mira)["answer"].as_str().is_some_and(|answer| answer.contains("last six months")));
}

#[test]
fn a_question_is_sent_by_admins_to_somebody_who_is_there_and_can_be_taken_back() {
    let (server, Callers { admin, mira, .. }) = served();
    let people = server.get_with("/v1/people", &admin).json();
    let listed: Vec<&Value> = people["people"].as_array().into_iter().flatten().map(|one| &one["user_id"]).collect();
    assert_eq!((listed, &people["total"]), (vec![&json!("kees"), &json!("mira")], &json!(2)), "whom it can be sent to");
    assert_eq!(server.get_with("/v1/people", &mira).status, 403, "that is told to admins alone");
    for (body, wanted) in [
        (json!({"query": QUESTION, "topic": "it"}), "nobody is responsible for this topic"),
        (json!({"query": QUESTION}), "nobody is responsible for this topic"),
        (json!({"query": QUESTION, "owner": "nobody"}), "there is no user 'nobody'"),
        (json!({"query": " ", "owner": "mira"}), "the question is empty"),
    ] {
        let (status, told) = send(&server, &admin, &body);
        assert_eq!(status, 400, "{told}");
        assert!(told["detail"].as_str().is_some_and(|detail| detail.contains(wanted)), "{told}");
    }
    assert_eq!(send(&server, &mira, &json!({"query": QUESTION, "owner": "mira"})).0, 403);
    let (_, sent) = send(&server, &admin, &json!({"query": QUESTION, "owner": "kees"}));
    let path = format!("/v1/questions/{}", sent["question"]["id"].as_str().expect("an id"));
    let delete = |caller: &str| {
        server.send(&format!("DELETE {path} HTTP/1.1\r\nHost: localhost\r\n{caller}Connection: close\r\n\r\n")).status
    };
    assert_eq!((delete(&mira), delete(&admin), delete(&admin)), (403, 200, 404));
    let limited = callers::key(&server.place, "default", Role::Admin, Some(&["hr"]));
    let (status, _) = send(&server, &limited, &json!({"query": QUESTION, "owner": "mira"}));
    assert_eq!(status, 403, "who keeps a part of a tenant publishes nothing for everybody");
    assert_eq!(send(&server, &limited, &json!({"query": QUESTION, "owner": "mira", "tags": ["hr"]})).0, 200);
}

#[test]
fn what_was_sent_outlives_a_restart() {
    let (server, Callers { admin, mira, .. }) = served();
    send(&server, &admin, &json!({"query": QUESTION, "topic": "hr"}));
    let server = Server::over(server.stop());
    assert_eq!(questions(&server, &mira).len(), 1);
}

fn answer(server: &Server, caller: &str, id: &str, text: &str) -> u16 {
    server.post(&format!("/v1/questions/{id}/answer"), &json!({ "text": text }).to_string(), caller).status
}

#[test]
fn who_may_see_an_answer_is_kept_as_it_was_said_and_as_an_admin_says_later() {
    let (server, Callers { admin, mira, kees }) = served();
    let sent =
        |caller: &str, tags: Value| send(&server, caller, &json!({"query": QUESTION, "owner": "mira", "tags": tags}));
    let (_, open) = sent(&admin, json!([]));
    let limited = callers::key(&server.place, "default", Role::Admin, Some(&["hr"]));
    let (_, narrow) = sent(&limited, json!([" hr ", ""]));
    assert_ne!(narrow["question"]["id"], open["question"]["id"], "another audience is another question");
    assert_eq!(narrow["question"]["tags"], json!(["hr"]), "tags are kept as they are compared");
    assert_eq!(sent(&limited, json!([" "])).0, 403, "a tag of nothing is none");
    assert_eq!(sent(&admin, (0..101).map(|number| format!("t{number}")).collect::<Vec<_>>().into()).0, 400);

    let id = narrow["question"]["id"].as_str().expect("an id");
    assert_eq!(answer(&server, &mira, id, "Sick pay is computed from the last three months, also during leave."), 200);
    let path = format!("/v1/documents/answers/{id}");
    let document = server.get_with(&path, &admin).json();
    let narrower = json!({"id": document["document_id"], "title": document["title"], "text": document["text"], "tags": ["board"],
        "open": true});
    assert_eq!(server.post("/v1/documents", &narrower.to_string(), &admin).status, 200);
    assert_eq!(answer(&server, &mira, id, "Sick pay is computed from the last six months, also during leave."), 200);
    assert_eq!(server.get_with(&path, &admin).json()["tags"], json!(["board"]), "an owner opens nothing again");
    assert_eq!(server.get_with(&path, &kees).status, 404);
    let raw = format!("DELETE {path} HTTP/1.1\r\nHost: localhost\r\n{admin}Connection: close\r\n\r\n");
    assert_eq!(server.send(&raw).status, 200);
    assert_eq!(answer(&server, &mira, id, "Sick pay is what it is."), 400, "what was removed stays removed");
}

#[test]
fn a_question_is_listed_while_somebody_who_asked_it_is_left_without_an_answer() {
    let (server, Callers { admin, kees, .. }) = served();
    assert_eq!(ask(&server, &kees)["outcome"], "refused");
    let pin = json!({"id": "pay", "phrases": [QUESTION], "references": ["docs/leave.md"], "tags": ["hr"]});
    assert_eq!(server.post("/v1/memory", &pin.to_string(), &admin).status, 200);
    let open = unanswered(&server, &admin);
    assert_eq!(open["topics"][0]["questions"][0]["query"], QUESTION, "it is pinned for others alone: {open}");
    let pin = json!({"id": "pay", "phrases": [QUESTION], "references": ["docs/leave.md"]});
    assert_eq!(server.post("/v1/memory", &pin.to_string(), &admin).status, 200);
    assert_eq!(unanswered(&server, &admin)["topics"], json!([]));
}

#[test]
fn a_whole_question_in_the_middle_of_a_conversation_is_listed_and_a_word_is_not() {
    let (server, Callers { admin, .. }) = served();
    let before = json!([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]);
    for query in ["What does a submarine cost?", "And pensioners?"] {
        let body = json!({"query": query, "chat_history": before}).to_string();
        assert_eq!(server.post("/v1/ask", &body, &admin).json()["refused"], true, "{query}");
    }
    let open = unanswered(&server, &admin);
    let topics = open["topics"].as_array().expect("topics");
    let queries: Vec<&Value> =
        topics.iter().filter_map(|topic| topic["questions"].as_array()).flatten().map(|one| &one["query"]).collect();
    assert_eq!(queries, ["What does a submarine cost?"], "{open}");
}
