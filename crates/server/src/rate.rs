//! How often each caller may ask: a bucket that fills evenly and holds a minute's worth.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Most callers whose buckets are kept; full ones are dropped first, which changes nothing for their callers.
const BUCKETS_MAX: usize = 10_000;

/// How long a caller waits when there is no room for its bucket.
const FULL_WAIT: Duration = Duration::from_secs(60);

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
    /// Takes one from a caller's bucket.
    ///
    /// # Errors
    /// Says how long to wait where the bucket is empty.
    pub fn take(&self, caller: &str, per_minute: u32, now: Duration) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(caller) {
            buckets.retain(|_, bucket| !bucket.is_full(now));
            if buckets.len() >= BUCKETS_MAX {
                return Err(FULL_WAIT);
            }
        }
        let fresh = Bucket { left: f64::from(per_minute), filled_at: now, per_minute };
        let bucket = buckets.entry(caller.to_owned()).or_insert(fresh);
        *bucket = bucket.filled(now, per_minute);
        if bucket.left < 1.0 {
            let wait_s = (1.0 - bucket.left) * 60.0 / f64::from(per_minute.max(1));
            return Err(Duration::from_secs_f64(wait_s));
        }
        bucket.left -= 1.0;
        Ok(())
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
        let asked = (0..10).filter(|_| rate.take("a", 6, at(100)).is_ok()).count();
        assert_eq!(asked, 6);
        assert!(rate.take("a", 6, at(109)).is_err(), "nine seconds are not enough for one of six a minute");
        assert!(rate.take("a", 6, at(111)).is_ok());
        assert!(rate.take("b", 6, at(111)).is_ok(), "another caller has a bucket of their own");
    }

    #[test]
    fn who_comes_too_soon_is_told_how_long_to_wait() {
        let rate = RateLimit::default();
        let at = Duration::from_secs;
        assert!(rate.take("a", 2, at(0)).is_ok() && rate.take("a", 2, at(0)).is_ok());
        let wait = rate.take("a", 2, at(10)).expect_err("too soon");
        assert_eq!(wait.as_secs_f64().round(), 20.0);
        assert!(rate.take("a", 2, at(10) + wait + Duration::from_millis(1)).is_ok());
    }

    #[test]
    fn a_clock_that_stands_still_gives_nothing_back() {
        let rate = RateLimit::default();
        assert!(rate.take("a", 1, Duration::from_secs(5)).is_ok());
        assert!(rate.take("a", 1, Duration::from_secs(5)).is_err());
        assert!(rate.take("a", 1, Duration::from_secs(4)).is_err());
    }
}
