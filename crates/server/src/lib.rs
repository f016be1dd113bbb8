//! The ways in from outside, and the only place where names on the wire are known.

pub mod admission;
mod endpoints;
pub mod problem;
pub mod service;
pub mod wire;
