//! What is wrong with the keys, and what can be done.

use vouch_domain::{Fault, PortError};

use super::file_names::{FILE, SEAL_FILE};

pub(super) const PORT: &str = "keys";

/// What is wrong with the key store, and the two ways out of it.
pub(super) fn damaged(what: String) -> PortError {
    let sentence = format!(
        "{what}. Nobody is let in until the keys are put right: restore {} and {} from one backup, or begin anew with \
         `vouch key reset --yes` and make new keys",
        FILE, SEAL_FILE
    );
    PortError::of(PORT, Fault::Corrupt, sentence)
}
