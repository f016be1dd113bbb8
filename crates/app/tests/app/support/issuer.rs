//! An OpenID Connect issuer with one key: it shows the key, signs tokens, and lets everybody in whom it is told to.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::{
    digest,
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use serde_json::{Value, json};

/// An issuer that listens.
#[derive(Clone)]
pub struct Issuer {
    pub name: String,
    pub key: Arc<Ed25519KeyPair>,
    /// What its access tokens say, and what its ID tokens say beside the client and the nonce.
    pub says: (Value, Value),
}

type Fields = BTreeMap<String, String>;

/// The sign-ins that were begun, by their codes, and how the next one ends.
#[derive(Default)]
struct SignIns {
    begun: BTreeMap<String, Fields>,
    next: String,
}

impl Issuer {
    pub fn start() -> Self {
        Self::saying(json!({"aud": "vouch", "groups": ["hr"]}), json!({}))
    }

    /// One like Keycloak where nobody has set an audience: its tokens are for its own account pages, made for the client `page`,
    /// and write groups as paths.
    pub fn like_keycloak() -> Self {
        let who = json!({
            "azp": "page", "groups": ["/hr", "/hr/payroll"], "name": "Mira Tarn", "preferred_username": "mira",
            "sub": "0b5f4a52-7a53-4c57-9f6e-2f1f0c2b9d11",
        });
        let mut access = who.clone();
        with(&mut access, "aud", json!("account"));
        Self::saying(access, who)
    }

    fn saying(access: Value, id: Value) -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        let key = Arc::new(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).expect("a key"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let name = format!("http://{}", listener.local_addr().expect("an address"));
        let (own, sign_ins) = (Self { name, key, says: (access, id) }, Arc::new(Mutex::default()));
        let issuer = own.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (issuer, sign_ins) = (issuer.clone(), Arc::clone(&sign_ins));
                // Browsers open connections that they do not use.
                std::thread::spawn(move || issuer.serve(&mut stream.expect("a connection"), &sign_ins));
            }
        });
        own
    }

    pub fn settings(&self) -> String {
        self.settings_with("audience: vouch")
    }

    /// Settings with an audience and whatever else.
    pub fn settings_with(&self, more: &str) -> String {
        format!("serve:\n  oidc: {{issuer: '{}', tenant: default, tags_claim: groups, {more}}}\n", self.name)
    }

    /// A header with a token that ends so many seconds from now.
    pub fn bearer(&self, groups: &Value, ends_in_s: i64) -> String {
        let token = self.token(&json!({"aud": "vouch", "groups": groups}), ends_in_s);
        format!("Authorization: Bearer {token}\r\n")
    }

    fn token(&self, more: &Value, ends_in_s: i64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
        let mut claims = json!({"iss": self.name, "sub": "mira", "exp": now.saturating_add_signed(ends_in_s)});
        let own = claims.as_object_mut().expect("claims");
        own.extend(more.as_object().expect("claims").clone());
        let header = json!({"alg": "EdDSA", "kid": "a"});
        let message = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
        format!("{message}.{}", BASE64.encode(self.key.sign(message.as_bytes())))
    }

    fn serve(&self, stream: &mut TcpStream, sign_ins: &Mutex<SignIns>) {
        let Some((line, body)) = request(stream) else { return };
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut sign_ins = sign_ins.lock().expect("a lock");
        let (status, headers, body) = match (method, path) {
            ("GET", "/.well-known/openid-configuration") => ("200 OK", String::new(), self.configuration()),
            ("GET", "/keys") => ("200 OK", String::new(), self.keys()),
            ("GET", "/authorize") => {
                let place = sign_ins.begin(fields(query));
                ("302 Found", format!("Location: {place}\r\n"), String::new())
            }
            ("GET", "/next") => {
                sign_ins.next = fields(query).remove("is").unwrap_or_default();
                ("200 OK", String::new(), String::new())
            }
            ("POST", "/token") => match sign_ins.end(&fields(&body)) {
                Some(begun) => ("200 OK", String::new(), self.tokens(&begun)),
                None => ("400 Bad Request", String::new(), json!({"error": "invalid_grant"}).to_string()),
            },
            _ => ("404 Not Found", String::new(), String::new()),
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
    }

    fn configuration(&self) -> String {
        let name = &self.name;
        let at = |path: &str| format!("{name}/{path}");
        json!({
            "issuer": name, "jwks_uri": at("keys"), "authorization_endpoint": at("authorize"),
            "token_endpoint": at("token"),
        })
        .to_string()
    }

    fn keys(&self) -> String {
        let x = BASE64.encode(self.key.public_key().as_ref());
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": x}]}).to_string()
    }

    fn tokens(&self, begun: &Fields) -> String {
        let (access, mut id) = self.says.clone();
        with(&mut id, "aud", json!(begun.get("client_id")));
        with(&mut id, "nonce", json!(begun.get("nonce")));
        let (access, id) = (self.token(&access, 300), self.token(&id, 300));
        json!({"access_token": access, "id_token": id, "token_type": "Bearer", "expires_in": 300}).to_string()
    }
}

impl SignIns {
    /// Where somebody is sent back to who was sent here with these fields.
    fn begin(&mut self, mut sent: Fields) -> String {
        let of = |name: &str| sent.get(name).cloned().unwrap_or_default();
        let is_whole = of("response_type") == "code"
            && of("code_challenge_method") == "S256"
            && of("scope").split(' ').any(|word| word == "openid")
            && !of("nonce").is_empty();
        let (back, state, code) = (of("redirect_uri"), of("state"), format!("code{}", self.begun.len()));
        match (is_whole, std::mem::take(&mut self.next).as_str()) {
            (false, _) => format!("{back}?error=invalid_request&state={state}"),
            (true, "denied") => {
                format!("{back}?error=access_denied&error_description=%3Cb%3ECall+us%3C/b%3E&state={state}")
            }
            (true, "strange") => format!("{back}?error=%3Cimg+src=x%3E&state={state}"),
            (true, other) => {
                if other == "other-nonce" {
                    sent.insert("nonce".to_owned(), "of-somebody-else".to_owned());
                }
                let state = if other == "other-state" { "of-somebody-else" } else { &state };
                self.begun.insert(code.clone(), sent);
                format!("{back}?code={code}&state={state}")
            }
        }
    }

    /// The sign-in that a code ends; each is good once, and for who began it.
    fn end(&mut self, sent: &Fields) -> Option<Fields> {
        let of = |name: &str| sent.get(name).cloned().unwrap_or_default();
        let begun = self.begun.get_mut(&of("code")).map(std::mem::take)?;
        let challenge = BASE64.encode(digest::digest(&digest::SHA256, of("code_verifier").as_bytes()));
        let is_theirs = begun.get("code_challenge") == Some(&challenge)
            && begun.get("redirect_uri") == sent.get("redirect_uri")
            && begun.get("client_id") == sent.get("client_id")
            && of("grant_type") == "authorization_code";
        is_theirs.then_some(begun)
    }
}

/// The first line of a request, and its body.
fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).ok()?;
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some((head.lines().next()?.to_owned(), String::from_utf8(body).ok()?))
}

/// The fields of a query or a form.
fn fields(text: &str) -> Fields {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => plain.push(b' '),
            b'%' => {
                let digits: Vec<u8> = bytes.by_ref().take(2).collect();
                let digits = String::from_utf8(digits).expect("two digits");
                plain.push(u8::from_str_radix(&digits, 16).expect("two digits"));
            }
            other => plain.push(other),
        }
    }
    String::from_utf8(plain).expect("text")
}

/// Sets a claim of a token.
fn with(claims: &mut Value, name: &str, value: Value) {
    claims.as_object_mut().expect("claims").insert(name.to_owned(), value);
}
