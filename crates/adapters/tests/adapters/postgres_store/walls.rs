//! What a connection may see and do, whatever the program asks for.

use std::collections::BTreeSet;

use vouch_domain::{
    ports::{Catalogue, Sessions},
    session::{SessionOwner, SessionState},
};
use vouch_testkit::corpus::{card, kept};

use super::{database, name_of, node, server};

const ROLES: &str = include_str!("../../../../../deploy/postgres-roles.sql");

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_sees_no_row_before_it_says_whose() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let store = node(&settings, tempfile::tempdir().expect("a folder").path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["One."])]).await.expect("kept");
    let sessions = database(&settings).sessions();
    for tenant in ["acme", "other"] {
        let owner = SessionOwner { tenant: tenant.to_owned(), asker: "mira".to_owned() };
        sessions.save(&owner, "c", &SessionState::default(), 1_800_000_000_000).await.expect("kept");
    }
    let count = |before: &str, table: &str| {
        let sql = format!("SET ROLE node; {before}; SELECT count(*)::text FROM vouch.{table}");
        let rows = server.execute(&name_of(&settings), &sql);
        rows.last().and_then(|row| row.first().cloned().flatten()).expect("a count")
    };
    for table in ["documents", "passages", "versions", "meta", "sessions"] {
        assert_eq!(count("SELECT 1", table), "0", "{table}");
    }
    assert_eq!(count("SET vouch.tenant = 'acme'", "documents"), "0");
    assert_eq!(count("SET vouch.tenant = '*'", "documents"), "1");
    assert_eq!(count("SET vouch.tenant = 'acme'", "sessions"), "1");
    assert_eq!(count("SET vouch.tenant = '*'", "sessions"), "2");
    let tables = "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
                  WHERE nspname = 'vouch' AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1";
    let open: BTreeSet<String> = server.execute(&name_of(&settings), tables).into_iter().flatten().flatten().collect();
    assert_eq!(
        open,
        ["head", "key_ring", "migrations", "open_breakers", "rate_buckets"].map(str::to_owned).into(),
        "tables that hold nobody's rows"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_needs_no_more_than_the_role_of_the_deployment() {
    let Some(server) = server() else { return };
    let owner = server.database();
    database(&owner);
    let roles = ROLES.replace(":'password'", "'secret'");
    server.execute(&name_of(&owner), &roles);
    let settings = server.settings(&name_of(&owner), "vouch_node");
    let store = node(&settings, tempfile::tempdir().expect("a folder").path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["One."])]).await.expect("kept");
    store.catalogue.upsert(vec![kept(card("a", &[]), &["Two."])]).await.expect("kept");
    let refused = |sql: &str| {
        let sql = format!(
            "DO $$ BEGIN SET LOCAL ROLE vouch_node; {sql}; RAISE EXCEPTION 'was allowed'; \
                           EXCEPTION WHEN insufficient_privilege THEN NULL; END $$"
        );
        server.execute(&name_of(&owner), &sql);
    };
    for sql in [
        "EXECUTE 'DROP TABLE vouch.documents'",
        "EXECUTE 'ALTER TABLE vouch.documents DISABLE ROW LEVEL SECURITY'",
        "EXECUTE 'CREATE TABLE vouch.more (a int)'",
        "EXECUTE 'TRUNCATE vouch.documents'",
        "EXECUTE 'DELETE FROM vouch.migrations'",
    ] {
        refused(sql);
    }
}

#[test]
fn the_tables_have_the_columns_of_the_catalogue() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    node(&settings, folder.path());
    let copy = rusqlite::Connection::open(folder.path().join("catalogue.sqlite")).expect("the copy");
    let sql = "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'
               AND t.name NOT IN ('sketch_bands', 'claim_terms', 'embeddings_next')";
    let mut statement = copy.prepare(sql).expect("columns");
    let own = statement.query_map([], |row| row.get(0)).expect("columns").collect::<Result<BTreeSet<String>, _>>();
    let sql = "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'vouch'
               AND column_name NOT IN ('changed_at')
               AND table_name NOT IN ('head', 'gone', 'copying', 'migrations', 'sessions', 'jobs', 'keys', 'key_ring', 'trail',
                                      'trail_feedback', 'rate_buckets', 'open_breakers')";
    let theirs: BTreeSet<String> = server.execute(&name_of(&settings), sql).into_iter().flatten().flatten().collect();
    assert_eq!(own.expect("columns"), theirs);
}
