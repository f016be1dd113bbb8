//! What the port is called in errors.

pub(super) const PORT: &str = "tools";
