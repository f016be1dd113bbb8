//! A store that moves to a database and back: broken off anywhere it goes on where it stopped, and nobody uses half of it.

use std::{path::Path, time::Instant};

use vouch_adapters::{
    embedded::{EmbeddedStore, EmbedderCheck, Unfinished, digest_of},
    postgres::PostgresSettings,
};
use vouch_domain::{
    CharSpan, ClaimSketch, DocumentSketch, Fault,
    finding::SketchedDocument,
    ports::{Catalogue, Directory, Embedder, Findings},
};
use vouch_testkit::{
    contracts::{self, directory},
    corpus::{TENANT, card, kept},
    fakes::FakeEmbedder,
};

use super::{
    Server, database, name_of, node,
    nodes::{follower, id, rows},
    server,
};
use crate::support::filled_store::{CATALOGUE, damage_rows};

const DOCUMENTS: usize = 40;
/// As many documents are taken in at a time where there are many.
const BATCH: usize = 500;

pub(super) fn open_own(folder: &Path) -> Result<EmbeddedStore, vouch_domain::PortError> {
    EmbeddedStore::open(folder, FakeEmbedder::named("fake").identity(), EmbedderCheck::Enforce)
}

/// A folder with a store that has something in every table that is large.
pub(super) fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open_own(folder.path()).expect("it opens");
    fill(&store, DOCUMENTS);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        store.catalogue.remove(TENANT, &[id("d3")]).await.expect("removed");
        store.directory.upsert_people(vec![directory::person("mira", &["hr"])]).await.expect("kept");
        store.vocabulary.replace(TENANT, "terms.ttl", &contracts::vocabulary::concepts()).expect("taken in");
    });
    drop(store);
    folder
}

fn fill(store: &EmbeddedStore, documents: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let numbers: Vec<usize> = (0..documents).collect();
    for some in numbers.chunks(BATCH) {
        let name = |number: usize| format!("d{number}");
        let line = |number: usize| format!("The mast of yard {number} is {} m tall.", number % 90);
        let document = |number: &usize| kept(card(&name(*number), &[]), &[&line(*number), "It rains."]);
        let sketched = |number: &usize| {
            let claim = ClaimSketch {
                span: CharSpan { start: 0, end: 4 },
                sentence: line(*number),
                context: "Masts".to_owned(),
                // Terms all over the table, so that the order in which they are written matters.
                terms: (1..9)
                    .map(|term: u64| (*number as u64 * 8 + term).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .collect(),
            };
            let sketch =
                DocumentSketch { signature: vec![1, 2], bands: vec![*number as u64 % 500], claims: vec![claim] };
            SketchedDocument { id: id(&name(*number)), version: 1, sketch }
        };
        runtime.block_on(async {
            store.catalogue.upsert(some.iter().map(document).collect()).await.expect("kept");
            store.findings.keep_sketches(TENANT, some.iter().map(sketched).collect()).await.expect("kept");
        });
    }
}

/// Makes the writing of a table fail, or succeed again.
pub(super) fn break_table(server: &Server, settings: &PostgresSettings, table: &str) {
    let sql = format!(
        "CREATE FUNCTION vouch.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
         CREATE TRIGGER fails BEFORE INSERT ON vouch.{table} FOR EACH STATEMENT EXECUTE FUNCTION vouch.fail()"
    );
    server.execute(&name_of(settings), &sql);
}

pub(super) fn mend_table(server: &Server, settings: &PostgresSettings, table: &str) {
    let sql = format!("DROP TRIGGER fails ON vouch.{table}; DROP FUNCTION vouch.fail()");
    server.execute(&name_of(settings), &sql);
}

/// By which transactions the rows of a table were written.
fn writers(server: &Server, settings: &PostgresSettings, table: &str) -> Vec<Vec<Option<String>>> {
    server.execute(&name_of(settings), &format!("SELECT key::text, xmin::text FROM vouch.{table} ORDER BY key"))
}

#[test]
fn a_copy_to_a_database_goes_on_where_it_stopped_and_nobody_uses_half_of_it() {
    let Some(server) = server() else { return };
    let (settings, folder, nodes) = (server.database(), filled(), tempfile::tempdir().expect("a folder"));
    let target = database(&settings);
    break_table(server, &settings, "passages");
    target.copy_from(folder.path(), Unfinished::Keep).expect_err("it is broken off");
    let before = writers(server, &settings, "documents");
    assert_eq!(before.len(), DOCUMENTS);
    let embedder = FakeEmbedder::named("fake");
    let refused = target.open_store(nodes.path(), embedder.identity(), EmbedderCheck::Enforce).err().expect("refused");
    assert!(refused.fault == Fault::Invalid && refused.sentence.contains("is not finished"), "{refused}");
    assert!(target.copy_to(&nodes.path().join("copy")).expect_err("half a store").sentence.contains("is not finished"));
    mend_table(server, &settings, "passages");
    let report = target.copy_from(folder.path(), Unfinished::Keep).expect("copied");
    assert!(report.was_resumed);
    assert_eq!(writers(server, &settings, "documents"), before, "what was there was not written again");
    assert_eq!(report.rows["passages"], 2 * DOCUMENTS as u64);
    let back = nodes.path().join("back");
    let returned = target.copy_to(&back).expect("copied");
    assert_eq!((returned.digest, returned.was_resumed), (report.digest, false));
    let (own, copied) = (rows(folder.path()), rows(&back));
    assert!(own["claim_terms"].len() > DOCUMENTS && own["sketch_bands"].len() > 5);
    for (table, rows) in &own {
        assert_eq!(rows, &copied[table], "{table}");
    }
    assert!(open_own(&back).expect("it opens").health().expect("health").is_sound());
    let twice = target.copy_from(folder.path(), Unfinished::Discard).expect_err("there is a store");
    assert!(twice.sentence.contains("already contains a store"), "{twice}");
}

#[test]
fn an_unfinished_copy_of_an_earlier_form_begins_anew_and_one_of_another_store_when_it_is_asked_for() {
    let Some(server) = server() else { return };
    let (settings, folder, other) = (server.database(), filled(), filled());
    let target = database(&settings);
    break_table(server, &settings, "passages");
    target.copy_from(folder.path(), Unfinished::Keep).expect_err("it is broken off");
    let store = open_own(folder.path()).expect("it opens");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(store.catalogue.remove(TENANT, &[id("d5")])).expect("removed");
    drop(store);
    target.copy_from(folder.path(), Unfinished::Keep).expect_err("it is broken off again");
    let error = target.copy_from(other.path(), Unfinished::Keep).expect_err("another store's copy is there");
    assert!(error.sentence.contains("--start-over"), "{error}");
    mend_table(server, &settings, "passages");
    let report = target.copy_from(other.path(), Unfinished::Discard).expect("copied");
    assert!(!report.was_resumed);
    let back = other.path().join("back");
    assert_eq!(target.copy_to(&back).expect("copied").digest, report.digest);
}

#[test]
fn a_copy_to_a_folder_goes_on_where_it_stopped_though_the_database_changed() {
    let Some(server) = server() else { return };
    let (settings, folder, place) = (server.database(), filled(), tempfile::tempdir().expect("a folder"));
    let target = database(&settings);
    target.copy_from(folder.path(), Unfinished::Keep).expect("copied");
    let name = name_of(&settings);
    let (copy, second) = (place.path().join("copy"), place.path().join("second"));
    let writer = node(&settings, &place.path().join("writer"));
    // The rows of documents can be read, and no vectors.
    server.execute(&name, "REVOKE ALL ON vouch.passages FROM node");
    target.copy_to(&copy).expect_err("it is broken off");
    let embedder = FakeEmbedder::named("fake");
    let opened = target.open_store(&second, embedder.identity(), EmbedderCheck::Enforce);
    opened.err().expect("it is broken off");
    let half = open_own(&copy).err().expect("half a store");
    assert!(half.sentence.contains("`vouch store copy` was interrupted"), "{half}");
    let half = open_own(&second).err().expect("half a store");
    assert!(half.sentence.contains("unfinished copy"), "{half}");
    let half = digest_of(&second).expect_err("half a store has no digest");
    assert!(half.fault == Fault::Invalid && half.sentence.contains("unfinished copy"), "{half}");
    server.execute(&name, "GRANT ALL ON vouch.passages TO node");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        writer.catalogue.remove(TENANT, &[id("d7")]).await.expect("removed");
        writer.directory.remove_person(TENANT, "mira").await.expect("removed");
        writer.catalogue.upsert(vec![kept(card("d9", &[]), &["The mast fell."])]).await.expect("kept");
        writer.catalogue.upsert(vec![kept(card("new", &["hr"]), &["A new mast."])]).await.expect("kept");
    });
    let report = target.copy_to(&copy).expect("copied");
    assert!(report.was_resumed);
    let newcomer = node(&settings, &second);
    assert!(newcomer.health().expect("health").is_sound());
    assert!(!follower(&newcomer).follow().expect("up to date"));
    let first = rows(&place.path().join("writer"));
    for other in [&copy, &second] {
        let other = rows(other);
        for (table, rows) in &first {
            assert_eq!(rows, &other[table], "{table}");
        }
    }
    open_own(&copy).expect("it is a store of its own");
    assert!(target.copy_to(&copy).expect_err("there is a store").sentence.contains("already contains a store"));
}

#[test]
fn a_damaged_store_is_not_copied_to_a_database_that_nobody_could_use_then() {
    let Some(server) = server() else { return };
    let (settings, folder, nodes) = (server.database(), filled(), tempfile::tempdir().expect("a folder"));
    let store = open_own(folder.path()).expect("it opens");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // Larger than what is looked through whenever it is opened.
    for number in 0..30 {
        let line = format!("The mast of yard {number} is tall. {}", "It rains. ".repeat(10_000));
        runtime
            .block_on(store.catalogue.upsert(vec![kept(card(&format!("long-{number}"), &[]), &[&line])]))
            .expect("kept");
    }
    drop(store);
    let catalogue = folder.path().join(CATALOGUE);
    assert!(std::fs::metadata(&catalogue).expect("a file").len() > 5 << 20);
    damage_rows(&catalogue, "passages", "key = 2");
    let target = database(&settings);
    let refused = target.copy_from(folder.path(), Unfinished::Keep).expect_err("it is damaged");
    assert!(refused.fault == Fault::Corrupt && refused.sentence.contains("`vouch store repair`"), "{refused}");
    // Nothing of it is there, so that the store can be copied once it is repaired.
    let embedder = FakeEmbedder::named("fake");
    target.open_store(nodes.path(), embedder.identity(), EmbedderCheck::Enforce).expect("the database is empty");
}

/// `VOUCH_COPY_DOCUMENTS` says how many, for a long run.
#[test]
fn a_store_moves_both_ways_and_is_the_same_however_many_documents_it_has() {
    let Some(server) = server() else { return };
    let documents = std::env::var("VOUCH_COPY_DOCUMENTS").map_or(1_200, |text| text.parse().expect("a number"));
    let (settings, place) = (server.database(), tempfile::tempdir().expect("a folder"));
    let (own, back) = (place.path().join("own"), place.path().join("back"));
    let began = Instant::now();
    fill(&open_own(&own).expect("it opens"), documents);
    let filled = began.elapsed();
    let target = database(&settings);
    let there = target.copy_from(&own, Unfinished::Keep).expect("copied");
    let copied = began.elapsed() - filled;
    let again = target.copy_to(&back).expect("copied");
    let returned = began.elapsed() - filled - copied;
    println!("{documents} documents: filled in {filled:?}, to the database in {copied:?}, back in {returned:?}");
    assert_eq!(there.rows["documents"], documents as u64);
    assert_eq!(there, again);
    assert_eq!(digest_of(&own).expect("a digest"), digest_of(&back).expect("a digest"));
    assert_eq!(digest_of(&back).expect("a digest"), again);
}
