//! An OpenID Connect issuer that changes its keys, is slow, silent, loud or somebody else: nobody comes in by it, nothing
//! waits longer than it may, and whoever is known already is not held up.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use vouch_adapters::oidc::{Oidc, OidcSettings};
use vouch_domain::{Fault, ports::Authenticator};

use crate::support::{
    issuer::{NOW_MS, Signer, TestIssuer, found_json},
    model_server::Step,
};

const MINUTE_MS: u64 = 60_000;

async fn knows(authenticator: &Oidc, token: &str, now_ms: u64) -> bool {
    authenticator.authenticate(token, now_ms).await.expect("an answer").is_some()
}

/// Claims that end in a day, so that hours may pass.
fn lasting(issuer: &TestIssuer) -> Value {
    json!({"iss": issuer.name(), "aud": "vouch", "sub": "mira", "exp": NOW_MS / 1_000 + 86_400})
}

#[tokio::test]
async fn a_new_key_is_looked_for_once_a_minute_at_the_most() {
    let (old, new) = (Signer::p256(), Signer::p256());
    let issuer = TestIssuer::showing(&[old.published("old")]).await;
    let authenticator = issuer.authenticator();
    let (of_old, of_new) = (old.token("old", &lasting(&issuer)), new.token("new", &lasting(&issuer)));
    assert!(knows(&authenticator, &of_old, NOW_MS).await);
    assert_eq!(issuer.asked(), 2);
    issuer.shows(&[old.published("old"), new.published("new")]);
    for later in [0, 1, MINUTE_MS - 1] {
        assert!(!knows(&authenticator, &of_new, NOW_MS + later).await);
    }
    assert_eq!(issuer.asked(), 2, "an unknown key is no reason to ask again at once");
    assert!(knows(&authenticator, &of_new, NOW_MS + MINUTE_MS).await);
    assert_eq!(issuer.asked(), 4);
    let nobody = new.token("made up", &lasting(&issuer));
    for later in 0..20 {
        assert!(!knows(&authenticator, &nobody, NOW_MS + MINUTE_MS + later * 1_000).await);
    }
    assert_eq!(issuer.asked(), 4);
}

#[tokio::test]
async fn keys_are_believed_for_their_time_and_a_key_that_was_taken_back_no_longer() {
    let (old, new) = (Signer::p256(), Signer::p256());
    let issuer = TestIssuer::showing(&[old.published("old")]).await;
    let authenticator = issuer.authenticator();
    let token = old.token("old", &lasting(&issuer));
    assert!(knows(&authenticator, &token, NOW_MS).await);
    issuer.shows(&[new.published("new")]);
    let hour_ms = 60 * MINUTE_MS;
    assert!(knows(&authenticator, &token, NOW_MS + hour_ms - 1).await);
    assert!(!knows(&authenticator, &token, NOW_MS + hour_ms).await);
    assert_eq!(issuer.asked(), 4);
    assert!(!knows(&authenticator, &token, NOW_MS - hour_ms).await, "a clock that went back makes nothing fresh");
}

#[tokio::test]
async fn many_who_come_at_once_are_one_question_to_the_issuer() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[]).await;
    let shown = found_json(&json!({"keys": [signer.published("a")]}).to_string());
    issuer.answers_for_keys([vec![Step::Wait(Duration::from_millis(100))], shown].concat());
    let (authenticator, token) = (Arc::new(issuer.authenticator()), signer.token("a", &issuer.claims()));
    let all = (0..50).map(|_| {
        let (authenticator, token) = (Arc::clone(&authenticator), token.clone());
        tokio::spawn(async move { knows(&authenticator, &token, NOW_MS).await })
    });
    for one in all.collect::<Vec<_>>() {
        assert!(one.await.expect("it runs"));
    }
    assert_eq!(issuer.asked(), 2);
}

#[tokio::test]
async fn an_issuer_that_hangs_holds_up_nobody_who_is_known() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let authenticator = Arc::new(issuer.authenticator());
    let token = signer.token("a", &lasting(&issuer));
    assert!(knows(&authenticator, &token, NOW_MS).await);
    issuer.answers_for_keys(vec![Step::Hang]);
    let stranger = signer.token("made up", &lasting(&issuer));
    let waiting = tokio::spawn({
        let authenticator = Arc::clone(&authenticator);
        async move { knows(&authenticator, &stranger, NOW_MS + MINUTE_MS).await }
    });
    while issuer.asked() < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let start = Instant::now();
    assert!(knows(&authenticator, &token, NOW_MS + MINUTE_MS).await);
    // The other one waits for five seconds.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(!waiting.is_finished());
    assert!(!waiting.await.expect("it runs"), "an unknown key stays unknown where the issuer is silent");
}

/// Every way in which an issuer fails to show its keys.
fn misdeeds() -> Vec<(&'static str, Vec<Step>)> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let many: Vec<Value> = (0..101).map(|_| json!({"kty": "RSA"})).collect();
    vec![
        ("hangs", vec![Step::Hang]),
        ("drips", vec![Step::send(format!("{head}\r\n")), Step::Drip(b"{".to_vec())]),
        ("speaks no HTTP", vec![Step::send("hello\r\n\r\n")]),
        ("closes", Vec::new()),
        ("breaks off", vec![Step::send(format!("{head}Content-Length: 500\r\n\r\n{{\"keys\":["))]),
        ("shows garbage", found_json("<html>keys</html>")),
        ("shows no keys", found_json("{}")),
        ("shows too many", found_json(&json!({ "keys": many }).to_string())),
        ("is down", vec![Step::send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")]),
        ("sends elsewhere", vec![Step::send("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")]),
        ("says it will say much", vec![Step::send(format!("{head}Content-Length: 999999999\r\n\r\n")), Step::Hang]),
        ("never stops", vec![Step::send(format!("{head}\r\n{{\"keys\":[")), Step::Repeat(vec![b' '; 65_536], 100_000)]),
    ]
}

#[tokio::test]
async fn an_issuer_that_does_not_show_its_keys_lets_nobody_in_and_keeps_nobody_waiting() {
    let signer = Signer::p256();
    for (misdeed, steps) in misdeeds() {
        for at_configuration in [false, true] {
            let issuer = TestIssuer::showing(&[]).await;
            match at_configuration {
                false => issuer.answers_for_keys(steps.clone()),
                true => {
                    let steps = steps.clone();
                    issuer.answers_for_configuration(move |_| steps.clone());
                }
            }
            // Whatever is asked within it was read by then, on a busy machine too.
            let timeout = Duration::from_secs(2);
            let authenticator = Oidc::new(OidcSettings { timeout, ..issuer.settings() }).expect("an authenticator");
            let token = signer.token("a", &issuer.claims());
            let start = Instant::now();
            let error = authenticator.authenticate(&token, NOW_MS).await.expect_err(misdeed);
            assert!(start.elapsed() < Duration::from_secs(15), "{misdeed}: {:?}", start.elapsed());
            assert!(matches!(error.fault, Fault::Unavailable | Fault::Timeout), "{misdeed}: {error:?}");
            let told = format!("{error} {error:?}");
            assert!(!told.contains(&token) && !told.contains("groups"), "{misdeed}: {told}");
            let sent = issuer.server.seen.sent_bytes.load(std::sync::atomic::Ordering::SeqCst);
            assert!(sent < 32 << 20, "{misdeed}: {sent} bytes were taken");

            let asked = issuer.asked();
            let again = authenticator.authenticate(&token, NOW_MS + 4_999).await.expect_err(misdeed);
            assert_eq!((again.fault, issuer.asked()), (Fault::CircuitOpen, asked), "{misdeed}: it is left alone");
        }
    }
}

#[tokio::test]
async fn an_issuer_that_comes_back_is_believed_again() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[]).await;
    issuer.answers_for_keys(vec![Step::send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")]);
    let (authenticator, token) = (issuer.authenticator(), signer.token("a", &issuer.claims()));
    assert!(authenticator.authenticate(&token, NOW_MS).await.is_err());
    issuer.shows(&[signer.published("a")]);
    assert!(knows(&authenticator, &token, NOW_MS + 5_000).await);
}

#[tokio::test]
async fn a_configuration_that_leads_astray_is_not_followed() {
    let signer = Signer::p256();
    for (name, place) in [
        ("http://login.example", "http://ADDRESS/keys"),
        ("http://ADDRESS", "http://ADDRESS/keys"),
        ("http://ADDRESS/realm/", "http://ADDRESS/keys"),
        ("http://ADDRESS/realm", "http://login.example/keys"),
        ("http://ADDRESS/realm", "http://127.0.0.1.login.example/keys"),
        ("http://ADDRESS/realm", "file:///etc/passwd"),
        ("http://ADDRESS/realm", "/keys"),
        ("http://ADDRESS/realm", ""),
    ] {
        let issuer = TestIssuer::showing(&[signer.published("a")]).await;
        issuer.answers_for_configuration(move |address| {
            let [name, place] = [name, place].map(|text| text.replace("ADDRESS", address));
            found_json(&json!({"issuer": name, "jwks_uri": place}).to_string())
        });
        let token = signer.token("a", &issuer.claims());
        let error = issuer.authenticator().authenticate(&token, NOW_MS).await.expect_err(place);
        assert_eq!(error.fault, Fault::Unavailable, "{name} {place}");
        assert_eq!(issuer.asked(), 1, "{name} {place}: its keys are not asked for");
    }
}
