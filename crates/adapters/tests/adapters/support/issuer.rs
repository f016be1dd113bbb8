//! An OpenID Connect issuer for tests: signs tokens, shows its keys, and misbehaves where it is told to.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::{
    rand::SystemRandom,
    rsa::PublicKeyComponents,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair},
};
use serde_json::{Value, json};
use vouch_adapters::oidc::{ClientSettings, Oidc, OidcSettings, OidcSignIn, TenantOf};

use crate::support::model_server::{Request, Step, TestServer};

/// Made for these tests, and good for nothing else.
const RSA_KEY: &str = include_str!("../recorded/oidc_rsa_key.txt");

/// The moment of every test, in seconds since 1970.
pub const NOW_S: u64 = 1_800_000_000;
pub const NOW_MS: u64 = NOW_S * 1_000;

/// A key that signs.
pub enum Signer {
    Rsa(Box<RsaKeyPair>),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Signer {
    pub fn rsa() -> Self {
        let text: String = RSA_KEY.split_whitespace().collect();
        let der = base64::prelude::BASE64_STANDARD.decode(text).expect("base64");
        Self::Rsa(Box::new(RsaKeyPair::from_der(&der).expect("a key")))
    }

    pub fn p256() -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        Self::P256(EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).expect("a key"))
    }

    pub fn ed25519() -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).expect("a key"))
    }

    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::P256(_) => "ES256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    /// The key as it is published.
    pub fn published(&self, name: &str) -> Value {
        match self {
            Self::Rsa(key) => {
                let numbers = PublicKeyComponents::<Vec<u8>>::from(key.public());
                let (n, e) = (BASE64.encode(numbers.n), BASE64.encode(numbers.e));
                json!({"kty": "RSA", "kid": name, "use": "sig", "alg": "RS256", "n": n, "e": e})
            }
            Self::P256(key) => {
                let point = key.public_key().as_ref().split_first().expect("a point").1;
                let (x, y) = point.split_at(32);
                json!({"kty": "EC", "crv": "P-256", "kid": name, "x": BASE64.encode(x), "y": BASE64.encode(y)})
            }
            Self::Ed25519(key) => {
                json!({"kty": "OKP", "crv": "Ed25519", "kid": name, "x": BASE64.encode(key.public_key().as_ref())})
            }
        }
    }

    /// A token with exactly this header and these claims.
    pub fn sign(&self, header: &Value, claims: &Value) -> String {
        let message = message(header, claims);
        let (random, bytes) = (SystemRandom::new(), message.as_bytes());
        let signature = match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut signature).expect("a signature");
                signature
            }
            Self::P256(key) => key.sign(&random, bytes).expect("a signature").as_ref().to_vec(),
            Self::Ed25519(key) => key.sign(bytes).as_ref().to_vec(),
        };
        format!("{message}.{}", BASE64.encode(signature))
    }

    /// A token as this key signs them.
    pub fn token(&self, name: &str, claims: &Value) -> String {
        self.sign(&json!({"alg": self.algorithm(), "kid": name, "typ": "JWT"}), claims)
    }
}

/// What of a token is signed.
pub fn message(header: &Value, claims: &Value) -> String {
    format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()))
}

type Answer = Arc<Mutex<Box<dyn Fn(&str) -> Vec<Step> + Send>>>;
type TokenAnswer = Arc<Mutex<Box<dyn Fn(&Request) -> Vec<Step> + Send>>>;

/// An issuer that listens.
pub struct TestIssuer {
    pub server: TestServer,
    /// What it does when its keys are asked for, given its own address.
    keys: Answer,
    /// What it does when its configuration is asked for.
    configuration: Answer,
    /// What it does with a code.
    tokens: TokenAnswer,
}

impl TestIssuer {
    /// Shows these keys.
    pub async fn showing(keys: &[Value]) -> Self {
        let shown: Answer = Arc::new(Mutex::new(Box::new(|_: &str| Vec::new())));
        let configuration: Answer =
            Arc::new(Mutex::new(Box::new(|address: &str| found_json(&configuration_at(address).to_string()))));
        let tokens: TokenAnswer = Arc::new(Mutex::new(Box::new(|_: &Request| Vec::new())));
        let (to_show, to_find, to_give) = (Arc::clone(&shown), Arc::clone(&configuration), Arc::clone(&tokens));
        let server = TestServer::start(move |request: &Request| {
            let head = request.head.to_lowercase();
            let address = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
            match request.line().as_str() {
                "GET /realm/.well-known/openid-configuration" => to_find.lock().expect("a lock")(&address),
                "GET /keys" => to_show.lock().expect("a lock")(&address),
                "POST /token" => to_give.lock().expect("a lock")(request),
                _ => vec![Step::send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")],
            }
        })
        .await;
        let issuer = Self { server, keys: shown, configuration, tokens };
        issuer.shows(keys);
        issuer
    }

    /// Shows other keys from now on.
    pub fn shows(&self, keys: &[Value]) {
        let steps = found_json(&json!({ "keys": keys }).to_string());
        self.answers_for_keys(steps);
    }

    pub fn answers_for_keys(&self, steps: Vec<Step>) {
        *self.keys.lock().expect("a lock") = Box::new(move |_: &str| steps.clone());
    }

    pub fn answers_for_configuration(&self, answer: impl Fn(&str) -> Vec<Step> + Send + 'static) {
        *self.configuration.lock().expect("a lock") = Box::new(answer);
    }

    /// What it does with a code, given the request.
    pub fn answers_for_tokens(&self, answer: impl Fn(&Request) -> Vec<Step> + Send + 'static) {
        *self.tokens.lock().expect("a lock") = Box::new(answer);
    }

    /// People who sign in with it as guests of a client without a secret.
    pub fn sign_in(&self) -> OidcSignIn {
        let client = ClientSettings { id: "page".to_owned(), secret: None, scope: "openid profile".to_owned() };
        OidcSignIn::new(self.authenticator(), client).expect("a sign-in")
    }

    pub fn name(&self) -> String {
        issuer_at(&self.server.address)
    }

    pub fn settings(&self) -> OidcSettings {
        OidcSettings {
            issuer: self.name(),
            audience: "vouch".to_owned(),
            client_id: None,
            tenant: TenantOf::Everybody("tarn".to_owned()),
            tags_claim: "groups".to_owned(),
            admin_tag: None,
            per_minute: None,
            timeout: Duration::from_secs(5),
            keys_ttl: Duration::from_secs(3_600),
        }
    }

    pub fn authenticator(&self) -> Oidc {
        Oidc::new(self.settings()).expect("an authenticator")
    }

    /// Claims of a token for us that ends in five minutes.
    pub fn claims(&self) -> Value {
        json!({"iss": self.name(), "aud": "vouch", "sub": "mira", "exp": NOW_S + 300, "groups": ["hr"]})
    }

    /// How often it was asked for anything.
    pub fn asked(&self) -> usize {
        self.server.seen.requests().len()
    }
}

fn issuer_at(address: &str) -> String {
    format!("http://{address}/realm")
}

/// Its configuration, whole.
pub fn configuration_at(address: &str) -> Value {
    json!({
        "issuer": issuer_at(address),
        "jwks_uri": format!("http://{address}/keys"),
        "authorization_endpoint": format!("http://{address}/authorize?realm=tarn"),
        "token_endpoint": format!("http://{address}/token"),
    })
}

/// A whole answer.
pub fn found_json(body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n");
    vec![Step::send(format!("{head}Connection: close\r\n\r\n{body}"))]
}
