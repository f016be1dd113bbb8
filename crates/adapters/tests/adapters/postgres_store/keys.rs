//! Keys of several nodes where the database says nothing, or the clock of one of them is wrong.

use std::time::{Duration, Instant};

use vouch_adapters::embedded::{KeyStore, NewKey};
use vouch_domain::{
    Role,
    ports::{Authenticator, KeyRing},
};

use super::{database, name_of, nodes::PATIENCE, server};

fn key(expires_ms: Option<u64>) -> NewKey {
    NewKey {
        name: "one".to_owned(),
        tenant: "acme".to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: 1,
        expires_ms,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_says_nothing_keys_count_as_they_were_last_seen() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let [keys, other] = [(); 2].map(|()| database(&settings).keys(None));
    let (id, secret) = keys.make(key(None)).await.expect("a key");
    assert!(keys.authenticate(&secret, 2).await.expect("an answer").is_some());
    let lock = server.hold(&name_of(&settings), "LOCK TABLE vouch.key_ring IN ACCESS EXCLUSIVE MODE").await;
    let began = Instant::now();
    for _ in 0..20 {
        assert!(keys.authenticate(&secret, 2).await.expect("an answer").is_some());
        assert!(keys.is_required().await.expect("an answer"));
    }
    // Were each of them to wait for a second, this would take forty.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    lock.batch_execute("ROLLBACK").await.expect("let go");
    assert!(other.revoke_of("acme", &id, 3).await.expect("an answer"));
    let began = Instant::now();
    while keys.authenticate(&secret, 4).await.expect("an answer").is_some() {
        assert!(began.elapsed() < PATIENCE, "it is asked again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_clock_is_ahead_ends_no_key_of_the_others() {
    const IN_2096_MS: u64 = 4_000_000_000_000;
    let Some(server) = server() else { return };
    let settings = server.database();
    let mut is_over = false;
    // That a key is over is recorded within a second or not at all, and the database may be later than that.
    for _ in 0..3 {
        let [ahead, other] = [(); 2].map(|()| database(&settings).keys(None));
        let (_, secret) = ahead.make(key(Some(IN_2096_MS))).await.expect("a key");
        let (_, over) = ahead.make(key(Some(1_000))).await.expect("a key");
        for shown in [&secret, &over] {
            assert_eq!(ahead.authenticate(shown, IN_2096_MS).await.expect("an answer"), None);
        }
        assert!(other.authenticate(&secret, 2).await.expect("an answer").is_some());
        is_over = other.authenticate(&over, 2).await.expect("an answer").is_none();
        if is_over {
            break;
        }
    }
    assert!(is_over, "this one is over by every clock");
}
