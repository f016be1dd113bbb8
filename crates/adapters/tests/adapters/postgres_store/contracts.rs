//! The contracts of every port, over a database and a node's copy of it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use vouch_adapters::{
    embedded::{KeyStore, NewKey},
    postgres::PostgresKeys,
};
use vouch_domain::{
    Role,
    ports::{Authenticator, Jobs, Sessions},
};
use vouch_testkit::contracts::{self, StorePorts, authenticator::Cast};

use super::{database, name_of, node, nodes::cut_off, server};

/// A store on a database of its own.
fn fresh() -> vouch_adapters::embedded::EmbeddedStore {
    let settings = server().expect("a server").database();
    node(&settings, &tempfile::tempdir().expect("a folder").keep())
}

fn ports() -> StorePorts {
    let store = fresh();
    StorePorts {
        catalogue: store.catalogue.clone(),
        register: store.register.clone(),
        lexical: store.lexical.clone(),
        dense: store.dense.clone(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_a_catalogue_a_register_and_two_indexes() {
    if server().is_none() {
        return;
    }
    contracts::catalogue::check(ports).await;
    contracts::register::check(ports).await;
    contracts::lexical_index::check(ports).await;
    contracts::dense_index::check(ports).await;
    contracts::versions::check(|| {
        let store = fresh();
        (store.catalogue.clone(), store.versions.clone())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_keeps_memory_people_terms_questions_and_findings() {
    if server().is_none() {
        return;
    }
    contracts::memory::check(fresh().memory.clone()).await;
    contracts::directory::check(|| fresh().directory.clone()).await;
    contracts::sent_questions::check(|| fresh().questions.clone()).await;
    contracts::findings::check(|| {
        let store = fresh();
        (store.catalogue.clone(), store.findings.clone())
    })
    .await;
    let store = fresh();
    let reader = contracts::everyone();
    store.vocabulary.replace(&reader.tenant, "terms.ttl", &contracts::vocabulary::concepts()).expect("taken in");
    contracts::vocabulary::check(store.vocabulary.clone(), &reader).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_database_are_jobs() {
    let Some(server) = server() else { return };
    contracts::jobs::check(|| Arc::new(database(&server.database()).jobs(3)) as Arc<dyn Jobs>).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_of_a_database_are_sessions() {
    let Some(server) = server() else { return };
    contracts::sessions::check(Arc::new(database(&server.database()).sessions()) as Arc<dyn Sessions>).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_a_database_know_their_bearers() {
    let Some(server) = server() else { return };
    let keys = database(&server.database()).keys(None);
    assert!(!keys.is_required().await.expect("an answer"), "nobody needs a key before there is one");
    let made_ms = 1_800_000_000_000;
    let ends_ms = made_ms + 60_000;
    let key = NewKey {
        name: "one".to_owned(),
        tenant: "acme".to_owned(),
        role: Role::Reader,
        person: None,
        tags: Some(["hr".to_owned()].into()),
        per_minute: Some(7),
        made_ms,
        expires_ms: Some(ends_ms),
    };
    let (_, secret) = keys.make(key).await.expect("a key");
    let caller = keys.authenticate(&secret, made_ms).await.expect("an answer").expect("its bearer");
    assert_eq!((caller.reader.tenant.as_str(), caller.requests_per_minute), ("acme", Some(7)));
    contracts::authenticator::check(&Cast { authenticator: Arc::new(keys), secret, caller, ends_ms }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_one_node_revokes_opens_nothing_on_another() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let (one, other) = (database(&settings).keys(None), database(&settings).keys(None));
    let key = |name: &str, tenant: &str| NewKey {
        name: name.to_owned(),
        tenant: tenant.to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: 1,
        expires_ms: None,
    };
    let (id, secret) = one.make(key("one", "acme")).await.expect("a key");
    let (_, kept) = other.make(key("two", "acme")).await.expect("a key");
    assert!(other.authenticate(&secret, 2).await.expect("an answer").is_some());
    assert!(!one.end_of("other", &id).await, "another tenant's key is not there");
    assert!(one.end_of("acme", &id).await);
    assert!(!lets_in(&other, &secret).await);
    assert!(other.authenticate(&kept, 2).await.expect("an answer").is_some());
    assert_eq!(other.cards().await.expect("cards").len(), 2);
}

/// Whether a node lets a key in. It waits for the database for a second; where that is late, the keys count as they were last seen, and
/// it is asked again a second later.
async fn lets_in(keys: &PostgresKeys, secret: &str) -> bool {
    for _ in 0..5 {
        let began = Instant::now();
        let is_in = keys.authenticate(secret, 2).await.expect("an answer").is_some();
        if !is_in || began.elapsed() < Duration::from_secs(1) {
            return is_in;
        }
        tokio::time::sleep(Duration::from_millis(1_200)).await;
    }
    true
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_away_keys_count_as_they_were_last_seen_and_none_can_be_made() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let keys = database(&settings).keys(None);
    let key = |name: &str| NewKey {
        name: name.to_owned(),
        tenant: "acme".to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: 1,
        expires_ms: None,
    };
    let (_, secret) = keys.make(key("one")).await.expect("a key");
    let never_asked = database(&settings).keys(None);
    assert!(keys.authenticate(&secret, 2).await.expect("an answer").is_some());
    cut_off(server, &name_of(&settings));
    assert!(keys.authenticate(&secret, 2).await.expect("an answer").is_some());
    assert!(keys.make(key("two")).await.is_err());
    assert!(never_asked.authenticate(&secret, 2).await.is_err(), "who knows no keys lets nobody in");
    assert!(never_asked.is_required().await.is_err());
}

trait EndOf {
    async fn end_of(&self, tenant: &str, id: &str) -> bool;
}

impl EndOf for PostgresKeys {
    async fn end_of(&self, tenant: &str, id: &str) -> bool {
        vouch_domain::ports::KeyRing::revoke_of(self, tenant, id, 3).await.expect("an answer")
    }
}
