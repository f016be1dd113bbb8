//! A database that is dumped and restored as the guide says, by its owner, who is no superuser.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use vouch_adapters::embedded::{KeyStore, NewKey};
use vouch_domain::{
    Role,
    ports::{Authenticator, Catalogue, Sessions},
    session::{SessionOwner, SessionState},
};
use vouch_testkit::corpus::{card, kept};

use super::{Server, database, name_of, node, nodes::rows, server};

/// The folder of the server's own programs; none, told, where it comes without those that dump.
fn programs(server: &Server) -> Option<PathBuf> {
    let found = server.execute("postgres", "SELECT setting FROM pg_config WHERE name = 'BINDIR'");
    let folder = PathBuf::from(found[0][0].as_ref().expect("a folder"));
    if ["pg_dump", "pg_restore"].iter().all(|name| folder.join(name).is_file()) {
        return Some(folder);
    }
    vouch_testkit::skip("a dump of the database", "this PostgreSQL comes without pg_dump");
    None
}

fn run(program: &Path, words: &[&str]) {
    let ran = Command::new(program).args(words).env("PGOPTIONS", "-c vouch.tenant=*").output().expect("it runs");
    assert!(ran.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&ran.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_its_owner_dumps_and_restores_has_every_row_and_the_same_walls() {
    let Some(server) = server() else { return };
    let Some(programs) = programs(server) else { return };
    let (settings, restored) = (server.database(), server.database());
    let folder = tempfile::tempdir().expect("a folder");
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    let store = node(&settings, &before);
    store
        .catalogue
        .upsert(vec![kept(card("a", &[]), &["One."]), kept(card("b", &["hr"]), &["Two."])])
        .await
        .expect("kept");
    let sessions = database(&settings).sessions();
    let owner = SessionOwner { tenant: "acme".to_owned(), asker: "mira".to_owned() };
    sessions.save(&owner, "c", &SessionState::default(), 1_800_000_000_000).await.expect("kept");
    let key = NewKey {
        name: "one".to_owned(),
        tenant: "acme".to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: 1,
        expires_ms: None,
    };
    let (_, secret) = database(&settings).keys(None).make(key).await.expect("a key");

    let dump = folder.path().join("vouch.dump");
    let dump = dump.to_str().expect("a path");
    let of_the_store = ["--enable-row-security", "--schema", "vouch", "--format", "custom", "--file", dump];
    run(&programs.join("pg_dump"), &[&of_the_store[..], &["--dbname", settings.url.as_str()]].concat());
    run(&programs.join("pg_restore"), &["--exit-on-error", "--dbname", restored.url.as_str(), dump]);

    let known = database(&restored).keys(None).authenticate(&secret, 2).await.expect("an answer");
    assert_eq!(known.map(|caller| caller.reader.tenant).as_deref(), Some("acme"));
    node(&restored, &after);
    let (before, after) = (rows(&before), rows(&after));
    assert_eq!(before["documents"].len(), 2);
    assert_eq!(before, after);
    for sql in [
        "SELECT count(*)::text FROM vouch.sessions",
        "SELECT max(number)::text FROM vouch.migrations",
        "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
         WHERE nspname = 'vouch' AND relrowsecurity AND relforcerowsecurity",
    ] {
        let of = |settings| server.execute(&name_of(settings), sql);
        assert_eq!(of(&settings), of(&restored), "{sql}");
    }
}
