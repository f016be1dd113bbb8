//! `vouch demo` on a fresh machine: it loads its book once, serves a page and a chat about it, answers from it with a
//! citation, and refuses what the book does not say.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{fs::File, net::TcpListener, process::Stdio, sync::LazyLock};

use serde_json::Value;

use crate::support::{
    Place, Ran, finish,
    replies::{ask, json},
    server::{HttpReply, Server},
};

/// Two starts one after the other, asked the same, a start for people, and one that serves.
struct Scene {
    first: Ran,
    second: Ran,
    health: Value,
    for_people: Ran,
    asked_later: Value,
    served: Served,
}

/// What the start that serves gave out; its port was taken before.
struct Served {
    page: HttpReply,
    files: Vec<(String, HttpReply)>,
    asked: Value,
    address: String,
    taken: String,
}

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let place = Place::new();
    place.write(
        "questions.txt",
        "How tall is the mast?\nWhat does a ceilometer cost?\nHow do I assemble a standard station?\n",
    );
    let first = start(&place, &["demo", "--chat", "--json"]);
    let second = start(&place, &["demo", "--chat", "--json"]);
    let for_people = start(&place, &["demo", "--chat"]);
    let health = json(&place.run(&["doctor", "--json", "--data", ".vouch/demo/book"]));
    let asked_later = ask(&place, "How tall is the mast?", &["--data", ".vouch/demo/book"]);
    Scene { first, second, health, for_people, asked_later, served: served(place) }
});

fn served(place: Place) -> Served {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = port.local_addr().expect("an address").to_string();
    let mut command = place.vouch(&["demo"]);
    command.env("VOUCH_SERVE_LISTEN", &taken);
    let server = Server::started(place, command);
    let page = server.get("/");
    let named = page
        .body
        .split('"')
        .filter(|word| word.starts_with('/') && !word.contains('>'))
        .chain(["/show.js", "/stream.js"]);
    let files = named.map(|name| (name.to_owned(), server.get(name))).collect();
    let asked = server.post("/v1/ask", r#"{"query": "How tall is the mast?"}"#, "").json();
    Served { page, files, asked, address: server.address.clone(), taken }
}

fn start(place: &Place, words: &[&str]) -> Ran {
    let questions = File::open(place.path("questions.txt"));
    let mut command = place.vouch(words);
    command.stdin(questions.map_or_else(|_| Stdio::null(), Stdio::from));
    finish(command)
}

fn reply(ran: &Ran, number: usize) -> Value {
    ran.out.lines().nth(number).and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default()
}

#[test]
fn the_demo_ends_well_when_its_input_does() {
    assert_eq!(SCENE.first.code, Some(0), "{}", SCENE.first.err);
}

#[test]
fn the_demo_says_how_much_it_loaded() {
    assert!(SCENE.first.err.contains("Loaded 10 documents"), "{}", SCENE.first.err);
}

#[test]
fn the_height_of_the_mast_is_answered() {
    let answer = reply(&SCENE.first, 0)["answer"].to_string();
    assert!(answer.contains("2.0 metres tall"), "{answer}");
}

#[test]
fn the_height_of_the_mast_is_cited_from_its_chapter() {
    assert_eq!(reply(&SCENE.first, 0)["citations"][0]["document_id"], "chapter-04");
}

#[test]
fn the_price_of_a_ceilometer_is_refused_with_the_standard_sentence() {
    let reply = reply(&SCENE.first, 1);
    let expected = "This information cannot be verified from the book content.";
    assert_eq!((&reply["refused"], &reply["answer"]), (&true.into(), &expected.into()));
}

#[test]
fn steps_that_do_not_fit_into_one_answer_say_that_they_go_on() {
    let notices = reply(&SCENE.first, 2)["notices"].to_string();
    assert!(notices.contains("Assembly") && notices.contains("may continue"), "{notices}");
}

#[test]
fn a_person_reads_the_answer_with_its_citation() {
    let shown = &SCENE.for_people.out;
    assert!(shown.contains("[^1] Mast, Screen and Sensors › The Service Mast"), "{shown}");
}

#[test]
fn a_second_start_loads_nothing_anew() {
    assert!(!SCENE.second.err.contains("Loaded"), "{}", SCENE.second.err);
}

#[test]
fn starting_again_leaves_every_document_there_once() {
    assert_eq!((&SCENE.health["sound"], &SCENE.health["documents"]), (&true.into(), &10.into()), "{}", SCENE.health);
}

#[test]
fn a_second_start_answers_the_same() {
    assert_eq!(reply(&SCENE.second, 0)["answer"], reply(&SCENE.first, 0)["answer"]);
}

#[test]
fn the_loaded_book_can_be_asked_without_the_demo() {
    assert_eq!(SCENE.asked_later["outcome"], "answered");
}

#[test]
fn the_demo_serves_its_page_with_nothing_from_elsewhere() {
    let Served { page, files, .. } = &SCENE.served;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"), "{}", page.head);
    assert!(files.len() > 4, "{}", page.body);
    for (name, file) in files {
        assert_eq!(file.status, 200, "{name}");
        for word in ["https:/", "http:/", "innerHTML", "<script>", "style=", " onclick"] {
            let is_icon = name.ends_with(".svg");
            assert!(is_icon || !file.body.contains(word) && !page.body.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn the_demo_answers_its_example_over_http() {
    assert_eq!(SCENE.served.asked["answer"], reply(&SCENE.first, 0)["answer"], "{}", SCENE.served.asked);
}

#[test]
fn the_demo_takes_the_next_port_where_its_own_is_taken() {
    assert_ne!(SCENE.served.address, SCENE.served.taken);
}

#[test]
fn a_demo_with_people_serves_what_its_user_may_see_and_no_more() {
    let place = Place::new();
    let command = place.vouch(&["demo", "--profile", "handbook", "--listen", "127.0.0.1:0"]);
    let server = Server::started(place, command);
    let ask = |query: &str| server.post("/v1/ask", &serde_json::json!({ "query": query }).to_string(), "").json();
    let (answered, hidden) =
        (ask("Can I carry unused leave into next year?"), ask("What is the pay band of a deckhand?"));
    assert_eq!(answered["outcome"], "answered", "{answered}");
    assert_eq!(hidden["citations"].as_array().map(Vec::len), Some(0), "{hidden}");
}

#[test]
fn an_unknown_profile_is_a_usage_error() {
    assert_eq!(Place::new().run(&["demo", "--profile", "nobody"]).code, Some(2));
}
