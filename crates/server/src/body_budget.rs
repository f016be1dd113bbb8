//! How much of the requests' bodies is in memory while they arrive: a limit for all callers together, and a share of
//! it per caller.
//!
//! Invariant: a body takes room for what has arrived of it, not for what it announces, so that whoever sends slowly keeps
//! nobody out; and no caller takes everybody else's room.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use vouch_domain::Caller;

/// The most room there is, however many requests of whatever size may run and wait.
const BYTES_MAX: usize = 256 << 20;
/// One caller has this part of the room.
const SHARES: usize = 4;

/// The room of all bodies.
#[derive(Debug, Clone)]
pub(crate) struct BodyBudget {
    held: Arc<Mutex<Held>>,
    bytes_max: usize,
    bytes_per_caller: usize,
    bytes_per_body: usize,
}

#[derive(Debug, Default)]
struct Held {
    bytes: usize,
    by_caller: BTreeMap<String, usize>,
}

/// The room of one body, given back when this is dropped.
pub(crate) struct BodyReservation {
    room: BodyBudget,
    caller: String,
    bytes: usize,
}

impl BodyBudget {
    /// Room for `bodies` of at most `bytes_per_body` each; always for one.
    pub(crate) fn new(bodies: usize, bytes_per_body: usize) -> Self {
        let bytes_max = bodies.saturating_mul(bytes_per_body).min(BYTES_MAX).max(bytes_per_body);
        let bytes_per_caller = (bytes_max / SHARES).max(bytes_per_body);
        Self { held: Arc::default(), bytes_max, bytes_per_caller, bytes_per_body }
    }

    /// A caller's body of which nothing has arrived yet.
    pub(crate) fn begin(&self, caller: &Caller) -> BodyReservation {
        // Ids are unique only within a tenant.
        let caller = format!("{}\n{}", caller.reader.tenant, caller.id);
        BodyReservation { room: self.clone(), caller, bytes: 0 }
    }

    /// A body of somebody who has no key yet; all of them share what one caller has.
    pub(crate) fn begin_strangers(&self) -> BodyReservation {
        BodyReservation { room: self.clone(), caller: String::new(), bytes: 0 }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyReservation {
    /// Reserves room for bytes that have arrived; returns whether there was any.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        // What exceeds the largest body is refused for its size and not kept.
        let bytes = bytes.min(self.room.bytes_per_body.saturating_sub(self.bytes));
        let mut held = self.room.held();
        let own = held.by_caller.get(&self.caller).copied().unwrap_or_default();
        let has_room = held.bytes.saturating_add(bytes) <= self.room.bytes_max
            && own.saturating_add(bytes) <= self.room.bytes_per_caller;
        if has_room {
            held.bytes += bytes;
            held.by_caller.insert(self.caller.clone(), own + bytes);
            self.bytes += bytes;
        }
        has_room
    }
}

impl Drop for BodyReservation {
    fn drop(&mut self) {
        let mut held = self.room.held();
        held.bytes = held.bytes.saturating_sub(self.bytes);
        let own = held.by_caller.remove(&self.caller).unwrap_or_default().saturating_sub(self.bytes);
        if own > 0 {
            held.by_caller.insert(self.caller.clone(), own);
        }
    }
}

#[cfg(test)]
mod tests {
    use vouch_domain::{Caller, Reader, Role};

    use super::{BYTES_MAX, BodyBudget};

    fn caller(id: &str) -> Caller {
        Caller {
            id: id.to_owned(),
            name: None,
            person: None,
            reader: Reader::of_tenant("t"),
            role: Role::Reader,
            requests_per_minute: None,
        }
    }

    #[test]
    fn bytes_take_room_until_their_body_is_gone() {
        let room = BodyBudget::new(4, 100);
        let mut first = room.begin(&caller("a"));
        let mut idle: Vec<_> = (0..1_000).map(|_| room.begin(&caller("a"))).collect();
        assert!(first.grow(60) && first.grow(40), "bodies that have not begun take no room");
        assert!(idle.iter_mut().all(|one| !one.grow(1)), "a caller has a share");
        drop(first);
        assert!(idle.iter_mut().take(100).all(|one| one.grow(1)));
        drop(idle);
        let held = room.held();
        assert!(held.bytes == 0 && held.by_caller.is_empty(), "nothing is kept of who has left: {held:?}");
    }

    #[test]
    fn one_caller_leaves_room_to_others_until_all_of_it_is_taken() {
        let room = BodyBudget::new(4, 100);
        let mut bodies: Vec<_> = ["a", "b", "c", "d"].into_iter().map(|id| room.begin(&caller(id))).collect();
        assert!(bodies.iter_mut().all(|one| one.grow(100)));
        assert!(!room.begin(&caller("e")).grow(1));
    }

    #[test]
    fn there_is_room_for_one_body_and_not_for_any_number() {
        let one = BodyBudget::new(1, 100);
        let mut body = one.begin(&caller("a"));
        assert!(
            body.grow(99) && body.grow(1_000),
            "what exceeds a body is refused elsewhere, and not for want of room"
        );
        assert_eq!(BodyBudget::new(usize::MAX, 1 << 20).bytes_max, BYTES_MAX);
        assert_eq!(BodyBudget::new(0, 2 * BYTES_MAX).bytes_max, 2 * BYTES_MAX);
    }
}
