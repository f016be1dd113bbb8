//! A data folder of an earlier version opens with this one: the same answers, keys, people, memory and trail, and what
//! had to change changes once.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::Value;
use vouch_adapters::embedded::{EmbeddedStore, EmbedderCheck};
use vouch_domain::{
    EmbedderIdentity, NameWords, Reader,
    ports::{LexicalIndex, PageRequest, Register},
};

use crate::support::{Place, Ran, server::Server};

/// Every folder of which the catalogue's tables were others.
const FOLDERS: [(&str, usize); 2] = [(EARLIER, 6), ("catalogue-8", 8)];
/// The folder, and the versions of its tables.
const EARLIER: &str = "catalogue-6";
const TABLES: [(&str, usize); 3] = [("catalogue", 6), ("audit", 2), ("keys", 1)];
/// Its entries must not grow too old for the trail while this test lives.
const SETTINGS: &str = "audit: { keep_days: null }\n";
const LEAVE: &str = "How many days of annual leave do staff have?";
const LEAVE_SAYS: &str = "Staff have 26 days of paid annual leave a year.";
const PAY: &str = "When are salaries paid?";
const PAY_SAYS: &str = "Salaries are paid on the 25th of each month.";

fn earlier() -> PathBuf {
    folder(EARLIER)
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/app/earlier").join(name)
}

/// A copy of the earlier folder, as this version would find it.
fn place() -> Place {
    place_of(EARLIER)
}

fn place_of(name: &str) -> Place {
    let place = Place::new();
    place.write("vouch.yaml", SETTINGS);
    for (name, bytes) in files(&folder(name).join("data")) {
        place.write(&format!(".vouch/{name}"), bytes);
    }
    place
}

/// Every file below a folder by its name from there.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below the folder").display().to_string();
                found.insert(name, std::fs::read(&path).expect("a readable file"));
            }
        }
    }
    found
}

fn done(ran: Ran) -> String {
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran.out
}

fn json(ran: Ran) -> Value {
    serde_json::from_str(&done(ran)).expect("JSON")
}

fn version(database: &Path) -> usize {
    let database = rusqlite::Connection::open(database).expect("a database");
    database.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
}

/// The sentences of a reply that answer, each with the documents it cites. A reply of then does not tell them from their context: all did.
fn cited(reply: &Value) -> Vec<(String, Vec<String>)> {
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let citations = list(&reply["citations"]);
    let source =
        |marker: &Value| citations.iter().find(|one| one["marker"] == *marker).map(|one| of(&one["source_id"]));
    list(&reply["claims"])
        .iter()
        .filter(|claim| claim["role"] != "context")
        .map(|claim| (of(&claim["text"]), list(&claim["markers"]).iter().filter_map(source).collect()))
        .collect()
}

#[test]
fn the_folder_is_older_than_this_version() {
    let place = place();
    for (name, tables) in TABLES {
        assert_eq!(version(&place.path(&format!(".vouch/{name}.sqlite"))), tables, "{name}");
    }
    done(place.run(&["doctor"]));
    let now = |name: &str| version(&place.path(&format!(".vouch/{name}.sqlite")));
    assert!(now("catalogue") > 6 && now("audit") > 2, "nothing was migrated; keep a folder that is older");
}

#[test]
fn a_question_is_answered_with_its_citation() {
    let reply = json(place().run(&["ask", LEAVE, "--json"]));
    assert_eq!(cited(&reply), [(LEAVE_SAYS.to_owned(), vec!["leave:0".to_owned()])], "{reply}");
}

#[test]
fn a_pinned_question_still_leads_to_its_source() {
    let reply = json(place().run(&["ask", "Can I keep unused leave?", "--json"]));
    let sources: Vec<String> = cited(&reply).into_iter().flat_map(|(_, sources)| sources).collect();
    assert!(sources.contains(&"leave:0".to_owned()), "{reply}");
    let listed = done(place().run(&["memory", "list"]));
    assert!(listed.contains("keep-leave (pinned)"), "{listed}");
}

#[test]
fn the_key_opens_what_it_opened_and_the_reply_is_the_same() {
    let secret = std::fs::read_to_string(earlier().join("key.txt")).expect("the key");
    let before = std::fs::read_to_string(earlier().join("reply.json")).expect("the reply of then");
    let before: Value = serde_json::from_str(&before).expect("JSON");
    let server = Server::over(place());
    let body = format!(r#"{{"query": "{PAY}"}}"#);
    let got = server.post("/v1/ask", &body, &format!("Authorization: Bearer {}\r\n", secret.trim()));
    assert_eq!(got.status, 200, "{}", got.body);
    assert_eq!(cited(&got.json()), [(PAY_SAYS.to_owned(), vec!["pay:0".to_owned()])], "{}", got.body);
    assert_eq!(cited(&got.json()), cited(&before));
    assert_eq!(server.post("/v1/ask", &body, "").status, 401, "without the key");
    assert_eq!(server.post("/v1/ask", &body, "Authorization: Bearer vouch_other\r\n").status, 401, "with another");
}

#[test]
fn people_see_what_they_saw_and_no_more() {
    let place = place();
    let reply = json(place.run(&["ask", PAY, "--user", "mira", "--json"]));
    assert_eq!(cited(&reply), [(PAY_SAYS.to_owned(), vec!["pay:0".to_owned()])], "{reply}");
    let ran = place.run(&["ask", PAY, "--user", "joost", "--json"]);
    assert!(!ran.out.contains("25th") && !ran.out.contains("pay:0"), "{}", ran.out);
    let ran = place.run(&["search", "salaries", "--user", "joost", "--json"]);
    assert!(!ran.out.contains("25th") && ran.out.contains("leave:0"), "{}", ran.out);
}

/// This version shows what stands around the sentence that answers; nothing else of the reply of then is different.
fn check_replay(replayed: &Ran) {
    assert!(replayed.out.contains("The reply is different") && replayed.out.contains(PAY_SAYS), "{}", replayed.out);
    assert!(!replayed.out.contains("citations") && !replayed.out.contains("outcome"), "{}", replayed.out);
}

#[test]
fn the_trail_is_chained_listed_and_replayed() {
    let place = place();
    let listed = json(place.run(&["audit", "list", "--json"]));
    let text = listed.to_string();
    assert!(text.contains(PAY) && text.contains(LEAVE), "{text}");
    let before = std::fs::read_to_string(earlier().join("reply.json")).expect("the reply of then");
    let before: Value = serde_json::from_str(&before).expect("JSON");
    let id = before["request_id"].as_str().expect("an id");
    // A folder that this version has not opened yet is replayed as it is.
    check_replay(&place.run(&["audit", "replay", id]));
    let found = json(place.run(&["doctor", "--json"]));
    assert!(found["trail_head"].as_str().is_some_and(|head| head.starts_with("2 ")), "{found}");
    check_replay(&place.run(&["audit", "replay", id]));
    // The chain was put around the earlier entries too: one that is changed now is noticed.
    let trail = rusqlite::Connection::open(place.path(".vouch/audit.sqlite")).expect("the trail");
    trail.execute_batch("DROP TRIGGER entries_sum_before; DROP TRIGGER entries_sum_update").expect("no triggers");
    let changed =
        trail.execute("UPDATE entries SET record = replace(record, 'salaries', 'bonuses') WHERE id = ?1", [id]);
    assert_eq!(changed.expect("a changed entry"), 1);
    drop(trail);
    let ran = place.run(&["doctor", "--json"]);
    assert_ne!(ran.code, Some(0), "a changed entry is not noticed: {}", ran.out);
}

#[test]
fn the_doctor_is_content_and_a_second_opening_changes_nothing_more() {
    let place = place();
    let found = json(place.run(&["doctor", "--json"]));
    assert_eq!((&found["sound"], &found["documents"]), (&Value::from(true), &Value::from(3)), "{found}");
    let state = || {
        let mut files = files(&place.path(".vouch"));
        // Who holds the folder writes the name of its process there.
        files.remove("lock");
        files
    };
    let before = state();
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!(ran.err, "", "the second opening mends nothing");
    let again = json(ran);
    assert_eq!(again["findings"], Value::Array(Vec::new()), "{again}");
    assert_eq!((&again["sound"], &again["trail_head"]), (&found["sound"], &found["trail_head"]));
    done(place.run(&["memory", "list"]));
    done(place.run(&["search", "locks", "--json"]));
    let after = state();
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (name, bytes) in &before {
        assert!(after.get(name) == Some(bytes), "{name} has changed");
    }
}

#[test]
fn documents_taken_in_again_stay_with_those_who_could_see_them() {
    let place = place();
    for (name, bytes) in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/app/earlier/documents")) {
        place.write(&format!("documents/{name}"), bytes);
    }
    let ran = place.run(&["ingest", "documents"]);
    assert!(ran.err.contains("keeps the tags it was given before"), "{}{}", ran.out, ran.err);
    let asked = |tags: &str| json(place.run(&["ask", PAY, "--json", "--tags", tags]));
    assert_eq!(asked("visitors")["outcome"], "refused");
    assert!(asked("hr")["answer"].as_str().is_some_and(|answer| answer.contains(PAY_SAYS)));
}

/// Their collection is the one that documents without a name of their own were given then.
#[tokio::test]
async fn documents_are_found_by_collection_although_they_were_kept_before_there_were_such_readers() {
    for (folder, tables) in FOLDERS {
        let place = place_of(folder);
        assert_eq!(version(&place.path(".vouch/catalogue.sqlite")), tables, "{folder}");
        let reply = json(place.run(&["ask", LEAVE, "--json"]));
        assert_eq!(cited(&reply), [(LEAVE_SAYS.to_owned(), vec!["leave:0".to_owned()])], "{folder}: {reply}");
        let found = json(place.run(&["doctor", "--json"]));
        assert_eq!((&found["sound"], &found["documents"]), (&Value::from(true), &Value::from(3)), "{folder}: {found}");
        check_collections(&place).await;
    }
}

async fn check_collections(place: &Place) {
    // Words are searched without the embedder, so any identity does where none is checked.
    let identity = EmbedderIdentity { name: "none".to_owned(), digest: "none".to_owned(), dimensions: 2 };
    let store = EmbeddedStore::open(&place.path(".vouch"), &identity, EmbedderCheck::Reembedding).expect("it opens");
    store.lexical.refresh().await.expect("refreshed");
    let all = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let wanted =
        PageRequest { kind: None, collection: None, topic: None, words: NameWords::default(), after: None, limit: 10 };
    let cards = store.register.page(&all, &wanted).await.expect("a page");
    assert_eq!(cards.len(), 3);
    for (name, found) in [(cards.first().expect("a document").collection.clone(), 1), ("other".to_owned(), 0)] {
        let reader = all.clone().within(&[name.clone()].into());
        let hits = store.lexical.matching(&reader, "salaries", 5).await.expect("hits");
        assert_eq!(hits.len(), found, "{name}");
        let listed = store.register.page(&reader, &wanted).await.expect("a page");
        assert_eq!(listed.len(), found * cards.len(), "{name}");
    }
}
