//! The queue of changes: one at a time per tenant, and a limit on documents being read for all tenants.
//!
//! Invariant: one tenant's documents keep no other tenant waiting for longer than it takes to make room; a change that
//! finds too many of its own tenant waiting is rejected.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

/// How many changes of one tenant may wait; each holds what was sent in memory.
const WAITING_MAX: usize = 16;
/// How many requests have their documents read, cut and embedded at once.
const ROOM: usize = 2;

/// The queues of all tenants.
#[derive(Debug, Clone)]
pub struct TenantLocks {
    queues: Arc<Mutex<BTreeMap<String, Queue>>>,
    room: Arc<Semaphore>,
}

/// Those of one tenant that wait, and the one whose turn it is: each has a copy.
type Queue = Arc<tokio::sync::Mutex<()>>;

/// A tenant's turn; the next has it when this is dropped.
#[derive(Debug)]
pub struct TenantLock {
    _own: OwnedMutexGuard<()>,
    _room: Option<OwnedSemaphorePermit>,
}

impl Default for TenantLocks {
    fn default() -> Self {
        Self { queues: Arc::default(), room: Arc::new(Semaphore::new(ROOM)) }
    }
}

impl TenantLocks {
    /// A tenant's turn for a small change; none if too many of its changes wait already.
    pub async fn take(&self, tenant: &str) -> Option<TenantLock> {
        let queue = self.queue(tenant)?;
        Some(TenantLock { _own: queue.lock_owned().await, _room: None })
    }

    /// A tenant's turn with room to read documents.
    pub async fn take_with_room(&self, tenant: &str) -> Option<TenantLock> {
        let turn = self.take(tenant).await?;
        let room = Arc::clone(&self.room).acquire_owned().await.ok()?;
        Some(TenantLock { _room: Some(room), ..turn })
    }

    fn queue(&self, tenant: &str) -> Option<Queue> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        // An empty queue is dropped, so that there are never more queues than active tenants.
        queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        let queue = queues.entry(tenant.to_owned()).or_default();
        (Arc::strong_count(queue) <= WAITING_MAX + 1).then(|| Arc::clone(queue))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ROOM, TenantLocks, WAITING_MAX};

    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn one_tenant_waits_for_itself_and_for_nobody_else() {
        let tenant_locks = TenantLocks::default();
        let first = tenant_locks.take("a").await.expect("a turn");
        assert!(tokio::time::timeout(SOON, tenant_locks.take("a")).await.is_err(), "its own turn is taken");
        assert!(tokio::time::timeout(SOON, tenant_locks.take("b")).await.is_ok_and(|turn| turn.is_some()));
        drop(first);
        assert!(tokio::time::timeout(SOON, tenant_locks.take("a")).await.is_ok_and(|turn| turn.is_some()));
    }

    #[tokio::test]
    async fn who_comes_when_too_many_wait_is_turned_away_and_others_are_not() {
        let tenant_locks = TenantLocks::default();
        let _first = tenant_locks.take("a").await.expect("a turn");
        let waiting: Vec<_> = (0..WAITING_MAX)
            .map(|_| {
                let tenant_locks = tenant_locks.clone();
                tokio::spawn(async move { tenant_locks.take("a").await.is_some() })
            })
            .collect();
        tokio::time::sleep(SOON).await;
        assert!(tenant_locks.take("a").await.is_none());
        assert!(tenant_locks.take("b").await.is_some());
        for one in waiting {
            one.abort();
        }
        tokio::time::sleep(SOON).await;
        assert!(tokio::time::timeout(SOON, tenant_locks.take("a")).await.is_err(), "who left gave the place back");
    }

    #[tokio::test]
    async fn documents_wait_for_room_and_small_changes_do_not() {
        let tenant_locks = TenantLocks::default();
        let mut held = Vec::new();
        for tenant in 0..ROOM {
            held.push(tenant_locks.take_with_room(&tenant.to_string()).await.expect("room"));
        }
        assert!(tokio::time::timeout(SOON, tenant_locks.take_with_room("late")).await.is_err());
        assert!(tenant_locks.take("late").await.is_some());
        held.pop();
        assert!(tenant_locks.take_with_room("late").await.is_some());
    }
}
