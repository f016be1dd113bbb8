//! The contract of `RateCounter`.

use std::{sync::Arc, time::Duration};

use vouch_domain::ports::{RateCounter, RateOutcome};

/// Runs every clause; both counters count the same requests.
pub async fn check(one: Arc<dyn RateCounter>, other: Arc<dyn RateCounter>) {
    let take = async |counter: &Arc<dyn RateCounter>, caller: &str| counter.take(caller, 4).await.expect("an answer");
    for counter in [&one, &other, &one, &other] {
        assert_eq!(take(counter, "acme\nmira").await, RateOutcome::Granted);
    }
    // A quarter of a minute is one request, and the clauses above take no such time.
    for counter in [&one, &other] {
        let wait = match take(counter, "acme\nmira").await {
            RateOutcome::Exceeded(wait) => wait,
            RateOutcome::Granted => Duration::ZERO,
        };
        assert!(!wait.is_zero() && wait <= Duration::from_secs(15), "a fifth request in a minute of four: {wait:?}");
    }
    assert_eq!(take(&one, "acme\nkees").await, RateOutcome::Granted, "callers are counted by themselves");
    assert_eq!(one.take("acme\nanna", 0).await.expect("an answer"), RateOutcome::Exceeded(Duration::from_secs(60)));
}
