//! How many questions run and wait at once; a request that finds both full is rejected at once.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use vouch_service::metrics::AdmissionCounts;

use crate::body_budget::BodyBudget;

/// Most sign-ins at once. They have permits of their own: whoever has no key yet must not take those of questions.
const SIGN_INS_MAX: usize = 8;

/// The limit on concurrent questions.
#[derive(Debug, Clone)]
pub struct Admission {
    running: Arc<Semaphore>,
    sign_ins: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    turned_away: Arc<AtomicU64>,
    /// Room for the bodies of as many requests as can run and wait: more could only be turned away once they were read.
    pub(crate) bodies: BodyBudget,
    /// Room for files, which are larger and fewer.
    pub(crate) files: BodyBudget,
    running_max: usize,
    waiting_max: usize,
}

/// A permit to run; released when dropped.
#[derive(Debug)]
pub struct AdmissionPermit {
    _permit: OwnedSemaphorePermit,
}

/// A place in the queue; released however the wait ends.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Admission {
    /// Limits on running and waiting requests, and on the bytes of each body and each file.
    #[must_use]
    pub fn new(running_max: usize, waiting_max: usize, body_bytes_max: usize, file_bytes_max: usize) -> Self {
        let running_max = running_max.max(1);
        let running = Arc::new(Semaphore::new(running_max));
        let bodies = BodyBudget::new(running_max.saturating_add(waiting_max), body_bytes_max);
        let files = BodyBudget::new(running_max, file_bytes_max);
        Self {
            running,
            sign_ins: Arc::new(Semaphore::new(SIGN_INS_MAX)),
            waiting: Arc::default(),
            turned_away: Arc::default(),
            bodies,
            files,
            running_max,
            waiting_max,
        }
    }

    /// Counts a request for whose body there was no room.
    pub(crate) fn turn_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    /// How many run and wait at the moment.
    #[must_use]
    pub fn admission_counts(&self) -> AdmissionCounts {
        AdmissionCounts {
            running: self.running_max.saturating_sub(self.running.available_permits()),
            waiting: self.waiting.load(Ordering::Acquire),
            turned_away: self.turned_away.load(Ordering::Relaxed),
        }
    }

    /// A permit for a sign-in, now or not at all.
    pub(crate) fn acquire_sign_in(&self) -> Option<AdmissionPermit> {
        let permit = Arc::clone(&self.sign_ins).try_acquire_owned().ok();
        if permit.is_none() {
            self.turn_away();
        }
        permit.map(|permit| AdmissionPermit { _permit: permit })
    }

    /// A permit, now or after a wait; none if too many wait already.
    pub async fn acquire(&self) -> Option<AdmissionPermit> {
        if let Ok(permit) = Arc::clone(&self.running).try_acquire_owned() {
            return Some(AdmissionPermit { _permit: permit });
        }
        let before = self.waiting.fetch_add(1, Ordering::AcqRel);
        let waiting = Waiting(&self.waiting);
        if before >= self.waiting_max {
            self.turn_away();
            return None;
        }
        let permit = Arc::clone(&self.running).acquire_owned().await.ok()?;
        drop(waiting);
        Some(AdmissionPermit { _permit: permit })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Admission, AdmissionCounts};

    #[tokio::test]
    async fn who_comes_when_all_places_are_taken_is_turned_away_at_once() {
        let admission = Admission::new(1, 1, 100, 100);
        let first = admission.acquire().await.expect("a place");
        let second = tokio::spawn({
            let admission = admission.clone();
            async move { admission.acquire().await.is_some() }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(admission.acquire().await.is_none());
        assert_eq!(admission.admission_counts(), AdmissionCounts { running: 1, waiting: 1, turned_away: 1 });
        drop(first);
        assert!(second.await.expect("it runs"));
        assert!(admission.acquire().await.is_some());
    }

    #[tokio::test]
    async fn sign_ins_take_no_place_of_questions() {
        let admission = Admission::new(1, 0, 100, 100);
        let held: Vec<_> = std::iter::from_fn(|| admission.acquire_sign_in()).collect();
        assert_eq!((held.len(), admission.admission_counts().turned_away), (8, 1));
        assert!(admission.acquire().await.is_some());
        drop(held);
        assert!(admission.acquire_sign_in().is_some());
    }

    #[tokio::test]
    async fn who_leaves_while_waiting_gives_the_place_back() {
        let admission = Admission::new(1, 1, 100, 100);
        let _first = admission.acquire().await.expect("a place");
        for _ in 0..5 {
            let left = tokio::time::timeout(Duration::from_millis(5), admission.acquire()).await;
            assert!(left.is_err(), "it waits until it leaves");
        }
    }
}
