//! People who sign in with an OpenID Connect issuer: what is sent for their code, which token they are given, and every
//! way in which they are given none.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::Url;
use serde_json::{Value, json};
use vouch_adapters::oidc::{ClientSettings, Oidc, OidcSettings, OidcSignIn};
use vouch_domain::{
    Fault,
    ports::{Authenticator, SignIn, SignInOutcome, SignInProof, SignInRefusal},
};
use vouch_testkit::contracts::sign_in::{Cast, PROOFS, check, proof};

use crate::support::{
    issuer::{NOW_MS, NOW_S, Signer, TestIssuer, configuration_at, found_json, message},
    model_server::{Request, Step},
};

fn fields(request: &Request) -> BTreeMap<String, String> {
    let form = Url::parse(&format!("http://form/?{}", request.body)).expect("a form");
    form.query_pairs().into_owned().collect()
}

fn refuses(word: &str) -> Vec<Step> {
    let body = json!({"error": word, "error_description": "the code code-0 of verifier-0 is wrong"}).to_string();
    let length = body.len();
    vec![Step::send(format!("HTTP/1.1 400 Bad Request\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"))]
}

/// Claims with another audience and more besides.
fn claims(issuer: &TestIssuer, audience: &Value, more: &Value) -> Value {
    let mut claims = issuer.claims();
    let own = claims.as_object_mut().expect("claims");
    own.insert("aud".to_owned(), audience.clone());
    own.extend(more.as_object().expect("claims").clone());
    claims
}

/// What came of it: a token, or why there is none.
fn told(outcome: SignInOutcome) -> Result<String, SignInRefusal> {
    match outcome {
        SignInOutcome::Token { token, .. } => Ok(token),
        SignInOutcome::Refused(why) => Err(why),
    }
}

#[tokio::test]
async fn an_issuers_sign_in_is_a_sign_in() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let token = |number: usize| {
        let nonce = json!({"nonce": format!("nonce-{number}")});
        let id_token = signer.token("a", &claims(&issuer, &json!("page"), &nonce));
        json!({"access_token": signer.token("a", &issuer.claims()), "id_token": id_token, "token_type": "Bearer"})
    };
    let known: Vec<(SignInProof, Value)> = (0..PROOFS).map(|number| (proof(number), token(number))).collect();
    let used: Mutex<BTreeSet<String>> = Mutex::default();
    issuer.answers_for_tokens(move |request| {
        let sent = fields(request);
        let is_of = |proof: &SignInProof| {
            sent.get("code") == Some(&proof.code)
                && sent.get("code_verifier") == Some(&proof.verifier)
                && sent.get("redirect_uri") == Some(&proof.return_address)
        };
        let found = known.iter().find(|(proof, _)| is_of(proof));
        match found.filter(|(proof, _)| used.lock().expect("a lock").insert(proof.code.clone())) {
            Some((_, tokens)) => found_json(&tokens.to_string()),
            None => refuses("invalid_grant"),
        }
    });
    let sign_in = Arc::new(issuer.sign_in());
    check(&Cast { sign_in: sign_in.clone(), authenticator: Arc::new(issuer.authenticator()), now_ms: NOW_MS }).await;
    let offer = sign_in.offer(NOW_MS).await.expect("a place");
    assert_eq!(offer.address, format!("http://{}/authorize?realm=tarn", issuer.server.address));
    assert_eq!((offer.client_id.as_str(), offer.scope.as_str()), ("page", "openid profile"));
}

#[tokio::test]
async fn a_code_is_sent_as_a_form_with_the_clients_secret_where_the_issuer_reads_it() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let tokens = json!({"access_token": signer.token("a", &issuer.claims())}).to_string();
    issuer.answers_for_tokens(move |_| found_json(&tokens));
    let basic = format!("authorization: basic {}", BASE64_STANDARD.encode("pa%3Age:s+%26%3D").to_lowercase());
    for (secret, methods, in_form, header) in [
        (None, json!(["client_secret_post"]), None, None),
        (Some("s &="), json!(["client_secret_basic", "client_secret_post"]), None, Some(&basic)),
        (Some("s &="), json!(["client_secret_post"]), Some("s &="), None),
    ] {
        issuer.answers_for_configuration(move |address| {
            let mut found = configuration_at(address);
            found["token_endpoint_auth_methods_supported"] = methods.clone();
            found_json(&found.to_string())
        });
        let client =
            ClientSettings { id: "pa:ge".to_owned(), secret: secret.map(str::to_owned), scope: "openid".to_owned() };
        let sign_in = OidcSignIn::new(issuer.authenticator(), client).expect("a sign-in");
        assert!(told(sign_in.exchange(&proof(0), NOW_MS).await.expect("an answer")).is_ok());
        let request = issuer.server.seen.requests().pop().expect("a request");
        let (head, sent) = (request.head.to_lowercase(), fields(&request));
        assert_eq!(request.line(), "POST /token");
        assert!(head.contains("content-type: application/x-www-form-urlencoded"), "{head}");
        assert_eq!(
            head.lines().find(|line| line.starts_with("authorization")),
            header.map(String::as_str),
            "{secret:?}"
        );
        assert_eq!(sent.get("client_secret").map(String::as_str), in_form, "{secret:?}");
        assert_eq!(sent.contains_key("client_id"), header.is_none(), "{secret:?}");
        let own = proof(0);
        for (name, value) in [
            ("grant_type", "authorization_code"),
            ("code", &own.code),
            ("code_verifier", &own.verifier),
            ("redirect_uri", &own.return_address),
        ] {
            assert_eq!(sent.get(name).map(String::as_str), Some(value), "{name}");
        }
    }
}

#[tokio::test]
async fn the_token_is_one_that_is_accepted_here() {
    let (signer, thief) = (Signer::p256(), Signer::p256());
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let own = proof(0).nonce.expect("a nonce");
    let of = |signer: &Signer, audience: Value| signer.token("a", &claims(&issuer, &audience, &json!({"nonce": own})));
    let (access, id) = (of(&signer, json!("vouch")), of(&signer, json!(["page", "vouch"])));
    let (for_page, for_account) = (of(&signer, json!("page")), of(&signer, json!("account")));
    let elsewhere = |found: &[&str]| SignInRefusal::OtherAudience {
        wanted: "vouch".to_owned(),
        found: found.iter().map(|one| (*one).to_owned()).collect(),
    };
    for (what, tokens, wanted) in [
        ("both are good", json!({"access_token": access, "id_token": id}), Ok(&access)),
        ("access for others", json!({"access_token": for_page, "id_token": id}), Ok(&id)),
        ("access that is no token", json!({"access_token": "opaque", "id_token": id}), Ok(&id)),
        ("an ID token alone", json!({"id_token": id}), Ok(&id)),
        ("an access token alone", json!({"access_token": access}), Ok(&access)),
        (
            "neither is for us",
            json!({"access_token": for_account, "id_token": for_page}),
            Err(elsewhere(&["account", "page"])),
        ),
        (
            "the ID token is for others",
            json!({"access_token": "opaque", "id_token": for_page}),
            Err(elsewhere(&["page"])),
        ),
        ("an ID token for others than the page", json!({"id_token": access}), Err(SignInRefusal::NotAccepted)),
        (
            "forged",
            json!({"access_token": of(&thief, json!("vouch")), "id_token": of(&thief, json!(["page", "vouch"]))}),
            Err(SignInRefusal::NotAccepted),
        ),
        ("none at all", json!({}), Err(SignInRefusal::NotAccepted)),
    ] {
        let body = tokens.to_string();
        issuer.answers_for_tokens(move |_| found_json(&body));
        let outcome = issuer.sign_in().exchange(&proof(0), NOW_MS).await.expect("an answer");
        assert_eq!(told(outcome), wanted.cloned(), "{what}");
    }
    let body = json!({"access_token": access, "expires_in": 7}).to_string();
    issuer.answers_for_tokens(move |_| found_json(&body));
    let outcome = issuer.sign_in().exchange(&proof(0), NOW_MS + 1_000).await.expect("an answer");
    let SignInOutcome::Token { lifetime, .. } = outcome else { panic!("no token") };
    assert_eq!(lifetime, Some(Duration::from_secs(299)), "by the token's own word");
}

#[tokio::test]
async fn an_id_token_answers_the_sign_in_that_was_begun() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let access = signer.token("a", &issuer.claims());
    let with = |nonce: Value| signer.token("a", &claims(&issuer, &json!("page"), &json!({"nonce": nonce})));
    let symmetric = message(&json!({"alg": "HS256"}), &claims(&issuer, &json!("page"), &json!({"nonce": "nonce-0"})));
    for (id_token, asked, is_in) in [
        (Some(with(json!("nonce-0"))), true, true),
        (Some(with(json!("nonce-1"))), true, false),
        (Some(with(json!(["nonce-0"]))), true, false),
        (Some(with(Value::Null)), true, false),
        (Some("garbage".to_owned()), true, false),
        (Some(format!("{symmetric}.AA")), true, true),
        (Some(with(json!("nonce-1"))), false, true),
        (None, true, true),
    ] {
        let body = json!({"access_token": access, "id_token": id_token}).to_string();
        issuer.answers_for_tokens(move |_| found_json(&body));
        let proof = SignInProof { nonce: proof(0).nonce.filter(|_| asked), ..proof(0) };
        let outcome = told(issuer.sign_in().exchange(&proof, NOW_MS).await.expect("an answer"));
        let wanted = if is_in { Ok(access.clone()) } else { Err(SignInRefusal::OtherSignIn) };
        assert_eq!(outcome, wanted, "{id_token:?} {asked}");
    }
}

#[tokio::test]
async fn an_issuer_that_gives_no_token_keeps_nobody_waiting_and_nothing_is_told_of_the_code() {
    let signer = Signer::p256();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let elsewhere = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /keys\r\nContent-Length: 0\r\n\r\n";
    for (misdeed, steps) in [
        ("hangs", vec![Step::Hang]),
        ("drips", vec![Step::send(format!("{head}\r\n")), Step::Drip(b"{".to_vec())]),
        ("closes", Vec::new()),
        ("shows garbage", found_json("<html>")),
        ("shows a list", found_json("[]")),
        ("is down", vec![Step::send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")]),
        ("sends elsewhere", vec![Step::send(elsewhere)]),
        ("knows no such client", refuses("invalid_client")),
        ("says something else", refuses("verifier-0")),
        ("never stops", vec![Step::send(format!("{head}\r\n{{")), Step::Repeat(vec![b' '; 65_536], 100_000)]),
    ] {
        let issuer = TestIssuer::showing(&[signer.published("a")]).await;
        issuer.answers_for_tokens(move |_| steps.clone());
        // Configuration, keys and code come within it, on a busy machine too.
        let timeout = Duration::from_secs(3);
        let oidc = Oidc::new(OidcSettings { timeout, ..issuer.settings() }).expect("an authenticator");
        let client = ClientSettings { id: "page".to_owned(), secret: Some("hidden".to_owned()), scope: "a".to_owned() };
        let sign_in = OidcSignIn::new(oidc, client).expect("a sign-in");
        let start = Instant::now();
        let error = sign_in.exchange(&proof(0), NOW_MS).await.err().expect(misdeed);
        assert!(start.elapsed() < Duration::from_secs(20), "{misdeed}: {:?}", start.elapsed());
        assert!(matches!(error.fault, Fault::Unavailable | Fault::Timeout), "{misdeed}: {error:?}");
        let said = format!("{error} {error:?}");
        for secret in ["code-0", "verifier-0", "hidden", "nonce-0"] {
            assert!(!said.contains(secret), "{misdeed}: {said}");
        }
        let sent = issuer.server.seen.sent_bytes.load(std::sync::atomic::Ordering::SeqCst);
        assert!(sent < 32 << 20, "{misdeed}: {sent} bytes were taken");
        let lines: Vec<String> = issuer.server.seen.requests().iter().map(Request::line).collect();
        assert_eq!(lines.len(), 3, "{misdeed}: configuration, keys, one code: {lines:?}");
    }
}

#[tokio::test]
async fn an_issuer_without_a_safe_place_to_sign_in_still_has_its_tokens_accepted() {
    let signer = Signer::p256();
    for (name, place) in [
        ("authorization_endpoint", Value::Null),
        ("authorization_endpoint", json!("http://login.example/authorize")),
        ("token_endpoint", Value::Null),
        ("token_endpoint", json!("http://login.example/token")),
    ] {
        let issuer = TestIssuer::showing(&[signer.published("a")]).await;
        let wrong = place.clone();
        issuer.answers_for_configuration(move |address| {
            let mut found = configuration_at(address);
            found[name] = wrong.clone();
            found_json(&found.to_string())
        });
        let error = issuer.sign_in().offer(NOW_MS).await.expect_err(name);
        assert!(error.fault == Fault::Unavailable && error.sentence.contains(name), "{error}");
        assert!(issuer.sign_in().exchange(&proof(0), NOW_MS).await.is_err(), "{name} {place}");
        let token = signer.token("a", &issuer.claims());
        assert!(issuer.authenticator().authenticate(&token, NOW_MS).await.expect("an answer").is_some(), "{name}");
    }
}

#[tokio::test]
async fn where_to_sign_in_is_looked_up_as_rarely_as_the_keys() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let sign_in = issuer.sign_in();
    for _ in 0..5 {
        assert!(sign_in.offer(NOW_MS).await.is_ok());
    }
    assert_eq!(issuer.asked(), 2);
    assert!(sign_in.offer((NOW_S + 3_600) * 1_000).await.is_ok());
    assert_eq!(issuer.asked(), 4);
    issuer.answers_for_keys(vec![Step::send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")]);
    let later_ms = (NOW_S + 7_200) * 1_000;
    assert!(sign_in.offer(later_ms).await.is_err());
    let again = sign_in.offer(later_ms + 4_999).await.expect_err("it is left alone");
    assert_eq!((again.fault, issuer.asked()), (Fault::CircuitOpen, 6));
}
