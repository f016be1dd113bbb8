//! Keys through the binary: made, listed and revoked while a server runs, and what each of them opens there.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};
use vouch_adapters::embedded::{EmbeddedKeys, NewKey};
use vouch_domain::Role;

use crate::support::{
    Place, Ran,
    server::{self, HttpReply, Server},
};

const SALARY: &str = "# Salary Bands\n\nThe salary band of a senior lighthouse keeper is 5200 crowns a month.\n";
const LAPTOPS: &str = "# Laptops\n\nA lighthouse laptop is replaced every four years by the support desk.\n";
const RIVAL: &str = "# Salary Bands\n\nThe salary band of a senior lighthouse keeper is 7300 crowns a month.\n";
const BAND: &str = "What is the salary band of a senior lighthouse keeper?";

/// Every path that reads documents.
const READING: [&str; 3] = ["/v1/ask", "/v1/ask/stream", "/v1/search"];

struct Key {
    id: String,
    secret: String,
}

impl Key {
    fn header(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.secret)
    }

    /// The part of the secret that nobody but its owner knows.
    fn hidden(&self) -> &str {
        self.secret.rsplit('_').next().expect("a part")
    }
}

fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran
}

fn add(place: &Place, words: &[&str]) -> Key {
    let ran = done(place.run(&[&["key", "add"], words, &["--json"]].concat()));
    let made: Value = serde_json::from_str(&ran.out).expect("JSON");
    let text = |name: &str| made.get(name).and_then(Value::as_str).expect("text").to_owned();
    Key { id: text("id"), secret: text("secret") }
}

/// Documents of two tags and two tenants, and a person.
fn filled() -> Place {
    let place = Place::new();
    place.write("hr/salary.md", SALARY);
    place.write("it/laptops.md", LAPTOPS);
    place.write("rival/salary.md", RIVAL);
    done(place.run(&["ingest", "hr", "--tags", "hr"]));
    done(place.run(&["ingest", "it", "--tags", "it"]));
    done(place.run(&["ingest", "rival", "--tenant", "rival"]));
    done(place.run(&["user", "add", "mira", "--email", "mira@tarnside.example", "--tags", "hr"]));
    place
}

fn ask(server: &Server, path: &str, key: &Key, tags: Option<Value>) -> HttpReply {
    let body = match tags {
        Some(tags) => json!({ "query": BAND, "tags": tags }),
        None => json!({ "query": BAND }),
    };
    server.post(path, &body.to_string(), &key.header())
}

fn state(place: &Place, key: &Key) -> Value {
    let listed: Value = serde_json::from_str(&done(place.run(&["key", "list", "--json"])).out).expect("JSON");
    listed.as_array().expect("a list").iter().find(|one| one["id"] == key.id.as_str()).expect("the key").clone()
}

/// A key of long ago.
fn expired(place: &Place) -> (String, String) {
    let new = NewKey {
        name: "short".to_owned(),
        tenant: "default".to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: 1,
        expires_ms: Some(2),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let keys = EmbeddedKeys::open(&place.path(".vouch"), None).expect("keys");
    runtime.block_on(keys.make(new)).expect("a key")
}

#[test]
fn a_secret_is_told_once_and_never_listed() {
    let place = Place::new();
    let ran = done(place.run(&["key", "add", "intranet", "--tags", "staff, hr", "--per-minute", "30"]));
    let secret = ran.out.trim_end();
    assert!(secret.starts_with("vouch_") && ran.out == format!("{secret}\n"), "{}", ran.out);
    assert!(ran.err.contains("cannot be shown again") && ran.err.contains("first key"), "{}", ran.err);
    assert!(!ran.err.contains(secret));
    let key = add(&place, &["mira's laptop", "--user", "mira", "--tenant", "tarn", "--expires-days", "90"]);
    let told = done(place.run(&["key", "add", "robot", "--user", "nobody"])).err;
    assert!(told.contains("nothing while tenant 'default' has no user 'nobody'"), "{told}");
    assert!(!told.contains("first key"), "{told}");

    let plain = done(place.run(&["key", "list"])).out;
    let listed = done(place.run(&["key", "list", "--json"])).out;
    for hidden in [secret.rsplit('_').next().expect("a part"), key.hidden()] {
        assert!(!plain.contains(hidden) && !listed.contains(hidden), "{plain}{listed}");
    }
    assert!(plain.contains("valid  intranet: reader of tenant default, tags hr, staff; never expires; 30 a minute"));
    let shown = state(&place, &key);
    let of = |names: &[&str]| names.iter().map(|name| shown[*name].clone()).collect::<Vec<_>>();
    assert_eq!(of(&["name", "tenant", "role", "user"]), ["mira's laptop", "tarn", "reader", "mira"].map(Value::from));
    assert_eq!(of(&["tags", "per_minute", "state"]), [Value::Null, Value::Null, "valid".into()]);
    assert!(
        shown["expires"].as_str().is_some_and(|end| end.ends_with('Z') && end > shown["made"].as_str().unwrap_or("~"))
    );
}

#[test]
fn a_key_that_makes_no_sense_is_not_made() {
    let place = Place::new();
    let long = "x".repeat(201);
    for words in [
        &[""][..],
        &[" a"],
        &["a\u{7}b"],
        &[long.as_str()],
        &["a", "--tenant", ""],
        &["a", "--tags", "hr,,it"],
        &["a", "--user", ""],
        &["a", "--user", "mira", "--tags", "hr"],
        &["a", "--role", "root"],
        &["a", "--role", "monitor", "--tags", "hr"],
        &["a", "--expires-days", "0"],
        &["a", "--expires-days", "99999999999"],
        &["a", "--per-minute", "0"],
        &[],
    ] {
        let ran = place.run(&[&["key", "add"], words].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words:?}: {}", ran.err);
    }
    assert_eq!(done(place.run(&["key", "list"])).out, "There are no keys.\n");
}

#[test]
fn a_key_is_revoked_by_its_id_or_by_the_secret_that_leaked() {
    let place = Place::new();
    let (one, two) = (add(&place, &["one"]), add(&place, &["two"]));
    assert_eq!(done(place.run(&["key", "revoke", &one.id])).out, "revoked 1\n");
    assert_eq!(done(place.run(&["key", "revoke", &one.id, &two.secret])).out, "revoked 1\n");
    for key in [&one, &two] {
        assert_eq!(state(&place, key)["state"], "revoked");
    }
    let ran = place.run(&["key", "revoke", "0123456789ab", "--json"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(1), r#"{"revoked":0,"unknown":["0123456789ab"]}"#));
    let strange = "vouch_ba9876543210_0000000000000000000000000000000000000000000000000000000000000000";
    let ran = place.run(&["key", "revoke", strange]);
    assert!(ran.code == Some(1) && ran.err.contains("ba9876543210") && !ran.err.contains("00000000"), "{}", ran.err);
}

#[test]
fn from_the_first_key_on_every_request_needs_one() {
    let server = Server::start("");
    let body = json!({ "query": "annual leave" }).to_string();
    let search = |headers: &str| server.post("/v1/search", &body, headers);
    assert_eq!(search("").status, 200);
    let key = add(&server.place, &["first"]);
    let strange =
        format!("{}{}", key.secret.strip_suffix(key.hidden()).expect("a prefix"), "0".repeat(key.hidden().len()));
    for headers in [
        String::new(),
        "Authorization: Bearer\r\n".to_owned(),
        format!("Authorization: Basic {}\r\n", key.secret),
        format!("Authorization: {}\r\n", key.secret),
        "Authorization: Bearer nonsense\r\n".to_owned(),
        format!("Authorization: Bearer {strange}\r\n"),
        format!("Authorization: Bearer {}\r\n", "x".repeat(9_000)),
    ] {
        for path in READING.iter().chain(&["/v1/check"]) {
            let got = server.post(path, &body, &headers);
            assert_eq!(got.status, 401, "{path} {headers}: {}", got.body);
            assert!(got.head.contains("www-authenticate: bearer"), "{}", got.head);
            assert_eq!(got.json()["code"], "unauthorized");
            assert!(!got.body.contains(&strange), "{}", got.body);
        }
    }
    assert_eq!(search(&key.header()).status, 200);
    assert_eq!(search(&format!("authorization: bearer {}\r\n", key.secret)).status, 200);
    assert_eq!((server.get("/healthz").status, server.get("/readyz").status), (200, 200));
    done(server.place.run(&["key", "revoke", &key.id]));
    assert_eq!(search(&key.header()).status, 401, "it is revoked at once");
    assert_eq!(search("").status, 401, "and that does not open the door");
}

#[test]
fn a_keys_tags_and_tenant_decide_what_is_seen() {
    let server = Server::over(filled());
    let place = &server.place;
    let whole = add(place, &["whole"]);
    let (hr, it) = (add(place, &["hr", "--tags", "hr"]), add(place, &["it", "--tags", "it"]));
    let (mira, nobody) = (add(place, &["mira", "--user", "mira"]), add(place, &["gone", "--user", "nobody"]));
    let rival = add(place, &["rival", "--tenant", "rival"]);
    let empty = add(place, &["empty", "--tenant", "nowhere"]);
    for path in READING {
        for (key, sees) in [
            (&whole, Some("5200 crowns")),
            (&hr, Some("5200 crowns")),
            (&mira, Some("5200 crowns")),
            (&rival, Some("7300 crowns")),
            (&it, None),
            (&empty, None),
        ] {
            let got = ask(&server, path, key, None);
            assert_eq!(got.status, 200, "{path}: {}", got.body);
            for figure in ["5200 crowns", "7300 crowns"] {
                assert_eq!(got.body.contains(figure), sees == Some(figure), "{path} {}: {}", key.id, got.body);
            }
        }
        assert_eq!(ask(&server, path, &nobody, None).status, 401, "a key of nobody opens nothing");
        for (key, tags, sees) in [
            (&whole, json!(["hr"]), true),
            (&whole, json!(["it"]), false),
            (&hr, json!(["hr", "it"]), true),
            (&hr, json!(["it"]), false),
            (&hr, json!([]), false),
            (&it, json!(["hr"]), false),
            (&it, json!(["hr", "it"]), false),
            (&mira, json!(["hr"]), true),
        ] {
            let got = ask(&server, path, key, Some(tags.clone()));
            assert_eq!(got.body.contains("5200 crowns"), sees, "{path} {tags}: {}", got.body);
        }
    }
}

#[test]
fn an_expired_key_a_monitor_and_who_asks_too_often_are_turned_away() {
    let server = Server::start("");
    let place = &server.place;
    let body = json!({ "query": "annual leave" }).to_string();
    let search = |key: &Key| server.post("/v1/search", &body, &key.header());

    let (id, secret) = expired(place);
    let short = Key { id, secret };
    assert_eq!((search(&short).status, &state(place, &short)["state"]), (401, &"expired".into()));

    let monitor = add(place, &["prometheus", "--role", "monitor"]);
    for path in READING {
        let got = server.post(path, &body, &monitor.header());
        assert_eq!((got.status, &got.json()["code"]), (403, &"forbidden".into()), "{path}");
    }

    let (often, other) = (add(place, &["often", "--per-minute", "2"]), add(place, &["other", "--per-minute", "2"]));
    assert_eq!([search(&often).status, search(&often).status], [200, 200]);
    let got = search(&often);
    assert_eq!((got.status, &got.json()["code"]), (429, &"overloaded".into()), "{}", got.body);
    let wait = got.head.lines().find_map(|line| line.strip_prefix("retry-after: ")?.parse::<u64>().ok());
    assert!(wait.is_some_and(|seconds| (1..=31).contains(&seconds)), "{}", got.head);
    assert_eq!(search(&other).status, 200, "another key has a measure of its own");
}

#[test]
fn no_secret_is_logged() {
    let place = Place::new();
    place.write("docs/leave.md", server::LEAVE);
    done(place.run(&["ingest", "docs"]));
    let key = add(&place, &["one"]);
    let server = Server::listening(place, "127.0.0.1:0", &[("VOUCH_LOG", "trace")]);
    let wrong = "vouch_0123456789ab_fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtaXJhIn0.c2lnbmVkLWJ5LW5vYm9keQ";
    for secret in [key.secret.as_str(), wrong, token] {
        for path in READING.iter().chain(&["/v1/check", "/v1/nothing"]) {
            let body = json!({ "query": "annual leave", "model": "no such model" }).to_string();
            server.post(path, &body, &format!("Authorization: Bearer {secret}\r\n"));
        }
    }
    let said = server.said();
    assert!(said.contains("question_failed"), "the log says something: {said}");
    let hidden = [key.hidden(), "fedcba9876543210", "c2lnbmVkLWJ5LW5vYm9keQ", "eyJzdWIiOiJtaXJhIn0"];
    for secret in hidden {
        assert!(!said.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn with_a_key_the_outside_may_be_listened_to() {
    let place = Place::new();
    let key = add(&place, &["one"]);
    let server = Server::listening(place, "0.0.0.0:0", &[]);
    assert!(server.listening.contains("for requests with a key"), "{}", server.listening);
    let body = json!({ "query": "annual leave" }).to_string();
    assert_eq!(server.post("/v1/search", &body, "").status, 401);
    assert_eq!(server.post("/v1/search", &body, &key.header()).status, 200);
}

#[test]
fn a_server_whose_keys_are_lost_or_damaged_does_not_start_and_says_what_to_do() {
    let place = Place::new();
    add(&place, &["one"]);
    let file = place.path(".vouch/keys.sqlite");
    let whole = std::fs::read(&file).expect("keys");
    let refused = |what: &str| {
        let ran = place.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(ran.code, Some(1), "{what}: {}", ran.err);
        assert!(
            ran.err.contains("Every request is rejected") && ran.err.contains("vouch key reset --yes"),
            "{what}: {}",
            ran.err
        );
        let listed = place.run(&["key", "list"]);
        assert!(listed.code == Some(1) && listed.err.contains("vouch key reset --yes"), "{what}: {}", listed.err);
    };
    std::fs::remove_file(&file).expect("deleted");
    refused("deleted");
    let mut flipped = whole;
    *flipped.last_mut().expect("a byte") ^= 1;
    std::fs::write(&file, flipped).expect("written");
    refused("a flipped bit");
    assert_eq!(place.run(&["key", "reset"]).code, Some(2), "it must be meant");
    let ran = done(place.run(&["key", "reset", "--yes"]));
    assert!(ran.out.contains("keys.sqlite.lost-1") && ran.err.contains("vouch key add"), "{}{}", ran.out, ran.err);
    let server = Server::over(place);
    let body = json!({ "query": "annual leave" }).to_string();
    assert_eq!(server.post("/v1/search", &body, "").status, 401, "there is no key yet, and one is required");
    let key = add(&server.place, &["fresh"]);
    assert_eq!(server.post("/v1/search", &body, &key.header()).status, 200);
}

#[test]
fn where_the_settings_require_keys_nobody_comes_in_without_one() {
    let place = Place::new();
    place.write("vouch.yaml", "serve: { require_keys: true }\n");
    let server = Server::over(place);
    assert!(server.listening.contains("for requests with a key"), "{}", server.listening);
    let body = json!({ "query": "annual leave" }).to_string();
    assert_eq!(server.post("/v1/search", &body, "").status, 401);
    let key = add(&server.place, &["one"]);
    assert_eq!(server.post("/v1/search", &body, &key.header()).status, 200);
    for name in ["keys.sqlite", "keys.seal", "requires-keys"] {
        std::fs::remove_file(server.place.path(&format!(".vouch/{name}"))).expect("deleted");
    }
    let got = server.post("/v1/search", &body, "");
    assert!(got.status == 401 || got.status == 503, "{}", got.body);
    let server = Server::over(server.stop());
    assert_eq!(
        server.post("/v1/search", &body, "").status,
        401,
        "every trace of the keys is gone, the settings are not"
    );
}
