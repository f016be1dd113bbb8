//! What people and programs can see of a data folder: the doctor's word, a server's replies, lists of the command line.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::scene::{QUESTIONS, Secrets, words};

use crate::support::process::{Client, Ended, NotStarted, Server, run};

/// One thing that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    Is(Value),
    /// Why it was not given.
    Refused(String),
    /// Nothing came back in time, or the connection broke.
    Silence,
}

/// Everything that a folder shows.
pub struct Sight {
    pub doctor: Ended,
    /// How the server did not start, if it did not.
    pub not_started: Option<NotStarted>,
    /// What was asked for, by name.
    pub shown: BTreeMap<String, Shown>,
    /// Every line on a standard error.
    pub said: Vec<String>,
}

impl Sight {
    /// Whether the doctor finds nothing amiss.
    pub fn is_called_sound(&self) -> bool {
        self.doctor.code == Some(0) && self.doctor.field("sound") == true
    }
}

/// Looks at a folder; the doctor gets a copy of its own, since whoever comes first may repair it.
pub fn look(folder: &Path, for_doctor: &Path, secrets: &Secrets, entries: &[String]) -> Sight {
    let doctor = run(for_doctor, &["doctor", "--json"]);
    let mut said: Vec<String> = doctor.err.lines().map(str::to_owned).collect();
    let mut shown = BTreeMap::new();
    let mut not_started = None;
    match Server::start(folder) {
        Ok(server) => {
            shown = replies(&server, secrets, entries);
            said.extend(server.said());
        }
        Err(ended) => {
            said.extend(ended.said.lines().map(str::to_owned));
            not_started = Some(ended);
        }
    }
    let listed = run(folder, &["key", "list", "--json"]);
    said.extend(listed.err.lines().map(str::to_owned));
    let keys = if listed.code == Some(0) { Shown::Is(listed.json()) } else { refusal(&listed) };
    shown.insert("key list".to_owned(), keys);
    Sight { doctor, not_started, shown, said }
}

fn refusal(ran: &Ended) -> Shown {
    match ran.code {
        Some(code @ 1..=3) => Shown::Refused(format!("code {code}: {}", ran.err.trim())),
        _ => Shown::Silence,
    }
}

fn replies(server: &Server, secrets: &Secrets, entries: &[String]) -> BTreeMap<String, Shown> {
    let client = |name: &str| Client {
        address: server.address.clone(),
        secret: secrets.0.get(name).cloned().unwrap_or_default(),
    };
    let admin = client("admin");
    let mut shown = BTreeMap::new();
    for name in ["admin", "other", "tagless", "mira", "revoked", "nobody"] {
        let caller = client(name);
        shown.insert(
            format!("documents of {name}"),
            seen(caller.get("/v1/documents?limit=1000"), |page| page["documents"].clone()),
        );
    }
    let ids = match shown.get("documents of admin") {
        Some(Shown::Is(Value::Array(cards))) => {
            cards.iter().filter_map(|card| card["document_id"].as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    for id in ids {
        let text = seen(admin.get(&format!("/v1/documents/{id}")), |read| read["text"].clone());
        shown.insert(format!("text of {id}"), text);
    }
    for word in words() {
        for lane in ["lexical", "dense"] {
            let body = json!({ "query": word, "lane": lane, "k": 3 }).to_string();
            let hits = seen(admin.call("POST", "/v1/search", &body, "search"), |found| {
                let hits = found["hits"].as_array().into_iter().flatten();
                hits.map(|hit| json!([hit["document_id"], hit["chunk_index"], hit["text"]])).collect()
            });
            shown.insert(format!("{lane} search for {word}"), hits);
        }
    }
    for question in QUESTIONS {
        let reply = admin.call("POST", "/v1/ask", &json!({ "query": question }).to_string(), "asked-now");
        shown.insert(format!("reply to {question}"), seen(reply, answer));
    }
    shown.insert("memory".to_owned(), seen(admin.get("/v1/memory"), |page| page["entries"].clone()));
    for id in entries {
        let entry = seen(admin.get(&format!("/v1/audit/{id}")), Value::clone);
        shown.insert(format!("entry {id}"), entry);
    }
    shown
}

/// A reply without what differs from time to time.
fn answer(reply: &Value) -> Value {
    let citations = reply["citations"].as_array().into_iter().flatten();
    let cited: Vec<Value> =
        citations.map(|one| json!([one["document_id"], one["quote"], one["snippet_full"]])).collect();
    json!([reply["outcome"], reply["answer"], reply["refusal_reason"], cited])
}

fn seen(reply: Option<(u16, Value)>, part: impl Fn(&Value) -> Value) -> Shown {
    match reply {
        None => Shown::Silence,
        Some((200, reply)) => Shown::Is(part(&reply)),
        // What is not there is not a refusal.
        Some((404, _)) => Shown::Is(json!("not found")),
        Some((status, problem)) => {
            let detail = problem.get("detail").and_then(Value::as_str).unwrap_or_default();
            Shown::Refused(format!("{status}: {detail}"))
        }
    }
}
