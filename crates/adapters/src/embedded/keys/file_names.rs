//! The files that keys are kept in.

pub(super) const FILE: &str = "keys.sqlite";

pub(super) const SEAL_FILE: &str = "keys.seal";
