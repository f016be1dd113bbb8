//! The route of a request: one word, the same in every line of the log, in the reply and in the trail.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{
    Place, callers, replies,
    server::{LEAVE, Server},
};

const HOURS: &str = "# Office Hours\n\nStaff on annual leave need not keep office hours. Hours are from 9 to 17.\n";
const ASKED: &str = "How many days of paid annual leave do staff have?";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://terms.example/busbar> a skos:Concept ; skos:prefLabel \"busbar\"@en ;\n\
    skos:definition \"A conductor that several circuits are joined to.\"@en .\n";

/// Two collections, one of them for `ops` alone, and a vocabulary.
fn two_collections() -> Server {
    let place = Place::new();
    place.write("leave.md", LEAVE);
    place.write("hours.md", HOURS);
    place.write("terms.ttl", TERMS);
    let mine = ["ingest", "leave.md", "--collection", "policies"];
    let theirs = ["ingest", "hours.md", "--collection", "notices", "--tags", "ops"];
    for words in [&mine[..], &theirs[..], &["vocab", "import", "terms.ttl"][..]] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    Server::over(place)
}

/// The routes that the lines of a request name.
fn logged(server: &Server, id: &str) -> BTreeSet<String> {
    let lines = server.log_of(id);
    let name = |line: &Value| line["route"].as_str().expect("a route").to_owned();
    lines.iter().map(name).collect()
}

#[test]
fn a_request_has_one_route_from_its_first_line_to_the_trail() {
    let server = two_collections();
    let route = "tree";
    for (at, query) in [
        ASKED,
        "How much does tea cost in the harbour?",
        "When are office hours?",
        "What is a busbar?",
        "What is a flux capacitor?",
        "List documents about leave",
    ]
    .into_iter()
    .enumerate()
    {
        for path in ["/v1/ask", "/v1/ask/stream"] {
            let id = format!("route-{at}{}", path.replace('/', "-"));
            let got = server.post(path, &json!({ "query": query }).to_string(), &format!("x-request-id: {id}\r\n"));
            assert_eq!(got.status, 200, "{}", got.body);
            let told = format!("\"route\":\"{route}\"");
            assert!(got.body.contains(&told), "{query}: no {told} in {}", got.body);
            assert_eq!(logged(&server, &id), BTreeSet::from([route.to_owned()]), "{query}");
            let kept = replies::json(&server.place.run(&["audit", "show", &id, "--json"]));
            for pointer in ["/router_decision/route", "/response/route"] {
                assert_eq!(kept.pointer(pointer), Some(&route.into()), "{query} {pointer}");
            }
        }
    }
}

#[test]
fn a_search_and_a_look_up_have_one_route_too() {
    let server = two_collections();
    let body = json!({ "query": "annual leave" }).to_string();
    assert_eq!(server.post("/v1/search", &body, "x-request-id: search-1\r\n").status, 200);
    assert_eq!(logged(&server, "search-1"), BTreeSet::from(["tree".to_owned()]));
    let got = server.get_with("/v1/terms?term=busbar", "x-request-id: term-1\r\n");
    assert_eq!((got.status, &got.json()["route"]), (200, &"direct".into()), "{}", got.body);
    assert_eq!(logged(&server, "term-1"), BTreeSet::from(["direct".to_owned()]));
}

#[test]
fn collections_a_reader_may_not_see_do_not_change_their_route() {
    let server = two_collections();
    for (tags, route) in [(&["hr"][..], "direct"), (&["ops"][..], "tree")] {
        let key = callers::key(&server.place, "default", Role::Reader, Some(tags));
        let got = server.post("/v1/ask", &json!({ "query": ASKED }).to_string(), &key);
        assert_eq!((got.status, &got.json()["route"]), (200, &route.into()), "{}", got.body);
    }
}
