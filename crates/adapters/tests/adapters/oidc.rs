//! Tokens of an OpenID Connect issuer: whom they make somebody, and every way in which they make nobody.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::hmac;
use serde_json::{Value, json};
use vouch_adapters::oidc::{Oidc, OidcSettings, TenantOf};
use vouch_domain::{Caller, Reader, Role, Scope, ports::Authenticator};
use vouch_testkit::contracts::authenticator::{Cast, check};

use crate::support::issuer::{NOW_MS, NOW_S, Signer, TestIssuer, message};

fn mira() -> Caller {
    let scope = Scope::Tags(["hr".to_owned()].into());
    let reader = Reader::of_scope("tarn", scope);
    Caller {
        id: "oidc:mira".to_owned(),
        name: None,
        person: Some("mira".to_owned()),
        reader,
        role: Role::Reader,
        requests_per_minute: None,
    }
}

/// Claims with some of them changed; null takes one out.
fn changed(mut claims: Value, other: &Value) -> Value {
    let own = claims.as_object_mut().expect("claims");
    for (name, value) in other.as_object().expect("claims") {
        own.insert(name.clone(), value.clone());
    }
    own.retain(|_, value| !value.is_null());
    claims
}

async fn knows(authenticator: &Oidc, token: &str) -> bool {
    authenticator.authenticate(token, NOW_MS).await.expect("an answer").is_some()
}

#[tokio::test]
async fn an_issuers_tokens_are_an_authenticator_whatever_signs_them() {
    for signer in [Signer::rsa(), Signer::p256(), Signer::ed25519()] {
        let issuer = TestIssuer::showing(&[Signer::p256().published("old"), signer.published("now")]).await;
        let secret = signer.token("now", &issuer.claims());
        let ends_ms = (NOW_S + 300 + 60) * 1_000;
        let cast = Cast { authenticator: Arc::new(issuer.authenticator()), secret, caller: mira(), ends_ms };
        check(&cast).await;
        assert_eq!(issuer.asked(), 2, "one look at its configuration, one at its keys");
    }
}

#[tokio::test]
async fn what_a_token_says_decides_tenant_tags_and_role() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let authenticator = Oidc::new(OidcSettings {
        tenant: TenantOf::Claim("/org/name".to_owned()),
        tags_claim: "https://vouch.example/tags".to_owned(),
        admin_tag: Some("keepers".to_owned()),
        per_minute: Some(12),
        ..issuer.settings()
    })
    .expect("an authenticator");
    let claims = changed(
        issuer.claims(),
        &json!({"aud": ["others", "vouch"], "org": {"name": "fell"}, "https://vouch.example/tags": "it legal"}),
    );
    let caller =
        authenticator.authenticate(&signer.token("a", &claims), NOW_MS).await.expect("an answer").expect("somebody");
    let tags = Scope::Tags(["it".to_owned(), "legal".to_owned()].into());
    assert_eq!(caller.reader, Reader::of_scope("fell", tags));
    assert_eq!((caller.role, caller.requests_per_minute), (Role::Reader, Some(12)));
    let claims = changed(claims, &json!({"https://vouch.example/tags": ["keepers"]}));
    let caller =
        authenticator.authenticate(&signer.token("a", &claims), NOW_MS).await.expect("an answer").expect("somebody");
    assert_eq!((caller.role, caller.reader), (Role::Admin, Reader::of_tenant("fell")));
    let nowhere = changed(claims, &json!({"org": null}));
    assert!(!knows(&authenticator, &signer.token("a", &nowhere)).await);
}

#[tokio::test]
async fn a_token_of_another_issuer_audience_or_time_is_refused() {
    let signer = Signer::ed25519();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let authenticator = issuer.authenticator();
    let name = issuer.name();
    for (other, is_known) in [
        (json!({}), true),
        (json!({"iss": format!("{name}/")}), false),
        (json!({"iss": "https://login.example"}), false),
        (json!({"iss": [name.clone()]}), false),
        (json!({"iss": null}), false),
        (json!({"aud": "vouch2"}), false),
        (json!({"aud": ["other"]}), false),
        (json!({"aud": []}), false),
        (json!({"aud": {"vouch": true}}), false),
        (json!({"aud": null}), false),
        (json!({"exp": NOW_S - 59}), true),
        (json!({"exp": NOW_S - 60}), false),
        (json!({"exp": NOW_S - 3_600}), false),
        (json!({"exp": "never"}), false),
        (json!({"exp": null}), false),
        (json!({"exp": (NOW_S as f64) + 0.5}), true),
        (json!({"nbf": NOW_S + 60}), true),
        (json!({"nbf": NOW_S + 61}), false),
        (json!({"nbf": "soon"}), false),
        (json!({"sub": null}), false),
        (json!({"groups": 7}), false),
        (json!({"groups": null}), true),
    ] {
        let token = signer.token("a", &changed(issuer.claims(), &other));
        assert_eq!(knows(&authenticator, &token).await, is_known, "{other}");
    }
}

#[tokio::test]
async fn a_token_of_our_client_counts_where_it_names_the_issuers_own_audience_alone() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let knows_with = async |audience: &str, client: Option<&str>, claims: &Value| {
        let settings =
            OidcSettings { audience: audience.to_owned(), client_id: client.map(str::to_owned), ..issuer.settings() };
        let authenticator = Oidc::new(settings).expect("an authenticator");
        knows(&authenticator, &signer.token("a", &changed(issuer.claims(), claims))).await
    };
    let ours = Some("page");
    for (audience, client, claims, is_known) in [
        // As Keycloak writes them where nobody has set an audience.
        ("vouch", ours, json!({"aud": "account", "azp": "page"}), true),
        ("vouch", ours, json!({"aud": ["account"], "azp": "page"}), true),
        ("page", ours, json!({"aud": "account", "azp": "page"}), true),
        ("account", ours, json!({"aud": "account", "azp": "page"}), true),
        ("account", ours, json!({"aud": ["realm-management", "account"], "azp": "page"}), true),
        ("account", None, json!({"aud": "account", "azp": "other"}), true),
        // Made for another client, or for another service that could bring it here.
        ("vouch", ours, json!({"aud": "account", "azp": "other"}), false),
        ("vouch", ours, json!({"aud": "account"}), false),
        ("vouch", ours, json!({"aud": "account", "azp": ["page"]}), false),
        ("vouch", None, json!({"aud": "account", "azp": "page"}), false),
        ("account", ours, json!({"aud": "account", "azp": "other"}), false),
        ("account", ours, json!({"aud": "account"}), false),
        ("vouch", ours, json!({"aud": ["account", "other"], "azp": "page"}), false),
        ("vouch", ours, json!({"aud": ["account", 7], "azp": "page"}), false),
        ("vouch", ours, json!({"aud": "other", "azp": "page"}), false),
        ("vouch", ours, json!({"aud": "page", "azp": "page"}), false),
        ("vouch", ours, json!({"aud": [], "azp": "page"}), false),
        ("vouch", ours, json!({"aud": null, "azp": "page"}), false),
        // An audience that is named is enough, whoever the token was made for.
        ("vouch", ours, json!({"aud": ["account", "vouch"], "azp": "other"}), true),
    ] {
        assert_eq!(knows_with(audience, client, &claims).await, is_known, "{audience} {client:?} {claims}");
    }
}

#[tokio::test]
async fn a_forged_token_is_refused() {
    let (rsa, p256, thief) = (Signer::rsa(), Signer::p256(), Signer::p256());
    let issuer = TestIssuer::showing(&[rsa.published("r"), p256.published("p")]).await;
    let authenticator = issuer.authenticator();
    let claims = issuer.claims();
    let right = p256.token("p", &claims);
    assert!(knows(&authenticator, &right).await && knows(&authenticator, &rsa.token("r", &claims)).await);

    let mut forged = vec![
        thief.token("p", &claims),
        thief.token("r", &claims),
        thief.sign(&json!({"alg": "ES256", "kid": "p", "jwk": thief.published("p")}), &claims),
        thief.sign(&json!({"alg": "ES256", "kid": "p", "jku": "http://127.0.0.1:1/keys"}), &claims),
        p256.sign(&json!({"alg": "RS256", "kid": "p"}), &claims),
        p256.sign(&json!({"alg": "ES256", "kid": "r"}), &claims),
        p256.sign(&json!({"alg": "ES384", "kid": "p"}), &claims),
        p256.sign(&json!({"alg": "ES256"}), &claims),
        p256.sign(&json!({"alg": "ES256", "kid": "p", "crit": ["b64"], "b64": false}), &claims),
        p256.sign(&json!({"alg": "ES256", "kid": "p", "typ": "logout+jwt"}), &claims),
    ];
    for word in ["none", "None", "NONE", "nOnE", ""] {
        let unsigned = message(&json!({"alg": word, "kid": "p"}), &claims);
        let signature = right.rsplit('.').next().unwrap_or_default();
        forged.extend([
            format!("{unsigned}."),
            format!("{unsigned}.AA"),
            unsigned.clone(),
            format!("{unsigned}.{signature}"),
        ]);
    }
    // A shared secret that everybody knows: the public key in every form one might take for it.
    for secret in [rsa.published("r").to_string(), rsa.published("r")["n"].as_str().unwrap_or_default().to_owned()] {
        let decoded = BASE64.decode(&secret).unwrap_or_default();
        for secret in [secret.into_bytes(), decoded, Vec::new()] {
            let message = message(&json!({"alg": "HS256", "kid": "r"}), &claims);
            let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), message.as_bytes());
            forged.push(format!("{message}.{}", BASE64.encode(tag)));
        }
    }
    // Claims of one token under the signature of another, and signatures that are none.
    let other = message(&json!({"alg": "ES256", "kid": "p"}), &changed(claims, &json!({"groups": ["board"]})));
    for signature in [right.rsplit('.').next().unwrap_or_default(), &BASE64.encode([0; 64]), "AA", ""] {
        forged.push(format!("{other}.{signature}"));
    }
    for token in forged {
        assert!(!knows(&authenticator, &token).await, "{token}");
    }
}

#[tokio::test]
async fn a_token_without_a_keys_name_is_of_the_only_key_there_is() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let token = signer.sign(&json!({"alg": "ES256"}), &issuer.claims());
    assert!(knows(&issuer.authenticator(), &token).await);
    issuer.shows(&[signer.published("a"), Signer::p256().published("b")]);
    assert!(!knows(&issuer.authenticator(), &token).await);
}

#[tokio::test]
async fn what_is_wrong_on_its_face_never_reaches_the_issuer() {
    let signer = Signer::p256();
    let issuer = TestIssuer::showing(&[signer.published("a")]).await;
    let authenticator = issuer.authenticator();
    let claims = issuer.claims();
    let long = changed(claims.clone(), &json!({"padding": "x".repeat(9_000)}));
    for token in [
        "vouch_0123456789ab_secret".to_owned(),
        "a.b.c".to_owned(),
        "x".repeat(100_000),
        ".".repeat(8_000),
        signer.token("a", &long),
        signer.token("a", &changed(claims.clone(), &json!({"aud": "others"}))),
        signer.token("a", &changed(claims, &json!({"exp": NOW_S - 61}))),
    ] {
        assert!(!knows(&authenticator, &token).await);
    }
    assert_eq!(issuer.asked(), 0);
    assert!(authenticator.is_required().await.expect("an answer"));
}
