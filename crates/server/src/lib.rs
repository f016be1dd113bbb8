//! The ways in from outside, and the only place where names on the wire are known.

pub mod wire;
