//! The contract of `RateCounter`.

use std::{sync::Arc, time::Duration};

use vouch_domain::{
    Fault, PortError,
    ports::{RateCounter, RateOutcome},
};

/// How often all of it is tried where a counter is late: it may wait for a moment only, which a busy machine takes for itself at
/// times. One that is always late fails.
const TRIES_MAX: usize = 10;

/// Runs every clause; both counters count the same requests.
pub async fn check(one: Arc<dyn RateCounter>, other: Arc<dyn RateCounter>) {
    let mut tries = 0;
    while let Err(error) = clauses([&one, &other], tries).await {
        tries += 1;
        assert!(error.fault == Fault::Unavailable && tries < TRIES_MAX, "{error}");
    }
}

/// The clauses for callers of their own, since a request that was late may still be counted.
async fn clauses([one, other]: [&Arc<dyn RateCounter>; 2], number: usize) -> Result<(), PortError> {
    let [mira, kees, anna] = ["mira", "kees", "anna"].map(|name| format!("acme\n{name} {number}"));
    for counter in [one, other, one, other] {
        assert_eq!(counter.take(&mira, 4).await?, RateOutcome::Granted);
    }
    // A quarter of a minute is one request, and the clauses above take no such time.
    for counter in [one, other] {
        let wait = match counter.take(&mira, 4).await? {
            RateOutcome::Exceeded(wait) => wait,
            RateOutcome::Granted => Duration::ZERO,
        };
        assert!(!wait.is_zero() && wait <= Duration::from_secs(15), "a fifth request in a minute of four: {wait:?}");
    }
    assert_eq!(one.take(&kees, 4).await?, RateOutcome::Granted, "callers are counted by themselves");
    assert_eq!(one.take(&anna, 0).await?, RateOutcome::Exceeded(Duration::from_secs(60)));
    Ok(())
}
