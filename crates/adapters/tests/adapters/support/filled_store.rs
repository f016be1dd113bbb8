//! A small store in a folder, filled and closed, and what is needed to damage it.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use vouch_adapters::embedded::{EmbeddedKeys, EmbeddedStore, EmbeddedTrail, EmbedderCheck, NewKey, TrailLimits};
use vouch_domain::{
    PortError, Role,
    ports::{AuditTrail, Catalogue, DenseIndex, Embedder, LexicalIndex},
};
use vouch_testkit::{
    contracts::{audit_trail::entry, everyone},
    corpus::{card, kept},
    fakes::FakeEmbedder,
};

pub const WORDS: [&str; 6] = ["granary", "windmill", "orchard", "saltworks", "ropewalk", "tannery"];
pub const CATALOGUE: &str = "catalogue.sqlite";
pub const TRAIL: &str = "audit.sqlite";
/// The mark of a folder whose files are half exchanged.
pub const MARK: &str = "unfinished";

pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

pub fn open(folder: &Path) -> Result<EmbeddedStore, PortError> {
    open_with(folder, EmbedderCheck::Enforce)
}

pub fn open_with(folder: &Path, check: EmbedderCheck) -> Result<EmbeddedStore, PortError> {
    EmbeddedStore::open(folder, FakeEmbedder::named("fake").identity(), check)
}

pub async fn fill(store: &EmbeddedStore, words: &[&str], filler: usize) {
    for word in words {
        let text = format!("The {word} stands by the river. {}", "Nothing else is told of it. ".repeat(filler));
        let document = kept(card(&format!("{word}.md"), &[]), &[text.as_str()]);
        store.catalogue.upsert(vec![document]).await.expect("kept");
    }
    store.lexical.refresh().await.expect("refreshed");
    store.dense.refresh().await.expect("refreshed");
}

/// A closed store with a document for every word, each in a commit of its own.
pub async fn filled() -> tempfile::TempDir {
    let folder = folder();
    fill(&open(folder.path()).expect("it opens"), &WORDS, 1).await;
    folder
}

/// The words that are found in a folder's store.
pub async fn found(folder: &Path) -> Vec<&'static str> {
    let store = open(folder).expect("it opens");
    let mut found = Vec::new();
    for word in WORDS {
        if !store.lexical.matching(&everyone(), word, 3).await.expect("hits").is_empty() {
            found.push(word);
        }
    }
    found
}

/// A trail with an entry for each id.
pub async fn written_trail(folder: &Path, ids: &[&str]) -> EmbeddedTrail {
    let trail = EmbeddedTrail::open(folder, TrailLimits::default()).expect("it opens");
    for id in ids {
        trail.write(entry(id)).await.expect("written");
    }
    trail
}

/// Waits until nobody uses the trail of a folder any more: limits are looked at beside the entries that are written, and what does so
/// may outlive whoever wrote them. The last who lets a database go takes its log away.
pub async fn let_go(folder: &Path) {
    let log = folder.join(format!("{TRAIL}-wal"));
    let is_let_go = async {
        while log.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), is_let_go).await.expect("the trail is let go");
}

/// Makes a key; answers its secret.
pub async fn made_key(folder: &Path) -> String {
    let key = NewKey {
        name: "one".to_owned(),
        tenant: "default".to_owned(),
        role: Role::Reader,
        person: None,
        tags: Some(BTreeSet::from(["hr".to_owned()])),
        per_minute: None,
        made_ms: 1_000,
        expires_ms: None,
    };
    EmbeddedKeys::open(folder, None).expect("keys").make(key).await.expect("a key").1
}

/// Makes every row of a table that fits the condition one that does not fit its checksum.
pub fn damage_rows(file: &Path, table: &str, condition: &str) {
    let connection = rusqlite::Connection::open(file).expect("the file");
    let sql = format!("UPDATE {table} SET sum = x'00' WHERE {condition}");
    assert!(connection.execute(&sql, []).expect("damaged") > 0, "no row of {table} where {condition}");
}

/// Fills a page of a table's middle with zeros.
pub fn damage_page(file: &Path, table: &str) {
    let connection = rusqlite::Connection::open(file).expect("the file");
    let sql = "SELECT pageno, pgsize FROM dbstat WHERE name = ?1 AND pagetype = 'leaf' ORDER BY path";
    let pages: Vec<(usize, usize)> = connection
        .prepare(sql)
        .expect("a question")
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("pages")
        .collect::<rusqlite::Result<_>>()
        .expect("pages");
    assert!(pages.len() > 2, "{table} has a first, a last and another page: {pages:?}");
    drop(connection);
    let (number, size) = pages[pages.len() / 2];
    let mut bytes = std::fs::read(file).expect("the file");
    bytes[(number - 1) * size..number * size].fill(0);
    std::fs::write(file, bytes).expect("written");
}

pub fn copied(from: &Path) -> tempfile::TempDir {
    let to = folder();
    copy(from, to.path());
    to
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for path in files(from) {
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, target).expect("copied");
        }
    }
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}
