//! The fakes do what the ports promise, so that tests built on them mean something.

use std::{sync::Arc, time::Duration};

use vouch_domain::{
    Caller, Fault, Role,
    ports::{AuditTrail, Authenticator, Directory, Sessions, SignIn, Toolbox},
};
use vouch_testkit::{
    contracts::{self, StorePorts},
    fakes::{
        FakeAuthenticator, FakeDirectory, FakeEmbedder, FakeJobs, FakeJudge, FakeMemory, FakeRates, FakeSentQuestions,
        FakeSessions, FakeSignIn, FakeToolbox, FakeTrail, FakeVectors, FakeVocabulary, LineParser, MemoryStore,
        StoppedClock,
    },
};

fn memory() -> StorePorts {
    let store = Arc::new(MemoryStore::default());
    StorePorts { catalogue: store.clone(), register: store.clone(), lexical: store.clone(), dense: store }
}

#[tokio::test]
async fn memory_is_a_catalogue() {
    contracts::catalogue::check(memory).await;
}

#[tokio::test]
async fn memory_is_a_register() {
    contracts::register::check(memory).await;
}

#[tokio::test]
async fn memory_keeps_versions() {
    contracts::versions::check(|| {
        let store = Arc::new(MemoryStore::default());
        (store.clone(), store)
    })
    .await;
}

#[tokio::test]
async fn memory_keeps_findings() {
    contracts::findings::check(|| {
        let store = Arc::new(MemoryStore::default());
        (store.clone(), store)
    })
    .await;
}

#[tokio::test]
async fn the_fake_vocabulary_is_a_vocabulary() {
    let vocabulary = FakeVocabulary::new(contracts::vocabulary::concepts());
    contracts::vocabulary::check(Arc::new(vocabulary), &contracts::everyone()).await;
}

#[tokio::test]
async fn the_fake_memory_is_a_memory() {
    contracts::memory::check(Arc::new(FakeMemory::default())).await;
}

#[tokio::test]
async fn the_fake_directory_is_a_directory() {
    contracts::directory::check(|| Arc::new(FakeDirectory::default())).await;
}

#[tokio::test]
async fn the_fake_authenticator_is_a_authenticator() {
    let reader = contracts::tagged(&["hr"]);
    let caller = Caller {
        id: "mira".to_owned(),
        name: None,
        person: None,
        reader,
        role: Role::Reader,
        requests_per_minute: Some(3),
    };
    let (secret, ends_ms) = ("a secret of some length".to_owned(), 5_000);
    let authenticator = Arc::new(FakeAuthenticator::default().knowing(&secret, caller.clone(), ends_ms));
    contracts::authenticator::check(&contracts::authenticator::Cast { authenticator, secret, caller, ends_ms }).await;
    assert!(!FakeAuthenticator::default().is_required().await.expect("an answer"));
    assert!(FakeAuthenticator::down().authenticate("a", 1).await.is_err());
}

#[tokio::test]
async fn the_fake_sign_in_is_a_sign_in() {
    use contracts::sign_in::{Cast, PROOFS, check, proof};
    let reader = contracts::tagged(&["hr"]);
    let caller = Caller {
        id: "mira".to_owned(),
        name: None,
        person: None,
        reader,
        role: Role::Reader,
        requests_per_minute: None,
    };
    let authenticator = Arc::new(FakeAuthenticator::default().knowing("a token", caller, 5_000));
    let sign_in = (0..PROOFS).fold(FakeSignIn::default(), |fake, number| fake.knowing(proof(number), "a token"));
    check(&Cast { sign_in: Arc::new(sign_in), authenticator, now_ms: 1_000 }).await;
    assert!(FakeSignIn::down().offer(1).await.is_err() && FakeSignIn::down().exchange(&proof(0), 1).await.is_err());
}

#[tokio::test]
async fn the_fake_trail_is_an_audit_trail() {
    contracts::audit_trail::check(|| Arc::new(FakeTrail::default())).await;
}

#[tokio::test]
async fn a_trail_that_is_full_says_so() {
    let trail = FakeTrail::full_after(1);
    let place = trail.write(contracts::audit_trail::entry("a")).await.expect("there is room for one");
    let error = trail.rewrite(place, contracts::audit_trail::entry("a")).await.expect_err("it is full");
    assert_eq!(error.fault, Fault::Full);
}

#[tokio::test]
async fn a_directory_that_is_down_says_so() {
    let error = FakeDirectory::down().person("default", "mira").await.expect_err("it is down");
    assert_eq!(error.fault, Fault::Unavailable);
}

#[tokio::test]
async fn memory_is_a_lexical_index() {
    contracts::lexical_index::check(memory).await;
}

#[tokio::test]
async fn memory_is_a_dense_index() {
    contracts::dense_index::check(memory).await;
}

#[tokio::test]
async fn the_fake_embedder_is_an_embedder() {
    contracts::embedder::check(&FakeEmbedder::named("fake")).await;
}

#[tokio::test]
async fn the_fake_judge_is_a_passage_judge() {
    contracts::passage_judge::check(&FakeJudge::reading()).await;
}

#[tokio::test]
async fn the_fake_judge_is_a_reranker() {
    contracts::reranker::check(&FakeJudge::reading()).await;
}

#[tokio::test]
async fn the_fake_judge_is_a_claim_judge() {
    contracts::claim_judge::check(&FakeJudge::reading()).await;
}

#[test]
fn the_stopped_clock_is_a_clock() {
    contracts::clock::check(&StoppedClock::at(5));
}

#[test]
fn the_line_parser_is_a_parser() {
    contracts::parser::check(&LineParser);
}

#[tokio::test]
async fn the_fake_vectors_are_kept() {
    contracts::kept_vectors::check(&FakeVectors::default()).await;
}

#[tokio::test]
async fn the_fake_rates_count_requests() {
    let rates = Arc::new(FakeRates::default());
    contracts::rate_counter::check(rates.clone(), rates).await;
}

#[tokio::test]
async fn the_fake_sessions_are_sessions() {
    contracts::sessions::check(Arc::new(FakeSessions::default())).await;
    let owner = contracts::sessions::owner("acme", "mira");
    assert_eq!(FakeSessions::down().load(&owner, "a", 1).await.expect_err("it is down").fault, Fault::Unavailable);
}

#[tokio::test]
async fn the_fake_toolbox_is_a_toolbox() {
    contracts::toolbox::check(|| async { Arc::new(FakeToolbox::of_customers()) as Arc<dyn Toolbox> }).await;
}

#[tokio::test]
async fn a_fake_toolbox_counts_what_ran_and_fails_as_told() {
    let call = contracts::toolbox::invoice_call("u-1001", "F-1");
    let toolbox = FakeToolbox::of_customers();
    toolbox.call(&call, Duration::from_secs(5)).await.expect("an output");
    toolbox.call(&contracts::toolbox::invoice_call("u-1001", ""), Duration::from_secs(5)).await.expect_err("no input");
    assert_eq!(toolbox.calls(), std::slice::from_ref(&call));
    let down = FakeToolbox::of_customers().failing(Fault::Unavailable);
    assert_eq!(down.call(&call, Duration::from_secs(5)).await.expect_err("it is down").fault, Fault::Unavailable);
    let hanging = FakeToolbox::of_customers().hanging();
    assert_eq!(hanging.call(&call, Duration::from_millis(1)).await.expect_err("it hangs").fault, Fault::Timeout);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fake_jobs_are_jobs() {
    contracts::jobs::check(|| Arc::new(FakeJobs::default())).await;
}

#[tokio::test]
async fn the_fake_questions_are_sent() {
    contracts::sent_questions::check(|| Arc::new(FakeSentQuestions::default())).await;
}
