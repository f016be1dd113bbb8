//! What is wrong with the keys, and what can be done.

use vouch_domain::{Fault, PortError};

use super::file_names::{FILE, SEAL_FILE};

pub(super) const PORT: &str = "keys";

/// What is wrong with the key store, and the two ways out of it.
pub(super) fn damaged(what: String) -> PortError {
    let sentence = format!(
        "{what}. Every request is rejected until the keys are fixed: restore {} and {} from one backup, or start over with \
         `vouch key reset --yes` and make new keys",
        FILE, SEAL_FILE
    );
    PortError::new(PORT, Fault::Corrupt, sentence)
}
