//! The folder every run begins with: two documents that stay, a vocabulary that stays, people, keys, an admin.
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::process::{Client, Server, run};

/// Questions whose replies must never change.
pub const QUESTIONS: [&str; 3] =
    ["How many days of paid annual leave do staff have?", "What does tea cost?", "What is a busbar?"];

const LEAVE: &str =
    "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n";
const MAST: &str = "---\naccess: [hr]\n---\n# Mast\n\nThe mast of the station is 31 metres tall.\n";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://e/busbar> a skos:Concept ; skos:prefLabel \"busbar\"@en ; skos:definition \"A conductor that joins circuits.\"@en .\n";

/// Terms of one edition of the file that is imported again and again.
pub fn terms(edition: u32) -> String {
    let mut text = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n".to_owned();
    for number in 0..40 {
        text.push_str(&format!(
            "<http://e/{edition}/{number}> a skos:Concept ; skos:prefLabel \"gauge{edition}x{number}\"@en ; \
             skos:definition \"Gauge {number} of edition {edition}.\"@en .\n"
        ));
    }
    text
}

/// Entries of one edition of the file of memory: all of them are taken in, or none.
pub fn memory(edition: u32) -> String {
    let entry = |number: u32| {
        let word = super::ledger::word(edition);
        format!(
            "- id: file-{number}\n  kind: pinned\n  questions: [\"Edition {edition}: where is {word} {number}?\"]\n  references: [\"keep/leave.md\"]\n"
        )
    };
    (0..ENTRIES).map(entry).collect()
}

/// How many entries the file of memory has.
pub const ENTRIES: u32 = 6;

/// Makes the folder; answers the admin's secret.
pub fn make(folder: &Path) -> String {
    let write = |name: &str, text: &str| {
        let path: PathBuf = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    };
    write("keep/leave.md", LEAVE);
    write("keep/mast.md", MAST);
    write("fixed.ttl", TERMS);
    std::fs::create_dir_all(folder.join("docs")).expect("folders can be made");
    for words in [
        &["ingest", "keep"][..],
        &["vocab", "import", "fixed.ttl"],
        &["user", "add", "mira", "--email", "mira@station.example", "--tags", "hr"],
    ] {
        let ran = run(folder, words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    }
    let made = run(folder, &["key", "add", "admin", "--role", "admin", "--json"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    made.field("secret").as_str().expect("a secret").to_owned()
}

/// What the fixed questions are answered, without what differs from time to time.
pub fn replies(client: &Client) -> Option<Vec<Value>> {
    QUESTIONS
        .iter()
        .map(|question| {
            let body = json!({ "query": question }).to_string();
            let (status, reply) = client.call("POST", "/v1/ask", &body, "fixed")?;
            let cited: Vec<Value> = reply["citations"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| json!([one["document_id"], one["quote"], one["snippet_full"]]))
                .collect();
            Some(json!([status, reply["outcome"], reply["answer"], reply["refusal_reason"], cited]))
        })
        .collect()
}

/// A client of a server with the admin's key.
pub fn admin(server: &Server, secret: &str) -> Client {
    Client { address: server.address.clone(), secret: secret.to_owned() }
}
