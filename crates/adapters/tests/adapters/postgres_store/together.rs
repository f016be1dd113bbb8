//! What nodes count together and warn each other of.

use std::{sync::Arc, time::Duration};

use vouch_adapters::postgres::PostgresRates;
use vouch_domain::{
    Fault, PortError,
    ports::{RateCounter, RateOutcome},
};
use vouch_testkit::contracts;

use super::{Server, database, name_of, server};

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_count_the_requests_of_a_caller_together() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let [one, other] = [(); 2].map(|()| Arc::new(database(&settings).rates()) as Arc<dyn RateCounter>);
    contracts::rate_counter::check(one, other).await;
}

const SET_BACK: &str = "UPDATE vouch.rate_buckets SET filled_at = filled_at + interval '1 day'";

/// A caller is let in again once the database's clock is set back, and counted from there; an error where the database was late.
async fn count_on(server: &Server, name: &str, (rates, caller): (&PostgresRates, &str)) -> Result<(), PortError> {
    assert_eq!(rates.take(caller, 1).await?, RateOutcome::Granted);
    assert_ne!(rates.take(caller, 1).await?, RateOutcome::Granted);
    server.execute(name, SET_BACK);
    assert_eq!(rates.take(caller, 1).await?, RateOutcome::Granted);
    assert_ne!(rates.take(caller, 1).await?, RateOutcome::Granted, "it counts on from there");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_of_the_database_that_is_set_back_locks_no_caller_out() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let name = name_of(&settings);
    let rates = database(&settings).rates();
    // One that is late on a busy machine may be counted all the same, so that the next try is another caller's.
    let mut tries = 0;
    while let Err(error) = count_on(server, &name, (&rates, &format!("acme\nmira {tries}"))).await {
        tries += 1;
        assert!(error.fault == Fault::Unavailable && tries < 10, "{error}");
    }
    server.execute(&name, SET_BACK);
    // Full buckets are forgotten after so many requests. One that is late counts as well, and may be the one that would have forgotten
    // them.
    let is_clean =
        || server.execute(&name, "SELECT 1 FROM vouch.rate_buckets WHERE filled_at > clock_timestamp()").is_empty();
    for _ in 0..5 {
        for _ in 0..1_000 {
            let _ = rates.take("acme\nnobody", 0).await;
        }
        if is_clean() {
            break;
        }
    }
    assert!(is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_that_the_database_does_not_answer_is_given_up() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let rates = database(&settings).rates();
    let lock = server.hold(&name_of(&settings), "LOCK TABLE vouch.rate_buckets IN ACCESS EXCLUSIVE MODE").await;
    let error = rates.take("acme\nmira", 4).await.expect_err("nobody answers");
    assert_eq!(error.fault, Fault::Unavailable, "it is not waited for as long as for a lock: {error}");
    drop(lock);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_breaker_that_opens_on_one_node_is_heard_of_on_the_others() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let [one, other] = [(); 2].map(|()| database(&settings).breaker_reports().expect("reports"));
    let minute = Duration::from_secs(60);
    assert!(one.exchange(vec!["llm".to_owned()], minute).await.expect("told").is_empty(), "its own is no news");
    let heard = other.exchange(Vec::new(), minute).await.expect("heard");
    assert_eq!(heard.iter().map(|report| report.service.as_str()).collect::<Vec<_>>(), ["llm"]);
    assert!(heard.iter().all(|report| report.opened_ago < minute));
    assert!(other.exchange(Vec::new(), Duration::ZERO).await.expect("heard").is_empty(), "it is over at some time");
}
