//! The ways in from outside, and the only place where names on the wire are known.

pub mod admission;
pub mod desk;
pub mod door;
mod endpoints;
mod loopback;
pub mod mcp;
pub mod problem;
pub mod rate;
pub mod service;
pub mod wire;
