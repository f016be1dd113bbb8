//! Keys of a data folder: known until they end, by their secret alone, and with the tags their person has at the moment.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, path::Path, sync::Arc};

use vouch_adapters::embedded::{EmbeddedKeys, NewKey};
use vouch_domain::{
    Caller, Fault, Reader, Role, Scope,
    ports::{Authenticator, Directory},
};
use vouch_testkit::{
    contracts::{
        authenticator::{Cast, check},
        directory::person,
    },
    corpus::TENANT,
    fakes::FakeDirectory,
};

const MADE_MS: u64 = 1_800_000_000_000;

fn key(name: &str) -> NewKey {
    NewKey {
        name: name.to_owned(),
        tenant: TENANT.to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: MADE_MS,
        expires_ms: None,
    }
}

fn tags(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn keys(folder: &Path) -> EmbeddedKeys {
    EmbeddedKeys::open(folder, None).expect("keys")
}

#[tokio::test]
async fn keys_are_an_authenticator() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path());
    assert!(!keys.is_required().await.expect("an answer"), "without keys nobody is asked");
    let ends_ms = MADE_MS + 1_000;
    let made = NewKey { tags: Some(tags(&["hr", "it"])), per_minute: Some(9), expires_ms: Some(ends_ms), ..key("one") };
    let (id, secret) = keys.make(made).await.expect("a key");
    for number in 0..5 {
        keys.make(key(&format!("other {number}"))).await.expect("a key");
    }
    let caller = Caller {
        id: format!("key:{id}"),
        name: None,
        person: None,
        reader: Reader::of_scope(TENANT, Scope::Tags(tags(&["hr", "it"]))),
        role: Role::Reader,
        requests_per_minute: Some(9),
    };
    check(&Cast { authenticator: Arc::new(keys), secret, caller, ends_ms }).await;
}

#[tokio::test]
async fn a_revoked_key_opens_nothing_also_where_it_was_opened_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, other) = (keys(folder.path()), keys(folder.path()));
    let (id, secret) = other.make(key("one")).await.expect("a key");
    assert!(server.authenticate(&secret, MADE_MS).await.expect("an answer").is_some());
    assert!(other.revoke(&id, MADE_MS + 5).await.expect("revoked"));
    assert!(!other.revoke(&id, MADE_MS + 6).await.expect("an answer"), "it has ended already");
    assert!(!other.revoke("nobody", MADE_MS).await.expect("an answer"));
    assert_eq!(server.authenticate(&secret, MADE_MS + 5).await.expect("an answer"), None);
    assert_eq!(
        server.authenticate(&secret, MADE_MS).await.expect("an answer"),
        None,
        "an earlier clock opens nothing either"
    );
    assert!(server.is_required().await.expect("an answer"), "a key that has ended still means that one is needed");
    let cards = server.cards().await.expect("cards");
    assert_eq!((cards.len(), cards[0].revoked_ms), (1, Some(MADE_MS + 5)));
}

#[tokio::test]
async fn a_key_of_somebody_follows_their_tags_and_ends_with_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = Arc::new(FakeDirectory::default());
    let keys = EmbeddedKeys::open(folder.path(), Some(directory.clone())).expect("keys");
    let made = NewKey { person: Some("mira".to_owned()), ..key("laptop") };
    let (_, secret) = keys.make(made).await.expect("a key");
    let seen = async || keys.authenticate(&secret, MADE_MS).await.expect("an answer");
    assert_eq!(seen().await, None, "nobody is called so yet");
    for words in [&["hr"][..], &["hr", "it"], &[]] {
        directory.upsert_people(vec![person("mira", words)]).await.expect("kept");
        let caller = seen().await.expect("somebody");
        assert_eq!((caller.id.as_str(), caller.reader.scope), ("user:mira", Scope::Tags(tags(words))));
    }
    directory.remove_person(TENANT, "mira").await.expect("removed");
    assert_eq!(seen().await, None);
    let elsewhere = vouch_domain::Person { tenant: "another".to_owned(), ..person("user:mira", &["hr"]) };
    directory.upsert_people(vec![elsewhere]).await.expect("kept");
    assert_eq!(seen().await, None, "somebody of the same name in another tenant is somebody else");
}

#[tokio::test]
async fn a_directory_that_cannot_be_asked_lets_nobody_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, secret) =
        keys(folder.path()).make(NewKey { person: Some("mira".to_owned()), ..key("a") }).await.expect("a key");
    assert_eq!(keys(folder.path()).authenticate(&secret, MADE_MS).await.expect("an answer"), None, "no directory");
    let down = EmbeddedKeys::open(folder.path(), Some(Arc::new(FakeDirectory::down()))).expect("keys");
    let error = down.authenticate(&secret, MADE_MS).await.expect_err("it is down");
    assert!(!format!("{error} {error:?}").contains(&secret));
}

#[tokio::test]
async fn a_right_id_with_another_keys_secret_opens_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path());
    let (one, of_one) = keys.make(key("one")).await.expect("a key");
    let (two, of_two) = keys.make(key("two")).await.expect("a key");
    let crossed = of_two.replacen(&two, &one, 1);
    assert_ne!(crossed, of_one);
    assert_eq!(keys.authenticate(&crossed, MADE_MS).await.expect("an answer"), None);
    assert!(keys.authenticate(&of_one, MADE_MS).await.expect("an answer").is_some());
}

#[tokio::test]
async fn no_secret_is_kept_or_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path());
    let (id, secret) = keys.make(key("one")).await.expect("a key");
    let hidden = secret.rsplit('_').next().expect("the hidden part").to_owned();
    let caller = keys.authenticate(&secret, MADE_MS).await.expect("an answer").expect("somebody");
    let cards = keys.cards().await.expect("cards");
    assert!(!format!("{caller:?} {cards:?}").contains(&hidden));
    assert_eq!(cards[0].id, id);
    drop(keys);
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        assert!(!bytes.windows(hidden.len()).any(|window| window == hidden.as_bytes()));
    }
}

#[tokio::test]
async fn a_key_that_makes_no_sense_is_not_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path());
    let person = || Some("mira".to_owned());
    for (wrong, said) in [
        (key(""), "the name is empty"),
        (key(&"x".repeat(201)), "201 characters"),
        (NewKey { tenant: " a".to_owned(), ..key("a") }, "begins or ends with a space"),
        (NewKey { person: Some("a\nb".to_owned()), ..key("a") }, "control character"),
        (NewKey { tags: Some(tags(&[""])), ..key("a") }, "the tag is empty"),
        (NewKey { role: Role::Monitor, person: person(), ..key("a") }, "a monitor key reads no documents"),
        (NewKey { role: Role::Monitor, tags: Some(tags(&["a"])), ..key("a") }, "a monitor key reads no documents"),
        (NewKey { expires_ms: Some(MADE_MS), ..key("a") }, "it would expire before it is made"),
        (NewKey { per_minute: Some(0), ..key("a") }, "it would allow no request at all"),
    ] {
        let error = keys.make(wrong).await.expect_err(said);
        assert_eq!(error.fault, Fault::Invalid);
        assert!(error.sentence.contains(said), "{error}");
    }
    assert!(keys.cards().await.expect("cards").is_empty());
    keys.make(NewKey { role: Role::Admin, person: person(), ..key("ä key") }).await.expect("a key");
}
