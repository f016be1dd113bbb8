//! How often each caller may ask: a bucket that fills evenly and holds a minute's worth.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Most callers whose buckets are kept; full ones are forgotten first, which costs nobody anything.
const BUCKETS_MAX: usize = 10_000;

/// The buckets of all callers.
#[derive(Debug, Default)]
pub struct RateLimit {
    buckets: Mutex<BTreeMap<String, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    filled_at: Duration,
    per_minute: u32,
}

impl Bucket {
    fn filled(self, now: Duration, per_minute: u32) -> Self {
        let full = f64::from(per_minute);
        let gained = now.saturating_sub(self.filled_at).as_secs_f64() / 60.0 * full;
        Self { left: (self.left + gained).min(full), filled_at: now, per_minute }
    }

    fn is_full(self, now: Duration) -> bool {
        self.filled(now, self.per_minute).left >= f64::from(self.per_minute)
    }
}

impl RateLimit {
    /// Whether a caller may ask now; takes one from their bucket where they may.
    pub fn allows(&self, caller: &str, per_minute: u32, now: Duration) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(caller) {
            buckets.retain(|_, bucket| !bucket.is_full(now));
            if buckets.len() >= BUCKETS_MAX {
                return false;
            }
        }
        let fresh = Bucket { left: f64::from(per_minute), filled_at: now, per_minute };
        let bucket = buckets.entry(caller.to_owned()).or_insert(fresh);
        *bucket = bucket.filled(now, per_minute);
        let may = bucket.left >= 1.0;
        if may {
            bucket.left -= 1.0;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::RateLimit;

    #[test]
    fn a_minutes_worth_may_be_asked_at_once_and_then_as_fast_as_it_comes_back() {
        let rate = RateLimit::default();
        let at = Duration::from_secs;
        let asked = (0..10).filter(|_| rate.allows("a", 6, at(100))).count();
        assert_eq!(asked, 6);
        assert!(!rate.allows("a", 6, at(109)), "nine seconds are not enough for one of six a minute");
        assert!(rate.allows("a", 6, at(111)));
        assert!(rate.allows("b", 6, at(111)), "another caller has a bucket of their own");
    }

    #[test]
    fn a_clock_that_stands_still_gives_nothing_back() {
        let rate = RateLimit::default();
        assert!(rate.allows("a", 1, Duration::from_secs(5)));
        assert!(!rate.allows("a", 1, Duration::from_secs(5)));
        assert!(!rate.allows("a", 1, Duration::from_secs(4)));
    }
}
