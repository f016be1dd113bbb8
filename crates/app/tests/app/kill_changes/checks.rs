//! A folder after a kill → everything that is wrong with it, as far as a caller can tell.
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

use std::{collections::BTreeSet, path::Path};

use serde_json::{Value, json};

use super::{
    ledger::{Ledger, edition_of, word},
    scene,
};

use crate::support::process::{Client, Server, run};

/// What is wrong, in a class of its own and in words.
pub type Bad = (&'static str, String);

/// Whether the folder is sound and a server starts from it.
pub fn open(folder: &Path) -> Result<Server, Bad> {
    let ran = run(folder, &["doctor", "--json"]);
    if ran.code != Some(0) || ran.field("sound") != true {
        return Err(("doctor", format!("code {:?}: {} {}", ran.code, ran.out.trim(), ran.err.trim())));
    }
    Server::start(folder).map_err(|ended| ("does not start", format!("{ended:?}")))
}

/// Compares everything a server tells with the ledger, which learns how changes under way came out.
pub fn compare(client: &Client, ledger: &mut Ledger, fixed: &[Value]) -> Vec<Bad> {
    let mut bad = Vec::new();
    let checked = documents(client, ledger, &mut bad)
        .and_then(|()| memory(client, ledger, &mut bad))
        .and_then(|()| terms(client, ledger, &mut bad))
        .and_then(|()| keys(client, ledger, &mut bad))
        .and_then(|()| trail(client, ledger, &mut bad))
        .and_then(|()| scene::replies(client));
    match checked {
        None => bad.push(("silent", "a request of the checks got no reply".to_owned())),
        Some(replies) if replies != fixed => bad.push(("other answer", format!("{replies:?} for {fixed:?}"))),
        Some(_) => {}
    }
    bad
}

fn documents(client: &Client, ledger: &mut Ledger, bad: &mut Vec<Bad>) -> Option<()> {
    let (_, page) = client.get("/v1/documents?limit=1000")?;
    let cards = page["documents"].as_array().cloned().unwrap_or_default();
    let there: BTreeSet<String> =
        cards.iter().filter_map(|card| card["document_id"].as_str().map(str::to_owned)).collect();
    let known: BTreeSet<String> = ledger.documents.keys().cloned().collect();
    for id in there.iter().filter(|id| !id.starts_with("keep/") && !known.contains(*id)) {
        bad.push(("foreign", format!("document {id} was never sent")));
    }
    for id in known {
        let found = if there.contains(&id) {
            let (status, read) = client.get(&format!("/v1/documents/{id}"))?;
            let edition = read["text"].as_str().and_then(edition_of);
            if edition.is_none() {
                bad.push(("half there", format!("document {id}: {status} {read}")));
            }
            edition
        } else {
            None
        };
        let thing = ledger.document(&id);
        let (before, was_open) = (thing.clone(), thing.is_open());
        if !thing.settle(found) {
            bad.push(("lost", format!("document {id} is {found:?}, not one of {before:?}")));
        }
        if was_open {
            // Both editions that could be there are searched for: the one that is, and the one that is not.
            for edition in before.editions() {
                let hits = search(client, &word(edition))?;
                let is_right = if found == Some(edition) { hits.contains(&id) } else { !hits.contains(&id) };
                if !is_right {
                    bad.push(("wrong search", format!("{} finds {hits:?}; {id} is {found:?}", word(edition))));
                }
            }
        }
    }
    Some(())
}

fn search(client: &Client, word: &str) -> Option<Vec<String>> {
    let body = json!({ "query": word, "lane": "lexical", "k": 9 }).to_string();
    let (_, found) = client.call("POST", "/v1/search", &body, "search")?;
    let hits = found["hits"].as_array().cloned().unwrap_or_default();
    Some(hits.iter().filter_map(|hit| hit["document_id"].as_str().map(str::to_owned)).collect())
}

fn memory(client: &Client, ledger: &mut Ledger, bad: &mut Vec<Bad>) -> Option<()> {
    let (_, listed) = client.get("/v1/memory")?;
    let entries = listed["entries"].as_array().cloned().unwrap_or_default();
    let edition =
        |entry: &Value| entry["phrases"][0].as_str()?.strip_prefix("Edition ")?.split(':').next()?.parse().ok();
    let ids: Vec<String> = ledger.memory.keys().cloned().collect();
    for id in ids {
        let found: Option<u32> = entries.iter().find(|entry| entry["id"] == id.as_str()).and_then(edition);
        let before = ledger.entry(&id).clone();
        if !ledger.entry(&id).settle(found) {
            bad.push(("lost", format!("memory {id} is {found:?}, not one of {before:?}")));
        }
    }
    let file: BTreeSet<Option<u32>> =
        (0..scene::ENTRIES).map(|number| ledger.entry(&format!("file-{number}")).sure()).collect();
    if file.len() > 1 {
        bad.push(("half there", format!("a file of memory was taken in in part: {file:?}")));
    }
    Some(())
}

fn terms(client: &Client, ledger: &mut Ledger, bad: &mut Vec<Bad>) -> Option<()> {
    let before = ledger.terms.clone();
    let mut there = Vec::new();
    for edition in before.editions() {
        let mut count = 0;
        for number in [0, 39] {
            let (_, reply) = client.get(&format!("/v1/terms?term=gauge{edition}x{number}"))?;
            count += usize::from(reply["outcome"] == "answered");
        }
        match count {
            0 => {}
            2 => there.push(edition),
            _ => bad.push(("half there", format!("one of two terms of edition {edition}"))),
        }
    }
    if there.len() > 1 {
        bad.push(("half there", format!("editions {there:?} of one vocabulary")));
    }
    let found = there.last().copied();
    if !ledger.terms.settle(found) {
        bad.push(("lost", format!("the vocabulary is {found:?}, not one of {before:?}")));
    }
    Some(())
}

fn keys(client: &Client, ledger: &mut Ledger, bad: &mut Vec<Bad>) -> Option<()> {
    for key in &mut ledger.keys {
        let caller = Client { address: client.address.clone(), secret: key.secret.clone() };
        let (status, reply) = caller.get("/v1/documents?limit=1")?;
        let before = key.valid.clone();
        if !key.valid.settle((status == 200).then_some(0)) {
            bad.push(("key", format!("{status} {reply} for a key that is {before:?}")));
        }
    }
    let nobody = Client { address: client.address.clone(), secret: String::new() };
    let (status, _) = nobody.get("/v1/documents?limit=1")?;
    if status != 401 {
        bad.push(("key", format!("{status} without a key")));
    }
    // Old ones that are revoked stay so; the newest few are enough to look at again.
    let surplus = ledger.keys.len().saturating_sub(8);
    ledger.keys.drain(..surplus);
    Some(())
}

fn trail(client: &Client, ledger: &mut Ledger, bad: &mut Vec<Bad>) -> Option<()> {
    for id in std::mem::take(&mut ledger.told) {
        let (status, entry) = client.get(&format!("/v1/audit/{id}"))?;
        if status != 200 || !matches!(entry["outcome"].as_str(), Some("answered" | "refused")) {
            bad.push(("trail", format!("{id} was told and its entry is {status} {}", entry["outcome"])));
        }
        let is_liked = entry["feedback"].as_array().is_some_and(|said| !said.is_empty());
        if ledger.liked.remove(&id) && !is_liked {
            bad.push(("trail", format!("feedback on {id} was acknowledged and is not there")));
        }
    }
    Some(())
}
