//! Tokens of an OpenID Connect issuer, taken by a server that runs, beside its keys.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::{Place, issuer::Issuer, server::Server};

const SALARY: &str = "# Salary Bands\n\nThe salary band of a senior lighthouse keeper is 5200 crowns a month.\n";
const BAND: &str = "What is the salary band of a senior lighthouse keeper?";

#[test]
fn a_tokens_tags_decide_what_its_bearer_sees_and_keys_go_on_to_count() {
    let (issuer, place) = (Issuer::start(), Place::new());
    place.write("hr/salary.md", SALARY);
    place.write("vouch.yaml", issuer.settings());
    assert_eq!(place.run(&["ingest", "hr", "--tags", "hr"]).code, Some(0));
    let server = Server::listening(place, "0.0.0.0:0", &[("VOUCH_LOG", "trace")]);
    assert!(
        server.listening.contains(&format!("for requests with a token of {}", issuer.name)),
        "{}",
        server.listening
    );
    let body = json!({ "query": BAND }).to_string();
    for path in ["/v1/ask", "/v1/ask/stream", "/v1/search"] {
        assert_eq!(server.post(path, &body, "").status, 401, "{path}");
        for (groups, sees) in [(json!(["hr"]), true), (json!(["it"]), false), (Value::Null, false)] {
            let got = server.post(path, &body, &issuer.bearer(&groups, 300));
            assert_eq!((got.status, got.body.contains("5200 crowns")), (200, sees), "{path} {groups}: {}", got.body);
        }
        assert_eq!(server.post(path, &body, &issuer.bearer(&json!(["hr"]), -61)).status, 401, "{path}");
        let stranger = Issuer { name: issuer.name.clone(), ..Issuer::start() };
        assert_eq!(server.post(path, &body, &stranger.bearer(&json!(["hr"]), 300)).status, 401, "{path}");
    }
    let made = server.place.run(&["key", "add", "one"]).out;
    let got = server.post("/v1/search", &body, &format!("Authorization: Bearer {}\r\n", made.trim()));
    assert!(got.status == 200 && got.body.contains("5200 crowns"), "{}", got.body);
    let signature = issuer.bearer(&json!(["hr"]), 300).trim().rsplit('.').next().unwrap_or_default().to_owned();
    assert!(!server.said().contains(&signature) && !server.said().contains("eyJ"), "a token is in the log");
}

#[test]
fn an_issuer_that_is_down_lets_nobody_in_but_the_bearers_of_keys() {
    let place = Place::new();
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let issuer = Issuer { name: format!("http://{closed}"), ..Issuer::start() };
    place.write("vouch.yaml", issuer.settings());
    let server = Server::over(place);
    let body = json!({ "query": BAND }).to_string();
    let search = |headers: &str| server.post("/v1/search", &body, headers);
    let got = search(&issuer.bearer(&json!(["hr"]), 300));
    assert_eq!((got.status, &got.json()["code"]), (503, &"context".into()), "{}", got.body);
    assert!(!got.body.contains(&issuer.name), "{}", got.body);
    assert_eq!((search("").status, search("Authorization: Bearer nonsense\r\n").status), (401, 401));
    let made = server.place.run(&["key", "add", "one"]).out;
    assert_eq!(search(&format!("Authorization: Bearer {}\r\n", made.trim())).status, 200);
}

#[test]
fn an_issuer_that_cannot_be_trusted_is_refused_at_start() {
    let place = Place::new();
    for (oidc, said) in [
        ("{issuer: 'http://login.example', audience: vouch, tenant: a, tags_claim: groups}", "https"),
        ("{issuer: 'https://login.example', audience: vouch, tags_claim: groups}", "either tenant or tenant_claim"),
        ("{issuer: 'https://login.example', tenant: a, tags_claim: groups}", "audience"),
        ("{issuer: 'https://login.example', audience: a, tenant: a, tags_claim: g, algorithms: [none]}", "algorithms"),
    ] {
        place.write("vouch.yaml", format!("serve:\n  oidc: {oidc}\n"));
        let ran = place.run(&["serve"]);
        assert_eq!(ran.code, Some(2), "{oidc}: {}", ran.err);
        assert!(ran.err.contains(said) && ran.err.contains("line 2"), "{oidc}: {}", ran.err);
    }
}
