//! Nodes that are behind: however much they have missed they come up, and nobody waits for them nor they for others.

use std::time::{Duration, Instant};

use vouch_adapters::{
    embedded::{EmbeddedStore, EmbedderCheck},
    postgres::{PostgresDatabase, PostgresSettings},
};
use vouch_domain::{
    Concept, PortError,
    ports::{Authenticator, Catalogue, Embedder},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{TENANT, card, kept},
    fakes::{FakeEmbedder, concept},
};

use super::{
    name_of, node,
    nodes::{PATIENCE, cut_off, follower, rows},
    server,
};

/// Breaks off every statement that reads many rows of a table, as a server does that waits too long for them to be taken.
const FEW_ROWS_A_STATEMENT: &str = "
    CREATE FUNCTION vouch.are_few() RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE
        statement text := extract(epoch FROM statement_timestamp())::text;
        seen text[] := string_to_array(coalesce(current_setting('test.seen', true), ''), ' ');
        count int := CASE WHEN seen[1] = statement THEN seen[2]::int + 1 ELSE 1 END;
    BEGIN
        IF count > 1500 THEN RAISE EXCEPTION 'too many rows for one statement'; END IF;
        PERFORM set_config('test.seen', statement || ' ' || count, false);
        RETURN true;
    END $$;
    CREATE POLICY few ON vouch.concepts AS RESTRICTIVE FOR SELECT USING (vouch.are_few())";

/// Breaks off whoever reads of a store in more transactions than `test.transactions` allows a connection.
const FEW_TRANSACTIONS: &str = "
    CREATE FUNCTION vouch.may_go_on() RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE
        own text := extract(epoch FROM transaction_timestamp())::text;
        seen text[] := string_to_array(nullif(current_setting('test.seen', true), ''), ' ');
        count int := CASE WHEN seen IS NULL THEN 1 WHEN seen[1] = own THEN seen[2]::int ELSE seen[2]::int + 1 END;
    BEGIN
        IF count > current_setting('test.transactions')::int THEN RAISE EXCEPTION 'it ends here'; END IF;
        PERFORM set_config('test.seen', own || ' ' || count, false);
        RETURN true;
    END $$;
    CREATE POLICY few ON vouch.meta AS RESTRICTIVE FOR SELECT USING (vouch.may_go_on())";

fn concepts(count: usize) -> Vec<Concept> {
    let one = |number: usize| {
        let (uri, label) = (format!("https://terms.test/{number}"), format!("Term {number}"));
        concept(&uri, &[label.as_str()], None)
    };
    (0..count).map(one).collect()
}

#[test]
fn a_node_that_is_far_behind_reads_a_few_rows_a_statement() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let name = name_of(&settings);
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [one, other] = folders.each_ref().map(|folder| node(&settings, folder.path()));
    let same = || {
        assert!(follower(&other).follow().expect("followed"));
        let [own, theirs] = folders.each_ref().map(|folder| rows(folder.path()));
        for (table, rows) in &own {
            assert_eq!(rows, &theirs[table], "{table}");
        }
        own["concepts"].len()
    };
    one.vocabulary.replace(TENANT, "terms.ttl", &concepts(2_600)).expect("taken in");
    server.execute(&name, FEW_ROWS_A_STATEMENT);
    assert_eq!(same(), 2_600);
    server.execute(&name, "DROP POLICY few ON vouch.concepts");
    // As many that are gone.
    one.vocabulary.replace(TENANT, "terms.ttl", &concepts(3)).expect("taken in");
    assert_eq!(same(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_comes_back_waits_for_no_change_of_another() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let one = node(&settings, folders[0].path());
    drop(node(&settings, folders[1].path()));
    one.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("kept");
    let changing = server.hold(&name_of(&settings), "SELECT 1 FROM vouch.head FOR UPDATE").await;
    let again = node(&settings, folders[1].path());
    assert_eq!(again.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
    assert!(follower(&again).state().is_reached);
    drop(changing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_comes_back_to_a_database_that_is_late_goes_on_with_what_it_has() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let one = node(&settings, folders[0].path());
    one.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("kept");
    drop(node(&settings, folders[1].path()));
    one.catalogue.upsert(vec![kept(card("b", &[]), &["Rain falls."])]).await.expect("kept");
    let lock = server.hold(&name_of(&settings), "LOCK TABLE vouch.passages IN ACCESS EXCLUSIVE MODE").await;
    let impatient = PostgresSettings { timeout: Duration::from_secs(5), ..settings.clone() };
    let again = node(&impatient, folders[1].path());
    assert_eq!(again.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
    assert!(!follower(&again).state().is_reached);
    lock.batch_execute("ROLLBACK").await.expect("let go");
    assert!(follower(&again).follow().expect("followed"));
    assert_eq!(again.catalogue.counts(&everyone()).await.expect("counts").documents, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_was_away_when_a_node_started_has_its_tables_once_it_is_there() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let name = name_of(&settings);
    cut_off(server, &name);
    let opened = PostgresDatabase::open_for_node(&settings).expect("it may be away");
    server.execute("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
    let began = Instant::now();
    let table = "SELECT 1 FROM pg_tables WHERE schemaname = 'vouch' AND tablename = 'copying'";
    while server.execute(&name, table).is_empty() {
        assert!(began.elapsed() < PATIENCE, "nobody makes the tables");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(!opened.keys(None).is_required().await.expect("an answer"));
}

#[test]
fn a_node_that_ended_before_it_was_filled_and_came_up_is_not_used_while_the_database_is_away() {
    let Some(server) = server() else { return };
    let (settings, place) = (server.database(), tempfile::tempdir().expect("a folder"));
    let name = name_of(&settings);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let one = node(&settings, &place.path().join("one"));
    runtime.block_on(one.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])])).expect("kept");
    drop(one);
    server.execute(&name, FEW_TRANSACTIONS);
    let open = |transactions: usize, folder: &str| -> Result<EmbeddedStore, PortError> {
        server.execute("postgres", &format!("ALTER DATABASE {name} SET test.transactions = '{transactions}'"));
        let opened = PostgresDatabase::open_for_node(&settings)?;
        let embedder = FakeEmbedder::named("fake");
        opened.open_store(&place.path().join(folder), embedder.identity(), EmbedderCheck::Enforce)
    };
    let mut ended = 0;
    loop {
        let folder = format!("node-{ended}");
        let is_filled = open(ended, &folder).is_ok();
        cut_off(server, &name);
        let again = open(1_000, &folder);
        server.execute("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
        assert_eq!(again.is_ok(), is_filled, "after {ended} transactions");
        if is_filled {
            break;
        }
        let filled = open(1_000, &folder).expect("it goes on where it ended");
        assert!(filled.health().expect("health").is_sound());
        assert_eq!(runtime.block_on(filled.catalogue.counts(&everyone())).expect("counts").documents, 1);
        ended += 1;
    }
    assert!(
        ended > 3,
        "what it is, how far it has come, its rows and what came after them are read one after the other"
    );
}
