//! What it means where an index has seen changes that the catalogue no longer has.

use vouch_domain::{Fault, PortError, ports::Generation};

use super::sqlite_fault::damage_sentence;

/// An index never runs ahead of the catalogue, so one that does proves that the catalogue lost something. Making the
/// index again would hide that.
pub(super) fn ahead_of_catalogue(port: &'static str, index: Generation, catalogue: Generation) -> PortError {
    let what = format!("the catalogue is at generation {}, its index at {}", catalogue.0, index.0);
    PortError::new(port, Fault::Corrupt, damage_sentence(&what))
}
