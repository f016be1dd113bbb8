//! The address of a PostgreSQL server → whether all of it is on this machine, so that nothing leaves it without TLS.

use std::net::IpAddr;

use tokio_postgres::{Config, config::Host};

/// Whether every server that an address names is on this machine; where it names none, it names none elsewhere.
pub(crate) fn is_on_this_machine(config: &Config) -> bool {
    let is_here = |host: &Host| match host {
        Host::Tcp(name) => {
            name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(is_here) && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}
