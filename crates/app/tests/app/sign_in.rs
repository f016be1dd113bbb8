//! Signing in with an OpenID Connect issuer over HTTP: whoever comes back from it is given a token that opens what their
//! tags open, and nobody else is.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    time::Duration,
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::digest;
use serde_json::{Value, json};

use crate::support::{
    Place,
    issuer::Issuer,
    server::{HttpReply, Server},
};

const PAGE: &str = "http://localhost/";
const VERIFIER: &str = "a-verifier-that-nobody-else-knows-0123456789~";
const CLIENT: &str = "audience: vouch, client_id: page";

fn serving(settings: &str) -> Server {
    let place = Place::new();
    place.write("vouch.yaml", settings);
    Server::listening(place, "127.0.0.1:0", &[("VOUCH_LOG", "trace")])
}

/// Signs in at the issuer as a browser does, and comes back with a code.
fn code(server: &Server, nonce: &str) -> String {
    let offer = server.get("/v1/sign-in").json();
    let of = |name: &str| offer.pointer(&format!("/oidc/{name}")).and_then(Value::as_str).expect("an offer");
    let address = of("authorize").strip_prefix("http://").expect("an address");
    let (host, path) = address.split_once('/').expect("a path");
    let challenge = BASE64.encode(digest::digest(&digest::SHA256, VERIFIER.as_bytes()));
    let (client, scope) = (of("client_id"), of("scope").replace(' ', "+"));
    let query = format!(
        "response_type=code&client_id={client}&scope={scope}&redirect_uri={PAGE}&state=s&nonce={nonce}\
         &code_challenge={challenge}&code_challenge_method=S256"
    );
    let mut stream = TcpStream::connect(host).expect("an issuer");
    write!(stream, "GET /{path}?{query} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("a request");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer");
    let back = said.lines().find_map(|line| line.strip_prefix("Location: ")).expect("a way back");
    let code = back.split("code=").nth(1).and_then(|rest| rest.split('&').next());
    code.expect("a code").to_owned()
}

fn brought(code: &str) -> Value {
    json!({"code": code, "code_verifier": VERIFIER, "redirect_uri": PAGE, "nonce": "n-1"})
}

fn exchange(server: &Server, body: &Value) -> HttpReply {
    server.post("/v1/sign-in", &body.to_string(), "")
}

#[test]
fn whoever_signs_in_is_given_a_token_that_opens_what_their_tags_open() {
    let issuer = Issuer::start();
    let server = serving(&issuer.settings_with(CLIENT));
    assert_eq!(server.get("/v1/me").status, 401);
    let offer = server.get("/v1/sign-in");
    assert_eq!(offer.status, 200, "{}", offer.body);
    assert_eq!(
        offer.json()["oidc"],
        json!({"authorize": format!("{}/authorize", issuer.name), "client_id": "page", "scope": "openid profile"})
    );
    let code = code(&server, "n-1");
    let got = exchange(&server, &brought(&code));
    assert_eq!(got.status, 200, "{}", got.body);
    assert!(got.head.contains("cache-control: no-store"), "{}", got.head);
    let reply = got.json();
    assert!(reply["expires_in"].as_u64().is_some_and(|seconds| (200..=300).contains(&seconds)), "{reply}");
    let token = reply["token"].as_str().expect("a token");
    let me = server.get_with("/v1/me", &format!("Authorization: Bearer {token}\r\n"));
    assert_eq!(me.status, 200, "{}", me.body);
    let me = me.json();
    assert_eq!((&me["id"], &me["role"], &me["tags"]), (&json!("oidc:mira"), &json!("reader"), &json!(["hr"])));

    let again = exchange(&server, &brought(&code));
    assert_eq!((again.status, &again.json()["code"]), (401, &json!("unauthorized")), "{}", again.body);
    let said = server.said();
    for secret in [token, VERIFIER, "eyJ", &format!("{code}\"")] {
        assert!(!said.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn who_brings_anything_else_is_given_nothing() {
    let issuer = Issuer::start();
    let server = serving(&issuer.settings_with(CLIENT));
    for (name, value, status) in [
        ("code", json!("made-up"), 401),
        ("code", json!(""), 400),
        ("code", Value::Null, 400),
        ("code_verifier", json!("another-verifier-of-the-right-length-0123456789"), 401),
        ("code_verifier", json!("short"), 400),
        ("code_verifier", Value::Null, 400),
        ("redirect_uri", json!("https://elsewhere.example/"), 401),
        ("redirect_uri", json!("http://localhost/other"), 400),
        ("redirect_uri", Value::Null, 400),
        ("nonce", json!("n-2"), 401),
        ("more", json!(1), 400),
    ] {
        let mut body = brought(&code(&server, "n-1"));
        body[name] = value.clone();
        if value.is_null() {
            body.as_object_mut().expect("an object").remove(name);
        }
        let got = exchange(&server, &body);
        assert_eq!(got.status, status, "{name} {value}: {}", got.body);
        assert!(!got.body.contains("eyJ") && !got.body.contains(VERIFIER), "{}", got.body);
    }
    let form = "POST /v1/sign-in HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(server.send(form).status, 415, "no page of another site can send it");
}

#[test]
fn a_large_body_of_a_stranger_is_not_read() {
    let server = serving(&Issuer::start().settings_with(CLIENT));
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a deadline");
    let head =
        "POST /v1/sign-in HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";
    write!(stream, "{head}Content-Length: 20000\r\n\r\n").expect("someone to tell");
    let mut said = [0; 12];
    stream.read_exact(&mut said).expect("an answer to the head alone");
    assert_eq!(String::from_utf8_lossy(&said), "HTTP/1.1 413");
    let chunk = "x".repeat(20_000);
    let got = server.send(&format!("{head}Transfer-Encoding: chunked\r\n\r\n4e20\r\n{chunk}\r\n0\r\n\r\n"));
    assert_eq!(got.status, 413, "{}", got.body);
}

#[test]
fn tokens_for_another_audience_are_told_apart_from_wrong_codes() {
    let issuer = Issuer::start();
    let server = serving(&issuer.settings_with("audience: elsewhere, client_id: page"));
    let got = exchange(&server, &brought(&code(&server, "n-1")));
    assert_eq!((got.status, &got.json()["code"]), (403, &json!("forbidden")), "{}", got.body);
    let told = got.json()["detail"].as_str().unwrap_or_default().to_owned();
    for name in ["\"page\"", "\"vouch\"", "\"elsewhere\""] {
        assert!(told.contains(name), "both audiences are named, and ours: {told}");
    }
    // The token that says who somebody is counts where it is for this service too.
    let server = serving(&issuer.settings_with("audience: page, client_id: page"));
    let got = exchange(&server, &brought(&code(&server, "n-1")));
    let token = got.json()["token"].as_str().expect("a token").to_owned();
    assert_eq!(server.get_with("/v1/me", &format!("Authorization: Bearer {token}\r\n")).status, 200);
}

#[test]
fn people_of_keycloak_as_it_comes_are_let_in_by_their_groups_and_called_by_their_names() {
    let issuer = Issuer::like_keycloak();
    for audience in ["vouch", "account", "page"] {
        let server = serving(&issuer.settings_with(&format!("audience: {audience}, client_id: page")));
        let got = exchange(&server, &brought(&code(&server, "n-1")));
        assert_eq!(got.status, 200, "{audience}: {}", got.body);
        let token = got.json()["token"].as_str().expect("a token").to_owned();
        let me = server.get_with("/v1/me", &format!("Authorization: Bearer {token}\r\n")).json();
        assert_eq!((&me["name"], &me["tags"]), (&json!("Mira Tarn"), &json!(["hr", "hr/payroll"])), "{audience}: {me}");
        assert_eq!(me["id"], json!("oidc:0b5f4a52-7a53-4c57-9f6e-2f1f0c2b9d11"));
    }
    // Another client of the same realm is nobody here.
    let server = serving(&issuer.settings_with("audience: account, client_id: other-page"));
    let got = exchange(&server, &brought(&code(&server, "n-1")));
    assert_eq!((got.status, &got.json()["code"]), (403, &json!("forbidden")), "{}", got.body);
}

#[test]
fn an_issuer_that_is_down_signs_nobody_in() {
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let issuer = Issuer { name: format!("http://{closed}"), ..Issuer::start() };
    let server = serving(&issuer.settings_with(CLIENT));
    for got in [server.get("/v1/sign-in"), exchange(&server, &brought("code0"))] {
        assert_eq!((got.status, &got.json()["code"]), (503, &json!("context")), "{}", got.body);
        assert!(!got.body.contains(&closed.to_string()), "{}", got.body);
    }
}

#[test]
fn without_a_client_nobody_is_offered_to_sign_in() {
    let issuer = Issuer::start();
    for settings in [issuer.settings(), String::new()] {
        let server = serving(&settings);
        let got = server.get("/v1/sign-in");
        assert_eq!((got.status, &got.json()["oidc"]), (200, &Value::Null), "{}", got.body);
        assert_eq!(exchange(&server, &brought("code0")).status, 404);
    }
}

#[test]
fn a_secret_that_is_not_in_the_environment_is_told_at_start() {
    let place = Place::new();
    let issuer = Issuer::start();
    place.write("vouch.yaml", issuer.settings_with(&format!("{CLIENT}, client_secret_variable: PAGE_SECRET")));
    let ran = place.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("PAGE_SECRET") && ran.err.contains("the client's secret"), "{}", ran.err);
}
