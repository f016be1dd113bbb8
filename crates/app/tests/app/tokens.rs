//! Tokens of an OpenID Connect issuer, taken by a server that runs, beside its keys.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{Read, Write},
    net::TcpListener,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use serde_json::{Value, json};

use crate::support::{Place, server::Server};

const SALARY: &str = "# Salary Bands\n\nThe salary band of a senior lighthouse keeper is 5200 crowns a month.\n";
const BAND: &str = "What is the salary band of a senior lighthouse keeper?";

/// An issuer with one key.
struct Issuer {
    name: String,
    key: Ed25519KeyPair,
}

impl Issuer {
    fn start() -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        let key = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).expect("a key");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let name = format!("http://{}", listener.local_addr().expect("an address"));
        let found = json!({"issuer": name, "jwks_uri": format!("{name}/keys")}).to_string();
        let x = BASE64.encode(key.public_key().as_ref());
        let shown = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": x}]}).to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
                    head.extend(byte);
                }
                let body = if head.starts_with(b"GET /keys ") { &shown } else { &found };
                let length = body.len();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { name, key }
    }

    fn settings(&self) -> String {
        format!("serve:\n  oidc: {{issuer: '{}', audience: vouch, tenant: default, tags_claim: groups}}\n", self.name)
    }

    /// A header with a token that ends so many seconds from now.
    fn bearer(&self, groups: &Value, ends_in_s: i64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
        let claims = json!({
            "iss": self.name, "aud": "vouch", "sub": "mira", "groups": groups,
            "exp": now.saturating_add_signed(ends_in_s),
        });
        let header = json!({"alg": "EdDSA", "kid": "a"});
        let message = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
        let signature = BASE64.encode(self.key.sign(message.as_bytes()));
        format!("Authorization: Bearer {message}.{signature}\r\n")
    }
}

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
