//! The data folders that are damaged: one that was closed cleanly, one whose server was killed, and an older one.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::process::{Client, Server, copy, run};

/// An answer, a refusal, a definition.
pub const QUESTIONS: [&str; 3] =
    ["How many days of paid annual leave do staff have?", "What does tea cost?", "What is a busbar?"];
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://e/busbar> a skos:Concept ; skos:prefLabel \"busbar\"@en ; skos:definition \"A conductor that joins circuits.\"@en .\n\
    <http://e/spar> a skos:Concept ; skos:prefLabel \"spar\"@en ; skos:definition \"A pole that carries a sail.\"@en .\n";
const MEMORY: &str = "- id: leave\n  kind: pinned\n  questions: [\"How long may I stay away?\"]\n  references: [\"docs/leave.md\"]\n\
    - id: boat\n  kind: pinned\n  questions: [\"Which boat is largest?\"]\n  references: [\"docs/boat3.md\"]\n";
/// Boats of the first tenant; each has a word of its own.
const BOATS: u32 = 9;

/// Secrets by what they open.
#[derive(Debug, Clone, Default)]
pub struct Secrets(pub BTreeMap<&'static str, String>);

/// Folders to damage copies of.
pub struct Scene {
    pub closed: PathBuf,
    pub killed: PathBuf,
    /// The closed one at an earlier time.
    pub older: PathBuf,
    pub secrets: Secrets,
}

/// A word that stands in one document.
pub fn word(number: u32) -> String {
    let letter = |number: u32| char::from_digit(11 + number, 36).unwrap_or('z');
    format!("zqb{}x{}kq", letter(number), letter(number + 1))
}

pub fn words() -> Vec<String> {
    (0..BOATS).map(word).chain(["northkq".to_owned(), "annual".to_owned(), "livingkq".to_owned()]).collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders can be made");
    std::fs::write(path, text).expect("files can be written");
}

fn must(folder: &Path, words: &[&str]) -> Value {
    let ran = run(folder, words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran.json()
}

fn boat(number: u32) -> String {
    let tags = if number.is_multiple_of(3) { "---\naccess: [crew]\n---\n" } else { "" };
    let filler = "She lies at the quay and is painted every spring. ".repeat(4 + number as usize);
    format!(
        "{tags}# Boat {number}\n\nBoat {number} is called {}. {filler}\n\n## Crew\n\nBoat {number} has a crew of {}. {filler}\n",
        word(number),
        number + 3
    )
}

impl Scene {
    pub fn make(root: &Path) -> Self {
        let (closed, killed, older) = (root.join("closed"), root.join("killed"), root.join("older"));
        let mut secrets = Secrets::default();
        write(
            &closed,
            "docs/leave.md",
            "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n",
        );
        write(&closed, "other/north.md", "# North\n\nThe northkq tower has 90 steps.\n");
        write(&closed, "terms.ttl", TERMS);
        write(&closed, "memory.yaml", MEMORY);
        (0..BOATS / 2).for_each(|number| write(&closed, &format!("docs/boat{number}.md"), &boat(number)));
        must(&closed, &["ingest", "docs"]);
        must(&closed, &["ingest", "other", "--tenant", "other"]);
        must(&closed, &["vocab", "import", "terms.ttl"]);
        must(&closed, &["user", "add", "mira", "--email", "mira@station.example", "--tags", "crew"]);
        let mut key = |name: &'static str, words: &[&str]| {
            let made = must(&closed, &[&["key", "add", name, "--json"], words].concat());
            let told = |field: &str| made.get(field).and_then(Value::as_str).expect("a made key").to_owned();
            secrets.0.insert(name, told("secret"));
            told("id")
        };
        key("admin", &["--role", "admin"]);
        let revoked = key("revoked", &["--role", "admin"]);
        must(&closed, &["ask", QUESTIONS[0], "--json"]);
        copy(&closed, &older).expect("a copy");
        key("other", &["--role", "admin", "--tenant", "other"]);
        key("tagless", &["--tags", "nobody"]);
        key("mira", &["--user", "mira"]);
        must(&closed, &["key", "revoke", &revoked]);
        (BOATS / 2..BOATS).for_each(|number| write(&closed, &format!("docs/boat{number}.md"), &boat(number)));
        must(&closed, &["ingest", "docs"]);
        must(&closed, &["memory", "import", "memory.yaml"]);
        must(&closed, &["tag", "add", "crew", "--owner", "mira"]);
        must(&closed, &["ask", QUESTIONS[1], "--json"]);
        copy(&closed, &killed).expect("a copy");
        live(&killed, &secrets);
        Self { closed, killed, older, secrets }
    }
}

/// Changes over HTTP, then a kill, so that much of the folder is in write-ahead logs.
fn live(folder: &Path, secrets: &Secrets) {
    let mut server = Server::start(folder).expect("a server");
    let client =
        Client { address: server.address.clone(), secret: secrets.0.get("admin").cloned().unwrap_or_default() };
    let post = |path: &str, body: Value, id: &str| {
        let (status, reply) = client.call("POST", path, &body.to_string(), id).expect("a reply");
        assert_eq!(status, 200, "{path}: {reply}");
    };
    post("/v1/documents", json!({ "id": "live", "title": "Live", "text": "The livingkq buoy is red." }), "post");
    post("/v1/documents", json!({ "id": "gone", "title": "Gone", "text": "The sunken buoy is green." }), "post");
    let (status, _) = client.call("DELETE", "/v1/documents/gone", "", "delete").expect("a reply");
    assert_eq!(status, 200);
    post(
        "/v1/memory",
        json!({ "id": "buoy", "phrases": ["Which colour has the buoy?"], "references": ["live"] }),
        "post",
    );
    post("/v1/ask", json!({ "query": QUESTIONS[0] }), "asked-live");
    post("/v1/feedback", json!({ "request_id": "asked-live", "helpful": true, "comment": "good" }), "like");
    server.kill();
}
