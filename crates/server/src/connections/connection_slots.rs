//! How many connections each address has, so that none takes everybody else's.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The places of every address.
#[derive(Clone)]
pub(super) struct ConnectionSlots {
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    per_address: usize,
}

/// One place of one address, given back when this is dropped.
pub(super) struct ConnectionSlot {
    places: ConnectionSlots,
    address: IpAddr,
}

impl ConnectionSlots {
    pub(super) fn new(per_address: usize) -> Self {
        Self { taken: Arc::default(), per_address: per_address.max(1) }
    }

    /// A place for an address; none if it has as many as it may.
    pub(super) fn take(&self, address: IpAddr) -> Option<ConnectionSlot> {
        let address = network(address);
        let mut taken = self.taken();
        let count = taken.entry(address).or_default();
        if *count >= self.per_address {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot { places: self.clone(), address })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if let Some(count) = taken.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

/// What counts as one address: of IPv6 the network, since a client has all of it to itself.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectionSlots;

    #[test]
    fn an_address_has_so_many_places_and_gives_them_back() {
        let places = ConnectionSlots::new(2);
        let address = |text: &str| text.parse().expect("an address");
        let held = [places.take(address("10.0.0.1")), places.take(address("::ffff:10.0.0.1"))];
        assert!(held.iter().all(Option::is_some));
        assert!(places.take(address("10.0.0.1")).is_none());
        assert!(places.take(address("10.0.0.2")).is_some(), "another address has places of its own");
        drop(held);
        assert!(places.take(address("10.0.0.1")).is_some());
        let held = [places.take(address("2001:db8::1")), places.take(address("2001:db8::2"))];
        assert!(places.take(address("2001:db8::3")).is_none(), "a network is one client");
        drop(held);
        assert!(places.taken().is_empty(), "nothing is kept of who has left");
    }
}
