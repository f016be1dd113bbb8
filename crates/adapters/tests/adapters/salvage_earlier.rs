//! A damaged store of an earlier version: a repair keeps what is sound of it and brings it to the present one.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a broken test should stop where it breaks")]

use std::path::Path;

use rusqlite::{Connection, params};
use vouch_adapters::embedded::repair;
use vouch_domain::{
    AddressKey,
    ports::{Catalogue, Embedder, LexicalIndex, Register},
};
use vouch_testkit::{contracts::everyone, corpus::TENANT, fakes::FakeEmbedder};

use crate::support::filled_store::{self, CATALOGUE, damage_page, folder, open};

const DOCUMENTS: usize = 30;
/// The tables as versions before checksums had them.
const SCHEMAS: [&str; 6] = [
    include_str!("../../src/embedded/schema/001_documents.sql"),
    include_str!("../../src/embedded/schema/002_register.sql"),
    include_str!("../../src/embedded/schema/003_vocabulary.sql"),
    include_str!("../../src/embedded/schema/004_times.sql"),
    include_str!("../../src/embedded/schema/005_memory.sql"),
    include_str!("../../src/embedded/schema/006_people.sql"),
];

fn text(number: usize) -> String {
    format!("The barn{number}x stands by the river. {}", "Nothing else is told of it. ".repeat(60))
}

/// Writes a catalogue as an earlier version did.
fn write(file: &Path, version: usize) {
    let connection = Connection::open(file).expect("a file");
    for schema in &SCHEMAS[..version] {
        connection.execute_batch(schema).expect("tables");
    }
    connection.pragma_update(None, "user_version", version).expect("a version");
    let digest = FakeEmbedder::named("fake").identity().digest.clone();
    let facts = [("store_id", "early"), ("generation", "1"), ("embedder", &digest), ("embedder_name", "fake")];
    for (key, value) in facts {
        connection.execute("INSERT INTO meta VALUES (?1, ?2)", [key, value]).expect("written");
    }
    connection.execute("INSERT INTO tenants VALUES (1, ?1)", [TENANT]).expect("written");
    connection.execute("INSERT INTO audiences VALUES (1, 1, '[]')", []).expect("written");
    for number in 1..=DOCUMENTS {
        let (text, id) = (text(number), format!("barn{number}x.md"));
        let vector: Vec<u8> =
            FakeEmbedder::vector(&text).values().iter().flat_map(|value| value.to_le_bytes()).collect();
        for (sql, values) in [
            ("INSERT INTO documents VALUES (?1, 1, ?2, ?2, 1)", params![number, id]),
            (
                "INSERT INTO versions (document, number, hash, audience, title, kind, collection, address, taken_in_ms, text)
                 VALUES (?1, 1, x'00', 1, 'A barn', 'guide', 'default', ?2, 1, ?3)",
                params![number, format!("BARN-{number}"), text],
            ),
            (
                "INSERT INTO passages (key, document, version, ordinal, audience, born, start_char, end_char, section, text)
                 VALUES (?1, ?1, 1, 0, 1, 1, 0, ?2, '[]', ?3)",
                params![number, text.chars().count(), text],
            ),
            ("INSERT INTO embeddings VALUES (?1, ?2)", params![number, vector]),
        ] {
            connection.execute(sql, values).expect("written");
        }
    }
}

#[tokio::test]
async fn a_damaged_store_of_an_earlier_version_keeps_what_is_sound() {
    for (version, table) in [(1, "versions"), (1, "passages"), (6, "versions")] {
        let folder = folder();
        write(&folder.path().join(CATALOGUE), version);
        damage_page(&folder.path().join(CATALOGUE), table);
        let report = repair(folder.path()).expect("repaired");
        let store = open(folder.path()).expect("it opens");
        let health = store.health().expect("health");
        assert!(health.is_sound(), "version {version}, {table}: {health:?}");
        let kept = usize::try_from(health.documents).expect("a count");
        assert!((DOCUMENTS - 5..DOCUMENTS).contains(&kept), "version {version}, {table}: {kept}, {report:?}");
        let hits = store.lexical.matching(&everyone(), "barn1x", 3).await.expect("hits");
        let keys: Vec<_> = hits.iter().map(|hit| hit.key).collect();
        assert_eq!(store.catalogue.passages(&everyone(), &keys).await.expect("passages")[0].passage.text, text(1));
        let by_address = store.register.by_address(&everyone(), &[AddressKey::new("barn 1")]).await.expect("cards");
        assert_eq!(by_address.len(), 1, "version {version}, {table}");
    }
}

#[tokio::test]
async fn a_file_with_nothing_in_it_is_told_as_such() {
    let folder = filled_store::filled().await;
    std::fs::write(folder.path().join(CATALOGUE), "").expect("emptied");
    let report = repair(folder.path()).expect("repaired");
    assert!(report.lost.iter().any(|lost| lost.contains("nothing of it could be read")), "{report:?}");
}
